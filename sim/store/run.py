"""Reading a run: only what the ledger lists, only after it was checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from sim.design import Cell, cells
from sim.errors import DataDamaged
from sim.experiment import Experiment
from sim.store import ledger, parts
from sim.store.code import run_copies
from sim.store.coverage import kept_blocks, missing
from sim.store.identity import read_record, run_id
from sim.store.ledger import Entry, Kind
from sim.strategy import Strategy

RUN, LEDGER, DONE, PARTS = "run.json", "ledger.jsonl", "DONE.json", "parts"
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


class Run:
    """A run directory, opened for reading. No strategy file is read for that.

    Args:
        path: where it is.
        code: users' strategies that were read from their files, by name; see
            `sim.experiment.Experiment.from_dict`.

    Attributes:
        path: where it is.
        record: what `run.json` says.
        run_id: hash of all that decides its data.
        experiment: what was asked.
        cells: what is played.
        ledger: its parts, as listed when it was opened.
    """

    def __init__(self, path: Path, code: Mapping[str, Strategy] | None = None) -> None:
        self.path = path
        self.record = read_record(path / RUN)
        self.run_id = run_id(self.record)
        self.experiment = Experiment.from_dict(self.record["experiment"], code)
        self.cells: list[Cell] = cells(self.experiment)
        self.ledger = ledger.read(path / LEDGER)

    @cached_property
    def done(self) -> dict[str, Any] | None:
        """What is known of the finished run, or None while games are missing."""
        if self.missing_blocks:
            return None
        try:
            found: dict[str, Any] = json.loads((self.path / DONE).read_bytes())
        except (OSError, ValueError):
            return None
        return found

    @property
    def kept(self) -> dict[int, int]:
        """How many blocks of each cell keep their game rows."""
        return kept_blocks(self.cells, self.experiment.keep_games)

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
        if self.ledger.faults:
            raise DataDamaged(f"{self.path}: {'; '.join(self.ledger.faults)}{REMEDY}")
        return sorted(entry for entry in self.ledger.entries if entry.kind == kind)

    def frames(self, kind: Kind) -> Iterator[pl.DataFrame]:
        """Yield each part of a kind, checked.

        Raises:
            DataDamaged: a part is not what was published.
        """
        for entry in self.entries(kind):
            try:
                yield parts.read(self.path / PARTS, self.run_id, entry)
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
        """Check every part that the ledger lists; raise nothing."""
        faults = list(self.ledger.faults)
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
        """Hash all rows, sorted, with named columns: the same however the run was cut and played.

        Block by block of deals, column by column, so memory is bounded and cuts do not show.
        """
        digest = hashlib.sha256()
        for kind in ledger.KINDS:
            for frame in self.frames(kind):
                self._feed(digest, kind, frame)
        return digest.hexdigest()

    def _feed(self, digest: Any, kind: Kind, frame: pl.DataFrame) -> None:
        cell = self.cells[frame["cell"][0]]
        rows = 1 if kind == "blocks" else cell.block_deals * cell.games_per_deal
        columns = {name: frame[name].to_numpy() for name in frame.columns}
        for start in range(0, len(frame), rows):
            for name, values in columns.items():
                digest.update(name.encode() + values[start : start + rows].tobytes())


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
    return Run(run.path, run_copies(run.path, run.experiment.code))
