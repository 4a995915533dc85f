"""The blocks that were seen so far, for whoever looks at a run while it is played: each part is
read once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from sim.design import Cell
from sim.stats.blocks import Blocks, by_cell

if TYPE_CHECKING:
    import polars as pl

    from sim.store import Run
    from sim.store.ledger import Entry


class Seen:
    """The parts of a run that were read.

    Args:
        planned: its cells.
    """

    def __init__(self, planned: Sequence[Cell]) -> None:
        self.planned = planned
        self._read: dict[Entry, pl.DataFrame] = {}

    def blocks(self, run: Run, players: Collection[int] | None = None) -> dict[int, Blocks]:
        """Return the blocks of every cell, or of those whose games are played by some cells.

        Args:
            run: opened just now.
            players: numbers of cells that play games of their own.

        Raises:
            DataDamaged: a stored part is not what was published.
        """
        import polars as pl

        listed = [e for e in run.entries("blocks") if players is None or e.cell in players]
        for entry in listed:
            if entry not in self._read:
                self._read[entry] = run.read(entry)
        cells = [cell for cell in self.planned if players is None or cell.player in players]
        return by_cell(pl.concat([self._read[entry] for entry in listed]), cells)
