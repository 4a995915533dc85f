"""Every strategy of the catalogue through one battery, and positions that show each one's idea.

The battery is what any strategy owes: legal play under every option, play fixed by its address and
by what it may see, the same in both engines.
"""

import random

import numpy as np
import pytest

from sim.cards import RANKS, pack, parse
from sim.foresight import (
    captures_after,
    expected_capture,
    largest_capture_with_piles,
    table_after_reply,
)
from sim.kernel import Engine
from sim.kernel.captures import capture_table
from sim.kernel.compile import compiled
from sim.reference import play as twin
from sim.reference.moves import best_moves
from sim.reference.state import whole_pack
from sim.reference.views import ViewFiller
from sim.rules import Rounds, Rules
from sim.sight import (
    BUILD,
    CAPTURE,
    captures_by_rank,
    luck,
    move_card,
    move_kind,
    move_size,
    open_piles,
    piles_after,
    table_after,
)
from sim.strategy import Strategy, catalogue
from sim.view import VIEW
from tests.differential import Case, compare
from tests.positions import PLAYERS, games, played, rule_sets, view_of

NAMES = sorted(catalogue())


def extremes(strategy):
    """Return all-lowest and all-highest values of the parameters, whole where they must be."""
    kinds = {p.name: int if p.whole else float for p in strategy.parameters}
    low = {p.name: kinds[p.name](p.low) for p in strategy.parameters}
    high = {p.name: kinds[p.name](p.high) for p in strategy.parameters}
    return low, high


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", NAMES)
def test_play_is_legal_under_every_option(name, players):
    strategy = catalogue()[name]
    for rules in rule_sets(players):
        for values in (None, *extremes(strategy)):
            assert len(games(strategy, rules, players, values)) == 10


@pytest.mark.parametrize("name", NAMES)
def test_the_same_address_is_the_same_play(name):
    for rules in rule_sets(1):
        whole = games(catalogue()[name], rules, 3)
        again = Engine(rules, [[catalogue()[name].bind()] * 3], 1, 9)
        assert np.array_equal(again.play(7, 3), whole[7:])
        assert not np.array_equal(games(catalogue()[name], rules, 3, seed=10), whole)


@pytest.mark.parametrize("name", NAMES)
def test_plain_python_plays_it_as_compiled_code_does(name):
    strategy = catalogue()[name]

    def choose(view):
        move = strategy.choose(view)
        assert compiled(strategy)(view) == move
        return move

    for k, rules in enumerate(rule_sets(7)):
        players = 2 + k % 3
        short = rules.model_copy(update={"end": Rounds(rounds=1)})
        game = twin._Game(short, [strategy.bind()] * players, (5, k, 0), lambda event: None)
        game.views = ViewFiller(short, players, capture_table().ctypes.data)
        game.choosers = [choose] * players
        game.play()


class Reshuffling(twin._Game):
    """A game that asks again at every turn, with all cards that nobody sees dealt anew."""

    asked = 0

    def choice(self, round_, seat, legal):
        move = super().choice(round_, seat, legal)
        seen = bytes(self.views._fields), self.views._moves.tobytes()
        hidden = [round_.hands[s] for s in range(round_.players) if s != seat]
        hidden += [round_.pack, round_.unused]
        before = [list(place) for place in hidden]
        cards = [card for place in hidden for card in place]
        random.Random(self.asked).shuffle(cards)
        for place in hidden:
            place[:], cards = cards[: len(place)], cards[len(place) :]
        try:
            assert super().choice(round_, seat, legal) == move
            address = self.views._moves.ctypes.data
            fields = np.frombuffer(seen[0], VIEW).copy()
            fields["moves"] = address
            assert (fields.tobytes(), seen[1]) == (
                bytes(self.views._fields),
                self.views._moves.tobytes(),
            )
        finally:
            for place, cards in zip(hidden, before, strict=True):
                place[:] = cards
        self.asked += 1
        return move


@pytest.mark.parametrize("name", NAMES)
def test_play_is_blind_to_hidden_cards(name):
    player = catalogue()[name].bind()
    asked = 0
    for k, rules in enumerate(rule_sets(2)):
        players = 2 + k % 4
        game = Reshuffling(rules, [player] * players, (3, k, 0), lambda event: None)
        game.views = ViewFiller(rules, players, capture_table().ctypes.data)
        game.choosers = [compiled(player.strategy)] * players
        game.play()
        asked += game.asked
    assert asked > 500


@pytest.mark.parametrize("name", [n for n in NAMES if not catalogue()[n].uses_unseen])
def test_who_says_that_it_ignores_what_is_unseen_does(name):
    """Otherwise memory, which fills that field only for those who use it, would not reach it."""
    blind = compiled(catalogue()[name])

    class Forgetful(twin._Game):
        def choice(self, round_, seat, legal):
            move = super().choice(round_, seat, legal)
            offered = legal if self.seating[seat].strategy.wants == "all" else best_moves(legal)
            self.views._fields["unseen"] = 0
            assert offered[blind(self.views._view)] == move
            return move

    for k, rules in enumerate(rule_sets(4)):
        game = Forgetful(rules, [catalogue()[name].bind()] * 2, (3, k, 0), lambda event: None)
        game.views = ViewFiller(rules, 2, capture_table().ctypes.data)
        game.choosers = [blind] * 2
        game.play()


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_validated(name):
    strategy = catalogue()[name]
    with pytest.raises(ValueError, match="has no parameter 'unheard_of'"):
        strategy.bind({"unheard_of": 1})
    for parameter in strategy.parameters:
        assert parameter.low <= parameter.default <= parameter.high
        assert parameter.meaning
        for wrong in (parameter.low - 1, parameter.high + 1, float("nan"), "1", True):
            with pytest.raises(ValueError, match=f"{parameter.name} is a"):
                strategy.bind({parameter.name: wrong})
        if parameter.whole:
            with pytest.raises(ValueError, match="a whole number"):
                strategy.bind({parameter.name: parameter.low + 0.5})


@pytest.mark.parametrize("name", NAMES)
def test_it_says_how_it_plays_in_one_sentence(name):
    says = catalogue()[name].says
    assert says[0].isupper()
    assert says.endswith(".")
    assert says.count(".") == 1


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", NAMES)
def test_the_twin_plays_it_identically(name, players):
    choose = random.Random(players)
    for k, rules in enumerate(rule_sets(5)):
        if k % 2 == 0:
            lineup = (catalogue()[name].bind(),) * players
            assert len(compare(Case(rules, lineup, choose.getrandbits(64), k, players)))


# Positions


def test_beginner_plays_the_first_card_that_captures_the_first_way_it_can():
    assert played("beginner", "2 7 9", "3 4 5 7") == {"7 takes 3 4"}
    assert played("greedy", "2 7 9", "3 4 5 7") == {"7 takes 3 4 7"}
    assert played("beginner", "9 K", "A K") == {"K takes K"}


def test_beginner_trails_its_first_card_and_never_builds():
    assert played("beginner", "5 J 3", "2 Q", rules=Rules(esun=True)) == {"3 trails"}


def test_miser_captures_as_greedy_does():
    table, hand = "2 3 5 K K", "5 K 2"
    for name in ("miser", "greedy"):
        assert played(name, hand, table) == {"5 takes 2 3 5"}
        assert played(name, "3 K", "3 K") == {"3 takes 3", "K takes K"}


def test_miser_trails_what_the_fewest_unseen_cards_can_take():
    assert played("miser", "Q K", "", "K K K Q") == {"Q trails"}
    assert played("greedy", "Q K", "", "K K K Q") == {"Q trails", "K trails"}
    assert played("miser", "2 10", "6", "8 8 8 2") == {"10 trails"}
    assert played("miser", "2 10", "6", "10 10 2") == {"2 trails"}


def test_miser_lets_luck_decide_between_equals():
    assert played("miser", "Q K", "", "K Q 2") == {"Q trails", "K trails"}


JOKERS = Rules(jokers=2)


def test_hoarder_keeps_a_joker_until_the_table_is_worth_it():
    assert played("greedy", "* 9", "2 K K Q 3", rules=JOKERS) == {"* takes 2 3 Q K K"}
    assert played("hoarder", "* 9", "2 K K Q 3", rules=JOKERS) == {"9 trails"}
    assert played("hoarder", "* 9", "2 K K Q 3 3", rules=JOKERS) == {"* takes 2 3 3 Q K K"}
    five = {"table": 5}
    assert played("hoarder", "* 9", "2 K K Q 3", rules=JOKERS, values=five) == {"* takes 2 3 Q K K"}


def test_hoarder_captures_with_another_card_meanwhile():
    assert played("hoarder", "* 5 K", "2 3 K", rules=JOKERS) == {"5 takes 2 3"}
    assert played("hoarder", "* K", "K", rules=JOKERS) == {"K takes K"}


def test_hoarder_counts_the_cards_of_piles():
    rules = Rules(jokers=2, esun=True)
    position = {"rules": rules, "piles": ["2 5"]}
    assert played("hoarder", "* 9", "2 K Q", **position) == {"9 trails"}
    assert played("hoarder", "* 9", "2 K Q J", **position) == {"* takes 2 J Q K [2 5]"}


def test_hoarder_plays_a_joker_when_it_can_move_nothing_else():
    assert played("hoarder", "*", "2", rules=JOKERS) == {"* takes 2"}
    assert played("hoarder", "* 9", "2", rules=Rules(jokers=2, must_capture="any")) == {"* takes 2"}


def test_hoarder_without_jokers_is_greedy():
    for players in PLAYERS:
        rules = Rules(esun=True, must_capture="any")
        ours, theirs = (games(catalogue()[n], rules, players) for n in ("hoarder", "greedy"))
        assert np.array_equal(ours, theirs)


def test_saver_prefers_the_capture_that_leaves_no_easy_sums():
    # K leaves 2 3 9, which 2, 3, 5 and 9 can capture; 9 leaves 2 3 K, which 9 cannot.
    hand, table = "K 9", "2 3 9 K"
    assert played("saver", hand, table) == {"9 takes 9"}
    assert played("saver", hand, table, values={"fear": 0}) == {"9 takes 9", "K takes K"}


def test_saver_forgoes_cards_by_its_fear():
    # J takes 2 of J J and leaves A 2 4: seven ranks capture. 7 takes A 2 4: none does.
    table = "A 2 4 J J J J"
    assert played("saver", "7 J", table, values={"fear": 0}) == {"J takes J J J J"}
    assert played("saver", "7 J", table, values={"fear": 0.14}) == {"J takes J J J J"}
    assert played("saver", "7 J", table, values={"fear": 0.15}) == {"7 takes A 2 4"}


def worth_of_lookahead(view, move):
    """Work out a move's worth as the docstring of `lookahead` defines it, card by card."""
    left = table_after(view, move)
    worth = -expected_capture(view, *captures_after(view, move))
    if move_kind(view, move) == CAPTURE:
        worth += move_size(view, move) + 1
    kept = int(view.hand) - (1 << 4 * move_card(view, move))
    unseen = [r for r in range(14) for _ in range(int(view.unseen) >> 4 * r & 15)]
    mine = []
    for reply in unseen:
        opened = piles_after(view, move) & open_piles(view, reply)
        after = table_after_reply(view, left, reply, opened)
        piles = piles_after(view, move) & ~opened
        held = [card for card in range(14) if kept >> 4 * card & 15]
        wins = [largest_capture_with_piles(view, after, piles, card) for card in held]
        mine.append(max([w + 1 for w in wins if w], default=0))
    return worth + (sum(mine) / len(mine) if mine and kept else 0)


def test_lookahead_plays_the_worthiest_move_as_its_definition_says():
    choose = random.Random(4)
    differs = 0
    for k in range(120):
        rules = Rules(yoruba=bool(k & 1), jokers=k & 2, yoruba_joker="distinct", esun=bool(k & 4))
        cards = choose.sample(whole_pack(rules), 40)
        hand, table, unseen = cards[:3], cards[3 : 3 + k % 8], cards[12 : 12 + k % 20 + 4]
        position = [" ".join(part) for part in (hand, table, unseen)]
        fields = {"rules": rules, "noise": k, "piles": ["2 3", "A 9"] if k & 4 else []}
        view, _ = view_of(*position, **fields)
        builds = [move_kind(view, move) == BUILD for move in range(view.n_moves)]
        worths = [worth_of_lookahead(view, move) for move in range(view.n_moves)]
        index = compiled(catalogue()["lookahead"])(view)
        best = max(worth for worth, build in zip(worths, builds, strict=True) if not build)
        assert worths[index] == pytest.approx(best)
        plain = view_of(*position, **fields, values=(1, 1))[0]
        differs += index != compiled(catalogue()["cautious"])(plain)
    assert differs > 10


def test_lookahead_trails_what_it_can_take_itself():
    # Nobody else can take a 4 or a 6; having trailed the 4, it takes it and the 6 with its 10.
    unseen = "J J Q Q"
    assert played("lookahead", "4 10 K", "6", unseen) == {"4 trails"}
    assert played("cautious", "4 10 K", "6", unseen) == {"4 trails", "10 trails", "K trails"}


@pytest.mark.parametrize(
    ("rules", "table", "card", "left"),
    [
        (Rules(), "6 3 3 7 9 A A K", "9", "3 K"),
        (Rules(), "6 3 *", "9", ""),
        (Rules(), "6 3", "8", "6 3 8"),
        (Rules(), "6 *", "8", "6 8 *"),
        (Rules(), "K K Q", "K", "Q"),
        (JOKERS, "K K Q 2", "*", ""),
        (JOKERS, "", "*", "*"),
        (Rules(yoruba=True), "6 3 3 7 9 A A", "9", "3 7 9 A A"),
        (Rules(yoruba=True), "K K Q", "K", "K K Q K"),
        (Rules(yoruba=True, yoruba_faces="pair"), "K K Q", "K", "Q"),
        (Rules(yoruba=True, yoruba_joker="distinct"), "K K Q 3 *", "*", "K"),
    ],
)
def test_a_reply_takes_as_many_loose_cards_as_it_can(rules, table, card, left):
    view, _ = view_of("2", table, rules=rules)
    after = table_after_reply(view, int(view.loose), RANKS.index(card), 0)
    assert after == pack(parse(left))


def test_a_reply_that_opens_a_pile_is_not_trailed_and_takes_the_jokers_along():
    view, _ = view_of("2", "6 3 *", rules=JOKERS)
    assert table_after_reply(view, int(view.loose), RANKS.index("8"), 1) == pack(parse("6 3"))


def test_risk_weighs_what_the_next_player_can_expect():
    # J wins 4 and leaves A 6, worth 2 to one hand in four. 7 wins 3 and leaves nothing to anyone.
    def risking(risk):
        values = {"risk": risk}
        return played("cautious", "7 J", "A 6 J J J", "6 Q Q Q", values=values, next_hand=1)

    assert risking(0) == risking(1) == risking(1.9) == {"J takes J J J"}
    assert risking(2.1) == risking(3) == {"7 takes A 6"}


def test_horizon_counts_more_players_each_less_by_the_chance_that_one_before_captured():
    # The next players expect 1/2, then 3/4 of it, then 9/16: three of them more than the 1 card.
    def looking(horizon, players=5, **fields):
        values, fields = {"horizon": horizon}, {"players": players, "next_hand": 1, **fields}
        return played("cautious", "7 J", "A 6 J J J", "6 Q Q Q", values=values, **fields)

    assert looking(1) == looking(2) == {"J takes J J J"}
    assert looking(3) == looking(4) == {"7 takes A 6"}
    assert looking(4, players=3) == {"J takes J J J"}
    assert looking(4, turns=40, turn=36) == {"7 takes A 6"}
    assert looking(4, turns=40, turn=37) == {"J takes J J J"}


def _cautious_of_old(view):
    """Play as `cautious` did before it had parameters or knew of piles."""
    best = 0
    best_worth = -1000.0
    for move in range(view.n_moves):
        low, high = captures_by_rank(view, table_after(view, move))
        worth = -expected_capture(view, low, high)
        if move_kind(view, move) == CAPTURE:
            worth += move_size(view, move) + 1
        if worth > best_worth or (worth == best_worth and luck(view, move) > luck(view, best)):
            best, best_worth = move, worth
    return best


def test_cautious_plays_by_default_and_without_piles_as_before_it_knew_of_either():
    old = Strategy("old", _cautious_of_old, "best", True, (), "")
    for players in PLAYERS:
        for rules in rule_sets(6):
            rules = rules.model_copy(update={"esun": False})
            ours, theirs = (games(s, rules, players) for s in (catalogue()["cautious"], old))
            assert np.array_equal(ours, theirs)
