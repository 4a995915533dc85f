"""Writing a run: the directory, its tables, and the publishing of parts by one process."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sim.design import Chunk
from sim.errors import DataDamaged, DiskFault, ResumeRefused, UsageFault
from sim.experiment import Experiment
from sim.stats.blocks import block_table
from sim.store import code, ledger, parts
from sim.store.code import CODE
from sim.store.coverage import Task
from sim.store.failpoints import reach
from sim.store.files import (
    disk_faults,
    own_folder,
    refuse_links,
    replace_whole,
    sealed,
    sync_directory,
    write_durably,
)
from sim.store.identity import (
    LOST,
    differences,
    identity,
    other_versions,
    played_by,
    read_record,
    run_id,
)
from sim.store.ledger import Entry, Kind
from sim.store.lock import hold
from sim.store.mending import Condition, clear_drafts, examine, mend, write_tables
from sim.store.run import DONE, LEDGER, PARTS, RUN, TEMPORARY, Run
from sim.store.tables import TABLES, encoded_tables

LOCK = "lock"
OURS = {RUN, LEDGER, LOCK, PARTS, TEMPORARY, CODE, *TABLES}
"""What lies in a run directory before anything was played."""
GAMES = ("experiment.games", "experiment.stop.games")
MENDS = "sim run with --resume plays these again, and nothing else"


@dataclass(frozen=True)
class Draft:
    """A part on the disk that is not published yet."""

    entry: Entry
    path: Path


class Publisher:
    """The one writer of a run directory, which holds its lock.

    Workers call `draft`, from any thread; the parent alone calls `publish`.

    Attributes:
        path: the run directory.
        run: what it held when it was opened, after mending.
        mended: what was damaged then, in words.
        attempt: tells drafts of this process from those of a dead one.
    """

    def __init__(self, path: Path, run: Run, mended: Sequence[str] = ()) -> None:
        self.path = path
        self.run = run
        self.mended = mended
        self.attempt = secrets.token_hex(4)

    def draft(self, task: Task, games: np.ndarray) -> list[Draft]:
        """Write the parts of a task under names of this attempt; return them, unpublished.

        Raises:
            DiskFault: the disk fails; no draft of the task is left.
        """
        found: list[Draft] = []
        try:
            with disk_faults(self.path):
                for kind in task.kinds:
                    found.append(self._draft(task.chunk, kind, games))
        except BaseException:
            for draft in found:
                draft.path.unlink(missing_ok=True)
            raise
        return found

    def _draft(self, chunk: Chunk, kind: Kind, games: np.ndarray) -> Draft:
        if kind == "blocks":
            columns = block_table(games, chunk.cell, chunk.first_block)
        else:
            columns = parts.game_columns(games, chunk.cell.id)
        entry, data = parts.encode(
            self.run.run_id, kind, chunk.cell.id, chunk.first_block, chunk.blocks, columns
        )
        path = self.path / TEMPORARY / f"{self.attempt}-{entry.part}"
        write_durably(path, data)
        return Draft(entry, path)

    def publish(self, drafts: Sequence[Draft]) -> None:
        """Make drafts part of the run: rename, then their lines in the ledger.

        Raises:
            DiskFault: the disk fails; what was published before stays, and no file of these.
        """
        places = [self.path / PARTS / draft.entry.part for draft in drafts]
        try:
            with disk_faults(self.path):
                for draft, place in zip(drafts, places, strict=True):
                    draft.path.replace(place)
                    reach("a part is in its place")
                sync_directory(self.path / PARTS)
                reach("the parts are synced")
                ledger.append(self.path / LEDGER, [draft.entry for draft in drafts])
        except DiskFault:  # not after Ctrl-C: the ledger may list them by then
            for path in (*places, *(draft.path for draft in drafts)):
                path.unlink(missing_ok=True)
            raise

    @property
    def other_versions(self) -> list[str]:
        """What differs between the program that began the run and this one, in words."""
        return list(other_versions(self.run.record, self._program))

    @property
    def same_program(self) -> bool:
        """Whether this program, with these libraries, began the run or went on with it before."""
        known = [played_by(self.run.record), *self.run.record.get("also_played_by", ())]
        return self._program in known

    @cached_property
    def _program(self) -> dict[str, Any]:
        return played_by(identity(self.run.experiment))

    def note_program(self) -> None:
        """Record that this program goes on with the run.

        Raises:
            DiskFault: the disk fails.
        """
        record = self.run.record
        others = [*record.get("also_played_by", ()), self._program]
        with disk_faults(self.path):
            data = sealed({**record, "also_played_by": others})
            replace_whole(self.path / RUN, data, self.path / TEMPORARY)

    def forget_drafts(self) -> None:
        """Remove drafts that will not be published; no worker may be at work."""
        with contextlib.suppress(OSError):
            for draft in (self.path / TEMPORARY).glob("*.parquet"):
                draft.unlink()

    def finish(self, facts: dict[str, Any]) -> None:
        """Record how the run ended; see `sim.store.ending`.

        Raises:
            DiskFault: the disk fails.
        """
        run = self.run
        whole = {"run_id": run.run_id, "games": run.experiment.games, **facts}
        with disk_faults(self.path):
            clear_drafts(self.path)
            replace_whole(self.path / DONE, sealed(whole), self.path / TEMPORARY)


def refuse_foreign(path: Path) -> None:
    """Refuse what cannot be, or become, a run directory; nothing is written.

    Raises:
        UsageFault: it is no directory, holds other files, or a link is in the way.
    """
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise UsageFault(f"{path} is no directory of its own; choose another with --out")
    others = ({one.name for one in path.iterdir()} if path.is_dir() else set()) - OURS
    if others and not (path / RUN).exists():
        raise UsageFault(
            f"{path} holds other files, such as {min(others)}; "
            "choose an empty or new directory with --out"
        )
    refuse_links(path)


@contextlib.contextmanager
def prepare(
    path: Path, experiment: Experiment, resume: bool, extend: int = 0
) -> Iterator[Publisher]:
    """Hold the run directory of `experiment` for writing: a new one, or one to go on with.

    Args:
        path: the run directory.
        experiment: what it is about, as it was begun.
        resume: go on with it if it is unfinished, and mend what is damaged.
        extend: games to add to each cell of a finished run.

    Raises:
        Busy: another process is writing there.
        ResumeRefused: it belongs to something else.
        UsageFault: it is unfinished and `resume` was not asked for, or it is no run directory, or
            cannot be extended.
        DataDamaged: something in it is damaged and `resume` was not asked for, or its identity is.
        DiskFault: it cannot be written.
    """
    record = identity(experiment)
    refuse_foreign(path)
    if extend and not (path / RUN).exists():
        raise UsageFault(f"{path} holds no run that could be extended; play it first")
    with disk_faults(path):
        own_folder(path)
    with hold(path / LOCK):
        with disk_faults(path):
            if (path / RUN).exists():
                _refuse_other(path, record)
                found = examine(Run(path, experiment.code))
                if not resume:
                    _refuse_unsound(found)
            else:
                _begin(path, record, experiment)
                found = examine(Run(path, experiment.code))
            mend(found)
            if extend:
                _extend(found.run, extend)
        yield Publisher(path, Run(path, experiment.code), found.damaged)


def _refuse_other(path: Path, record: dict[str, Any]) -> None:
    if changed := list(differences(read_record(path / RUN), record)):
        shown = "\n  ".join(changed[:12])
        more = f"\n  and {len(changed) - 12} more" if len(changed) > 12 else ""
        only_games = all(line.startswith(GAMES) for line in changed)
        hint = "; --extend adds games to a finished run" if only_games else ""
        raise ResumeRefused(
            f"{path} was begun by something else; it differs in\n  {shown}{more}\n"
            f"put it back as it was, or choose another directory with --out{hint}"
        )


def _refuse_unsound(found: Condition) -> None:
    path = found.run.path
    if found.damaged:
        told = "\n  ".join(found.damaged)
        raise DataDamaged(f"{path}: damaged:\n  {told}\n{MENDS}")
    if found.run.done is None:
        raise UsageFault(
            f"{path} holds an unfinished run of this experiment; go on with it: --resume"
        )


def _begin(path: Path, record: dict[str, Any], experiment: Experiment) -> None:
    if (path / LEDGER).exists() and (path / LEDGER).stat().st_size:
        raise DataDamaged(f"{path / RUN} is missing, and parts are there{LOST}")
    for name in (PARTS, TEMPORARY):
        (path / name).mkdir(exist_ok=True)
    clear_drafts(path)
    hashes = write_tables(path, encoded_tables(experiment))
    (path / LEDGER).touch()
    reach("the ledger is made")
    code.keep(path, experiment.code)
    whole = {**record, "run_id": run_id(record), "tables": hashes}
    replace_whole(path / RUN, sealed(whole), path / TEMPORARY)


def _extend(run: Run, games: int) -> None:
    """Add games to a finished run; its `DONE.json` no longer counts from that moment on."""
    longer = run.experiment.extended(games).to_dict()
    replace_whole(
        run.path / RUN, sealed({**run.record, "experiment": longer}), run.path / TEMPORARY
    )
