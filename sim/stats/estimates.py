"""Estimates between blocks of deals, alone and paired: a value never travels without its record.

Intervals are Student's t with blocks - 1 degrees of freedom, but for shares of games that hold few
events (`sim.stats.rates`). Two cells are compared block by block on the deals they share.
Source: docs/statistics.md.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from sim.stats.blocks import Blocks
from sim.stats.metric import Metric, Part
from sim.stats.rates import RARE, at_most, design_effect, wilson
from sim.stats.samples import Sample, combined, join, join_all, linearised

LEVEL = 0.95
ENOUGH_BLOCKS = 20
"""Fewer blocks can agree by chance; then only cells that agree in every column count as equal."""

ONE_CELL = "one cell"
PAIRED = "same deals, joined by block id"


class State(Enum):
    """Whether an estimate has an interval, and if not why; the value is the text for people."""

    INTERVAL = "interval between blocks of deals"
    EXACT = "exactly equal: the same sums in every block of deals"
    CONSTANT = "the same in every block of deals, so there is no interval"
    ONE_BLOCK = "one block of deals only, so there is no interval; play more games"
    UNDEFINED = "undefined: there is nothing to divide by, or no deals in common"


class Method(Enum):
    """How an interval was made; the value is the text for people."""

    STUDENT = "Student's t between blocks of deals"
    WILSON = "Wilson, the games divided by the design effect"
    NOTHING_SEEN = "it happened in no game, so it is rarer than 3 in the number of deals"
    ALWAYS_SEEN = "it happened in every game, so its lack is rarer than 3 in the number of deals"
    NO_CHANGE_SEEN = "no deal shows a change, so it changes less than 3 in the number of deals"
    WOODRUFF = "interval of the share of games below, turned around"
    SIMULTANEOUS = "Student's t between blocks of deals, widened for the whole family"
    CONFIDENCE_SEQUENCE = "confidence sequence, valid however often it was looked at"


@dataclass(frozen=True)
class Estimate:
    """An estimated value and all that is needed to trust it.

    Attributes:
        value: the estimate; NaN when undefined.
        se: standard error between blocks; None without an interval, 0 when exact.
        low, high: ends of the interval; None without one.
        level: its nominal coverage.
        blocks, deals: what it rests on (for a contrast: the blocks that all cells have).
        unit: of value, se, low and high.
        pairing: how the blocks were combined, in words.
        state: whether there is an interval.
        variance_ratio: for a contrast (s_A^2 + s_B^2) / s_D^2: how many times more deals unpaired
            play would have needed. None where nothing varies.
        method: how the interval was made; None without one.
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
    method: Method | None = None

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def within(self, low: float, high: float, method: Method) -> Estimate:
        """Return it with this interval."""
        return replace(self, low=low, high=high, state=State.INTERVAL, method=method)


def critical_value(level: float, degrees: int) -> float:
    """Return the two-sided critical value of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


def interval(sample: Sample, unit: str, pairing: str = ONE_CELL, level: float = LEVEL) -> Estimate:
    """Return the estimate of `sample` with its interval by Student's t, or why it has none."""
    count = len(sample)
    if math.isnan(sample.value):
        state = State.UNDEFINED
    elif count == 1:
        state = State.ONE_BLOCK
    elif not sample.varies:
        state = State.CONSTANT
    else:
        state = State.INTERVAL
    deals = int(sample.deals.sum())
    found = Estimate(sample.value, None, None, None, level, count, deals, unit, pairing, state)
    if state is not State.INTERVAL:
        return found
    half = critical_value(level, count - 1) * sample.se
    found = found.within(sample.value - half, sample.value + half, Method.STUDENT)
    return replace(found, se=sample.se)


def estimate(blocks: Blocks, metric: Metric, index: int = 0, level: float = LEVEL) -> Estimate:
    """Estimate a metric of one cell; `index` is the seat, role or player of one for each."""
    part = metric.parts(blocks.players)[index]
    found = interval(linearised(blocks, part), metric.unit, ONE_CELL, level)
    return _rate(found, blocks, part) if metric.counts_games else found


def _rate(found: Estimate, blocks: Blocks, part: Part) -> Estimate:
    """Give a share of games its interval where events, or games without, are rare."""
    if found.state not in (State.INTERVAL, State.CONSTANT):
        return found
    events = int(blocks.weighted(part.numerator).sum())
    games = int(blocks.weighted(part.denominator).sum())
    if events == 0:
        return found.within(0.0, at_most(found.level, found.deals), Method.NOTHING_SEEN)
    if events == games:
        return found.within(1 - at_most(found.level, found.deals), 1.0, Method.ALWAYS_SEEN)
    if min(events, games - events) >= RARE and found.state is State.INTERVAL:
        return found
    effective = games / design_effect(found.value, found.se or 0.0, games)
    critical = critical_value(found.level, found.blocks - 1)
    return found.within(*wilson(found.value, effective, critical), Method.WILSON)


def contrast(
    a: Blocks, b: Blocks, metric: Metric, index: int = 0, level: float = LEVEL
) -> Estimate:
    """Estimate a metric of cell `a` minus that of cell `b`, paired on the deals they share.

    Raises:
        ValueError: see `sim.stats.samples.join`.
    """
    a, b = join(a, b)
    part = metric.parts(a.players)[index]
    own, other = linearised(a, part), linearised(b, part)
    difference = combined([own, other], [1, -1])
    found = interval(difference, metric.unit, PAIRED, level)
    if len(a) and found.state is not State.UNDEFINED and _equal(a, b, part):
        identical = not metric.counts_games or _equal(a, b)
        if identical:
            return replace(found, se=0.0, state=State.EXACT)
        most = at_most(level, found.deals)
        return found.within(-most, most, Method.NO_CHANGE_SEEN)
    if metric.counts_games and found.state is State.CONSTANT and abs(found.value) == 1:
        least = found.value * (1 - 2 * at_most(level, found.deals))  # one deal can change it by 2
        ends = min(least, found.value), max(least, found.value)
        return found.within(*ends, Method.ALWAYS_SEEN)
    if found.state is State.INTERVAL:
        apart = own.sd**2 + other.sd**2
        return replace(found, variance_ratio=apart / difference.sd**2)
    return found


def fingerprint(blocks: Blocks, metric: Metric, index: int = 0) -> bytes:
    """Return what is the same for two cells, on the same blocks, that `contrast` calls equal."""
    part = None if metric.counts_games else metric.parts(blocks.players)[index]
    digest = hashlib.sha256()
    for name in _told_apart_by(blocks, part):
        digest.update(np.ascontiguousarray(blocks.columns[name]).tobytes())
    return digest.digest()


def _equal(a: Blocks, b: Blocks, part: Part | None = None) -> bool:
    """Whether every block of both has the same sums and sums of squares.

    With `part` and enough blocks, only in what that part uses.
    """
    return all(np.array_equal(a.columns[n], b.columns[n]) for n in _told_apart_by(a, part))


def _told_apart_by(blocks: Blocks, part: Part | None) -> list[str]:
    if part is None or len(blocks) < ENOUGH_BLOCKS:
        return list(blocks.columns)
    used = sorted({*part.numerator, *part.denominator} - {"games"})
    return ["games", *(f"{name}.{kind}" for name in used for kind in ("sum", "sumsq"))]


def linear(
    cells: Sequence[Blocks],
    weights: Sequence[float],
    metric: Metric,
    index: int = 0,
    level: float = LEVEL,
) -> Estimate:
    """Estimate the sum of `weights` times a metric over several cells, on the deals they share.

    The variance ratio compares with the same contrast of cells played apart.

    Raises:
        ValueError: see `sim.stats.samples.join`.
    """
    samples = [linearised(own, metric.parts(own.players)[index]) for own in join_all(cells)]
    found = interval(combined(samples, weights), metric.unit, PAIRED, level)
    if found.se is None:
        return found
    apart = sum((w * s.se) ** 2 for w, s in zip(weights, samples, strict=True))
    return replace(found, variance_ratio=apart / found.se**2)
