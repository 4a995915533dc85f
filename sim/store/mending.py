"""Mending a run directory before it is gone on with: only what is damaged is played again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sim.store import code, ledger, parts
from sim.store.failpoints import reach
from sim.store.files import replace_whole, sealed, sha256, write_durably
from sim.store.ledger import PART, Entry
from sim.store.run import DONE, LEDGER, PARTS, RUN, TEMPORARY, Run
from sim.store.tables import encoded_tables


@dataclass(frozen=True)
class Condition:
    """What a run directory is like.

    Attributes:
        run: the run.
        sound: the parts that are what was published.
        damaged: a sentence for everything that is not.
    """

    run: Run
    sound: tuple[Entry, ...]
    damaged: tuple[str, ...]


def examine(run: Run) -> Condition:
    """Check every file of a run; decode no rows.

    Raises:
        OSError: the disk fails.
    """
    sound: list[Entry] = []
    damaged = [*run.faults, *run.faults_beside]
    for entry in run.ledger.entries:
        try:
            parts.check(run.path / PARTS, run.run_id, entry)
            sound.append(entry)
        except parts.PartDamaged as fault:
            damaged.append(f"{PARTS}/{entry.part}: {fault}")
    return Condition(run, tuple(sound), tuple(damaged))


def mend(found: Condition) -> None:
    """Remove what dead attempts left and what is damaged, so that what is missing can be played.

    It can end at any moment and be begun again.

    Raises:
        OSError: the disk fails.
    """
    run = found.run
    path = run.path
    for name in (PARTS, TEMPORARY):
        (path / name).mkdir(exist_ok=True)
    clear_drafts(path)
    _remove_unlisted(path / PARTS, found.sound)
    if not run.ledger.tidy or run.ledger.faults or len(found.sound) < len(run.ledger.entries):
        ledger.rewrite(path / LEDGER, found.sound, path / TEMPORARY)
    if run.faults_beside:
        _write_beside(run)
    if Run(path).done is None:
        (path / DONE).unlink(missing_ok=True)
        reach("an ending is taken back")


def clear_drafts(path: Path) -> None:
    """Remove the files of `tmp/` in the run directory `path`: drafts that were never published.

    Raises:
        OSError: the disk fails.
    """
    for stray in (path / TEMPORARY).iterdir():
        if stray.is_file() or stray.is_symlink():
            stray.unlink(missing_ok=True)
            reach("a draft is removed")


def _remove_unlisted(folder: Path, sound: tuple[Entry, ...]) -> None:
    """Remove parts that are not listed; what has another name is not ours, and is never read."""
    listed = {entry.part for entry in sound}
    for part in folder.iterdir():
        if part.name not in listed and PART.fullmatch(part.name) and part.is_file():
            part.unlink(missing_ok=True)
            reach("a part is removed")


def _write_beside(run: Run) -> None:
    """Write the tables and the copies of strategy files again."""
    hashes = write_tables(run.path, encoded_tables(run.experiment))
    code.keep(run.path, run.experiment.code)
    replace_whole(run.path / RUN, sealed({**run.record, "tables": hashes}), run.path / TEMPORARY)


def write_tables(path: Path, tables: Mapping[str, bytes]) -> dict[str, str]:
    """Write tables into the run directory `path`; return their hashes (hex).

    Raises:
        OSError: they cannot be written.
    """
    for name, data in tables.items():
        (path / name).unlink(missing_ok=True)
        write_durably(path / name, data)
    return {name: sha256(data) for name, data in tables.items()}
