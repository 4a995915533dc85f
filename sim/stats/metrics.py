"""The registered metrics: what each measures, in which unit, and how it follows from block sums.

Every metric is a ratio of two sums over deals with whole-number weights: points of the dealer's
role over rounds, wins over games. So one estimator serves them all, and values come from exact
integers. Each is averaged over the rotations of a deal before anything else, because the sums of a
block are taken over whole deals.

A metric that has a value for each seat or role has that many `Part` records; a single number has
one. Seats are counted from 0, who leads the first round; seat n-1 deals it. Roles are places
relative to the dealer of each round: 0 leads, n-1 deals. Source: METRICS.md, by section.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from sim.columns import SIXTIETHS

Weights = Mapping[str, int]
"""Block column -> whole-number weight; ``games`` counts the games."""


@dataclass(frozen=True)
class Part:
    """One number of a metric: the sum `numerator` over the sum `denominator`."""

    numerator: Weights
    denominator: Weights


@dataclass(frozen=True)
class Metric:
    """A quantity to estimate.

    Attributes:
        name: what experiments and data call it.
        title: what a person calls it.
        unit: of the stored value; shares are fractions of 1.
        definition: in a sentence; n is the number of players.
        source: the section of METRICS.md.
        of: ``game`` for a single number, ``seat`` or ``role`` for one number each.
        parts: number of players -> its parts, by seat or role.
        smallest: the smallest difference that matters unless the experiment names another.
        percent: people read it times 100, as percent or percentage points.
        signed: 0 means that nobody has an advantage, so its sign is the news.
    """

    name: str
    title: str
    unit: str
    definition: str
    source: str
    of: Literal["game", "seat", "role"]
    parts: Callable[[int], tuple[Part, ...]]
    smallest: float
    percent: bool = False
    signed: bool = False


def _single(numerator: Weights, denominator: Weights) -> Callable[[int], tuple[Part, ...]]:
    return lambda n: (Part(numerator, denominator),)


def _each(column: str, denominator: Weights) -> Callable[[int], tuple[Part, ...]]:
    return lambda n: tuple(Part({f"{column}_{i}": 1}, denominator) for i in range(n))


def _each_above_even_share(column: str, total_per_game: int) -> Callable[[int], tuple[Part, ...]]:
    """Mean per game above an n-th of a known total, in units of that total."""
    return lambda n: tuple(
        Part({f"{column}_{i}": n, "games": -total_per_game}, {"games": n * total_per_game})
        for i in range(n)
    )


def _above_mean(column: str, i: int, n: int, per: str) -> Part:
    """Column `i` above the mean over all n of them, per one of `per`."""
    return Part({f"{column}_{j}": n - 1 if j == i else -1 for j in range(n)}, {per: n})


WIN_SHARE = "share of a win"
SHARE_OF_GAMES = "share of games"
SHARE_OF_TURNS = "share of turns"
CARDS_PER_ROUND = "cards per round"

METRICS: tuple[Metric, ...] = (
    Metric(
        "dealer_advantage_wins",
        "dealer advantage in wins",
        WIN_SHARE,
        "mean win share of the first round's dealer, minus 1/n",
        "Fairness",
        "game",
        lambda n: (Part({"dealer_wins": n, "games": -SIXTIETHS}, {"games": n * SIXTIETHS}),),
        0.005,
        percent=True,
        signed=True,
    ),
    Metric(
        "dealer_advantage_cards",
        "dealer advantage in cards",
        CARDS_PER_ROUND,
        "points per round of the role that deals, minus the mean over all roles",
        "Fairness",
        "game",
        lambda n: (_above_mean("role_points", n - 1, n, "rounds"),),
        0.5,
        signed=True,
    ),
    Metric(
        "win_share",
        "win share",
        WIN_SHARE,
        "mean win share of a seat; k tied winners get 1/k each",
        "Fairness",
        "seat",
        _each("wins", {"games": SIXTIETHS}),
        0.005,
        percent=True,
    ),
    Metric(
        "seat_points",
        "points by seat",
        "points per game",
        "mean points of a seat at the end of the game",
        "Fairness",
        "seat",
        _each("points", {"games": 1}),
        0.5,
    ),
    Metric(
        "seat_advantage_wins",
        "seat advantage in wins",
        WIN_SHARE,
        "mean win share of a seat, minus 1/n",
        "Fairness",
        "seat",
        _each_above_even_share("wins", SIXTIETHS),
        0.005,
        percent=True,
        signed=True,
    ),
    Metric(
        "seat_advantage_cards",
        "seat advantage in cards",
        "cards per game",
        "mean points of a seat, minus the mean over all seats",
        "Fairness",
        "seat",
        lambda n: tuple(_above_mean("points", s, n, "games") for s in range(n)),
        0.5,
        signed=True,
    ),
    Metric(
        "role_cards",
        "cards by role",
        CARDS_PER_ROUND,
        "points per round earned in a role, penalties included",
        "Fairness",
        "role",
        _each("role_points", {"rounds": 1}),
        0.5,
    ),
    Metric(
        "tie_rate",
        "ties",
        SHARE_OF_GAMES,
        "share of games with two or more winners",
        "Course of play",
        "game",
        _single({"ties": 1}, {"games": 1}),
        0.005,
        percent=True,
    ),
    Metric(
        "margin",
        "margin",
        "points per game",
        "points of the best seat minus points of the second best",
        "Course of play",
        "game",
        _single({"margin": 1}, {"games": 1}),
        0.5,
    ),
    Metric(
        "cards_left",
        "cards left",
        CARDS_PER_ROUND,
        "loose cards at a round's end that go to nobody",
        "Course of play",
        "game",
        _single({"left": 1}, {"rounds": 1}),
        0.5,
    ),
    Metric(
        "rest_cards",
        "cards given away as the rest",
        CARDS_PER_ROUND,
        "loose cards at a round's end that go to a player",
        "Course of play",
        "game",
        _single({"rest": 1}, {"rounds": 1}),
        0.5,
    ),
    Metric(
        "capture_rate",
        "captures",
        SHARE_OF_TURNS,
        "share of turns that capture",
        "Course of play",
        "game",
        _single({"captures": 1}, {"turns": 1}),
        0.005,
        percent=True,
    ),
    Metric(
        "cards_per_capture",
        "cards per capture",
        "cards per capture",
        "cards taken by a capture, the played card not counted",
        "Course of play",
        "game",
        _single({"taken": 1}, {"captures": 1}),
        0.5,
    ),
    Metric(
        "sweep_share",
        "sweeps",
        "share of captures",
        "share of captures that leave no card on the table",
        "Course of play",
        "game",
        _single({"sweeps": 1}, {"captures": 1}),
        0.005,
        percent=True,
    ),
    Metric(
        "turns",
        "turns",
        "turns per game",
        "turns played in a game, all seats together",
        "Course of play",
        "game",
        _single({"turns": 1}, {"games": 1}),
        0.5,
    ),
    Metric(
        "rounds",
        "rounds",
        "rounds per game",
        "rounds begun in a game",
        "Course of play",
        "game",
        _single({"rounds": 1}, {"games": 1}),
        0.5,
    ),
)

BY_NAME: dict[str, Metric] = {metric.name: metric for metric in METRICS}

NAMES: tuple[str, ...] = tuple(metric.name for metric in METRICS if metric.of == "game")
"""Metrics that are a single number, so that an experiment can be about them."""
