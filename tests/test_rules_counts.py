"""RULES.md, section 8: penalties, conservation, and what the columns count. Played on the twin."""

from collections import Counter

import pytest

from sim.reference.events import (
    Challenge,
    Dealt,
    RoundEnds,
    Turn,
    Unclaimed,
)
from sim.reference.moves import legal_moves
from sim.reference.state import whole_pack
from sim.reference.tally import Tally
from sim.rules import Penalty, Rules
from sim.strategy import strategy
from sim.view import SEATS
from tests.conducts import (
    FREE,
    OFFENCES,
    ONE,
    QUIET,
    RATES,
    VARIETY,
    deeds,
    position,
)
from tests.games import anything, behaving, hoarder, of_kind, passive, taker, told, turns_of

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
