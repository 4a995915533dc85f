"""Reading a run: only what the ledger lists, and only after its hash was checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sim.design import Cell, cells
from sim.errors import DataDamaged, DiskFault, UsageFault
from sim.experiment import Experiment
from sim.store import ledger, parts
from sim.store.files import canonical, sha256
from sim.store.identity import Identity
from sim.store.layout import DONE, FORMAT, LEDGER, PARTS, RUN, TABLES, remedy
from sim.store.ledger import KINDS, Entry, Kind
from sim.store.plan import Plan, missing, plan
from sim.store.sealed import unseal


@dataclass(frozen=True)
class Header:
    """What run.json says.

    Attributes:
        identity: what decides the data.
        made_with: versions of what made them.
        tables: hashes of the tables beside the parts, by file name.
    """

    identity: Identity
    made_with: Mapping[str, str]
    tables: Mapping[str, str]


def read_header(path: Path) -> Header:
    """Read run.json of the run directory at `path`.

    Raises:
        UsageFault: it is no run directory, or another version of the program wrote it.
        DataDamaged: run.json is not what was written.
    """
    file = path / RUN
    try:
        content = unseal(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise UsageFault(
            f"{path}: this is no run directory (it has no {RUN}); `sim run EXPERIMENT` makes one"
        ) from None
    except OSError as fault:
        raise DiskFault(f"{file}: it cannot be read ({fault.strerror})") from fault
    except ValueError:
        raise DataDamaged(
            f"{file}: it is not what was written, so nobody can say what the data are; put back a "
            "copy of it, or run the experiment again into another directory with --out"
        ) from None
    if content.get("format") != FORMAT:
        raise UsageFault(
            f"{file}: its format is {content.get('format')!r}, this program reads {FORMAT}; "
            "read it with the version that wrote it"
        )
    identity = Identity.of(content["identity"])
    return Header(identity, content["made_with"], content["tables"])


@dataclass(frozen=True)
class Check:
    """What a look at every stored byte of a run found.

    Attributes:
        parts, rows: those that are sound, rows by kind.
        faults: a line for each thing that is damaged or missing; empty when all is well.
        strays: files among the parts that no ledger line names; nobody reads them.
        data_hash: hash of the data, when nothing is damaged.
    """

    parts: int
    rows: Mapping[str, int]
    faults: tuple[str, ...]
    strays: tuple[str, ...]
    data_hash: str | None


class Run:
    """A run directory, open for reading: a snapshot of its ledger.

    Attributes:
        path: the directory.
        id: hash of its identity (hex, 64 digits).
        experiment: the experiment as it was resolved.
        cells: what is played, in order of id.
        plan: what a complete run holds.
        entries: the parts there are.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._header = read_header(path)
        self.id = self._header.identity.id
        self.experiment = Experiment.from_dict(self._header.identity.data["experiment"])
        self.plan: Plan = plan(cells(self.experiment), self.experiment.keep_games)
        self.cells: tuple[Cell, ...] = self.plan.cells
        try:
            self._done = self._read_done()  # before the ledger, which only grows
            found = ledger.read(path / LEDGER)
        except OSError as fault:
            raise DiskFault(f"{fault.filename}: it cannot be read ({fault.strerror})") from fault
        self.entries: tuple[Entry, ...] = found.entries
        self._faults = [*found.faults, *self._contradictions()]

    @property
    def done(self) -> bool:
        """Whether every game was played."""
        return self._done is not None

    @property
    def summary(self) -> Mapping[str, Any] | None:
        """What DONE.json says: ``data_hash games kept_games partial seconds``; None before."""
        return self._done

    def blocks(self) -> pl.DataFrame:
        """Return the blocks of all cells, by cell and block.

        Raises:
            DataDamaged: a part is not what was published.
        """
        frames = list(self._read("blocks"))
        return pl.concat(frames) if frames else parts.schema("blocks").to_frame()

    def games(self) -> Iterator[pl.DataFrame]:
        """Yield the stored games, a part at a time, by cell and deal; no block is cut in two.

        Raises:
            DataDamaged: a part is not what was published.
        """
        return self._read("games")

    def data_hash(self) -> str:
        """Return the hash of all stored rows; it does not depend on how they are cut into parts.

        Raises:
            DataDamaged: a part is not what was published.
        """
        hashed = DataHash()
        for kind in KINDS:
            for frame in self._read(kind):
                hashed.add(kind, frame)
        return hashed.hex()

    def verify(self) -> Check:
        """Look at every stored byte, and collect what is wrong instead of raising it."""
        faults = [*self._faults, *self._damaged_tables()]
        hashed = DataHash()
        rows = dict.fromkeys(KINDS, 0)
        sound = 0
        for entry in self.entries:
            try:
                frame = self._read_part(entry)
            except DataDamaged as fault:
                faults.append(str(fault))
                continue
            sound += 1
            rows[entry.kind] += entry.rows
            hashed.add(entry.kind, frame)
        data_hash = None if faults else hashed.hex()
        if self._done and data_hash and data_hash != self._done["data_hash"]:
            faults.append(f"{DONE}: the data are not those it speaks of")
        listed = {entry.part for entry in self.entries}
        folder = self.path / PARTS
        names = sorted(file.name for file in folder.iterdir()) if folder.is_dir() else []
        strays = tuple(name for name in names if name not in listed)
        return Check(sound, rows, tuple(faults), strays, data_hash)

    def _read(self, kind: Kind) -> Iterator[pl.DataFrame]:
        if self._faults:
            raise DataDamaged(f"{self.path}: {self._faults[0]}; {remedy(self.path)}")
        for entry in self.entries:
            if entry.kind == kind:
                try:
                    yield self._read_part(entry)
                except DataDamaged as fault:
                    raise DataDamaged(f"{self.path}: {fault}; {remedy(self.path)}") from fault

    def _read_part(self, entry: Entry) -> pl.DataFrame:
        try:
            return parts.read(self.path / PARTS, self.id, entry)
        except parts.PartDamaged as fault:
            raise DataDamaged(f"{PARTS}/{entry.part}: {fault}") from fault
        except OSError as fault:
            raise DiskFault(
                f"{self.path / PARTS / entry.part}: it cannot be read ({fault.strerror})"
            ) from fault

    def _read_done(self) -> dict[str, Any] | None:
        try:
            return unseal((self.path / DONE).read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            return {"data_hash": None}

    def _contradictions(self) -> Iterator[str]:
        """Say where ledger, DONE.json and the experiment do not agree."""
        for entry in self.entries:
            if not self.plan.belongs(entry):
                yield f"{LEDGER}: {entry.part} cannot be a part of this run"
        if self._done is None:
            return
        if self._done.get("id") != self.id:
            yield f"{DONE}: it is not what was written"
        for task in missing(self.plan, self.entries, 1 << 62):
            what = " and ".join(task.kinds)
            last = task.first_block + task.blocks - 1
            yield f"{LEDGER}: cell {task.cell.id}, blocks {task.first_block} to {last}: no {what}"

    def _damaged_tables(self) -> Iterator[str]:
        for name in TABLES:
            try:
                if sha256((self.path / name).read_bytes()) != self._header.tables.get(name):
                    yield f"{name}: it is not what was written"
            except FileNotFoundError:
                yield f"{name}: it is missing"


class DataHash:
    """Hash of rows that come a frame at a time, in order: one running hash for each column."""

    def __init__(self) -> None:
        self._columns: dict[tuple[str, str, str], Any] = {}

    def add(self, kind: Kind, frame: pl.DataFrame) -> None:
        """Take in the rows of `frame`."""
        for column in frame:
            key = (kind, column.name, str(column.dtype))
            hashed = self._columns.setdefault(key, hashlib.sha256())
            hashed.update(np.ascontiguousarray(column.to_numpy()))

    def hex(self) -> str:
        """Return the hash of all named columns (64 digits)."""
        columns = [[*key, hashed.hexdigest()] for key, hashed in sorted(self._columns.items())]
        return sha256(canonical(columns))


def open_run(path: Path | str) -> Run:
    """Open a run directory for reading; it may be unfinished, or be written to just now.

    Raises:
        UsageFault: it is no run directory, or another version of the program wrote it.
        DataDamaged: run.json is not what was written.
        DiskFault: it cannot be read.
    """
    return Run(Path(path))
