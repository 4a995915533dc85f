"""RULES.md clause by clause: the order of things, the end. Played on the twin."""

from collections import Counter
from itertools import pairwise

import pytest

from sim.reference.events import Dealt, GameEnds, Rest, RoundBegins, RoundEnds, Turn, Unclaimed
from sim.reference.state import whole_pack
from sim.rules import FirstTo, Penalty, Rounds, Rules
from tests.games import anything, hoarder, of_kind, passive, taker, told, turns_of

ONE = Rounds(rounds=1)

# Playing: facts held to every random game

VARIETY = [
    Rules(),
    Rules(jokers=2, leftover="table", single_deal=True, rest="last_to_capture"),
    Rules(yoruba=True, jokers=1, rest="last_to_play", must_capture="any"),
    Rules(esun=True, must_capture="most", jokers=2),
    Rules(esun=True, esun_unclaimed="discard", penalty=Penalty(esun=3), end=Rounds(rounds=2)),
    Rules(esun=True, yoruba=True, yoruba_faces="pair", yoruba_joker="distinct", jokers=2),
    Rules(end=FirstTo(first_to=30)),
    Rules(end=FirstTo(first_to=2, unit="rounds", max_rounds=4)),
]


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("rules", VARIETY, ids=range(len(VARIETY)))
def test_facts_of_every_random_game(rules, players):
    """Turns follow from each other, cards are conserved, points are cards less penalties."""
    for deal in range(3):
        row, events = told(rules, [anything] * players, deal=deal)
        cards = row["rounds"] * len(whole_pack(rules))
        won = sum(row["taken"]) + sum(row["captures"]) + sum(row["rest"])
        assert sum(row["points"]) == won - sum(row["penalties"])
        assert sum(row["role_points"]) == sum(row["points"])
        if isinstance(events[-2], RoundEnds):
            assert won + row["left"] + row["unused"] + row["discarded"] == cards
        assert row["winners"] > 0
        assert row["turns"] == len(turns_of(events))
        check_each_turn(rules, players, events)


def check_each_turn(rules, players, events):
    points = [0] * players
    for event in events:
        match event:
            case RoundBegins():
                loose, piles = Counter(event.table), []
            case Dealt():
                hands = [Counter(hand) for hand in event.hands]
                loose += Counter(event.to_table)
            case Turn():
                assert Counter(event.loose) == loose
                assert [*zip(event.piles, event.builders, strict=True)] == piles
                assert Counter(event.hand) == hands[event.seat]
                assert event.move in event.legal
                piles = follow(event, loose, piles, hands, points)
                assert list(event.points) == points
                loose = +loose
            case Unclaimed():
                assert piles.pop(0) == (event.pile, event.builder)
                points[event.builder] -= event.penalty
                assert event.penalty == rules.penalty.esun
                assert event.becomes == ("out" if rules.esun_unclaimed == "discard" else "loose")
                loose += Counter(event.pile if event.becomes == "loose" else ())
            case Rest():
                assert Counter(event.cards) == loose
                assert piles == []
                if event.seat is not None:
                    points[event.seat] += len(event.cards)
            case RoundEnds() | GameEnds():
                assert list(event.points) == points


def follow(turn, loose, piles, hands, points):
    """Make a turn's move by the rulebook on plain counters; return the piles after it."""
    move = turn.move
    hands[turn.seat][move.card] -= 1
    assert hands[turn.seat][move.card] >= 0
    loose.subtract(move.take)
    assert min(loose.values(), default=0) >= 0
    if move.kind == "trail":
        loose[move.card] += 1
    elif move.kind == "build":
        return [*piles, ((move.card, *move.take), turn.seat)]
    else:
        taken = [piles[i] for i in move.piles]
        points[turn.seat] += 1 + len(move.take) + sum(len(pile) for pile, _ in taken)
        return [pile for i, pile in enumerate(piles) if i not in move.piles]
    return piles


# The rest


@pytest.mark.parametrize("deal", range(4))
def test_the_rest_in_its_three_readings(deal):
    """The rest changes no turn, so three games differ in nothing else."""
    seats, readings = [anything, taker, anything], ("nobody", "last_to_play", "last_to_capture")
    rows = {}
    for reading in readings:
        row, events = told(Rules(rest=reading, end=ONE), seats, deal=deal)
        rows[reading] = row
        [rest] = of_kind(events, Rest)
        captures = [turn.seat for turn in turns_of(events) if turn.move.kind == "capture"]
        expected = {"nobody": None, "last_to_play": 2, "last_to_capture": captures[-1]}
        assert rest.seat == expected[reading]
    left = rows["nobody"]["left"]
    assert left > 0
    for reading, seat in (("last_to_play", 2), ("last_to_capture", captures[-1])):
        row = rows[reading]
        assert row["left"] == 0
        assert row["rest"][seat] == sum(row["rest"]) == left
        assert row["points"][seat] == rows["nobody"]["points"][seat] + left
        assert row["captures"] == rows["nobody"]["captures"]
        assert row["taken"] == rows["nobody"]["taken"]


def test_the_last_to_play_is_the_dealer_of_that_round():
    _, events = told(Rules(rest="last_to_play", yoruba=True), [passive] * 3)
    assert [rest.seat for rest in of_kind(events, Rest)] == [2, 0, 1, 2]


def test_the_rest_goes_to_nobody_if_nobody_captured_in_this_round():
    row, events = told(
        Rules(rest="last_to_capture", yoruba=True, end=Rounds(rounds=2)), [passive] * 2
    )
    assert [rest.seat for rest in of_kind(events, Rest)] == [None, None]
    assert row["left"] == 104


# Esun: unclaimed piles


@pytest.mark.parametrize("becomes", ["release", "discard"])
def test_an_unclaimed_pile_costs_its_builder_and_turns_loose_or_is_out(becomes):
    rules = Rules(esun=True, esun_unclaimed=becomes, penalty=Penalty(esun=5), yoruba=True, end=ONE)
    row, events = told(rules, [hoarder, hoarder, passive])
    unclaimed = of_kind(events, Unclaimed)
    built = [turn for turn in turns_of(events) if turn.move.kind == "build"]
    assert len(unclaimed) == len(built) > 2
    paid = Counter(event.builder for event in unclaimed)
    assert row["penalties"] == [5 * paid[0], 5 * paid[1], 0, 0, 0]
    assert row["points"] == [-5 * paid[0], -5 * paid[1], 0, 0, 0]
    out = sum(len(event.pile) for event in unclaimed)
    assert row["discarded"] == (out if becomes == "discard" else 0)
    assert row["left"] == 52 - row["discarded"]


def test_unclaimed_piles_are_paid_for_after_every_deal_and_before_the_rest():
    _, events = told(Rules(esun=True, yoruba=True, end=ONE), [hoarder] * 2)
    at = [i for i, event in enumerate(events) if isinstance(event, Unclaimed)]
    for i in at:
        assert isinstance(events[i - 1], Turn | Unclaimed)
        assert isinstance(events[i + 1], Unclaimed | Dealt | Rest)
    assert len({events[i + 1] for i in at if isinstance(events[i + 1], Dealt)}) > 1
    released = next(e for e in events if isinstance(e, Unclaimed))
    after = next(t for t in events[events.index(released) :] if isinstance(t, Turn))
    assert not Counter(released.pile) - Counter(after.loose)


def test_a_capture_that_ends_the_game_leaves_the_piles_that_stand_unpaid():
    """RULES.md, O4: even the last capture of a deal."""
    rules = Rules(esun=True, end=FirstTo(first_to=4))
    was_last = set()
    for deal in range(150):
        row, events = told(rules, [hoarder, taker], deal=deal)
        if not isinstance(events[-2], Turn) or len(events[-2].piles) <= len(events[-2].move.piles):
            continue
        paid = of_kind(events, Unclaimed)
        assert row["penalties"][0] == 2 * row["unclaimed"][0] == 2 * len(paid)
        was_last.add(events[-2].turn % 8 == 7)
    assert was_last == {False, True}


def test_a_capture_by_anyone_spares_the_builder():
    rules = Rules(esun=True, end=ONE)
    stolen = 0
    for deal in range(8):
        row, events = told(rules, [hoarder, taker], deal=deal)
        fallen = sum(len(turn.move.piles) for turn in turns_of(events))
        built = sum(turn.move.kind == "build" for turn in turns_of(events))
        assert row["penalties"][0] == 2 * (built - fallen)
        stolen += fallen
    assert stolen > 0


def test_the_size_of_the_penalty_changes_no_card():
    for deal in range(3):
        games = [
            told(Rules(esun=True, penalty=Penalty(esun=size), end=ONE), [anything] * 3, deal=deal)
            for size in (0, 7)
        ]
        moves = [[turn.move for turn in turns_of(events)] for _, events in games]
        assert moves[0] == moves[1]


# The end


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_number_of_rounds_ends_the_game_and_most_points_wins(rounds):
    row, events = told(Rules(end=Rounds(rounds=rounds)), [anything] * 3)
    assert row["rounds"] == rounds == len(of_kind(events, RoundEnds))
    best = max(row["points"][:3])
    assert row["winners"] == sum(1 << s for s in range(3) if row["points"][s] == best)
    assert row["unfinished"] == 0


def test_equal_points_share_the_win_and_the_rounds():
    row, events = told(Rules(yoruba=True, end=Rounds(rounds=2)), [passive] * 4)
    assert row["winners"] == 0b1111
    assert events[-1].winners == (0, 1, 2, 3)
    assert row["rounds_won"] == [30, 30, 30, 30, 0]


@pytest.mark.parametrize("deal", range(6))
def test_the_first_to_hold_the_target_wins_at_once(deal):
    target = 20
    row, events = told(Rules(end=FirstTo(first_to=target)), [anything] * 3, deal=deal)
    last = events[-2]
    assert isinstance(last, Turn)
    assert all(max(turn.points) < target for turn in turns_of(events)[:-1])
    assert last.points[last.seat] >= target
    assert row["winners"] == 1 << last.seat
    assert row["unfinished"] == 0


def test_the_target_is_checked_again_after_the_rest_is_given():
    rules = Rules(rest="last_to_play", yoruba=True, end=FirstTo(first_to=52))
    row, events = told(rules, [passive] * 2)
    assert isinstance(events[-2], RoundEnds)
    assert row["points"][:2] == [0, 52]
    assert row["winners"] == 0b10
    assert row["rounds"] == 1
    assert row["rounds_won"][:2] == [0, 60]


def test_the_target_is_checked_after_the_turn_before_piles_and_rest():
    """Seat 1 plays the last card and reaches what it reaches there: the rest is not given."""
    for deal in range(200):
        _, events = told(Rules(rest="last_to_play", end=ONE), [passive, taker], deal=deal)
        last = turns_of(events)[-1]
        if last.move.kind == "capture":
            break
    target = last.points[1]
    rules = Rules(rest="last_to_play", end=FirstTo(first_to=target))
    row, events = told(rules, [passive, taker], deal=deal)
    assert isinstance(events[-2], Turn)
    assert row["points"][1] == target
    assert row["left"] == 0
    assert row["rounds_won"] == [0] * 5
    assert row["first_leaders"] == 0


@pytest.mark.parametrize("deal", range(4))
def test_first_to_a_number_of_rounds(deal):
    row, events = told(Rules(end=FirstTo(first_to=2, unit="rounds")), [anything] * 2, deal=deal)
    points = [(0, 0), *(event.points for event in of_kind(events, RoundEnds))]
    won = [0, 0]
    for then, now in pairwise(points):
        assert max(won) < 120
        earned = [b - a for a, b in zip(then, now, strict=True)]
        best = [s for s in (0, 1) if earned[s] == max(earned)]
        for seat in best:
            won[seat] += 60 // len(best)
    assert row["rounds_won"][:2] == won
    assert row["winners"] == sum(1 << s for s in (0, 1) if won[s] >= 120) > 0


@pytest.mark.parametrize("unit", ["cards", "rounds"])
def test_max_rounds_ends_a_game_without_a_winner_and_flags_it(unit):
    end = FirstTo(first_to=1000, unit=unit, max_rounds=3)
    row, events = told(Rules(end=end), [anything] * 2)
    assert row["unfinished"] == 1
    assert events[-1].unfinished
    assert row["rounds"] == 3
    most = row["points" if unit == "cards" else "rounds_won"][:2]
    assert row["winners"] == sum(1 << s for s in (0, 1) if most[s] == max(most))


def test_everyone_past_the_target_shares_when_rounds_are_counted():
    row, _ = told(Rules(yoruba=True, end=FirstTo(first_to=1, unit="rounds")), [passive] * 3)
    assert row["rounds"] == 3
    assert row["rounds_won"][:3] == [60, 60, 60]
    assert row["winners"] == 0b111


# Every option changes some game


@pytest.mark.parametrize(
    "change",
    [
        {"jokers": 1},
        {"yoruba": True},
        {"must_capture": "any"},
        {"must_capture": "most"},
        {"leftover": "table"},
        {"single_deal": True},
        {"rest": "last_to_play"},
        {"rest": "last_to_capture"},
        {"esun": True},
        {"end": Rounds(rounds=3)},
        {"end": FirstTo(first_to=20)},
        {"end": FirstTo(first_to=2, unit="rounds")},
    ],
    ids=str,
)
def test_an_option_changes_some_deal(change):
    changed = Rules().model_copy(update=change)
    seats = [anything] * 5
    assert told(Rules(), seats)[0] != told(changed, seats)[0]


@pytest.mark.parametrize(
    ("base", "change"),
    [
        ({"yoruba": True}, {"yoruba_faces": "pair"}),
        ({"yoruba": True, "jokers": 2}, {"yoruba_joker": "distinct"}),
        ({"esun": True}, {"esun_unclaimed": "discard"}),
        ({"esun": True}, {"penalty": Penalty(esun=0)}),
    ],
    ids=str,
)
def test_a_sub_option_changes_some_deal(base, change):
    rules = Rules(**base)
    seats = [anything] * 3
    assert told(rules, seats)[0] != told(rules.model_copy(update=change), seats)[0]


def test_isiwo_changes_nothing_for_players_who_remember_everything():
    assert told(Rules(), [anything] * 3)[0] == told(Rules(isiwo=True), [anything] * 3)[0]
