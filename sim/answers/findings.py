"""All that a run says: every metric of every cell, and every variant against the first.

One place computes the numbers; tables, pictures, sentences, JSON and `sim.open` only show them.

Numbers that are read together are a family, and their intervals hold all at once: the seats (or
roles, or players) of a cell, and the numbers that the answer's first sentence counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sim.answers.pooling import pooled, pooled_sample
from sim.contest import first_blocks
from sim.goals import StopAtGoals
from sim.looks import deciding
from sim.sampling import StopAtDecision
from sim.stats.blocks import Blocks, by_cell
from sim.stats.estimates import LEVEL, Estimate, Method, State
from sim.stats.family import shared_level
from sim.stats.metrics import BY_NAME, METRICS, Metric
from sim.stats.metrics.fairness import unfairness
from sim.stats.verdict import Judged, Verdict, judge_estimate, judged

if TYPE_CHECKING:
    from sim.design import Cell
    from sim.experiment import Experiment
    from sim.store import Run

CELL = ("variant", "players", "lineup")
"""What names a cell."""

Cells = tuple["Cell", ...]


@dataclass(frozen=True)
class Asked:
    """A number that a run is asked for: a mean over the cells `on`, minus that over `off`."""

    metric: Metric
    index: int
    on: Cells
    off: Cells = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from others."""
        ids = [tuple(cell.id for cell in cells) for cells in (self.on, self.off)]
        return self.metric.name, self.index, *ids


@dataclass(frozen=True)
class Finding:
    """An estimate with what it is about: cells, or cells minus others on the same deals.

    Attributes:
        asked: what it answers.
        estimate: the answer; its interval holds together with those of its family.
        smallest: the smallest difference in the metric that matters.
        family: how many numbers hold at once with the interval's level; 1: it stands alone.
    """

    asked: Asked
    estimate: Estimate
    smallest: float
    family: int = 1

    @property
    def metric(self) -> Metric:
        """What is measured."""
        return self.asked.metric

    @property
    def index(self) -> int:
        """Which seat, role or player; 0 for a single number."""
        return self.asked.index

    @property
    def cell(self) -> Cell:
        """The cell; the first, where there are several."""
        return self.asked.on[0]

    @property
    def against(self) -> Cell | None:
        """The cell that is subtracted (the first, where there are several)."""
        return self.asked.off[0] if self.asked.off else None

    @property
    def verdict(self) -> Verdict:
        """What the interval says against the smallest effect of interest."""
        return judge_estimate(self.estimate, self.smallest)

    @property
    def judged(self) -> Judged:
        """The verdict, and what it would take to have one."""
        deals = self.estimate.deals // max(1, self.estimate.blocks)
        per_deal = max(cell.games_per_deal for cell in self.asked.on)
        return judged(self.estimate, self.smallest, deals * per_deal)

    @property
    def setting(self) -> str:
        """Where it was found, as a person says it."""
        return setting_name(self.cell.players, self.cell.lineup)

    def record(self) -> dict[str, Any]:
        """Return its numbers as plain data; what is undefined is None."""
        metric = self.metric
        return {
            "metric": metric.name,
            **({} if metric.of == "game" else {metric.of: self.index}),
            **estimate_record(self.estimate),
            "family": self.family,
            **({} if self.against is None else self._as_contrast()),
        }

    def _as_contrast(self) -> dict[str, Any]:
        return {
            "variance_ratio": self.estimate.variance_ratio,
            "smallest": self.smallest,
            **self.judged.as_json(),
        }


def together(family: Sequence[Asked], found: Sequence[Estimate], smallest: float) -> list[Finding]:
    """Return the estimates of a family as findings; those without interval stand alone."""
    size = sum(each.state is State.INTERVAL for each in found)
    return [
        Finding(asked, own, smallest, size if own.state is State.INTERVAL else 1)
        for asked, own in zip(family, found, strict=True)
    ]


def estimate_record(found: Estimate) -> dict[str, Any]:
    """Return an estimate as plain data; what is undefined is None."""
    return {
        "value": None if math.isnan(found.value) else found.value,
        "low": found.low,
        "high": found.high,
        "se": found.se,
        "unit": found.unit,
        "level": found.level,
        "blocks": found.blocks,
        "deals": found.deals,
        "pairing": found.pairing,
        "state": found.state.value,
        "method": None if found.method is None else found.method.value,
    }


def estimated(
    family: Sequence[Asked], blocks: Mapping[int, Blocks], against: Mapping[int, Blocks]
) -> list[Estimate]:
    """Estimate numbers whose intervals all hold at once.

    Args:
        family: the numbers.
        blocks: the blocks of each cell `on`, by its id.
        against: those of each cell `off`, by its id.
    """

    def own(asked: Asked, level: float = LEVEL) -> Estimate:
        return pooled(*_sides(asked, blocks, against), asked.metric, asked.index, level)

    alone = [own(asked) for asked in family]
    told = [i for i, found in enumerate(alone) if found.state is State.INTERVAL]
    if len(told) < 2:
        return alone
    samples = [
        pooled_sample(*_sides(family[i], blocks, against), family[i].metric, family[i].index)
        for i in told
    ]
    if all(sample.varies for sample in samples):
        level = shared_level(samples)
    else:  # what was never seen has no errors to bootstrap, so the chance of error is shared out
        level = 1 - (1 - LEVEL) / len(samples)
    for i in told:
        found = replace(own(family[i], level), level=LEVEL)
        wider = found.method is Method.STUDENT
        alone[i] = replace(found, method=Method.SIMULTANEOUS) if wider else found
    return alone


def _sides(
    asked: Asked, blocks: Mapping[int, Blocks], against: Mapping[int, Blocks]
) -> tuple[list[Blocks], list[Blocks]]:
    return [blocks[cell.id] for cell in asked.on], [against[cell.id] for cell in asked.off]


@dataclass(frozen=True)
class Setting:
    """Cells that differ in nothing but the variant: one number of players, one line-up."""

    players: int
    lineup: str
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """What a person calls it."""
        return setting_name(self.players, self.lineup)


class Findings:
    """The numbers of a run, computed when they are asked for."""

    def __init__(self, run: Run) -> None:
        self.experiment: Experiment = run.experiment
        self.complete: bool = bool(run.done)
        self.stopped: str = run.stopped
        self.cells: Cells = tuple(run.cells)
        self.blocks: dict[int, Blocks] = by_cell(run.blocks(), self.cells)
        self._deciding = deciding(run.experiment, run.planned)
        self._known: dict[tuple[Any, ...], Finding] = {}
        self._unfair: dict[int, Estimate] = {}

    @cached_property
    def unchosen(self) -> dict[int, Blocks]:
        """The blocks whose number no data chose: of a tune's race, those of its first look.

        Where the race goes on to depends on the data, and so does the number of blocks that all
        rule sets have: an ordinary interval on those does not hold.
        """
        stop = self.experiment.stop
        if not isinstance(stop, StopAtGoals):
            return self.blocks
        first = stop.first_look
        return {c.id: first_blocks(self.blocks[c.id], c, first) for c in self.cells}

    @property
    def primary(self) -> Metric:
        """The metric that the experiment's question is about."""
        return BY_NAME[self.experiment.primary]

    def smallest(self, metric: Metric) -> float:
        """The smallest difference in `metric` that matters."""
        return self.experiment.smallest if metric is self.primary else metric.smallest

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Settings in the experiment's order, cells by variant."""
        groups: dict[tuple[int, int], list[Cell]] = {}
        for cell in self.cells:
            groups.setdefault((cell.players, cell.lineup_index), []).append(cell)
        return tuple(
            Setting(players, own[0].lineup, tuple(sorted(own, key=lambda cell: cell.variant_index)))
            for (players, _), own in sorted(groups.items())
        )

    def level(self, metric: Metric, cell: Cell, index: int = 0) -> Finding:
        """What `metric` is in `cell`."""
        return self.find(Asked(metric, index, (cell,)))

    def change(self, metric: Metric, cell: Cell, against: Cell, index: int = 0) -> Finding:
        """What `metric` is in `cell` minus what it is in `against`, on the same deals."""
        return self.find(Asked(metric, index, (cell,), (against,)))

    def unfairness(self, cell: Cell) -> Estimate:
        """How far the seats of `cell` are from even shares, in win share; cross-fitted."""
        if cell.id not in self._unfair:
            self._unfair[cell.id] = unfairness(self.blocks[cell.id])
        return self._unfair[cell.id]

    def changes(self, metric: Metric) -> list[Finding]:
        """`metric` (a single number) of each variant minus the first's, in every setting."""
        return [self.change(metric, cell, first) for cell, first in self.pairs()]

    def pairs(self, base: int = 0) -> Iterator[tuple[Cell, Cell]]:
        """Each other cell with the cell of variant `base` in its setting, where there is one."""
        for setting in self.settings:
            for first in setting.cells:
                if first.variant_index == base:
                    yield from ((cell, first) for cell in setting.cells if cell is not first)

    @cached_property
    def answer(self) -> list[Asked]:
        """The numbers that the answer's first sentence counts."""
        pairs = list(self.pairs())
        if pairs:
            return [Asked(self.primary, 0, (cell,), (first,)) for cell, first in pairs]
        return [Asked(self.primary, 0, (cell,)) for cell in self.cells]

    @cached_property
    def _answer_keys(self) -> set[tuple[Any, ...]]:
        return {asked.key for asked in self.answer}

    def find(self, asked: Asked) -> Finding:
        """Estimate what is asked, together with its family.

        Raises:
            ValueError: the cells cannot be taken together, see `sim.answers.pooling.aligned`.
        """
        if asked.key not in self._known:
            family = self._family(asked)
            if self._decides(asked):
                family = [asked]
            found = estimated(family, self.blocks, self.blocks)
            for own in together(family, found, self.smallest(asked.metric)):
                if self._decides(own.asked):
                    rule, size = self._deciding[own.cell.id]
                    sequence = rule.sequence(own.estimate, size)
                    own = replace(own, estimate=sequence, family=size)
                self._known[own.asked.key] = own
        return self._known[asked.key]

    def _decides(self, asked: Asked) -> bool:
        """Whether the run was stopped by looking at this number, so that it has a sequence."""
        stop = self.experiment.stop
        if not isinstance(stop, StopAtDecision) or asked.metric.name != stop.decide:
            return False
        alone = len(self.experiment.variants) == 1
        return len(asked.on) == 1 and (bool(asked.off) or alone)

    def _family(self, asked: Asked) -> list[Asked]:
        if asked.metric is self.primary and asked.key in self._answer_keys:
            return self.answer
        return places(asked.metric, asked.on, asked.off)

    def _variant(self, cell: int | None) -> str | None:
        return None if cell is None else self.cells[cell].variant

    def as_json(self) -> dict[str, Any]:
        """Every number with its record, as plain data; numbers that are undefined are null."""
        return {
            "experiment": self.experiment.name,
            "question": self.experiment.question,
            "complete": self.complete,
            "stopped": self.stopped,
            "primary": self.primary.name,
            "level": LEVEL,
            "smallest": {metric.name: self.smallest(metric) for metric in METRICS},
            "cells": [
                {
                    **address(cell),
                    "games": int(self.blocks[cell.id].columns["games"].sum()),
                    "deals": int(self.blocks[cell.id].deals.sum()),
                    "blocks": len(self.blocks[cell.id]),
                    "shares_games_of": self._variant(cell.shares),
                    "estimates": [
                        self.find(asked).record()
                        for metric in METRICS
                        for asked in places(metric, (cell,))
                    ],
                    "measures": [
                        {"metric": unfairness.name, **estimate_record(self.unfairness(cell))}
                    ],
                }
                for cell in self.cells
            ],
            "contrasts": [
                {**address(cell), "against": first.variant, **self.find(asked).record()}
                for cell, first in self.pairs()
                for metric in METRICS
                for asked in places(metric, (cell,), (first,))
            ],
        }


def places(metric: Metric, on: Cells, off: Cells = ()) -> list[Asked]:
    """Return the numbers of a metric: one, or one for each seat, role or player."""
    return [Asked(metric, i, on, off) for i in range(len(metric.parts(on[0].players)))]


def setting_name(players: int, lineup: str) -> str:
    """Name a setting as a person does."""
    return f"{players} players, {lineup}"


def address(cell: Cell) -> dict[str, Any]:
    """Return what names a cell."""
    return {name: getattr(cell, name) for name in CELL}
