"""RULES.md, 8.5 to 8.7: miscaptures, challenges and looks, clause by clause. Played on the twin."""

from collections import Counter
from itertools import pairwise

import pytest

from sim.reference.conduct import too_many
from sim.reference.events import (
    Challenge,
    Look,
    Rest,
    Turn,
)
from sim.reference.moves import Move
from sim.reference.state import whole_pack
from sim.rules import Penalty, Rounds, Rules
from sim.strategy import strategy
from sim.view import SEATS
from tests.conducts import (
    ONE,
    deeds,
    drawn,
    position,
    shown,
)
from tests.games import anything, behaving, of_kind, passive, taker, told, turns_of

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
