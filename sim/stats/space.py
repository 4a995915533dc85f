"""Rule sets that differ in some options: what a step of an option does, alone and with another.

A step takes an option from one level to another. Its effect is the mean paired difference over all
pairs of rule sets that differ in this step alone; the interaction of two steps is the mean
difference of differences over all fours that differ in these two alone. Where every combination of
levels is there, that is the difference of the marginal means; a space may also have holes.
Source: docs/statistics.md, "Factors, races".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product

import numpy as np

from sim.stats.blocks import Blocks
from sim.stats.estimates import LEVEL, PAIRED, Estimate, State, fingerprint
from sim.stats.factors import DUST, Factorial
from sim.stats.family import simultaneous
from sim.stats.metric import Metric
from sim.stats.samples import Floats, Sample, join_all, linearised

Place = tuple[int, ...]
"""The level of each option, counted from 0."""


@dataclass(frozen=True)
class Step:
    """An option taken from the level `low` to the level `high`."""

    option: str
    low: int
    high: int


Steps = tuple[Step, ...]
"""One step, or several at once, each of another option."""


@dataclass(frozen=True)
class Difference:
    """The mean difference, or difference of differences, that steps make.

    Attributes:
        steps: one for an effect, two for an interaction.
        sample: the value, and what each block adds to its error.
        exact: the rule sets compared are equal in every block of deals.
    """

    steps: Steps
    sample: Sample
    exact: bool


@dataclass(frozen=True)
class Space:
    """A metric in rule sets that differ in some options, on the same deals.

    Attributes:
        options: name -> how many levels, in the order of a place.
        samples: by place, all on the same blocks; places may be missing.
        marks: by place; equal where rule sets are equal in the metric in every block.
        unit: of the metric.
    """

    options: Mapping[str, int]
    samples: Mapping[Place, Sample]
    marks: Mapping[Place, bytes]
    unit: str

    @classmethod
    def of(
        cls,
        options: Mapping[str, int],
        cells: Mapping[Place, Blocks],
        metric: Metric,
        index: int = 0,
    ) -> Space:
        """Make it from the blocks of the cells, taken on the blocks that all have.

        A cell in which the metric is undefined is left out.

        Raises:
            ValueError: see `sim.stats.samples.join`.
        """
        joined = dict(zip(cells, join_all(list(cells.values())), strict=True))
        told = {
            place: linearised(own, metric.parts(own.players)[index])
            for place, own in joined.items()
        }
        samples = {place: own for place, own in told.items() if not math.isnan(own.value)}
        marks = {place: fingerprint(joined[place], metric, index) for place in samples}
        return cls(options, samples, marks, metric.unit)

    @property
    def full(self) -> bool:
        """Whether every combination of levels is there."""
        return len(self.samples) == int(np.prod(list(self.options.values())))

    def factorial(self) -> Factorial:
        """Return it as a full factorial.

        Raises:
            ValueError: combinations are missing.
        """
        if not self.full:
            raise ValueError(f"{len(self.samples)} rule sets are not all combinations of options")
        order = np.ndindex(*self.options.values())
        return Factorial(self.options, tuple(self.samples[place] for place in order), self.unit)

    def steps(self, option: str) -> list[Step]:
        """Return every pair of levels of an option, the earlier level as the low one."""
        return [Step(option, a, b) for a, b in combinations(range(self.options[option]), 2)]

    def corners(self, steps: Steps) -> list[tuple[Place, ...]]:
        """Return the places that differ in `steps` alone: pairs, or fours of two steps.

        The place with every step taken comes first, then the last step changes fastest.
        """
        axes = [list(self.options).index(step.option) for step in steps]
        found = []
        for place in self.samples:
            if all(place[axis] == step.high for axis, step in zip(axes, steps, strict=True)):
                own = tuple(
                    _moved(place, axes, levels)
                    for levels in product(*((step.high, step.low) for step in steps))
                )
                if all(corner in self.samples for corner in own):
                    found.append(own)
        return found

    def differences(self, size: int) -> list[Difference]:
        """Return what every step (size 1) or every two steps (2) do, where rule sets tell it."""
        found = (self._difference(steps) for steps in self._all_steps(size))
        return [each for each in found if each is not None]

    def _all_steps(self, size: int) -> Iterator[Steps]:
        for options in combinations(self.options, size):
            yield from product(*(self.steps(option) for option in options))

    @cached_property
    def _matrix(self) -> tuple[dict[Place, int], Floats, Floats]:
        """Where each place is; the values, shape (places,); z, shape (blocks, places)."""
        rows = {place: i for i, place in enumerate(self.samples)}
        values = np.array([sample.value for sample in self.samples.values()])
        return rows, values, np.stack([sample.z for sample in self.samples.values()], axis=1)

    def _difference(self, steps: Steps) -> Difference | None:
        corners = self.corners(steps)
        if not corners:
            return None
        rows, values, errors = self._matrix
        weights = np.zeros(len(rows))
        for own in corners:
            for place, sign in zip(own, signs(len(steps)), strict=True):
                weights[rows[place]] += sign / len(corners)
        value, z = float(values @ weights), errors @ weights
        if np.abs(z).max(initial=0) <= DUST * np.abs(errors).max(initial=0):
            z = np.zeros(len(z))
        if abs(value) <= DUST * np.abs(values).max():
            value = 0.0
        first = next(iter(self.samples.values()))
        exact = all(self._equal(own) for own in corners)
        return Difference(
            steps, Sample(0.0 if exact else value, z, first.block, first.deals), exact
        )

    def _equal(self, corners: Sequence[Place]) -> bool:
        """Whether a pair is equal, or a four is in two equal pairs that cancel."""
        marks = [self.marks[place] for place in corners]
        if len(marks) == 2:
            return marks[0] == marks[1]
        return marks[:2] == marks[2:] or marks[::2] == marks[1::2]


def signs(size: int) -> list[int]:
    """Return the sign of each of `Space.corners` in the difference that `size` steps make."""
    return [(-1) ** sum(levels) for levels in product((0, 1), repeat=size)]


def _moved(place: Place, axes: Sequence[int], levels: Sequence[int]) -> Place:
    found = list(place)
    for axis, level in zip(axes, levels, strict=True):
        found[axis] = level
    return tuple(found)


def estimated(found: Sequence[Difference], unit: str, level: float = LEVEL) -> list[Estimate]:
    """Return estimates of differences; the intervals of all hold at once."""
    told = simultaneous([each.sample for each in found], unit, PAIRED, level)
    return [
        replace(own, se=0.0, low=None, high=None, method=None, state=State.EXACT)
        if each.exact
        else own
        for each, own in zip(found, told, strict=True)
    ]
