"""Room on the disk for a run, forecast before any game is played."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from sim.design import Cell, cells, own_games
from sim.errors import DiskFault
from sim.experiment import Experiment
from sim.store import Run
from sim.store.coverage import kept_blocks
from sim.store.run import RUN
from sim.store.writing import refuse_foreign

PART_BYTES = 100_000
GAME_BYTES, BLOCK_BYTES = 100, 3_000
"""More than a part, the row of a game, or of a block, has ever taken; see docs/data.md."""
EXPECTED_SHARE = 0.8
"""A pilot is about so exact: of what is free, so much may be asked for."""


def most_bytes(planned: list[Cell], keep_games: int, chunk_games: int) -> int:
    """Return more bytes than the parts of these cells can take; nothing is played for it."""
    kept = kept_blocks(planned, keep_games)
    total = 0
    for cell in own_games(planned):
        per_block = cell.block_deals * cell.games_per_deal
        parts = -(-cell.games // chunk_games) + cell.blocks.bit_length() * 8
        total += 2 * parts * PART_BYTES + cell.blocks * BLOCK_BYTES
        total += kept[cell.id] * per_block * GAME_BYTES
    return total


def refuse_without_room(
    experiment: Experiment, path: Path, chunk_games: int, jobs: int, extend: int = 0
) -> None:
    """Refuse a run that the disk has no room for.

    Only if it might be too large, a pilot is played, which says how large it is.

    Args:
        experiment: what is to be played, as it was begun.
        path: its run directory, which need not be there.
        chunk_games: games in a part.
        jobs: workers, for the time it would take.
        extend: games to add to each cell of a finished run.

    Raises:
        DiskFault: there is not enough room; the message has bytes, free bytes and seconds.
        DataDamaged: the identity of the run that is there cannot be read.
        UsageFault: it cannot be extended, or is no run directory.
    """
    refuse_foreign(path)
    there = Run(path) if (path / RUN).exists() else None
    held = 0
    if there is not None:
        if there.done is not None and not extend:
            return
        held = sum(entry.bytes for entry in there.ledger.entries)
        told = there.experiment.extended(extend) if extend else there.experiment
        experiment = replace(experiment, games=told.games, ended_at=told.ended_at)
    free = free_at(path)
    if most_bytes(cells(experiment), experiment.keep_games, chunk_games) - held <= free:
        return
    from sim.pilot import plan

    found = plan(experiment)
    needed = found.bytes - held
    if needed > free * EXPECTED_SHARE:
        raise DiskFault(
            f"{path}: the run would take about {needed:,} bytes and {found.seconds / jobs:,.0f} s; "
            f"{free:,} bytes are free there. Nothing was played. Ask for fewer games, keep fewer "
            "rows of single games (keep: {games: 0}), make room, or add --ignore-space to try all "
            "the same"
        )


def free_at(path: Path) -> int:
    """Return the bytes that are free where a path is, or will be."""
    place = next(one for one in (path, *path.absolute().parents) if one.exists())
    return shutil.disk_usage(place).free
