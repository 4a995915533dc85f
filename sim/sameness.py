"""Whether another version of a library still plays the games that a run holds.

A run may be gone on with by another Python or another library than began it. What decides games is
whole numbers alone, so they should be the same; this says whether they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from sim.engines import Engine
from sim.errors import ResumeRefused
from sim.stats.blocks import block_table
from sim.store import Publisher, Run
from sim.store.ledger import Entry


def play_as_before(publisher: Publisher, engines: Mapping[int, Engine]) -> None:
    """If another program goes on with a run, play some stored games again, and note its versions.

    Of every cell that has any, the first stored block is played again.

    Raises:
        ResumeRefused: other games came out than are stored.
        DiskFault: the versions cannot be noted.
    """
    if publisher.same_program:
        return
    for entry in _first_of_each_cell(publisher.run):
        cell = publisher.run.planned[entry.cell]
        games = engines[cell.id].play(entry.first_block * cell.block_deals, cell.block_deals)
        again = pl.DataFrame(block_table(games, cell, entry.first_block))
        if not publisher.run.read(entry).head(1).equals(again):
            told = "\n  ".join(publisher.other_versions)
            raise ResumeRefused(
                f"{publisher.path} was begun with other versions:\n  {told}\n"
                f"and with these, block {entry.first_block} of cell {cell.id} comes out otherwise "
                "than it is stored. Go on with the versions there, or begin in another directory"
            )
    publisher.note_program()


def _first_of_each_cell(run: Run) -> Iterator[Entry]:
    seen: set[int] = set()
    for entry in run.entries("blocks"):
        if entry.cell not in seen:
            seen.add(entry.cell)
            yield entry
