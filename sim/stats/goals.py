"""Goals: numbers that have to stay within limits, and numbers that are to be as large as can be.

Many rule sets are judged together, and whoever is dropped is never looked at again; so every number
has an interval of the same small chance of error, and the chances of all numbers add up to that of
the whole (union bound). Looked at often, an interval is a confidence sequence; once, Student's t.
Few blocks say little about the spread between them, so the sequence is widened as Student's t is
wider than the normal law at the same chance of error.
Source: docs/statistics.md, "Goals"; Waudby-Smith et al. 2024; Schuirmann 1987 on equivalence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from sim.stats.family import RESAMPLES
from sim.stats.metric import Metric
from sim.stats.rates import at_most
from sim.stats.samples import Floats, Sample
from sim.stats.stopping import sequence_half_width

_KEY = 0x476F616C73


class Met(Enum):
    """Whether a goal is met; the value is the text for people."""

    YES = "met"
    NO = "not met"
    OPEN = "not yet known"


class Place(Enum):
    """Whether a rule set is among the best; the value is the text for people."""

    IN = "surely in"
    OPEN = "open"
    OUT = "surely out"
    UNDEFINED = "left out, as a goal is undefined"


@dataclass(frozen=True)
class Width:
    """How wide the intervals are that hold all together.

    Attributes:
        alpha: chance of error of each of them.
        best_at: blocks after which a confidence sequence is narrowest; None where the data are
            looked at once.
    """

    alpha: float
    best_at: int | None

    def per_sd(self, blocks: int) -> float:
        """Return the half-width, in standard deviations between blocks, after so many blocks."""
        from scipy.special import ndtri, stdtrit

        student = -float(stdtrit(blocks - 1, self.alpha / 2))
        if self.best_at is None:
            return student / math.sqrt(blocks)
        wider = student / -float(ndtri(self.alpha / 2))
        return wider * sequence_half_width(blocks, 1.0, self.alpha, self.best_at)


@dataclass(frozen=True)
class Limit:
    """A number of a cell that has to lie between two ends, which count as within."""

    metric: Metric
    index: int
    low: float
    high: float

    def beyond(self, value: float) -> float:
        """Return how far a value is outside; below 0: how far inside."""
        return max(self.low - value, value - self.high)


@dataclass(frozen=True)
class Held:
    """A number of a cell against its limit: value, ends of the interval, what they say."""

    limit: Limit
    value: float
    low: float
    high: float
    met: Met


def half_width(metric: Metric, sample: Sample, width: Width) -> float:
    """Return the half-width of a metric's interval: what was never seen may still be."""
    half = sample.sd * width.per_sd(len(sample))
    if metric.counts_games or not sample.varies:
        return max(half, unseen(metric, int(sample.deals.sum()), width))
    return half


def unseen(metric: Metric, deals: int, width: Width) -> float:
    """Return how large a share may be of which nothing was seen in so many deals; else 0."""
    return at_most(1 - width.alpha, deals) if metric.percent else 0.0


def held(sample: Sample, limit: Limit, width: Width) -> Held:
    """Hold a number to its limit. One that is undefined so far may be anything."""
    if math.isnan(sample.value) or len(sample) < 2:
        return Held(limit, sample.value, -math.inf, math.inf, Met.OPEN)
    half = half_width(limit.metric, sample, width)
    low, high = sample.value - half, sample.value + half
    if limit.low <= low and high <= limit.high:
        met = Met.YES
    elif high < limit.low or low > limit.high:
        met = Met.NO
    else:
        met = Met.OPEN
    return Held(limit, sample.value, low, high, met)


def all_met(found: Sequence[Met]) -> Met:
    """Return whether all are met: one that is not decides, one that is open leaves it open."""
    if Met.NO in found:
        return Met.NO
    return Met.OPEN if Met.OPEN in found else Met.YES


def places(
    values: Floats,
    limits: Sequence[Met],
    smallest: Sequence[float],
    least: Sequence[float],
    width: Width,
) -> list[Place]:
    """Say of each rule set whether it is among the best, by paired differences.

    A rule set is surely out if it misses a limit, or if another that keeps all limits is surely at
    least as good in every goal and better in one. It is surely in if it keeps all limits, and every
    other misses one, is surely worse in some goal, or is better in none by more than what matters.
    With one goal the best is in, and what cannot be told from it is open. One with which a goal is
    undefined is compared with none.

    Args:
        values: of each rule set, goal and block, shape (sets, goals, blocks); more is better; all
            on the same deals, and each with games of its own; NaN where a goal is undefined.
        limits: whether each keeps all its limits.
        smallest: the smallest difference that matters, of each goal.
        least: of each goal the half-width of a difference that no block shows.
        width: of each of the sets * (sets - 1) / 2 * goals differences.
    """
    keeps = np.array([one is Met.YES for one in limits])
    misses = np.array([one is Met.NO for one in limits])
    undefined = np.array([bool(np.isnan(own).any()) for own in values])
    per_sd, matters = width.per_sd(values.shape[2]), np.asarray(smallest)
    found = []
    for i in range(len(values)):
        ahead = values - values[i]
        mean, sd = ahead.mean(axis=2), ahead.std(axis=2, ddof=1)
        half = np.where(sd > 0, per_sd * sd, least)
        low, high = mean - half, mean + half
        better = keeps & (low >= 0).all(axis=1) & (low > 0).any(axis=1)
        harmless = misses | undefined | (high < 0).any(axis=1) | (high <= matters).all(axis=1)
        harmless[i] = True
        if misses[i] or better.any():
            found.append(Place.OUT)
        elif undefined[i]:
            found.append(Place.UNDEFINED)
        else:
            found.append(Place.IN if keeps[i] and harmless.all() else Place.OPEN)
    return found


def front_share(values: Floats) -> Floats:
    """Return in which share of bootstrap samples each rule set is dominated by no other.

    Every block weighs the same for all rule sets, so that what the deals have in common stays
    common. Rule sets that play alike get the same share.

    Args:
        values: as in `places`, of those that may be among the best, so every goal defined.

    Returns:
        Shares, float64, shape (sets,).
    """
    sets, goals, blocks = values.shape
    generator = np.random.Generator(np.random.Philox(key=_KEY))
    weights = generator.standard_exponential((RESAMPLES // 4, blocks))
    weights /= weights.sum(axis=1, keepdims=True)
    means = (weights @ values.reshape(-1, blocks).T).reshape(-1, sets, goals)
    on_front = np.zeros(sets)
    for drawn in means:
        ahead = drawn[:, None, :] - drawn[None, :, :]
        dominated = ((ahead >= 0).all(axis=2) & (ahead > 0).any(axis=2)).any(axis=0)
        on_front += ~dominated
    return on_front / len(means)
