"""Factors: which options of a full factorial matter, alone and together, in closed form.

The functional ANOVA of the cell means T over all combinations of levels, each weighed alike:
f_u = E[T | x_u] - sum of f_v over the proper subsets v of u, and V_u = mean f_u^2. Then
S_i = V_i / V, ST_i = sum of V_u / V over u with i, and Shapley_i the same with each V_u
shared among the factors of u. These are exact: all the cells are there.

V_u is a square, so noise adds to it. It is cross-fitted: each product is of two different blocks of
deals, averaged over all pairs of blocks. So an estimate of 0 can come out below 0.
Source: docs/statistics.md, "Factors, races"; Hoeffding 1948; Sobol 1993; Owen 2014 on
Shapley shares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sim.stats.blocks import Blocks
from sim.stats.estimates import LEVEL, PAIRED, Estimate, State, interval
from sim.stats.family import simultaneous
from sim.stats.metric import AnyMeasure, Metric, measure
from sim.stats.samples import Floats, Sample, join_all, linearised

Group = frozenset[str]
"""Names of some factors."""

SHARE = "share of the variance between rule sets"

DUST = 1e-12
"""What rounding leaves of an exact 0, relative to what it is made of."""


@dataclass(frozen=True)
class Factorial:
    """A metric in every cell of a full factorial, on the same deals.

    Attributes:
        factors: name -> how many levels, in the order of the axes.
        samples: one for each cell, the last factor changing fastest; all on the same blocks.
        unit: of the metric.
    """

    factors: Mapping[str, int]
    samples: tuple[Sample, ...]
    unit: str

    @classmethod
    def of(
        cls, factors: Mapping[str, int], cells: Sequence[Blocks], metric: Metric, index: int = 0
    ) -> Factorial:
        """Make it from the blocks of all cells, the last factor changing fastest.

        Raises:
            ValueError: there are not as many cells as combinations, or see
                `sim.stats.samples.join`.
        """
        combinations_ = int(np.prod(list(factors.values())))
        if len(cells) != combinations_:
            raise ValueError(
                f"{len(cells)} cells are no full factorial of {combinations_} combinations "
                f"({', '.join(f'{name}: {levels}' for name, levels in factors.items())})"
            )
        joined = join_all(cells)
        samples = tuple(linearised(own, metric.parts(own.players)[index]) for own in joined)
        return cls(factors, samples, metric.unit)

    @property
    def shape(self) -> tuple[int, ...]:
        """Levels of each factor."""
        return tuple(self.factors.values())

    def groups(self) -> Iterator[Group]:
        """Yield every group of factors, the small ones first; not the empty one."""
        for size in range(1, len(self.factors) + 1):
            yield from (frozenset(group) for group in combinations(self.factors, size))

    def values(self) -> Floats:
        """Return each block's value of each cell, shape (blocks, *levels)."""
        rows = np.stack([sample.value + sample.z for sample in self.samples], axis=1)
        return rows.reshape(-1, *self.shape)


def component(values: Floats, factors: Sequence[str], group: Group) -> Floats:
    """Return f_u of `group` for each row of `values`, shape (rows, *levels).

    It is what is left when the mean over each other factor is taken, and over each of its own
    subtracted.
    """
    for axis, name in enumerate(factors, start=1):
        mean = values.mean(axis=axis, keepdims=True)
        values = values - mean if name in group else np.broadcast_to(mean, values.shape)
    return values


def components(
    values: Floats, factors: Sequence[str], axis: int = 1
) -> Iterator[tuple[Group, Floats]]:
    """Yield every group, the empty one too, with its f_u; axes of other factors have length 1.

    Groups share their means, so this takes a product of (levels + 1), not of 2 * levels.
    """
    if axis > len(factors):
        yield frozenset(), values
        return
    mean = values.mean(axis=axis, keepdims=True)
    yield from components(mean, factors, axis + 1)
    own = frozenset([factors[axis - 1]])
    for group, part in components(values - mean, factors, axis + 1):
        yield group | own, part


@dataclass(frozen=True)
class FactorShares:
    """Shares of each factor in the variance of a metric between rule sets.

    Attributes:
        variance: that variance, cross-fitted, in squared units; it can come out below 0.
        first: S, of the factor alone; total: ST, with all its interactions; shapley: in
            between, and they add up to 1. The intervals of all hold at once. A factor that changes
            nothing has exactly 0.
    """

    variance: Estimate
    first: dict[str, Estimate]
    total: dict[str, Estimate]
    shapley: dict[str, Estimate]

    @property
    def known(self) -> bool:
        """Whether rule sets surely differ; shares of what may be nothing mean nothing."""
        own = self.variance
        least = own.value if own.state is State.CONSTANT else own.low
        return least is not None and least > 0


@measure("House rules", unit=SHARE, needs="all cells of a full factorial")
def factor_shares(factorial: Factorial, level: float = LEVEL) -> FactorShares:
    """Share of each factor: Sobol S and ST, and Shapley, in closed form, cross-fitted.

    Intervals by the jackknife over blocks, and what it misses where a share is next to nothing.
    """
    names, first = list(factorial.factors), factorial.samples[0]
    whole, by_kind = _products(factorial.values(), names)
    variance = _squares(whole)

    def share(products: Floats) -> Sample:
        above = _squares(products)
        ratio = np.divide(above, variance, out=np.full_like(above, np.nan), where=variance != 0)
        rest = (products - ratio[0] * whole) / variance[0] if variance[0] else products
        return _jackknifed(ratio, rest, first)

    samples = [share(products) for own in by_kind for products in own.values()]
    told = [
        replace(own, se=0.0, state=State.EXACT) if own.value == 0 and not sample.varies else own
        for sample, own in zip(samples, simultaneous(samples, SHARE, PAIRED, level), strict=True)
    ]
    kinds = [dict(zip(names, told[i:], strict=False)) for i in range(0, len(told), len(names))]
    unit = f"({factorial.unit})²"
    own = interval(_jackknifed(variance, whole, first), unit, PAIRED, level)
    return FactorShares(own, *kinds)


def _products(values: Floats, names: Sequence[str]) -> tuple[Floats, list[dict[str, Floats]]]:
    """Return the products of every two blocks' f, the mean over cells, shape (blocks, blocks).

    First of all groups together, then of each factor alone, with its interactions, and with its
    part of each of them.
    """
    nothing = np.zeros((len(values), len(values)))
    whole = nothing
    alone, total, part = (dict.fromkeys(names, nothing) for _ in range(3))
    dust = DUST * float(np.abs(values).max())
    for group, f in components(values, names):
        if not group or np.abs(f).max() <= dust:
            continue
        rows = f.reshape(len(f), -1)
        products = rows @ rows.T / rows.shape[1]
        whole = whole + products
        for name in group:
            alone[name] = products if len(group) == 1 else alone[name]
            total[name] = total[name] + products
            part[name] = part[name] + products / len(group)
    return whole, [alone, total, part]


def _squares(products: Floats) -> Floats:
    """Return the mean product of two different blocks, then the same without each in turn.

    All undefined (nan) with fewer than three blocks: without one, no two are left.
    """
    count = len(products)
    if count < 3:
        return np.full(count + 1, np.nan)
    by_block, own = products.sum(axis=1), products.diagonal()
    pairs = by_block.sum() - own.sum()
    without = pairs - 2 * (by_block - own)
    return np.concatenate([[pairs / (count * (count - 1))], without / ((count - 1) * (count - 2))])


def _jackknifed(found: Floats, products: Floats, first: Sample) -> Sample:
    """Return `found[0]`; `found[1:]` are the same without each block.

    Where the truth is next to nothing a mean product varies mostly through pairs of blocks, which
    leaving out one does not show: their variance, that of the doubly centred `products`, is added
    (Hoeffding's decomposition of a U-statistic).
    """
    count = len(first)
    sample = Sample(float(found[0]), found[1:].mean() - found[1:], first.block, first.deals)
    if math.isnan(sample.value) or not sample.varies:
        return sample
    z = (count - 1) * sample.z
    pairs = products - products.mean(axis=0) - products.mean(axis=1)[:, None] + products.mean()
    squares = (pairs**2).sum() - (pairs.diagonal() ** 2).sum()
    own, more = (z**2).sum() / (count * (count - 1)), 2 * squares / (count * (count - 1)) ** 2
    return replace(sample, z=z * np.sqrt(1 + more / own))


@dataclass(frozen=True)
class Effect:
    """One effect of a factorial: of a level of one factor, or of two levels together.

    Attributes:
        levels: factor -> level, counted from 0: one factor for a main effect, two for an
            interaction.
        estimate: how far the mean of these levels lies from what the smaller groups explain.
    """

    levels: dict[str, int]
    estimate: Estimate


@measure(
    "House rules", unit="that of the metric", needs="all cells of a full factorial, same deals"
)
def effects(factorial: Factorial, size: int, level: float = LEVEL) -> list[Effect]:
    """Main effects (size 1) or two-way interactions (size 2) of each level, simultaneously.

    The effect of a level is the mean over all cells that have it minus the mean over all cells; an
    interaction is what the two main effects leave. With two levels a, b the difference b - a is
    twice the effect of b.
    """
    names = list(factorial.factors)
    means = np.array([sample.value for sample in factorial.samples]).reshape(1, *factorial.shape)
    errors = np.stack([s.z for s in factorial.samples], axis=1).reshape(-1, *factorial.shape)
    dust = DUST * float(max(np.abs(means).max(), np.abs(errors).max()))
    first = factorial.samples[0]
    levels: list[dict[str, int]] = []
    samples: list[Sample] = []
    for group in combinations(names, size):
        value = component(means, names, frozenset(group))[0]
        z = component(errors, names, frozenset(group))
        for chosen in np.ndindex(*(factorial.factors[name] for name in group)):
            at = dict(zip(group, chosen, strict=True))
            place = tuple(at.get(name, 0) for name in names)
            own, of_blocks = float(value[place]), z[(slice(None), *place)]
            if max(abs(own), np.abs(of_blocks).max()) <= dust:
                own, of_blocks = 0.0, np.zeros(len(z))
            levels.append(at)
            samples.append(Sample(own, of_blocks, first.block, first.deals))
    found = simultaneous(samples, factorial.unit, PAIRED, level)
    return [
        Effect(at, replace(e, se=0.0, state=State.EXACT) if e.value == 0 and not s.varies else e)
        for at, s, e in zip(levels, samples, found, strict=True)
    ]


MEASURES: tuple[AnyMeasure, ...] = (factor_shares, effects)
