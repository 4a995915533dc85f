"""What sections of the report are made of: a run's findings, and what is computed from them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from sim.answers.findings import Asked, Finding, Findings, estimated, together
from sim.answers.pooling import end_to_end
from sim.design import Cell
from sim.stats.blocks import Blocks
from sim.stats.estimates import Estimate, estimate
from sim.stats.metric import Metric

if TYPE_CHECKING:
    import polars as pl

    from sim.store import Run

MOST_PAIRED_ROWS = 2_000_000
"""Game rows read, at most, to compare rule sets game by game; the first deals of each cell."""


class Material:
    """A run as sections see it.

    Attributes:
        run: the run directory.
        findings: its numbers.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.findings = Findings(run)
        self._together: dict[str, list[Finding]] = {}

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that have data, in the experiment's order."""
        return tuple(c for c in self.findings.cells if len(self.findings.blocks[c.id]))

    @cached_property
    def pairs(self) -> tuple[tuple[Cell, Cell], ...]:
        """Each cell with the first variant's in its setting, where both have data."""
        here = {cell.id for cell in self.cells}
        found = self.findings.pairs()
        return tuple((a, b) for a, b in found if a.id in here and b.id in here)

    def blocks(self, cell: Cell) -> Blocks:
        """The block sums of a cell."""
        return self.findings.blocks[cell.id]

    def levels(self, metric: Metric) -> list[Finding]:
        """What a metric is in each cell."""
        return [self.findings.level(metric, cell) for cell in self.cells]

    def measured(self, metric: Metric, cell: Cell, found: Estimate) -> Finding:
        """Tell an estimate that a measure made as a finding about `cell`."""
        return Finding(Asked(metric, 0, (cell,)), found, self.findings.smallest(metric))

    def changes(self, metric: Metric) -> list[Finding]:
        """A metric of each variant minus the first's; the intervals hold all together."""
        if metric is self.findings.primary:
            return [self.findings.change(metric, *pair) for pair in self.pairs]
        if metric.name not in self._together:
            asked = [Asked(metric, 0, (a,), (b,)) for a, b in self.pairs]
            blocks, smallest = self.findings.blocks, self.findings.smallest(metric)
            found = estimated(asked, blocks, blocks)
            self._together[metric.name] = together(asked, found, smallest)
        return self._together[metric.name]

    @cached_property
    def paired_blocks(self) -> dict[tuple[int, int], Blocks]:
        """The pairs compared game by game, where game rows of both are kept; by cell ids."""
        from sim.stats.pairs import pair_blocks

        if not self.pairs:
            return {}
        most = MOST_PAIRED_ROWS // (2 * len(self.pairs))
        found: dict[tuple[int, int], Blocks] = {}
        for a, b in self.pairs:
            joined = [pair_blocks(on, off, a) for on, off in self._side_by_side(a, b, most)]
            if joined:
                found[a.id, b.id] = end_to_end(joined, a)
        return found

    def pair_findings(self, metric: Metric) -> list[Finding]:
        """A metric of two rule sets compared game by game, for each pair that has game rows."""
        by_id = {cell.id: cell for cell in self.cells}
        smallest = self.findings.smallest(metric)
        return [
            Finding(Asked(metric, 0, (by_id[a],), (by_id[b],)), estimate(blocks, metric), smallest)
            for (a, b), blocks in self.paired_blocks.items()
        ]

    def game_parts(self, cell: Cell, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield the kept game rows of one cell, checked, in order of deal; all columns or some.

        Raises:
            DataDamaged: a part is not what was published.
        """
        from sim.store.scanning import game_parts

        yield from game_parts(self.run, cell, columns)

    def _side_by_side(
        self, a: Cell, b: Cell, most: int
    ) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        """Yield the games of two cells on the same deals, in whole blocks, about `most` rows."""
        import polars as pl

        per_block = a.block_deals * a.games_per_deal
        room = -(-most // per_block) * per_block
        others = self.game_parts(b)
        held: list[pl.DataFrame] = []
        for part in self.game_parts(a):
            own = part.head(room)
            first, last = own["deal"][0], own["deal"][-1]
            while not held or held[-1]["deal"][-1] < last:
                more = next(others, None)
                if more is None:
                    break
                held.append(more)
            if not held:
                return
            yield own, pl.concat(held).filter(pl.col("deal").is_between(first, last))
            held = held[-1:]
            room -= len(own)
            if room <= 0:
                return
