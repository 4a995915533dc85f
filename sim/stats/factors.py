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

from collections.abc import Callable, Iterator, Mapping, Sequence
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

    Intervals by the jackknife over blocks.
    """
    names, values = list(factorial.factors), factorial.values()
    dust = DUST * float(np.abs(values).max())
    squares = {
        group: _squares(f if np.abs(f).max() > dust else np.zeros_like(f))
        for group, f in components(values, names)
        if group
    }
    variance = np.sum(list(squares.values()), axis=0)
    first = factorial.samples[0]

    def jackknifed(found: Floats) -> Sample:
        z = (len(first) - 1) * (found[1:].mean() - found[1:])
        return Sample(float(found[0]), z, first.block, first.deals)

    def share(weight: Callable[[Group], float]) -> Sample:
        above = np.sum([weight(group) * v for group, v in squares.items()], axis=0)
        return jackknifed(
            np.divide(above, variance, out=np.full_like(above, np.nan), where=variance != 0)
        )

    samples = [
        *(share(lambda group: group == {name}) for name in names),  # noqa: B023
        *(share(lambda group: name in group) for name in names),  # noqa: B023
        *(share(lambda group: (name in group) / len(group)) for name in names),  # noqa: B023
    ]
    told = [
        replace(own, se=0.0, state=State.EXACT) if own.value == 0 and not sample.varies else own
        for sample, own in zip(samples, simultaneous(samples, SHARE, PAIRED, level), strict=True)
    ]
    kinds = [dict(zip(names, told[i:], strict=False)) for i in range(0, len(told), len(names))]
    unit = f"({factorial.unit})²"
    return FactorShares(interval(jackknifed(variance), unit, PAIRED, level), *kinds)


def _squares(f: Floats) -> Floats:
    """Return the cross-fitted mean of f^2 over cells, then the same without each block in turn.

    Args:
        f: shape (blocks, *levels).
    """
    rows = f.reshape(len(f), -1)
    count, cells = rows.shape
    total = rows.sum(axis=0)
    own, with_total = (rows * rows).sum(axis=1), rows @ total
    all_squares, all_own = total @ total, own.sum()
    whole = (all_squares - all_own) / max(count * (count - 1), 1)
    without = (all_squares - 2 * with_total + own) - (all_own - own)
    return np.concatenate([[whole], without / (max(count - 1, 1) * max(count - 2, 1))]) / cells


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
