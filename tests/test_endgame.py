"""`counter` and the search behind it: exact at the end of a round, `cautious` before that."""

import random
from functools import cache

import numpy as np

from sim.cards import RANKS, pack
from sim.endgame import endgame_value, knows_all
from sim.foresight import table_after_reply
from sim.kernel.captures import capture_table
from sim.kernel.compile import compiled
from sim.reference import play as twin
from sim.reference.moves import best_moves, legal_moves
from sim.reference.state import whole_pack
from sim.reference.views import ViewFiller
from sim.rules import Rules
from sim.strategy import catalogue
from tests.positions import PLAYERS, cards, duel, games, played, rule_sets, view_of
from tests.random_games import random_rules

CHOOSE = catalogue()["counter"]


def after_move(loose, move):
    """Return the loose cards after a move of the twin, packed."""
    return pack([*loose, move.card]) if move.kind == "trail" else pack(loose) - pack(move.take)


class Solver:
    """Plays a position out in every way, by the twin's rules and within the search's moves."""

    def __init__(self, rules, view):
        self.rules, self.view = rules, view
        self.value = cache(self.value)

    def moves(self, loose, hand):
        """Return the trails, and one largest capture of each card: that of `table_after_reply`."""
        legal = best_moves(legal_moves(self.rules, hand, loose))
        for move in legal:
            after = after_move(loose, move)
            reply = table_after_reply(self.view, pack(loose), RANKS.index(move.card), 0)
            if move.kind == "trail" or (move.kind == "capture" and after == reply):
                yield move

    def value(self, loose, hand, other, captor):
        """Return the points to come of who is to play, less the other's.

        `captor` is 1 if that player captured last, -1 if the other did, 0 if neither is known.
        """
        if not hand:
            to = {"nobody": 0, "last_to_play": -1, "last_to_capture": captor}[self.rules.rest]
            return to * len(loose)
        return max(self.after(loose, hand, other, captor, m) for m in self.moves(loose, hand))

    def after(self, loose, hand, other, captor, move):
        """Return what a move wins and all that follows it."""
        captures = move.kind == "capture"
        won = len(move.take) + 1 if captures else 0
        left = tuple(cards(after_move(loose, move)))
        kept = list(hand)
        kept.remove(move.card)
        return won - self.value(left, other, tuple(kept), -1 if captures else -captor)


def endings(number, seed):
    """Yield rules, the two hands, the table, and the View of who is to play."""
    choose = random.Random(seed)
    for k in range(number):
        rules = random_rules(choose).model_copy(update={"esun": False})
        deck = choose.sample(whole_pack(rules), 16)
        held = 1 + k % 4
        hand, other = tuple(deck[:held]), tuple(deck[4 : 4 + held - k // 4 % 2])
        table = tuple(deck[8 : 8 + choose.randrange(8)])
        view, _ = view_of(*(" ".join(part) for part in (hand, table, other)), rules=rules, noise=k)
        view.hand_sizes[:2] = len(hand), len(other)
        yield rules, hand, other, table, view


def offered(rules, hand, table):
    """Return the moves of a View as the twin has them, in the same order."""
    return best_moves(legal_moves(rules, hand, table))


def test_counter_solves_the_end_of_a_round_as_playing_it_out_does():
    choices = 0
    for rules, hand, other, table, view in endings(240, seed=1):
        assert knows_all(view)
        solver = Solver(rules, view)
        moves = offered(rules, hand, table)
        worths = [solver.after(table, hand, other, 0, move) for move in moves]
        assert worths[compiled(CHOOSE)(view)] == max(worths)
        choices += len(set(worths)) > 1
    assert choices > 60


def test_the_search_finds_every_result_and_not_only_the_best():
    for rules, hand, other, table, view in endings(60, seed=2):
        solver = Solver(rules, view)
        for i, move in enumerate(offered(rules, hand, table)):
            worth = solver.after(table, hand, other, 0, move)
            assert endgame_value(view, i, -1000) == worth
            assert endgame_value(view, i, worth) == worth
            assert endgame_value(view, i, worth + 1) <= worth


def test_luck_decides_between_moves_that_end_alike():
    fields = {"next_hand": 1}
    assert played("counter", "Q K", "", "J", **fields) == {"Q trails", "K trails"}


def test_counter_sees_what_cautious_cannot():
    # The 5 takes A 4 now or later, for nobody else can; the K is lost to the other's K at once.
    hand, table, other = "5 K", "A 4 K", "K Q"
    assert played("counter", hand, table, other, next_hand=2) == {"K takes K"}
    assert played("cautious", hand, table, "K Q 2 3 6 7 8 9", next_hand=2) == {"5 takes A 4"}


def test_counter_knows_all_in_the_last_deal_and_only_then():
    turns = []

    def watch(view):
        turns.append((view.deal + 1 == view.deals, knows_all(view)))
        return compiled(CHOOSE)(view)

    for rules in (Rules(), Rules(jokers=2, leftover="table"), Rules(jokers=2, single_deal=True)):
        turns.clear()
        play_in_twin(rules, 2, watch)
        assert all(last == knows for last, knows in turns)
        assert {last for last, _ in turns} == {False, True}


def play_in_twin(rules, players, choose):
    player = CHOOSE.bind()
    game = twin._Game(rules, [player] * players, (3, 1, 0), lambda event: None)
    game.views = ViewFiller(rules, players, capture_table().ctypes.data)
    game.choosers = [choose] * players
    game.play()


def test_counter_is_cautious_where_it_cannot_know_all():
    for players in PLAYERS:
        for rules in rule_sets(6):
            never = {"leftover": "unused", "single_deal": False, "jokers": 1 + rules.jokers // 2}
            rules = rules.model_copy(update=never if players == 2 else {})
            ours, theirs = (games(catalogue()[n], rules, players) for n in ("counter", "cautious"))
            assert np.array_equal(ours, theirs)


def test_counter_beats_cautious_over_two_players():
    """Fails if solving the last deal were of no use: the interval is ± 4 standard errors."""
    deals = 2000
    won = np.sign(duel("counter", "cautious", Rules(), deals)).mean(axis=1)
    assert won.mean() > 4 * won.std(ddof=1) / np.sqrt(deals)


def test_counter_searches_under_esun_only_while_no_pile_stands():
    rules = Rules(esun=True)
    assert knows_all(view_of("5 K", "A 4", "Q J", rules=rules, next_hand=2)[0])
    assert not knows_all(view_of("5 K", "A", "Q J", rules=rules, next_hand=2, piles=["2 3"])[0])
