"""The course of play, as only games told again show it: choices, sums, what was let go.

Each is computed from `sim.stats.turns.Replayed`, a block for each deal: the games of a deal are
summed first, and intervals are Student's t between deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.columns import SIXTIETHS
from sim.stats.estimates import LEVEL, ONE_CELL, Estimate, interval
from sim.stats.metric import SHARE_OF_CAPTURES, SHARE_OF_TURNS, AnyMeasure, Measure, Part
from sim.stats.rates import at_most
from sim.stats.samples import linearised, smooth

if TYPE_CHECKING:
    from sim.stats.turns import Replayed

SOURCE = "Course of play"
NEEDS = "games of one cell, replayed by the twin: as many deals as make about 20,000 turns"


def _ratio(name: str, title: str, unit: str, definition: str, part: Part) -> AnyMeasure:
    def compute(games: Replayed, level: float = LEVEL) -> Estimate:
        return interval(linearised(games.sums, part), unit, ONE_CELL, level)

    return Measure(name, title, unit, definition, SOURCE, NEEDS, compute)


drama = _ratio(
    "drama", "drama", "points",
    "points of the best seat minus those of the eventual winners (their mean), over all turns, "
    "as in Ludii",
    Part({"behind": 1}, {"turns": SIXTIETHS}),
)  # fmt: skip
branching = _ratio(
    "branching", "branching", "legal moves per turn", "mean number of legal moves at a turn",
    Part({"moves": 1}, {"turns": 1}),
)  # fmt: skip
choice_share = _ratio(
    "choice_share", "turns with a choice", SHARE_OF_TURNS,
    "share of turns with more than one legal move",
    Part({"choices": 1}, {"turns": 1}),
)  # fmt: skip
multi_group_share = _ratio(
    "multi_group_share", "captures of several groups", SHARE_OF_CAPTURES,
    "share of captures that take two groups or more, each of the played card's value or rank",
    Part({"multi_group": 1}, {"captures": 1}),
)  # fmt: skip
sum_share = _ratio(
    "sum_share", "captures with a sum", SHARE_OF_CAPTURES,
    "share of captures that take a group of two cards or more, adding up to the played card",
    Part({"sums": 1}, {"captures": 1}),
)  # fmt: skip
regret = _ratio(
    "regret", "regret", "cards per turn",
    "cards that the chosen move won fewer than the largest capture with any card in hand, the "
    "played card counted",
    Part({"forgone": 1}, {"turns": 1}),
)  # fmt: skip


@dataclass(frozen=True)
class Most:
    """The most legal moves that a turn had.

    Attributes:
        value: so many; None without deals.
        exceeded: deals that have a turn with more are no larger a share than this, with `level`.
        deals: that were looked at.
    """

    value: int | None
    exceeded: float
    deals: int
    level: float

    @property
    def text(self) -> str:
        """What a person reads."""
        if self.value is None:
            return "undefined: no game was played"
        return f"{self.value}; at most {self.exceeded:.2%} of all deals have a turn with more"


def _branching_most(games: Replayed, level: float = LEVEL) -> Most:
    """A maximum has no interval; that of n deals is exceeded in 3/n of all at most (Wilks 1941)."""
    deals = len(games.most)
    if not deals:
        return Most(None, 1.0, 0, level)
    return Most(int(games.most.max()), at_most(level, deals), deals, level)


branching_most = Measure(
    "branching_most", "most legal moves", "legal moves",
    "largest number of legal moves at a turn of all games replayed", SOURCE, NEEDS, _branching_most,
)  # fmt: skip


def _branching_slope(games: Replayed, level: float = LEVEL) -> Estimate:
    """Least squares: covariance over variance, each from means over turns (delta method)."""
    at, moves, squared, product = (
        linearised(games.sums, Part({name: 1}, {"turns": 1}))
        for name in ("at", "moves", "at_squared", "at_times_moves")
    )
    variance = squared.value - at.value**2
    if not variance > 0:  # no turns, or none but the first of each round
        nothing = linearised(games.sums, Part({}, {}))
        return interval(nothing, branching_slope.unit, ONE_CELL, level)
    slope = (product.value - at.value * moves.value) / variance
    slopes = [2 * at.value * slope - moves.value, -at.value, -slope, 1.0]
    sample = smooth([at, moves, squared, product], slope, [each / variance for each in slopes])
    return interval(sample, branching_slope.unit, ONE_CELL, level)


branching_slope = Measure(
    "branching_slope", "slope of branching", "legal moves per turn, each turn",
    "change of the number of legal moves from one turn of a round to the next, by least squares",
    SOURCE, NEEDS, _branching_slope,
)  # fmt: skip

MEASURES: tuple[AnyMeasure, ...] = (
    drama,
    branching,
    branching_most,
    choice_share,
    branching_slope,
    multi_group_share,
    sum_share,
    regret,
)
