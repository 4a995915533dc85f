"""All that a run says: every metric of every cell, and every variant against the first.

One place computes the numbers; tables, pictures, sentences and JSON only show them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sim.looks import deciding
from sim.sampling import StopAtDecision
from sim.stats.blocks import Blocks, by_cell
from sim.stats.estimates import LEVEL, Estimate, contrast, estimate
from sim.stats.metrics import BY_NAME, METRICS, Metric
from sim.stats.verdict import Judged, Verdict, judge_estimate, judged

if TYPE_CHECKING:
    from sim.design import Cell
    from sim.experiment import Experiment
    from sim.store import Run


@dataclass(frozen=True)
class Finding:
    """An estimate with what it is about: a cell, or a cell minus `against` on the same deals."""

    metric: Metric
    index: int
    cell: Cell
    against: Cell | None
    estimate: Estimate
    smallest: float

    @property
    def verdict(self) -> Verdict:
        """What the interval says against the smallest effect of interest."""
        return judge_estimate(self.estimate, self.smallest)

    @property
    def judged(self) -> Judged:
        """The verdict, and what it would take to have one."""
        per_block = self.cell.block_deals * self.cell.games_per_deal
        return judged(self.estimate, self.smallest, per_block)

    @property
    def setting(self) -> str:
        """Where it was found, as a person says it."""
        return _setting(self.cell.players, self.cell.lineup)


@dataclass(frozen=True)
class Setting:
    """Cells that differ in nothing but the variant: one number of players, one line-up."""

    players: int
    lineup: str
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """What a person calls it."""
        return _setting(self.players, self.lineup)


class Findings:
    """The numbers of a run, computed when they are asked for."""

    def __init__(self, run: Run) -> None:
        self.experiment: Experiment = run.experiment
        self.complete: bool = bool(run.done)
        self.stopped: str = run.stopped
        self.cells: tuple[Cell, ...] = tuple(run.cells)
        self.blocks: dict[int, Blocks] = by_cell(run.blocks(), self.cells)
        self._deciding = deciding(run.experiment, run.planned)
        self._known: dict[tuple[int, int | None, str, int], Finding] = {}

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
        return self._find(metric, index, cell, None)

    def change(self, metric: Metric, cell: Cell, against: Cell, index: int = 0) -> Finding:
        """What `metric` is in `cell` minus what it is in `against`, on the same deals."""
        return self._find(metric, index, cell, against)

    def _find(self, metric: Metric, index: int, cell: Cell, against: Cell | None) -> Finding:
        key = (cell.id, None if against is None else against.id, metric.name, index)
        if key not in self._known:
            own = self.blocks[cell.id]
            found = (
                estimate(own, metric, index)
                if against is None
                else contrast(own, self.blocks[against.id], metric, index)
            )
            found = self._as_decided(metric, cell, against, found)
            self._known[key] = Finding(metric, index, cell, against, found, self.smallest(metric))
        return self._known[key]

    def _as_decided(
        self, metric: Metric, cell: Cell, against: Cell | None, found: Estimate
    ) -> Estimate:
        """Return `found` with a confidence sequence if the run was stopped by looking at it."""
        stop = self.experiment.stop
        if not isinstance(stop, StopAtDecision) or metric.name != stop.decide:
            return found
        if against is None and len(self.experiment.variants) > 1:
            return found
        rule, comparisons = self._deciding[cell.id]
        return rule.sequence(found, comparisons)

    def changes(self, metric: Metric) -> list[Finding]:
        """`metric` (a single number) of each variant minus the first's, in every setting."""
        return [self.change(metric, cell, first) for cell, first in self.pairs()]

    def pairs(self) -> Iterator[tuple[Cell, Cell]]:
        """Each cell with the cell of the first variant in its setting, where there is one."""
        for setting in self.settings:
            first = setting.cells[0]
            if first.variant_index == 0:
                yield from ((cell, first) for cell in setting.cells[1:])

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
                    **_address(cell),
                    "games": int(self.blocks[cell.id].columns["games"].sum()),
                    "deals": int(self.blocks[cell.id].deals.sum()),
                    "blocks": len(self.blocks[cell.id]),
                    "shares_games_of": self._variant(cell.shares),
                    "estimates": [
                        _record(self.level(metric, cell, index))
                        for metric in METRICS
                        for index in range(len(metric.parts(cell.players)))
                    ],
                }
                for cell in self.cells
            ],
            "contrasts": [
                {
                    **_address(cell),
                    "against": first.variant,
                    **_record(finding),
                    "smallest": finding.smallest,
                    **finding.judged.as_json(),
                }
                for cell, first in self.pairs()
                for metric in METRICS
                for index in range(len(metric.parts(cell.players)))
                for finding in [self.change(metric, cell, first, index)]
            ],
        }


def _setting(players: int, lineup: str) -> str:
    return f"{players} players, {lineup}"


def _address(cell: Cell) -> dict[str, Any]:
    return {"variant": cell.variant, "players": cell.players, "lineup": cell.lineup}


def _record(finding: Finding) -> dict[str, Any]:
    found, metric = finding.estimate, finding.metric
    return {
        "metric": metric.name,
        **({} if metric.of == "game" else {metric.of: finding.index}),
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
        **({} if finding.against is None else {"variance_ratio": found.variance_ratio}),
    }
