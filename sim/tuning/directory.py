"""The directory of a tune: what was asked, the runs of its two stages, and its answer.

``tune.json`` tells what was asked and how it is played, with its own hash; ``explore/`` and
``fresh/`` are run directories like any other; ``answer.json`` is there once both are complete. It
names the hashes of the data that it rests on. Drafts of the two files lie in ``tmp/``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from sim.errors import DataDamaged, ResumeRefused, UsageFault
from sim.experiment import RNG_VERSION
from sim.rules import RULES_VERSION
from sim.store.files import (
    canonical,
    disk_faults,
    read_sealed,
    replace_whole,
    sealed,
    sha256,
)
from sim.store.identity import directory_name, source_hash
from sim.store.mending import clear_drafts
from sim.store.run import LEDGER, RUN, TEMPORARY, Run
from sim.tuning import TUNE, is_tune
from sim.tuning.plan import Plan
from sim.tuning.tune import Tune

if TYPE_CHECKING:
    from sim.answers.tuned import Tuned

ANSWER, EXPLORE, FRESH, LOCK = "answer.json", "explore", "fresh", "lock"
FORMAT = 1
_PLAN = TypeAdapter(Plan)
BEFORE = {LOCK, TEMPORARY}
"""What may lie in the directory before the tune was begun."""


@dataclass(frozen=True)
class Directory:
    """The directory of a tune, opened for reading.

    Attributes:
        path: where it is.
        document: the file that was asked, as plain data.
        plan: how it is played.
    """

    path: Path
    document: Mapping[str, Any]
    plan: Plan

    @property
    def explore(self) -> Run | None:
        """The run in which all rule sets play; None before it began.

        Raises:
            DataDamaged: it is not there though it began, or its identity is damaged.
        """
        return self._stage(EXPLORE, before=(FRESH, ANSWER))

    @property
    def fresh(self) -> Run | None:
        """The run in which those that were chosen play on fresh deals; None before it began.

        Raises:
            DataDamaged: as of the other.
        """
        return self._stage(FRESH, before=(ANSWER,))

    def _stage(self, name: str, before: tuple[str, ...]) -> Run | None:
        path = self.path / name
        ledger = path / LEDGER
        began = (path / RUN).exists() or (ledger.exists() and ledger.stat().st_size)
        later = any((self.path / one).exists() for one in before)
        return Run(path) if began or later else None

    @property
    def stages(self) -> list[Run]:
        """The runs that began."""
        return [run for run in (self.explore, self.fresh) if run is not None]

    def answer(self) -> Tuned:
        """Return what the tune says.

        Raises:
            UsageFault: it is not finished.
            DataDamaged: a stored part is not what was written.
        """
        from sim.answers.tuned import Tuned

        explore, fresh = self.explore, self.fresh
        if explore is None or fresh is None or explore.done is None or fresh.done is None:
            stored = sum(len(run.ledger.entries) for run in self.stages)
            raise UsageFault(
                f"{self.path} is unfinished ({stored:,} parts are stored); a tune has no answer "
                "before its end; go on with the same command and --resume"
            )
        return Tuned(explore, fresh)


def open_tune(path: Path) -> Directory:
    """Open the directory of a tune.

    Raises:
        DataDamaged: ``tune.json`` is missing or not what was written.
        OtherFormat: another version of the program wrote it.
    """
    record = _read(path / TUNE)
    try:
        return Directory(path, dict(record["document"]), _PLAN.validate_python(record["plan"]))
    except (ValueError, KeyError, TypeError) as fault:
        raise DataDamaged(f"{path / TUNE} is damaged: it tells of no tune") from fault


def finished(path: Path) -> bool:
    """Say whether the tune in a directory came to its end."""
    return (path / ANSWER).exists()


def begun(path: Path, tune: Tune, resume: bool) -> Plan | None:
    """Return the plan by which a tune was begun in a directory; None if it was not.

    Raises:
        ResumeRefused: another tune was begun there, or by another program.
        UsageFault: it is unfinished and `resume` was not asked for, or it is no tune's directory.
        DataDamaged: what was asked cannot be read.
        OtherFormat: another version of the program wrote it.
    """
    if path.is_symlink():
        raise UsageFault(f"{path} is a link; choose a directory of its own with --out")
    if not is_tune(path):
        if path.exists() and (not path.is_dir() or {one.name for one in path.iterdir()} - BEFORE):
            raise UsageFault(f"{path} holds something else; choose a new directory with --out")
        return None
    record, asked = _read(path / TUNE), _identity(tune)
    changed = [key for key in asked if record.get(key) != asked[key]]
    if changed:
        told = {"document": "the file", "sources": "the program"}
        raise ResumeRefused(
            f"{path} was begun by something else: {', '.join(told.get(k, k) for k in changed)} "
            "changed since; put it back as it was, or choose another directory with --out"
        )
    found = open_tune(path)
    if not resume and not finished(path):
        raise UsageFault(f"{path} holds an unfinished tune of this file; go on with it: --resume")
    return found.plan


def begin(path: Path, tune: Tune, plan: Plan) -> None:
    """Record what is asked, and how it will be played.

    Raises:
        DiskFault: it cannot be written.
        Busy: another process is writing there.
    """
    write_whole(path / TUNE, {**_identity(tune), "plan": plan.as_json()})


def write_whole(path: Path, record: dict[str, Any]) -> None:
    """Write a JSON file with the hash of all that it says, and sweep what dead attempts left.

    The lock of the tune must be held.

    Raises:
        DiskFault: it cannot be written.
    """
    scratch = path.parent / TEMPORARY
    with disk_faults(path.parent):
        scratch.mkdir(parents=True, exist_ok=True)
        clear_drafts(path.parent)
        replace_whole(path, sealed(record), scratch)


def read_answer(path: Path) -> dict[str, Any]:
    """Return the stored answer of a tune.

    Raises:
        DataDamaged: it is missing or not what was written.
    """
    return _read(path / ANSWER)


def _identity(tune: Tune) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "document": tune.document,
        "rules_version": RULES_VERSION,
        "rng": RNG_VERSION,
        "sources": source_hash(),
        "strategies": {
            one.name: one.file.sha256 for one in tune.base.strategies if one.file is not None
        },
    }


def _read(path: Path) -> dict[str, Any]:
    try:
        return read_sealed(path, FORMAT)
    except FileNotFoundError:
        raise DataDamaged(f"{path.parent}: it has no {path.name}") from None
    except OSError as fault:
        raise DataDamaged(f"{path} cannot be read: {fault.strerror}; see to it") from fault
    except ValueError as fault:
        raise DataDamaged(f"{path} is damaged: it is not what was written") from fault


def name_of(tune: Tune) -> str:
    """Return the name of a tune's directory: a slug of its name, and its identity."""
    slug = directory_name(tune.base).rpartition("-")[0]
    return f"tune-{slug}-{sha256(canonical(tune.document))[:6]}"
