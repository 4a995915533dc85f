"""Games of a run told again by the twin, for what no stored row holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sim.stats.turns import Replayed, enough_deals, replayed
from sim.store.code import refuse_unread

if TYPE_CHECKING:
    from sim.answers.findings import Findings
    from sim.design import Cell
    from sim.store import Run


def replays(findings: Findings, run: Run) -> Iterator[tuple[Cell, Replayed]]:
    """Yield each cell that has games, with its first deals told again (`enough_deals`).

    Cells that share their games are told the same.

    Raises:
        UsageFault: a strategy file would have to be run, and nobody allowed it.
        WorkerFailed: a strategy of a user's own fails.
    """
    for cell in findings.cells:
        refuse_unread(run.path, cell.seatings[0])
    for cell in findings.cells:
        deals = enough_deals(findings.blocks[cell.id])
        if deals:
            player = cell if cell.shares is None else run.cells[cell.shares]
            yield cell, replayed(player, run.experiment.seed, deals)
