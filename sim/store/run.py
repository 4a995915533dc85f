"""Reading a run: only what the ledger lists, only after it was checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from sim.design import Cell, cells
from sim.errors import DataDamaged
from sim.experiment import Experiment
from sim.store import code, ledger, parts, tables
from sim.store.coverage import kept_blocks, missing
from sim.store.ending import UNFINISHED, Ending, EndingDamaged, read_ending
from sim.store.identity import read_record
from sim.store.ledger import Entry, Kind
from sim.strategy import Strategy

RUN, LEDGER, DONE, PARTS, TEMPORARY = "run.json", "ledger.jsonl", "DONE.json", "parts", "tmp"
EVERYTHING = 1 << 40
REMEDY = "; play it again with sim run and --resume (nothing else is touched)"


@dataclass(frozen=True)
class Health:
    """What a check of every part found.

    Attributes:
        parts, rows: how many were sound, and their rows.
        faults: one sentence for each part, or line, that is not.
        missing_blocks: blocks of deals that no part holds.
    """

    parts: int
    rows: int
    faults: tuple[str, ...]
    missing_blocks: int


def _ended(planned: list[Cell], ending: Ending | None) -> list[Cell]:
    """Return the cells with the blocks at which each ended."""
    if ending is None or not ending.complete:
        return planned
    if ending.cells is not None and len(ending.cells) == len(planned):
        return [
            replace(cell, blocks=count) for cell, count in zip(planned, ending.cells, strict=True)
        ]
    return [
        replace(cell, blocks=ending.blocks.get((cell.players, cell.lineup), cell.blocks))
        for cell in planned
    ]


class Run:
    """A run directory, opened for reading. No strategy file is read for that.

    Args:
        path: where it is.
        strategies: users' strategies that were read from their files, by name; see
            `sim.experiment.Experiment.from_dict`.

    Attributes:
        path: where it is.
        record: what `run.json` says.
        run_id: hash of all that decides its data.
        experiment: what was asked.
        planned: its cells, with the most blocks there can be.
        ending: how it ended, as `DONE.json` says; None if it has not come to an end.
        cells: its cells, with the blocks at which it ended, or else the planned.
        ledger: its parts, as listed when it was opened.
    """

    def __init__(self, path: Path, strategies: Mapping[str, Strategy] | None = None) -> None:
        self.path = path
        self.record = read_record(path / RUN)
        self.run_id: str = self.record["run_id"]
        self.experiment = Experiment.from_dict(self.record["experiment"], strategies)
        self.planned: list[Cell] = cells(self.experiment)
        self.ledger = ledger.read(path / LEDGER)
        self.ending: Ending | None = None
        self._broken_ending: tuple[str, ...] = ()
        try:
            self.ending = read_ending(path / DONE, self.run_id, self.experiment.games)
        except EndingDamaged as fault:
            self._broken_ending = (str(fault),)
        self.cells: list[Cell] = _ended(self.planned, self.ending)

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with the ledger and with `DONE.json`, in words; no part is read for it."""
        found = [*self.ledger.faults, *self._broken_ending]
        if self.ending is not None and self.ending.complete and self.missing_blocks:
            found.append(f"{LEDGER}: it lacks {self.missing_blocks:,} blocks that were published")
        return tuple(found)

    @cached_property
    def faults_beside(self) -> tuple[str, ...]:
        """What is wrong with the tables and the copies of strategy files; no number needs them."""
        return (
            *tables.damaged(self.path, self.record["tables"]),
            *code.damaged(self.path, self.experiment.code),
        )

    @cached_property
    def done(self) -> dict[str, Any] | None:
        """What is known of the finished run, or None while games are missing."""
        if self.ending is None or self.missing_blocks:
            return None
        return self.ending.facts

    @property
    def stopped(self) -> str:
        """By which rule it ended and after how many looks, or why it is partial, in a sentence."""
        if self.done is not None and self.ending is not None:
            return self.ending.text + self._extended
        if self.ending is not None and not self.ending.complete:
            return f"Partial: {self.ending.text}"
        return UNFINISHED

    @property
    def _extended(self) -> str:
        before = " and ".join(f"{games:,}" for games in self.experiment.ended_at)
        if not before:
            return ""
        return (
            f" It had ended at {before} games a cell and was extended: its intervals hold if that "
            "was not decided by what they said."
        )

    @property
    def kept(self) -> dict[int, int]:
        """How many blocks of each cell keep their game rows."""
        return kept_blocks(self.planned, self.experiment.keep_games)

    @property
    def missing_blocks(self) -> int:
        """How many blocks of deals are still to be played."""
        todo = missing(self.cells, self.kept, self.ledger.entries, EVERYTHING)
        return sum(task.chunk.blocks for task in todo)

    def entries(self, kind: Kind) -> list[Entry]:
        """Return the published parts of a kind, by cell and block.

        Raises:
            DataDamaged: the ledger itself is damaged.
        """
        if self.faults:
            raise DataDamaged(f"{self.path}: {'; '.join(self.faults)}{REMEDY}")
        return sorted(entry for entry in self.ledger.entries if entry.kind == kind)

    def frames(self, kind: Kind) -> Iterator[pl.DataFrame]:
        """Yield each part of a kind, checked.

        Raises:
            DataDamaged: a part is not what was published.
        """
        for entry in self.entries(kind):
            yield self.read(entry)

    def read(self, entry: Entry) -> pl.DataFrame:
        """Return a part, checked.

        Raises:
            DataDamaged: it is not what was published.
        """
        try:
            return parts.read(self.path / PARTS, self.run_id, entry)
        except parts.PartDamaged as fault:
            message = f"{self.path / PARTS / entry.part}: {fault}{REMEDY}"
            raise DataDamaged(message) from fault

    def blocks(self) -> pl.DataFrame:
        """Return the sums of every block of deals, all cells; see `sim.stats.blocks`."""
        found = list(self.frames("blocks"))
        return pl.concat(found) if found else pl.DataFrame(schema=parts.schema("blocks"))

    def games(self) -> Iterator[pl.DataFrame]:
        """Yield the kept game rows part by part, each of one cell, in order of deal."""
        return self.frames("games")

    def health(self) -> Health:
        """Check every file of the run, and decode every part; raise nothing."""
        faults = [*self.faults, *self.faults_beside]
        sound = rows = 0
        for entry in self.ledger.entries:
            try:
                parts.read(self.path / PARTS, self.run_id, entry)
            except (parts.PartDamaged, OSError) as fault:
                faults.append(f"{PARTS}/{entry.part}: {fault}")
            else:
                sound += 1
                rows += entry.rows
        return Health(sound, rows, tuple(faults), self.missing_blocks)

    def data_hash(self) -> str:
        """Hash all rows, in order, with named columns: the same however the run was cut and played.

        Each column has a hash of its own, so cuts do not show, and memory is that of a part.
        """
        whole = hashlib.sha256()
        for kind in ledger.KINDS:
            columns = {name: hashlib.sha256() for name in parts.schema(kind)}
            for frame in self.frames(kind):
                for name, digest in columns.items():
                    digest.update(frame[name].to_numpy().tobytes())
            for name, digest in columns.items():
                whole.update(f"{kind}.{name} {digest.hexdigest()}\n".encode())
        return whole.hexdigest()


def open_run(path: Path | str, allow_code: bool = False) -> Run:
    """Open a run directory for reading.

    Args:
        path: where it is.
        allow_code: run its copies of strategy files, so that their strategies can play.

    Raises:
        DataDamaged: it is none, or its identity, or a copy, is damaged.
        UsageFault: a copy cannot be read or run.
    """
    run = Run(Path(path))
    if not allow_code or not run.experiment.code:
        return run
    return Run(run.path, code.run_copies(run.path, run.experiment.code))
