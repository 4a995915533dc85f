"""Course of play as only games told again show it: each number against its definition, by force."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats

from sim.cards import JOKER, VALUE
from sim.design import Cell
from sim.kernel import Engine
from sim.reference import play_game
from sim.reference.events import Challenge, GameEnds, Rest, Turn, Unclaimed
from sim.reference.moves import Move, legal_moves
from sim.replay import as_object
from sim.rules import PRESETS, FirstTo, Rounds, Rules
from sim.sight import CAPTURE, move_kind, move_size
from sim.stats.blocks import Blocks, block_table, by_cell
from sim.stats.estimates import State
from sim.stats.metrics import MEASURES
from sim.stats.metrics.replayed import MEASURES as OURS
from sim.stats.turns import (
    COLUMNS,
    FEWEST_DEALS,
    TURNS,
    Course,
    Replayed,
    enough_deals,
    replayed,
)
from sim.strategy import Player, catalogue
from tests.games import anything, behaving, taker
from tests.random_games import random_rules
from tests.runs import one_cell
from tests.test_stats_coverage import REPETITIONS, in_band

NAMED = {each.name: each for each in OURS}


# --- a game by hand ------------------------------------------------------------------------------


def turn(
    number: int, seat: int, legal: list[Move], move: Move, points: tuple[int, ...], **more: Any
) -> Turn:
    table = {"hand": (), "loose": (), "piles": (), "builders": (), **more}
    return Turn(0, 0, number, seat, **table, legal=tuple(legal), move=move, points=points)


def test_a_game_by_hand() -> None:
    """Three turns of two seats, and what follows from each; seat 1 wins.

    Turn 0: seat 0 may trail a 9, take one 9, or 9 and 6 3; it takes 9 and 6 3 (two groups, one a
    sum). 4 points to 0, seat 1 is 4 behind. Turn 1: seat 1 takes {2, 3} with a 5, is challenged and
    pays 2: no capture; it is 6 behind. It could have trailed only: the capture brought most.
    Turn 2: seat 0 trails where a king would have brought 2 points. Then its pile costs it 1, and
    the rest of 9 cards goes to seat 1, who is then ahead by 4: 7 to 3.
    """
    course = Course()
    trail, one = Move("trail", "9"), Move("capture", "9", ("9",), (), 1)
    both = Move("capture", "9", ("3", "6", "9"), (), 3)
    course.tell(turn(0, 0, [trail, one, both], both, (4, 0)))
    five = Move("capture", "5", ("2", "3"), (), 2)
    course.tell(turn(1, 1, [five], five, (4, 0), slip="K"))
    course.tell(Challenge(0, True, 1, 2, (), (), (4, -2)))
    down, king = Move("trail", "K"), Move("capture", "K", ("K",), (), 1)
    course.tell(turn(2, 0, [down, king], down, (4, -2)))
    course.tell(Unclaimed(("A", "2"), 0, 1, "loose"))
    course.tell(Rest(("Q",) * 9, 1))
    course.tell(GameEnds((3, 7), (1,), False))
    assert course.standing == [[4, 0], [4, -2], [3, 7]]
    assert course.counts() == {
        "turns": 3,
        "behind": 60 * (4 + 6 + 0),
        "moves": 3 + 1 + 2,
        "choices": 2,
        "at": 0 + 1 + 2,
        "at_squared": 0 + 1 + 4,
        "at_times_moves": 0 * 3 + 1 * 1 + 2 * 2,
        "captures": 1,
        "multi_group": 1,
        "sums": 1,
        "forgone": 0 + 0 + 2,
    }
    two = Course(course.turns, course.standing, course.undone, (0, 1))
    assert two.counts()["behind"] == 30 * (4 + 6 + 4)  # a shared win: the mean of both winners


# --- whole games, by force -----------------------------------------------------------------------

RATES = {
    "miscapture": 0.5, "vigilance": 0.5, "false_challenge": 0.1, "peek": 0.3, "spy": 0.3,
}  # fmt: skip


class Witness:
    """Chooses as another does, and notes what it was offered, the View alone its source."""

    def __init__(self, choose: Any) -> None:
        self.choose = choose
        self.seen: list[tuple[int, int, int]] = []

    def __call__(self, view: Any) -> int:
        chosen = self.choose(view)
        brings = [
            int(move_size(view, move)) + 1 if move_kind(view, move) == CAPTURE else 0
            for move in range(view.n_moves)
        ]
        self.seen.append((int(view.turn), len(brings), max(brings) - brings[chosen]))
        return int(chosen)


def splits(cards: tuple[str, ...], value: int) -> Iterator[list[tuple[str, ...]]]:
    """Every way to split cards into groups that sum to `value`."""
    if not cards:
        yield []
        return
    first, others = cards[0], range(1, len(cards))
    for size in range(len(cards)):
        for chosen in combinations(others, size):
            group = (first, *(cards[i] for i in chosen))
            if sum(VALUE[card] for card in group) == value:
                left = tuple(cards[i] for i in others if i not in chosen)
                yield from ([group, *more] for more in splits(left, value))


def by_force(told: dict[str, Any]) -> tuple[bool, bool]:
    """Whether a captured set has several groups, and a group of several cards; from its text."""
    piles = [card for place in told["take_piles"] for card in told["piles"][place].split()]
    taken = tuple(card for card in (*told["take"].split(), *piles) if card != JOKER)
    if told["card"] == JOKER:
        return False, False
    if told["card"] not in VALUE:
        assert set(taken) == {told["card"]}
        return len(taken) > 1, False
    ways = list(splits(taken, VALUE[told["card"]]))
    assert ways
    several = {len(way) > 1 for way in ways}
    sums = {any(len(group) > 1 for group in way) for way in ways}
    assert len(several) == len(sums) == 1  # however they are split
    return several.pop(), sums.pop()


def leaders(points: list[int]) -> set[int]:
    return {seat for seat, own in enumerate(points) if own == max(points)}


@pytest.mark.parametrize("number", range(24))
def test_whole_games_by_force(number: int) -> None:
    """Catches points told before what follows from a turn, a capture that was undone, moves that
    the strategy was not offered, and groups miscounted with jokers or piles."""
    choose = random.Random(number)
    rules, players = random_rules(choose), 2 + number % 4
    rules = rules.model_copy(update={"esun": rules.esun or number % 2 == 0})
    seating = [behaving(anything, **RATES) for _ in range(players)]
    witnesses = [Witness(player.strategy.choose) for player in seating]
    course, events = Course(), []
    row = play_game(
        rules, seating, 7, number, watch=lambda event: (course.tell(event), events.append(event)),
        choosers=witnesses,
    )  # fmt: skip
    counts = course.counts()

    lead = [leaders(points) for points in [[0] * players, *course.standing]]
    assert sum(a != b for a, b in pairwise(lead)) == row["lead_changes"]
    winners = [seat for seat in range(players) if row["winners"] >> seat & 1]
    behind = [
        Fraction(sum(max(points) - points[w] for w in winners), len(winners))
        for points in course.standing
    ]
    assert sum(behind) == Fraction(counts["behind"], 60)
    worst = max(max(points) - points[w] for points in course.standing for w in winners)
    assert worst == row["comeback"]

    seen = sorted(note for witness in witnesses for note in witness.seen)
    assert (counts["turns"], counts["moves"]) == (len(seen), sum(b for _, b, _ in seen))
    assert counts["choices"] == sum(b > 1 for _, b, _ in seen)
    assert counts["forgone"] == sum(lost for _, _, lost in seen)
    assert counts["at_times_moves"] == sum(at * b for at, b, _ in seen)

    objects = [as_object(event) for event in events if isinstance(event, Turn | Challenge)]
    standing = [
        by_force(told)
        for told, after in pairwise([*objects, {"event": ""}])
        if told["event"] == "turn" and told["move"] == "capture"
        if not (after["event"] == "challenge" and after["right"])
    ]
    assert counts["captures"] == len(standing) == sum(row["captures"])
    assert counts["multi_group"] == sum(several for several, _ in standing)
    assert counts["sums"] == sum(a_sum for _, a_sum in standing)


# --- cells ---------------------------------------------------------------------------------------


SHORT = Rules(end=Rounds(rounds=1))


@pytest.fixture(scope="module")
def mixed() -> tuple[Cell, Replayed]:
    known = catalogue()
    own = one_cell(SHORT, [known["random"].bind(), known["greedy"].bind()], hand_rotations=2)
    return own, replayed(own, 3, 12)


def test_games_told_again_are_those_that_the_kernel_played(mixed: tuple[Cell, Replayed]) -> None:
    """Catches another seed, deals from elsewhere, and a rotation left out."""
    own, games = mixed
    rows = Engine(own.rules, own.seatings, own.hand_rotations, 3, "x").play(0, 12)
    stored = by_cell(pl.DataFrame(block_table(rows, own, 0)), [own])[0]
    assert own.games_per_deal == 4
    assert games.sums.columns["games"].tolist() == [4] * 12
    for name in ("turns", "captures"):
        assert games.sums.columns[f"{name}.sum"].tolist() == stored.columns[f"{name}.sum"].tolist()
    assert (games.sums.block.tolist(), games.sums.deals.tolist()) == (list(range(12)), [1] * 12)


def by_deal(games: Replayed, name: str) -> np.ndarray:
    return games.sums.columns[f"{name}.sum"].astype(float)


RATIOS = {
    "drama": ("behind", "turns", 60),
    "branching": ("moves", "turns", 1),
    "choice_share": ("choices", "turns", 1),
    "multi_group_share": ("multi_group", "captures", 1),
    "sum_share": ("sums", "captures", 1),
    "regret": ("forgone", "turns", 1),
}


@pytest.mark.parametrize("name", RATIOS)
def test_a_share_is_students_t_between_deals(name: str, mixed: tuple[Cell, Replayed]) -> None:
    _, games = mixed
    above, below, unit = RATIOS[name]
    y, x = by_deal(games, above) / unit, by_deal(games, below)
    found = NAMED[name](games)
    assert found.value == pytest.approx(y.sum() / x.sum(), rel=1e-12)
    z = (y - found.value * x) / x.mean()
    half = scipy.stats.t.ppf(0.975, 11) * z.std(ddof=1) / np.sqrt(12)
    assert found.half_width == pytest.approx(half, rel=1e-9)
    assert (found.blocks, found.deals) == (12, 12)


def test_slope_and_most_are_of_all_turns() -> None:
    """In games of unequal length: the slope is polyfit's, its error that of clustered residuals.

    Catches a term of the delta method left out, and turns taken for independent.
    """
    rules, deals = Rules(end=FirstTo(first_to=9, unit="cards")), 60
    known = catalogue()
    own = one_cell(rules, [known["random"].bind(), known["greedy"].bind()], hand_rotations=2)
    games = replayed(own, 3, deals)
    at, moves = [], []
    for deal in range(deals):
        events: list[Any] = []
        for seated in own.seatings:
            for hands in range(2):
                play_game(rules, seated, 3, deal, hands, watch=events.append)
        turns = [event for event in events if isinstance(event, Turn)]
        at.append([one.turn for one in turns])
        moves.append([len(one.legal) for one in turns])
    assert games.most.tolist() == [max(numbers) for numbers in moves]
    assert NAMED["branching_most"](games).value == games.most.max()

    x, y = (np.concatenate(rows) for rows in (at, moves))
    slope, height = np.polyfit(x, y, 1)
    found = NAMED["branching_slope"](games)
    assert found.value == pytest.approx(slope, rel=1e-9)
    pulls = np.split((x - x.mean()) * (y - height - slope * x), np.cumsum([*map(len, at)])[:-1])
    by_cluster = np.array([pull.sum() for pull in pulls]) / ((x - x.mean()) ** 2).sum()
    assert found.se == pytest.approx(np.sqrt(deals / (deals - 1) * (by_cluster**2).sum()), rel=1e-9)


def test_moves_are_all_legal_ones_whatever_is_offered() -> None:
    """Catches the moves of `wants`: a taker is offered the largest captures only."""
    rules = PRESETS["casual"].model_copy(update={"end": Rounds(rounds=1)})
    course, witnesses = Course(), [Witness(taker.choose), Witness(taker.choose)]
    play_game(rules, [Player(taker)] * 2, 5, 1, watch=course.tell, choosers=witnesses)
    every = [len(legal_moves(rules, one.hand, one.loose, one.piles)) for one in course.turns]
    offered = sum(b for witness in witnesses for _, b, _ in witness.seen)
    assert course.counts()["moves"] == sum(every) > offered


def sums_of(**columns: list[int]) -> Replayed:
    deals = len(next(iter(columns.values())))
    filled = {name: np.array(columns.get(name, [0] * deals), np.int64) for name in COLUMNS}
    full = {f"{name}.sum": values for name, values in filled.items()}
    full["games"] = np.ones(deals, np.int64)
    own = Blocks(0, 2, np.arange(deals), np.ones(deals, np.int64), full)
    return Replayed(own, np.full(deals, 9))


def test_degenerate_cases_have_their_text() -> None:
    never = sums_of(turns=[40, 48, 48], captures=[7, 9, 8], at=[9, 9, 9])
    for name in ("sum_share", "multi_group_share", "regret"):
        found = NAMED[name](never)
        assert (found.value, found.state, found.low) == (0.0, State.CONSTANT, None)
    alone = sums_of(turns=[40], moves=[90], at=[20], at_squared=[800], at_times_moves=[45])
    for name in ("branching", "branching_slope"):
        assert NAMED[name](alone).state is State.ONE_BLOCK
    only_first = sums_of(turns=[1, 1, 1], moves=[4, 5, 6])
    assert NAMED["branching_slope"](only_first).state is State.UNDEFINED
    assert NAMED["sum_share"](only_first).state is State.UNDEFINED
    nothing = sums_of(turns=[])
    for each in OURS:
        found = each(nothing)
        assert len(getattr(found, "text", "") or found.state.value) > 20
        assert "undefined" in (getattr(found, "text", "") or found.state.value)


def test_the_most_says_how_rarely_there_is_more() -> None:
    found = NAMED["branching_most"](sums_of(turns=[1] * 300))
    assert found.text == "9; at most 1.00% of all deals have a turn with more"  # 3 / 300


def test_what_the_most_says_holds_as_often_as_it_says() -> None:
    """In 50 deals of a continuous number, more than the largest seen is as likely as 1 minus its
    distribution function there. Catches a share a quarter too small."""
    largest = np.random.default_rng(40).uniform(size=(REPETITIONS, 50)).max(axis=1)
    said = NAMED["branching_most"](sums_of(turns=[1] * 50)).exceeded
    assert in_band(int((1 - largest <= said).sum()))
    assert not in_band(int((1 - largest <= 0.75 * said).sum()))


def test_as_many_deals_as_make_twenty_thousand_turns() -> None:
    def played(deals: int, turns: int) -> Blocks:
        columns = {"games": np.array([deals]), "turns.sum": np.array([deals * turns])}
        return Blocks(0, 2, np.array([0]), np.array([deals]), columns)

    assert TURNS == 20_000
    assert enough_deals(played(5000, 192)) == 104
    assert enough_deals(played(50, 192)) == 50  # no more than were played
    assert enough_deals(played(5000, 5 * 160 * 25)) == FEWEST_DEALS
    empty = np.zeros(0, np.int64)
    assert enough_deals(Blocks(0, 2, empty, empty, {"games": empty, "turns.sum": empty})) == 0


def test_a_target_in_cards_cuts_rounds_and_counts_what_was_played() -> None:
    rules = Rules(end=FirstTo(first_to=3, unit="cards"))
    games = replayed(one_cell(rules, [Player(taker)]), 11, 20)
    assert by_deal(games, "turns").max() < 20
    assert NAMED["branching_slope"](games).state is State.INTERVAL


def test_they_are_registered_with_what_they_need() -> None:
    assert set(OURS) <= set(MEASURES)
    assert set(NAMED) == {
        "drama", "branching", "branching_most", "choice_share", "branching_slope",
        "multi_group_share", "sum_share", "regret",
    }  # fmt: skip
    for each in OURS:
        assert "replayed by the twin" in each.needs and each.source == "Course of play"
