"""Many numbers at once: intervals that all hold together, for a family declared beforehand.

Max-|t| multiplier bootstrap over blocks: every block's contribution is multiplied by a normal
random number, the same for all members, so that their correlation is kept; the size that the
family's largest |t| keeps to 95% of the time is the critical value. Members on other deals get
other multipliers.
Source: docs/statistics.md, "Where Student's t is not enough"; Chernozhukov, Chetverikov and
Kato 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sim.stats.estimates import LEVEL, ONE_CELL, Estimate, Method, State, critical_value, interval
from sim.stats.samples import Floats, Sample

RESAMPLES = 4000
_KEY = 0x456C6577656E6A65
_SLICE = 1024


def errors(samples: Sequence[Sample]) -> Floats:
    """Return errors that `samples` might have had, shape (RESAMPLES, samples).

    The same samples always get the same numbers.
    """
    drawn = np.zeros((RESAMPLES, len(samples)))
    groups: dict[bytes, list[int]] = {}
    for i, sample in enumerate(samples):
        groups.setdefault(sample.block.tobytes() + sample.deals.tobytes(), []).append(i)
    for group, members in enumerate(groups.values()):
        z = np.stack([samples[i].z for i in members], axis=1)
        for start in range(0, len(z), _SLICE):
            part = z[start : start + _SLICE]
            drawn[:, members] += _multipliers(group, start, len(part)) @ part
        drawn[:, members] /= np.sqrt(len(z) * (len(z) - 1.0))
    return drawn


@lru_cache(maxsize=8)
def _multipliers(group: int, start: int, blocks: int) -> Floats:
    """Return normal numbers for `blocks` blocks from `start` on; shape (RESAMPLES, blocks)."""
    bits = np.random.Philox(key=_KEY, counter=[0, start, group, 0])
    return np.random.Generator(bits).standard_normal((RESAMPLES, blocks))


def shared_level(samples: Sequence[Sample], level: float = LEVEL) -> float:
    """Return the level that each interval needs so that those of all `samples` hold with `level`.

    All must vary. It is never below that of one number alone.
    """
    from scipy.special import ndtr

    if len(samples) == 1:
        return level
    largest = np.abs(errors(samples) / [sample.se for sample in samples]).max(axis=1)
    quantile = float(np.quantile(largest, level))
    return max(level, 2 * float(ndtr(quantile)) - 1)


def critical(samples: Sequence[Sample], level: float = LEVEL) -> float:
    """Return how many standard errors wide simultaneous intervals of `samples` are, each side.

    All must vary. The normal quantile of the bootstrap is exchanged for that of Student's t with
    the same chance of error.
    """
    degrees = min(len(sample) for sample in samples) - 1
    return critical_value(shared_level(samples, level), degrees)


def simultaneous(
    samples: Sequence[Sample], unit: str, pairing: str = ONE_CELL, level: float = LEVEL
) -> list[Estimate]:
    """Return estimates whose intervals, of those that have one, hold all at once with `level`."""
    found = [interval(sample, unit, pairing, level) for sample in samples]
    members = [i for i, own in enumerate(found) if own.state is State.INTERVAL]
    if members:
        width = critical([samples[i] for i in members], level)
        for i in members:
            half = width * samples[i].se
            value = found[i].value
            found[i] = found[i].within(value - half, value + half, Method.SIMULTANEOUS)
    return [replace(own, level=level) for own in found]


def radius(samples: Sequence[Sample], level: float = LEVEL) -> float:
    """Return how far the vector of `samples` is from the truth at most, with `level`.

    The distance is Euclidean. As in `critical`, few blocks widen it as Student's t is wider.
    """
    from scipy.special import ndtri

    degrees = min(len(sample) for sample in samples) - 1
    wider = critical_value(level, degrees) / float(ndtri((1 + level) / 2))
    squares = (errors(samples) ** 2).sum(axis=1)
    return wider * float(np.sqrt(np.quantile(squares, level)))
