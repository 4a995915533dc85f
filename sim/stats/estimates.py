"""Estimates between blocks of deals, alone and paired: a value never travels without its record.

Every metric is a ratio R = sum N / sum D over blocks. Linearised, a block contributes
z_b = (N_b - R D_b) / mean(D), and the standard error is sd(z) / sqrt(blocks); where D only counts
games, z_b is the block's mean less the overall mean. Intervals are Student's t with blocks - 1
degrees of freedom. Two cells are compared block by block, joined by block id, on z^A - z^B.
Source: STATISTICS.md (a); Cochran, Sampling Techniques, on the ratio estimator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from sim.stats.blocks import Blocks
from sim.stats.metrics import Metric, Part

LEVEL = 0.95
ENOUGH_BLOCKS = 20
"""Fewer blocks can agree by chance; then only cells that agree in every column count as equal."""

Floats = npt.NDArray[np.float64]


class State(Enum):
    """Whether an estimate has an interval, and if not why; the value is the text for people."""

    INTERVAL = "interval between blocks of deals"
    EXACT = "exactly equal: the same sums in every block of deals"
    CONSTANT = "the same in every block of deals, so there is no interval"
    ONE_BLOCK = "one block of deals only, so there is no interval; play more games"
    UNDEFINED = "undefined: there is nothing to divide by, or no deals in common"


@dataclass(frozen=True)
class Estimate:
    """An estimated value and all that is needed to trust it.

    Attributes:
        value: the estimate; NaN when undefined.
        se: standard error between blocks; None without an interval, 0 when exact.
        low, high: ends of the interval; None without one.
        level: its nominal coverage.
        blocks, deals: what it rests on (for a contrast: the blocks that both cells have).
        unit: of value, se, low and high.
        pairing: how the blocks were combined, in words.
        state: whether there is an interval.
        variance_ratio: for a contrast (s_A^2 + s_B^2) / s_D^2: how many times more deals unpaired
            play would have needed. None where nothing varies.
    """

    value: float
    se: float | None
    low: float | None
    high: float | None
    level: float
    blocks: int
    deals: int
    unit: str
    pairing: str
    state: State
    variance_ratio: float | None = None

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


def critical_value(level: float, degrees: int) -> float:
    """Return the two-sided critical value of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


def _linearised(blocks: Blocks, part: Part) -> tuple[float, Floats]:
    """Return the ratio of sums and each block's z_b; exactly 0 throughout if nothing varies."""
    above, below = blocks.weighted(part.numerator), blocks.weighted(part.denominator)
    total_above, total_below = sum(above.tolist()), sum(below.tolist())
    if total_below == 0:
        return math.nan, np.zeros(len(blocks))
    ratio = total_above / total_below
    z = (above - ratio * below) * (len(blocks) / total_below)
    if np.abs(z).max() <= 1e-9 * max(1.0, abs(ratio)) and all(
        a * total_below == b * total_above
        for a, b in zip(above.tolist(), below.tolist(), strict=True)
    ):
        z = np.zeros(len(blocks))
    return ratio, z


def _estimate(
    value: float, z: Floats, blocks: Blocks, unit: str, pairing: str, level: float
) -> Estimate:
    """Make the record of `value` from the blocks' contributions z, mean 0."""
    count, deals = len(blocks), int(blocks.deals.sum())
    se = low = high = None
    if math.isnan(value):
        state = State.UNDEFINED
    elif count == 1:
        state = State.ONE_BLOCK
    elif not z.any():
        state = State.CONSTANT
    else:
        state = State.INTERVAL
        se = float(z.std(ddof=1)) / math.sqrt(count)
        half = critical_value(level, count - 1) * se
        low, high = value - half, value + half
    return Estimate(value, se, low, high, level, count, deals, unit, pairing, state)


def estimate(blocks: Blocks, metric: Metric, index: int = 0, level: float = LEVEL) -> Estimate:
    """Estimate a metric of one cell; `index` is the seat or role where it has one for each."""
    part = metric.parts(blocks.players)[index]
    value, z = _linearised(blocks, part)
    return _estimate(value, z, blocks, metric.unit, "one cell", level)


def join(a: Blocks, b: Blocks) -> tuple[Blocks, Blocks]:
    """Return the blocks that both cells have, matched by block id.

    Raises:
        ValueError: the cells differ in the number of players, or their blocks hold other deals.
    """
    if a.players != b.players:
        raise ValueError(
            f"cells {a.cell} and {b.cell} have {a.players} and {b.players} players; a difference "
            "between numbers of players means nothing: compare within one"
        )
    _, rows_a, rows_b = np.intersect1d(a.block, b.block, assume_unique=True, return_indices=True)
    a, b = a.take(rows_a), b.take(rows_b)
    if not np.array_equal(a.deals, b.deals):
        raise ValueError(
            f"cells {a.cell} and {b.cell} have blocks of different size, so block ids do not name "
            "the same deals"
        )
    return a, b


def _equal(a: Blocks, b: Blocks, part: Part) -> bool:
    """Whether every block of both has the same sums and sums of squares in what `part` uses."""
    names = list(a.columns)
    if len(a) >= ENOUGH_BLOCKS:
        used = {*part.numerator, *part.denominator} - {"games"}
        names = ["games", *(f"{name}.{kind}" for name in used for kind in ("sum", "sumsq"))]
    return all(np.array_equal(a.columns[name], b.columns[name]) for name in names)


def contrast(
    a: Blocks, b: Blocks, metric: Metric, index: int = 0, level: float = LEVEL
) -> Estimate:
    """Estimate a metric of cell `a` minus that of cell `b`, paired on the deals they share.

    Raises:
        ValueError: see `join`.
    """
    a, b = join(a, b)
    part = metric.parts(a.players)[index]
    value_a, z_a = _linearised(a, part)
    value_b, z_b = _linearised(b, part)
    difference = z_a - z_b
    pairing = "same deals, joined by block id"
    found = _estimate(value_a - value_b, difference, a, metric.unit, pairing, level)
    if len(a) and found.state is not State.UNDEFINED and _equal(a, b, part):
        return replace(found, se=0.0, state=State.EXACT)
    if found.state is State.INTERVAL:
        apart = float(z_a.var(ddof=1) + z_b.var(ddof=1))
        return replace(found, variance_ratio=apart / float(difference.var(ddof=1)))
    return found
