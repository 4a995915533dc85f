"""A number and its error, block by block: what every interval is made from.

Every metric is a ratio R = sum N / sum D over blocks. Linearised, a block contributes
z_b = (N_b - R D_b) / mean(D), whose mean is 0; where D only counts games, z_b is the block's mean
less the overall mean. Differences and all other linear contrasts of such numbers have the same
contrast of the z_b, block by block, joined by block id and never by position.
Source: docs/statistics.md, "The deal is the unit"; Cochran, Sampling Techniques, on the ratio
estimator.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.stats.blocks import Blocks, Integers
from sim.stats.metric import Part

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """An estimate before its interval.

    Attributes:
        value: the estimate; NaN when undefined.
        z: what each block adds to its error, float64 of mean 0, shape (blocks,).
        block, deals: ids of the blocks, ascending, and how many deals each holds; same shape.
    """

    value: float
    z: Floats
    block: Integers
    deals: Integers

    def __len__(self) -> int:
        return len(self.z)

    @property
    def sd(self) -> float:
        """Standard deviation between blocks."""
        return float(self.z.std(ddof=1)) if len(self) > 1 else math.nan

    @property
    def se(self) -> float:
        """Standard error of the value."""
        return self.sd / math.sqrt(len(self)) if len(self) > 1 else math.nan

    @property
    def varies(self) -> bool:
        """Whether the blocks differ at all."""
        return bool(self.z.any())


def join(a: Blocks, b: Blocks) -> tuple[Blocks, Blocks]:
    """Return the blocks that both cells have, matched by block id.

    Raises:
        ValueError: the cells differ in the number of players, or their blocks hold other deals.
    """
    a, b = join_all([a, b])
    return a, b


def join_all(cells: Sequence[Blocks]) -> list[Blocks]:
    """Return of each cell the blocks that all have, matched by block id.

    Raises:
        ValueError: see `join`.
    """
    first = cells[0]
    common = first.block
    for other in cells[1:]:
        if first.players != other.players:
            raise ValueError(
                f"cells {first.cell} and {other.cell} have {first.players} and {other.players} "
                "players; a difference between numbers of players means nothing: compare within one"
            )
        common = np.intersect1d(common, other.block, assume_unique=True)
    joined = []
    for cell in cells:
        order = np.argsort(cell.block)
        joined.append(cell.take(order[np.searchsorted(cell.block, common, sorter=order)]))
    for other in joined[1:]:
        if not np.array_equal(joined[0].deals, other.deals):
            raise ValueError(
                f"cells {first.cell} and {other.cell} have blocks of different size, so block ids "
                "do not name the same deals"
            )
    return joined


def linearised(blocks: Blocks, part: Part) -> Sample:
    """Return the ratio of sums with each block's z_b; exactly 0 throughout if nothing varies."""
    above, below = blocks.weighted(part.numerator), blocks.weighted(part.denominator)
    total_above, total_below = sum(above.tolist()), sum(below.tolist())
    if total_below == 0:
        return Sample(math.nan, np.zeros(len(blocks)), blocks.block, blocks.deals)
    ratio = total_above / total_below
    z = (above - ratio * below) * (len(blocks) / total_below)
    if np.abs(z).max() <= 1e-9 * max(1.0, abs(ratio)) and all(
        a * total_below == b * total_above
        for a, b in zip(above.tolist(), below.tolist(), strict=True)
    ):
        z = np.zeros(len(blocks))
    return Sample(ratio, z, blocks.block, blocks.deals)


def combined(samples: Sequence[Sample], weights: Sequence[float]) -> Sample:
    """Return the sum of `samples` times `weights`, all on the same blocks.

    Raises:
        ValueError: they are of different blocks; `join_all` the cells first.
    """
    first = samples[0]
    if any(not np.array_equal(first.block, other.block) for other in samples):
        raise ValueError("numbers from different blocks of deals cannot be combined; join them")
    value = sum(w * s.value for w, s in zip(weights, samples, strict=True))
    z: Floats = np.sum([w * s.z for w, s in zip(weights, samples, strict=True)], axis=0)
    if np.abs(z).max(initial=0) <= 1e-12 * max(np.abs(s.z).max(initial=0) for s in samples):
        z = np.zeros(len(first))
    return Sample(value, z, first.block, first.deals)


def smooth(samples: Sequence[Sample], value: float, slopes: Sequence[float]) -> Sample:
    """Return a smooth function of `samples` with this `value` and these partial derivatives.

    The delta method: the error of f(a, b, ...) is that of f_a a + f_b b + ...
    """
    linear = combined(samples, slopes)
    return Sample(value, linear.z, linear.block, linear.deals)
