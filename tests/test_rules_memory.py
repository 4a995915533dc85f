"""RULES.md, 8.1 to 8.3: noise, recall and Isiwo, clause by clause. Played on the twin."""

from collections import Counter

import pytest

from sim.cards import RANKS, SET_OUT, unpack
from sim.reference.chance import Draws
from sim.reference.events import (
    Challenge,
    Look,
    RoundBegins,
    Turn,
    Unclaimed,
)
from sim.reference.memory import Memory, unseen
from sim.reference.moves import legal_moves
from sim.reference.state import whole_pack
from sim.reference.views import ViewFiller
from sim.rules import Rounds, Rules
from sim.strategy import catalogue, strategy
from sim.view import VIEW
from tests.conducts import (
    ONE,
    QUIET,
    SEED,
    VARIETY,
    drawn,
    position,
    shown,
)
from tests.games import behaving, hoarder, passive, taker, told, turns_of

# 8.1 Noise


def test_a_turn_played_at_random_is_what_random_plays():
    random = catalogue()["random"]
    rules = Rules(jokers=2, esun=True, end=ONE)
    expected = told(rules, [random] * 3)
    assert told(rules, [behaving(one, noise=1) for one in (taker, hoarder, passive)]) == expected
    assert told(rules, [taker, hoarder, passive]) != expected


def test_a_turn_is_played_at_random_by_the_draw_of_noise():
    first = strategy(wants="all")(lambda view: 0)
    _, events = told(Rules(end=ONE), [behaving(first, noise=0.4), first])
    own = [turn for turn in turns_of(events) if turn.seat == 0]
    happens = {turn.turn: drawn(10, turn.turn // 4, 0, turn.turn % 4) < 0.4 * 2**32 for turn in own}
    at_random = {turn.turn for turn in own if turn.move != turn.legal[0]}
    assert at_random
    assert at_random <= {turn for turn, random in happens.items() if random}
    assert any(not random for random in happens.values())


# 8.2 and 8.3 Recall and Isiwo


class Onlooker:
    """Says from the events alone what a seat has not seen; the draws read from their addresses."""

    def __init__(self, rules, recalls):
        self.rules, self.recalls = rules, recalls

    def follow(self, events):
        """Yield, at each turn, the player's cards not seen."""
        for event in events:
            match event:
                case RoundBegins():
                    self.round = event.round
                    self.gone, self.looked = [], [set() for _ in self.recalls]
                case Look():
                    there = {i for i, (*_, owner) in enumerate(self.gone) if owner == event.of}
                    self.looked[event.seat] |= there
                case Turn():
                    self.turn = event
                    yield event, self.unseen(event)
                    if event.move.kind == "capture":
                        self.before = len(self.gone)
                        self.leave(self.won(event), event.seat)
                case Challenge() if event.right:
                    del self.gone[self.before :]
                case Unclaimed() if event.becomes == "out":
                    self.leave(event.pile, None)

    def won(self, turn):
        piles = [card for i in turn.move.piles for card in turn.piles[i]]
        return [turn.move.card, *turn.move.take, *piles, *[turn.slip] * bool(turn.slip)]

    def leave(self, cards, owner):
        for card in cards:
            number = sum(rank == card for rank, *_ in self.gone)
            self.gone.append((card, number, owner))

    def unseen(self, turn):
        seat, seen = turn.seat, [*turn.hand, *turn.loose]
        seen += [card for pile in turn.piles for card in pile]
        for i, (card, number, owner) in enumerate(self.gone):
            word = drawn(4, seat, RANKS.index(card), number, round_number=self.round)
            recalled = word < self.recalls[seat] * 2**32
            own = self.rules.isiwo and owner == seat
            seen += [card] * (recalled or own or i in self.looked[seat])
        return Counter(whole_pack(self.rules)) - Counter(seen)


@pytest.mark.parametrize(("rules", "players"), VARIETY)
def test_unseen_is_what_a_player_was_not_shown_or_does_not_remember(rules, players):
    recalls = [0.5, 0.0, 1.0, 0.8, 0.2][:players]
    seen, events = shown(rules, [QUIET | {"recall": recall} for recall in recalls])
    expected = [cards for _, cards in Onlooker(rules, recalls).follow(events)]
    assert seen == expected
    assert len({sum(cards.values()) for cards in seen}) > 5


def test_memory_starts_anew_each_round():
    seen, events = shown(Rules(end=Rounds(rounds=2)), [{"recall": 1}, {"recall": 0.5}])
    turns = turns_of(events)
    at = next(i for i, turn in enumerate(turns) if turn.round == 1)
    everything = Counter(whole_pack(Rules()))
    assert seen[at] == everything - Counter([*turns[at].hand, *SET_OUT])


def test_under_isiwo_the_own_captured_pile_is_always_known():
    """A player who forgets everything still knows its own pile, and nothing of the other's."""
    memory = Memory([0.0, 0.0], Draws(SEED, 0, 0))
    memory.leave(["5", "5"], 0)
    memory.leave(["9", "A", "8"], 1)
    round_ = position("2", "3", captured=("5 5", "9 A 8"))
    told_unseen = {
        isiwo: Counter(unpack(unseen(Rules(isiwo=isiwo), round_, 0, memory)))
        for isiwo in (False, True)
    }
    assert told_unseen[False] == Counter(whole_pack(Rules())) - Counter(["2", "3"])
    assert told_unseen[False] - told_unseen[True] == Counter(["5", "5"])


def test_copies_that_leave_together_take_the_next_numbers():
    """Seat 0 remembers exactly the copies whose draw is below its recall, in order of leaving."""
    words = [drawn(4, 0, RANKS.index("5"), number) for number in range(4)]
    middle = sorted(words)[1] + 1
    memory = Memory([middle / 2**32, 0.0], Draws(SEED, 0, 0))
    known = []
    for cards, owner in (("5", 1), ("5 5", 0), ("5", None)):
        before = len(memory.remembered(0))
        memory.leave(cards.split(), owner)
        known.append(len(memory.remembered(0)) - before)
    below = [word < middle for word in words]
    assert known == [below[0], below[1] + below[2], below[3]]
    assert sum(known) == 2
    assert memory.remembered(1) == []


@strategy(wants="all", uses_unseen=True)
def hoping(view):
    """Plays by what it has not seen."""
    return int(view.unseen) % int(view.n_moves)


def test_hidden_cards_change_neither_the_view_nor_the_choice():
    """What differs is in the other's hand, in the pack, and in captured piles not remembered."""
    rules, filler, seen, chosen = Rules(), ViewFiller(Rules(), 2), [], []
    moves = legal_moves(rules, ["2", "7", "9"], ["3", "6", "10", "K"])
    for swapped in (False, True):
        round_ = position("2 7 9", "3 6 10 K", captured=("5 5", "9 A 8"))
        round_.hands[1] = ["4", "4", "J"]
        round_.pack = ["7", "Q", "2"]
        if swapped:
            round_.hands[1], round_.pack = ["7", "Q", "2"], ["9", "A", "J"]
            round_.captured[1] = ["4", "4", "8"]
        memory = Memory([0.0, 0.0], Draws(SEED, 0, 0))
        for seat in (0, 1):
            memory.leave(round_.captured[seat], seat)
        hidden = unseen(rules, round_, 0, memory)
        view = filler.fill(round_, 0, [2, 3], moves, noise=7, unseen=hidden, parameters=[])
        seen.append({name: view[name].tolist() for name in VIEW.names if name != "moves"})
        chosen.append(hoping.choose(view))
    assert seen[0] == seen[1]
    assert chosen[0] == chosen[1]
