"""Writing a run: the directory, its tables, and the publishing of parts by one process."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim.errors import ResumeRefused, UsageFault
from sim.experiment import Experiment
from sim.stats.blocks import block_table
from sim.store import code, ledger, parts
from sim.store.code import CODE
from sim.store.coverage import Task
from sim.store.failpoints import reach
from sim.store.files import (
    canonical,
    disk_faults,
    own_folder,
    replace_whole,
    sync_directory,
    write_durably,
)
from sim.store.identity import differences, identity, read_record, run_id
from sim.store.ledger import Entry
from sim.store.lock import hold
from sim.store.run import DONE, LEDGER, PARTS, RUN, Run
from sim.store.tables import TABLES, encoded_tables

TEMPORARY, LOCK = "tmp", "lock"


@dataclass(frozen=True)
class Draft:
    """A part on the disk that is not published yet."""

    entry: Entry
    path: Path


class Publisher:
    """The one writer of a run directory, which holds its lock.

    Workers call `draft`, from any thread; the parent alone calls `publish`.
    """

    def __init__(self, path: Path, run: Run) -> None:
        self.path = path
        self.run = run
        self.attempt = secrets.token_hex(4)

    def draft(self, task: Task, games: np.ndarray) -> list[Draft]:
        """Write the parts of a task under names of this attempt; return them, unpublished.

        Raises:
            OSError: the disk fails; no draft of the task is left.
        """
        chunk = task.chunk
        found: list[Draft] = []
        try:
            for kind in task.kinds:
                if kind == "blocks":
                    columns = block_table(games, chunk.cell, chunk.first_block)
                else:
                    columns = parts.game_columns(games, chunk.cell.id)
                entry, data = parts.encode(
                    self.run.run_id, kind, chunk.cell.id, chunk.first_block, chunk.blocks, columns
                )
                path = self.path / TEMPORARY / f"{self.attempt}-{entry.part}"
                write_durably(path, data)
                found.append(Draft(entry, path))
        except BaseException:
            for draft in found:
                draft.path.unlink(missing_ok=True)
            raise
        return found

    def publish(self, drafts: Sequence[Draft]) -> None:
        """Make drafts part of the run: rename, then their lines in the ledger.

        Raises:
            DiskFault: the disk fails; what was published stays.
        """
        with disk_faults(self.path):
            for draft in drafts:
                draft.path.replace(self.path / PARTS / draft.entry.part)
                reach("a part is in its place")
            sync_directory(self.path / PARTS)
            reach("the parts are synced")
            ledger.append(self.path / LEDGER, [draft.entry for draft in drafts])

    def finish(self, facts: dict[str, Any]) -> None:
        """Record how the run ended; see `sim.store.ending`.

        Raises:
            DiskFault: the disk fails.
        """
        with disk_faults(self.path):
            replace_whole(self.path / DONE, canonical(facts) + b"\n", self.path / TEMPORARY)


@contextlib.contextmanager
def prepare(path: Path, experiment: Experiment, resume: bool) -> Iterator[Publisher]:
    """Hold the run directory of `experiment` for writing: a new one, or one to go on with.

    Raises:
        Busy: another process is writing there.
        ResumeRefused: it belongs to something else.
        UsageFault: it is unfinished and `resume` was not asked for, or it is no run directory.
        DataDamaged: its identity cannot be read.
        DiskFault: it cannot be written.
    """
    record = identity(experiment)
    _refuse_foreign(path)
    with disk_faults(path):
        own_folder(path)
    with hold(path / LOCK):
        if (path / RUN).exists():
            _check_same(path, record, resume)
        else:
            _begin(path, record, experiment)
        _sweep(path)
        yield Publisher(path, Run(path, experiment.code))


def _refuse_foreign(path: Path) -> None:
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise UsageFault(f"{path} is no directory of its own; choose another with --out")
    ours = {RUN, LEDGER, LOCK, PARTS, TEMPORARY, CODE, *TABLES}
    names = {entry.name for entry in path.iterdir()} if path.is_dir() else set()
    if RUN not in names and names - ours:
        raise UsageFault(
            f"{path} holds other files, such as {min(names - ours)}; "
            "choose an empty or new directory with --out"
        )


def _check_same(path: Path, record: dict[str, Any], resume: bool) -> None:
    stored = read_record(path / RUN)
    if changed := list(differences(stored, record)):
        shown = "\n  ".join(changed[:12])
        raise ResumeRefused(
            f"{path} was begun by something else; it differs in\n  {shown}\n"
            "put it back as it was, or choose another directory with --out"
        )
    if not resume and Run(path).done is None:
        raise UsageFault(
            f"{path} holds an unfinished run of this experiment; go on with it: --resume"
        )


def _begin(path: Path, record: dict[str, Any], experiment: Experiment) -> None:
    with disk_faults(path):
        for name in (PARTS, TEMPORARY):
            (path / name).mkdir(exist_ok=True)
        for name, data in encoded_tables(experiment).items():
            (path / name).unlink(missing_ok=True)
            write_durably(path / name, data)
        (path / LEDGER).touch()
        reach("the ledger is made")
        code.keep(path, experiment.code)
        whole = {**record, "run_id": run_id(record)}
        replace_whole(path / RUN, canonical(whole) + b"\n", path / TEMPORARY)


def _sweep(path: Path) -> None:
    """Remove what dead attempts left, and parts that the ledger does not list; mend the ledger."""
    with disk_faults(path):
        for name in (PARTS, TEMPORARY):
            (path / name).mkdir(exist_ok=True)
        for stray in (path / TEMPORARY).iterdir():
            stray.unlink()
        run = Run(path)
        sound = []
        for entry in run.ledger.entries:
            try:
                parts.read(path / PARTS, run.run_id, entry)
                sound.append(entry)
            except parts.PartDamaged:
                continue
        listed = {entry.part for entry in sound}
        for part in (path / PARTS).iterdir():
            if part.name not in listed:
                part.unlink()
        if not run.ledger.tidy or run.ledger.faults or len(sound) < len(run.ledger.entries):
            ledger.rewrite(path / LEDGER, sound, path / TEMPORARY)
        if Run(path).done is None:
            (path / DONE).unlink(missing_ok=True)
