"""RULES.md, section 8: memory and conduct, clause by clause. Played on the twin.

Rates of 0 and 1 force the draws; where a draw itself is tested, its word is read from its address
as docs/chance.md gives it.
"""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from sim.cards import RANKS, SET_OUT, unpack
from sim.conduct import Conduct
from sim.reference.chance import Draws
from sim.reference.conduct import Deeds, too_many
from sim.reference.events import (
    Challenge,
    Dealt,
    Look,
    Rest,
    RoundBegins,
    RoundEnds,
    Turn,
    Unclaimed,
)
from sim.reference.memory import Memory, unseen
from sim.reference.moves import Move, legal_moves
from sim.reference.philox import philox
from sim.reference.state import Pile, begin_round, whole_pack
from sim.reference.tally import Tally
from sim.reference.views import ViewFiller
from sim.rules import FirstTo, Penalty, Rounds, Rules
from sim.strategy import catalogue, strategy
from sim.view import SEATS, VIEW
from tests.games import anything, behaving, hoarder, of_kind, passive, taker, told, turns_of

SEED = 1960
ONE = Rounds(rounds=1)
FREE = Penalty(esun=0, miscapture=0, challenge=0, peek=0)
OFFENCES = ("esun", "miscapture", "challenge", "peek")
RATES = {
    "noise": 0.2,
    "recall": 0.5,
    "miscapture": 0.4,
    "vigilance": 0.3,
    "false_challenge": 0.1,
    "peek": 0.15,
    "spy": 0.15,
}
VARIETY = [
    (Rules(jokers=2, end=ONE), 2),
    (Rules(esun=True, esun_unclaimed="discard", end=Rounds(rounds=2)), 3),
    (Rules(esun=True, yoruba=True, yoruba_faces="pair", jokers=1, isiwo=True, end=ONE), 5),
    (Rules(rest="last_to_capture", must_capture="any", end=FirstTo(first_to=30)), 4),
]


def drawn(purpose, entity, block, word, deal=0, round_number=0):
    """Return a draw's 32 bits, read from its address in docs/chance.md."""
    return philox((deal, 0, purpose << 24 | round_number << 8 | block, entity), (SEED, 0))[word]


def position(hand="", loose="", piles=(), captured=("", ""), turn=0):
    """Return a round that stands at a hand-made position, seat 0 to play; piles: (cards, seat)."""
    round_ = begin_round(Rules(), len(captured), SEED, 0, 0)
    return replace(
        round_,
        hands=[hand.split(), *[[] for _ in captured[1:]]],
        loose=loose.split(),
        piles=[Pile(tuple(cards.split()), seat) for cards, seat in piles],
        captured=[pile.split() for pile in captured],
        turn=turn,
    )


def deeds(*rates):
    """Return the deeds of seats with these rates."""
    return Deeds(Rules(), [Conduct.of(one) for one in rates], Draws(SEED, 0, 0))


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


def shown(rules, players):
    """Play a game of `players` rates; return the unseen cards of every View, and the events."""
    seen = []

    @strategy(wants="all", uses_unseen=True)
    def watcher(view):
        seen.append(Counter(unpack(int(view.unseen))))
        return int(view.noise) % int(view.n_moves)

    _, events = told(rules, [behaving(watcher, **rates) for rates in players])
    return seen, events


QUIET = {name: rate for name, rate in RATES.items() if name != "noise"}


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


# 8.5 Miscapture

SPLIT = Rules()


@pytest.mark.parametrize(
    ("rules", "card", "loose", "take", "wrong"),
    [
        (SPLIT, "9", "6 3 3 7 9 A A", "3 6", "A A 3 7"),
        (SPLIT, "9", "6 3 3 7 9 A A", "9", "A A 3 3 6 7"),
        (SPLIT, "9", "9 9", "9", ""),
        (SPLIT, "K", "K K 2 J", "K", "2 J"),
        (SPLIT, "K", "K J", "K", "J"),
        (Rules(jokers=1), "5", "5 * 2", "5 *", "2"),
        (Rules(jokers=1), "*", "5 2 K", "2 5 K", ""),
        (Rules(yoruba=True), "9", "6 3 3 9 A", "3 6", "A 3 9"),
        (Rules(yoruba=True), "9", "6 3 5 4", "3 6", "4 5"),
        (Rules(yoruba=True, yoruba_faces="pair"), "K", "K K 3", "K", "3"),
        (Rules(yoruba=True, yoruba_joker="distinct", jokers=1), "*", "5 5 2 K", "5", "5"),
        (Rules(must_capture="most"), "9", "6 3 9", "3 6 9", ""),
        (Rules(must_capture="most"), "9", "9 6 3", "9", "3 6"),
    ],
)
def test_a_card_is_too_many_when_the_set_with_it_is_no_valid_capture(
    rules, card, loose, take, wrong
):
    cards = tuple(take.split())
    found = too_many(rules, position(card, loose), Move("capture", card, cards, (), len(cards)))
    assert found == wrong.split()


@pytest.mark.parametrize(("card", "wrong"), [("5", "2 3"), ("10", "2 3 5")])
def test_a_card_of_a_pile_is_never_the_one_too_many_and_piles_taken_count(card, wrong):
    """A 5 takes the pile {2, 3} and may take a loose 5 too; a 10 takes {4, 6} and no loose one."""
    pile = "2 3" if card == "5" else "4 6"
    round_ = position(card, "2 3 5", [(pile, 1)])
    assert too_many(Rules(esun=True), round_, Move("capture", card, (), (0,), 2)) == wrong.split()


def test_the_card_too_many_is_drawn_by_card_in_rank_order():
    move = Move("capture", "9", ("3", "6"), (), 2)
    cards = ["A", "A", "3", "7"]
    drawn_cards = Counter()
    for turn in range(48):
        slip = deeds({"miscapture": 1}, {}).slip(position("9", "6 3 3 7 A A", turn=turn), 0, move)
        assert slip == cards[drawn(5, turn, 0, 1) * 4 >> 32]
        drawn_cards[slip] += 1
    assert set(drawn_cards) == set(cards)


def test_no_card_too_many_no_slip_and_only_captures_slip():
    always = deeds({"miscapture": 1}, {})
    assert always.slip(position("9", "9 9"), 0, Move("capture", "9", ("9",), (), 1)) is None
    assert always.slip(position("9", "2 3"), 0, Move("trail", "9")) is None


def test_a_miscapture_that_stands_is_a_capture_with_its_card():
    seats = [behaving(taker, miscapture=1), passive]
    row, events = told(Rules(end=ONE), seats)
    captures = [turn for turn in turns_of(events) if turn.move.kind == "capture"]
    slips = [turn for turn in captures if turn.slip]
    assert slips
    assert row["miscaptures"] == [len(slips), 0, 0, 0, 0]
    assert row["caught"] == [0] * SEATS
    assert row["captures"][0] == len(captures)
    assert row["taken"][0] == sum(turn.move.size for turn in captures) + len(slips)
    assert row["points"][0] == row["taken"][0] + row["captures"][0]
    for turn, later in pairwise(turns_of(events)):
        if turn.slip and turn.deal == later.deal:
            rest = Counter(turn.loose) - Counter([*turn.move.take, turn.slip])
            assert Counter(later.loose) == rest


def test_a_sweep_is_judged_after_the_card_too_many():
    by_slip = 0
    for deal in range(20):
        row, events = told(Rules(end=ONE), [behaving(taker, miscapture=1), passive], deal=deal)
        captures = [turn for turn in turns_of(events) if turn.move.kind == "capture"]
        left = [len(turn.loose) - turn.move.size - bool(turn.slip) for turn in captures]
        assert row["sweeps"][0] == left.count(0)
        by_slip += sum(
            turn.slip is not None for turn, n in zip(captures, left, strict=True) if not n
        )
    assert by_slip > 0


# 8.5 Caught


def test_a_miscapture_that_is_challenged_is_no_capture():
    """Loose cards go back, the played card is trailed, nothing is captured, the offender pays."""
    rules = Rules(end=ONE, penalty=Penalty(miscapture=3))
    row, events = told(rules, [behaving(taker, miscapture=1), behaving(passive, vigilance=1)])
    slips = [turn for turn in turns_of(events) if turn.slip]
    assert slips
    assert row["miscaptures"][0] == row["caught"][0] == len(slips)
    assert row["penalties"] == row["penalties_miscapture"] == [3 * len(slips), 0, 0, 0, 0]
    good = [t for t in turns_of(events) if t.move.kind == "capture" and not t.slip]
    assert row["captures"][0] == len(good)
    assert row["points"][0] == row["captures"][0] + row["taken"][0] - row["penalties"][0]
    for turn, event in pairwise(events):
        if isinstance(turn, Turn) and turn.slip:
            assert isinstance(event, Challenge)
            assert (event.by, event.right, event.payer, event.penalty) == (1, True, 0, 3)
            assert Counter(event.loose) == Counter([*turn.loose, turn.move.card])
            assert event.points[0] == turn.points[0] - 3


def test_piles_stand_again_with_their_builders_and_places():
    """Over many games of builders, no challenged capture moves, breaks or takes a pile."""
    rules = Rules(esun=True, end=ONE)
    restored = 0
    for deal in range(12):
        seats = [behaving(anything, miscapture=1, vigilance=1)] * 3
        _, events = told(rules, seats, deal=deal)
        turns = turns_of(events)
        for turn, later in pairwise(turns):
            if turn.slip and turn.move.piles and later.deal == turn.deal:
                assert (later.piles, later.builders) == (turn.piles, turn.builders)
                restored += 1
        said = [e for e in events if isinstance(e, Turn | Challenge)]
        for turn, event in pairwise(said):
            if isinstance(event, Challenge):
                assert event.piles == turn.piles
    assert restored > 0


def test_a_miscapture_that_is_challenged_makes_nobody_the_last_to_capture():
    rules = Rules(rest="last_to_capture", end=ONE)
    found = set()
    for deal in range(40):
        seats = [behaving(taker, miscapture=1), behaving(taker, vigilance=1)]
        _, events = told(rules, seats, deal=deal)
        stood = [t for t in turns_of(events) if t.move.kind == "capture" and not t.slip]
        tried = [t for t in turns_of(events) if t.move.kind == "capture"]
        [rest] = of_kind(events, Rest)
        assert rest.seat == stood[-1].seat
        found.add(stood[-1].seat == tried[-1].seat)
    assert found == {True, False}


@pytest.mark.parametrize("offender", [0, 1, 2, 3])
def test_the_first_to_notice_clockwise_challenges(offender):
    vigilance = [0.6] * 4
    both = deeds(*[{"vigilance": rate} for rate in vigilance])
    challengers = set()
    for turn in range(40):
        noticing = [
            seat
            for seat in ((offender + step) % 4 for step in (1, 2, 3))
            if drawn(6, turn, 0, seat) < 0.6 * 2**32
        ]
        round_ = position(captured=("",) * 4, turn=turn)
        expected = noticing[0] if noticing else None
        assert both.challenger(round_, offender, "4") == expected
        challengers.add(expected)
    assert len(challengers) >= 3


def test_seat_4_draws_from_the_second_block():
    five = deeds(*[{}] * 4, {"vigilance": 0.5, "false_challenge": 0.5, "peek": 0.5})
    told_by = {"right": set(), "wrong": set()}
    for turn in range(40):
        round_ = position(captured=("",) * 5, turn=turn)
        for name, purpose, slip in (("wrong", 6, "4"), ("right", 7, None)):
            expected = 4 if drawn(purpose, turn, 1, 0) < 2**31 else None
            assert five.challenger(round_, 0, slip) == expected
            told_by[name].add(expected)
    assert told_by == {"right": {4, None}, "wrong": {4, None}}


# 8.6 False challenges


def test_a_false_challenge_costs_the_first_challenger_and_the_capture_stands():
    rules = Rules(end=ONE, penalty=Penalty(challenge=5))
    calm = told(rules, [taker, passive, passive])
    seats = [taker, behaving(passive, false_challenge=1), behaving(passive, false_challenge=1)]
    row, events = told(rules, seats)
    captures = row["captures"][0]
    assert captures > 0
    assert row["false_challenges"] == [0, captures, 0, 0, 0]
    assert row["penalties"] == row["penalties_challenge"] == [0, 5 * captures, 0, 0, 0]
    for name in ("captures", "taken", "sweeps"):
        assert row[name] == calm[0][name]
    challenges = of_kind(events, Challenge)
    assert len(challenges) == captures
    assert all((e.by, e.right, e.payer, e.penalty) == (1, False, 1, 5) for e in challenges)


def test_only_right_captures_are_challenged_falsely():
    """Whoever always challenges right captures, and never notices a wrong one, lets those stand."""
    seats = [behaving(taker, miscapture=1), behaving(passive, false_challenge=1)]
    row, events = told(Rules(end=ONE), seats)
    right = [t for t in turns_of(events) if t.move.kind == "capture" and not t.slip]
    assert row["false_challenges"][1] == len(right)
    assert row["caught"][0] == 0
    assert row["miscaptures"][0] > 0


def test_vigilance_alone_challenges_no_right_capture():
    row, _ = told(Rules(end=ONE), [behaving(taker, vigilance=1)] * 3)
    assert sum(row["penalties"]) == sum(row["false_challenges"]) == sum(row["caught"]) == 0


# 8.7 Peeks and spyings


def test_a_peek_needs_a_captured_pile_of_this_round():
    row, events = told(Rules(end=Rounds(rounds=2)), [behaving(taker, peek=1), passive])
    turn_of_look = [b for a, b in pairwise(events) if isinstance(a, Look)]
    assert row["peeks"] == [len(turn_of_look), 0, 0, 0, 0]
    captured = {0: False, 1: False}
    looked = {id(turn) for turn in turn_of_look}
    for turn in turns_of(events):
        if turn.seat == 0:
            assert (id(turn) in looked) == captured[turn.round]
            captured[turn.round] |= turn.move.kind == "capture"
    assert row["penalties"] == [0] * SEATS


def test_under_isiwo_nobody_peeks():
    seats = [behaving(taker, peek=1), behaving(passive, vigilance=1)]
    row, events = told(Rules(isiwo=True, end=ONE), seats)
    assert not of_kind(events, Look)
    assert row["peeks"] == row["noticed"] == row["penalties"] == [0] * SEATS


@pytest.mark.parametrize("isiwo", [False, True])
def test_spying_is_drawn_under_isiwo_too(isiwo):
    rules = Rules(isiwo=isiwo, end=ONE)
    row, events = told(rules, [behaving(passive, spy=1), taker])
    assert row["spyings"][0] == len(of_kind(events, Look)) > 0
    assert all((look.seat, look.of) == (0, 1) for look in of_kind(events, Look))


def test_a_peek_shows_the_own_captured_pile_for_the_rest_of_the_round():
    seen, events = shown(Rules(end=ONE), [{"recall": 0, "peek": 1}, {"recall": 0}])
    gone = {0: Counter(), 1: Counter()}
    for turn, cards in zip(turns_of(events), seen, strict=True):
        known = Counter([*turn.hand, *turn.loose]) + (gone[0] if turn.seat == 0 else Counter())
        assert cards == Counter(whole_pack(Rules())) - known
        if turn.move.kind == "capture":
            gone[turn.seat].update([turn.move.card, *turn.move.take])
    assert gone[0]


def test_noticed_by_several_a_peek_is_paid_for_once():
    rules = Rules(end=ONE, penalty=Penalty(peek=4))
    row, events = told(rules, [behaving(taker, peek=1), *[behaving(passive, vigilance=1)] * 3])
    assert row["peeks"][0] > 0
    assert row["noticed"] == row["peeks"]
    assert row["penalties"] == row["penalties_peek"] == [4 * row["peeks"][0], 0, 0, 0, 0]
    assert all(look.noticed and look.penalty == 4 for look in of_kind(events, Look))


def test_the_view_shows_points_after_the_penalty_of_a_peek():
    points = []

    @strategy(wants="all")
    def watcher(view):
        points.append(tuple(int(p) for p in view.points[:2]))
        return taker.choose(view) if view.seat == 0 else passive.choose(view)

    seats = [behaving(watcher, peek=1), behaving(watcher, vigilance=1)]
    _, events = told(Rules(end=ONE), seats)
    before, paid = (0, 0), 0
    seen = iter(points)
    for event in events:
        match event:
            case Look():
                paid += event.penalty
            case Turn():
                assert next(seen) == (before[0] - paid, before[1])
                before, paid = event.points, 0
    assert before[0] != 0


def test_whom_a_player_spies_on_is_drawn_clockwise_among_those_with_a_pile():
    spies = deeds({}, {"spy": 1}, {}, {})
    found = set()
    for turn in range(40):
        round_ = position(captured=("5", "6", "", "7"), turn=turn)
        [(of, noticed)] = spies.looks(round_, 1)
        assert of == [3, 0][drawn(9, turn, 0, 1) * 2 >> 32]
        assert not noticed
        found.add(of)
    assert found == {0, 3}


def test_nobody_spies_where_no_opponent_has_a_pile():
    assert [*deeds({"spy": 1}, {}).looks(position(captured=("5", "")), 0)] == []


def test_a_peek_comes_before_a_spying():
    looks = deeds({"peek": 1, "spy": 1}, {}).looks(position(captured=("5", "6")), 0)
    assert [of for of, _ in looks] == [0, 1]


@pytest.mark.parametrize(("name", "purpose"), [("peek", 8), ("spy", 9)])
def test_looks_and_their_notice_are_drawn_at_their_addresses(name, purpose):
    outcomes = set()
    both = deeds({name: 0.5}, {"vigilance": 0.5})
    for turn in range(60):
        found = [noticed for _, noticed in both.looks(position(captured=("5", "6"), turn=turn), 0)]
        expected = []
        if drawn(purpose, turn, 0, 0) < 2**31:
            expected = [drawn(purpose, turn, 1, 1) < 2**31]
        assert found == expected
        outcomes.add(tuple(found))
    assert outcomes == {(), (True,), (False,)}


# Seats, sizes, conservation


def test_conduct_in_one_seat_leaves_deals_and_noise_as_they_were():
    def noises(rates):
        noise = []

        @strategy(wants="all")
        def watcher(view):
            noise.append(int(view.noise))
            return 0

        _, events = told(Rules(end=ONE), [behaving(watcher, **rates), behaving(watcher)])
        return noise, [deal.hands for deal in of_kind(events, Dealt)]

    assert noises(QUIET) == noises({})


def test_the_draws_of_a_seat_do_not_hang_on_the_rates_of_another():
    """Seat 1 peeks at the same turns whatever seat 0 does, as long as it has a pile."""
    for turn in range(20):
        round_ = position(captured=("5", "6"), turn=turn)
        found = {
            str([*deeds(rates, {"peek": 0.5}).looks(round_, 1)])
            for rates in ({}, {"peek": 1, "spy": 1, "miscapture": 1})
        }
        assert len(found) == 1


@pytest.mark.parametrize("offence", OFFENCES)
def test_the_size_of_a_penalty_alone_changes_points_and_no_card(offence):
    acted = 0
    for deal in range(4):
        rows, stories = [], []
        for size in (0, 7):
            rules = Rules(esun=True, penalty=Penalty(**{offence: size}), end=ONE)
            row, events = told(rules, [behaving(anything, **RATES)] * 3, deal=deal)
            rows.append(row)
            stories.append([(turn.move, turn.slip) for turn in turns_of(events)])
        free, dear = rows
        assert stories[0] == stories[1]
        paid = dear[f"penalties_{offence}"]
        assert dear["points"] == [a - b for a, b in zip(free["points"], paid, strict=True)]
        for name in ("captures", "taken", "rest", "sweeps", "miscaptures", "peeks", "unclaimed"):
            assert free[name] == dear[name]
        acted += sum(paid)
    assert acted > 0


@pytest.mark.parametrize("deal", range(3))
def test_penalties_change_nothing_for_perfect_players(deal):
    rules = Rules(jokers=2, end=ONE)
    free = rules.model_copy(update={"penalty": FREE})
    dear = rules.model_copy(update={"penalty": Penalty(esun=9, miscapture=9, challenge=9, peek=9)})
    perfect = [behaving(anything)] * 3
    games = [told(one, perfect, deal=deal) for one in (free, dear, rules)]
    assert games[0] == games[1] == games[2]
    assert games[0][0]["penalties"] == [0] * SEATS


@pytest.mark.parametrize(("rules", "players"), VARIETY)
def test_cards_are_conserved_and_penalties_add_up(rules, players):
    for deal in range(3):
        row, events = told(rules, [behaving(anything, **RATES)] * players, deal=deal)
        won = sum(row["taken"]) + sum(row["captures"]) + sum(row["rest"])
        assert sum(row["points"]) == won - sum(row["penalties"])
        if isinstance(events[-2], RoundEnds):
            cards = row["rounds"] * len(whole_pack(rules))
            assert won + row["left"] + row["unused"] + row["discarded"] == cards
        kinds = zip(*(row[f"penalties_{offence}"] for offence in OFFENCES), strict=True)
        assert [sum(kind) for kind in kinds] == row["penalties"]
        assert len(of_kind(events, Challenge)) == sum(row["caught"]) + sum(row["false_challenges"])


# What the columns of Esun and of rules that act count


@pytest.mark.parametrize("deal", range(4))
def test_piles_are_counted_from_the_turns(deal):
    row, events = told(Rules(esun=True, end=ONE), [hoarder, taker, anything], deal=deal)
    expected = {name: Counter() for name in ("built", "piles_own", "piles_others", "unclaimed")}
    for event in events:
        match event:
            case Turn():
                expected["built"][event.seat] += event.move.kind == "build"
                for place in event.move.piles:
                    own = event.builders[place] == event.seat
                    expected["piles_own" if own else "piles_others"][event.seat] += 1
            case Unclaimed():
                expected["unclaimed"][event.builder] += 1
    for name, numbers in expected.items():
        assert row[name] == [numbers[seat] for seat in range(SEATS)], name
    fallen = sum(row["piles_own"]) + sum(row["piles_others"])
    assert sum(row["built"]) == fallen + sum(row["unclaimed"])


@pytest.mark.parametrize(
    ("rules", "hand", "loose", "forbidden"),
    [
        (Rules(yoruba=True), "9", "6 3 3 7 9 A A", True),
        (Rules(yoruba=True), "9", "6 3", False),
        (Rules(yoruba=True), "9", "9", True),
        (Rules(yoruba=True), "6", "3 3", True),
        (Rules(yoruba=True), "3", "A A A", True),
        (Rules(yoruba=True), "9", "4 5 2 7", False),
        (Rules(yoruba=True), "9", "4 5 A 8", False),
        (Rules(yoruba=True), "10", "A 9 9", False),
        (Rules(yoruba=True), "10", "A 9 A 2 7", True),
        (Rules(yoruba=True), "K", "K", True),
        (Rules(yoruba=True), "K 2", "Q", False),
        (Rules(yoruba=True, yoruba_faces="pair"), "K", "K K", False),
        (Rules(yoruba=True, jokers=2), "*", "5 5", False),
        (Rules(yoruba=True, jokers=2, yoruba_joker="distinct"), "*", "K 5 2 5", True),
        (Rules(yoruba=True, jokers=2, yoruba_joker="distinct"), "*", "K 5 2 *", False),
        (Rules(yoruba=True, jokers=2, yoruba_joker="distinct"), "*", "*", True),
        (Rules(yoruba=True, jokers=2, yoruba_joker="distinct"), "*", "", False),
        (Rules(), "9", "9", False),
    ],
)
def test_yoruba_turns_have_a_capture_that_only_yoruba_forbids(rules, hand, loose, forbidden):
    tally = Tally(rules, 2)
    legal = legal_moves(rules, hand.split(), loose.split())
    tally.count_choice(position(hand, loose), 0, legal, [])
    assert tally.by_game["yoruba_turns"] == forbidden


@pytest.mark.parametrize("must_capture", ["never", "any", "most"])
def test_must_capture_turns_are_those_with_a_capture_where_it_is_asked_for(must_capture):
    rules = Rules(must_capture=must_capture, end=ONE)
    row, events = told(rules, [anything] * 3)
    free = rules.model_copy(update={"must_capture": "never"})
    forbidden = [
        turn
        for turn in turns_of(events)
        if len(turn.legal) < len(legal_moves(free, turn.hand, turn.loose, turn.piles))
    ]
    assert row["must_capture_turns"] == len(forbidden)
    assert bool(forbidden) == (must_capture != "never")


@pytest.mark.parametrize(
    ("isiwo", "recall", "expected"), [(True, 0.0, True), (True, 1.0, False), (False, 0.0, False)]
)
def test_isiwo_turns_are_those_with_own_cards_known_through_it_alone(isiwo, recall, expected):
    row, events = told(Rules(isiwo=isiwo, end=ONE), [behaving(taker, recall=recall), passive])
    own = [turn for turn in turns_of(events) if turn.seat == 0]
    first = next(i for i, turn in enumerate(own) if turn.move.kind == "capture")
    assert row["isiwo_turns"] == (len(own) - first - 1 if expected else 0)
