"""What a metric is: a name, a unit, a definition, and how it follows from stored sums.

A `Metric` is a ratio of two sums over deals with whole-number weights: points of the dealer's role
over rounds, wins over games. So one estimator serves them all, and values come from exact integers.
A `Measure` is a function of more than that: of several cells, or no ratio at all.

A metric that has a value for each seat, role or player has that many `Part` records; a single
number has one. Seats are counted from 0, who leads the first round; seat n-1 deals it. Roles are
places relative to the dealer of each round: 0 leads, n-1 deals. Players are places in the line-up
as written, wherever they sit.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, ParamSpec, TypeVar

from sim.columns import SIXTIETHS

Weights = Mapping[str, int]
"""Block column -> whole-number weight; ``games`` counts the games."""

Of = Literal["game", "seat", "role", "player"]

WIN_SHARE = "share of a win"
SHARE_OF_GAMES = "share of games"
SHARE_OF_TURNS = "share of turns"
SHARE_OF_CAPTURES = "share of captures"
CARDS_PER_GAME = "cards per game"
CARDS_PER_ROUND = "cards per round"
POINTS_PER_GAME = "points per game"
TURNS_PER_GAME = "turns per game"


@dataclass(frozen=True)
class Part:
    """One number of a metric: the sum `numerator` over the sum `denominator`."""

    numerator: Weights
    denominator: Weights


Parts = Callable[[int], tuple[Part, ...]]
"""Number of players -> the parts, by seat, role or player."""


@dataclass(frozen=True)
class Metric:
    """A quantity to estimate in each cell.

    Attributes:
        name: what experiments and data call it.
        title: what a person calls it.
        unit: of the stored value; shares are fractions of 1.
        definition: in a sentence; n is the number of players.
        source: the family that it belongs to.
        of: ``game`` for a single number; ``seat``, ``role`` or ``player`` for one number each.
        parts: number of players -> its parts.
        smallest: the smallest difference that matters unless the experiment names another.
        percent: people read it times 100, as percent or percentage points.
        signed: 0 means that nobody has an advantage, so its sign is the news.
        counts_games: it is the share of games in which something happens, so that rare events have
            their own intervals (`sim.stats.rates`).
    """

    name: str
    title: str
    unit: str
    definition: str
    source: str
    of: Of
    parts: Parts
    smallest: float
    percent: bool = False
    signed: bool = False
    counts_games: bool = False


def single(numerator: Weights, denominator: Weights) -> Parts:
    """One number, whatever the number of players."""
    return lambda n: (Part(numerator, denominator),)


def each(column: str, denominator: Weights) -> Parts:
    """Column ``column_i`` for each seat, role or player i."""
    return lambda n: tuple(Part({f"{column}_{i}": 1}, denominator) for i in range(n))


def above_even_share(column: str, i: int, n: int) -> Part:
    """Wins of `column` i, a share of a win per game, above 1/n."""
    return Part({f"{column}_{i}": n, "games": -SIXTIETHS}, {"games": n * SIXTIETHS})


def above_mean(column: str, i: int, n: int, per: str) -> Part:
    """Column `column` i above the mean over all n of them, per one of `per`."""
    return Part({f"{column}_{j}": n - 1 if j == i else -1 for j in range(n)}, {per: n})


Takes = ParamSpec("Takes")
Gives = TypeVar("Gives")


@dataclass(frozen=True)
class Measure(Generic[Takes, Gives]):
    """A quantity that is no ratio of sums of one cell: a registered function.

    Attributes:
        name, title, unit, definition, source: as of a `Metric`.
        needs: what it is computed from, for people.
        compute: the function; calling the measure calls it.
    """

    name: str
    title: str
    unit: str
    definition: str
    source: str
    needs: str
    compute: Callable[Takes, Gives]

    def __call__(self, *args: Takes.args, **keywords: Takes.kwargs) -> Gives:
        """Compute it."""
        return self.compute(*args, **keywords)


AnyMeasure = Measure[Any, Any]


def measure(
    source: str, *, unit: str, needs: str
) -> Callable[[Callable[Takes, Gives]], Measure[Takes, Gives]]:
    """Register a function as a measure: its name is the name, its first sentence the definition."""

    def register(compute: Callable[Takes, Gives]) -> Measure[Takes, Gives]:
        name = compute.__name__
        first = inspect.cleandoc(compute.__doc__ or "").split("\n\n")[0]
        definition = " ".join(first.split()).removesuffix(".")
        definition = definition[0].lower() + definition[1:]
        return Measure(name, name.replace("_", " "), unit, definition, source, needs, compute)

    return register
