"""The strategy files of a run: copies, so that whoever has the run can read what was played.

They are never run to read the data, only to replay games, by whoever allows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from sim.errors import DataDamaged, UsageFault
from sim.store.files import sha256, sync_directory, write_durably
from sim.strategy import Player, Strategy, StrategyFile
from sim.strategy_file import REFUSAL, files_of, read, strategy_of

CODE = "code"


def copy_name(file: StrategyFile) -> str:
    """Return the name of the copy of a strategy file, relative to the run directory."""
    return f"{CODE}/{file.sha256[:12]}-{PurePosixPath(file.path).name}"


def keep(path: Path, code: Mapping[str, Strategy]) -> None:
    """Copy the files of users' strategies into the run directory `path`.

    Raises:
        OSError: they cannot be written.
    """
    for file in files_of(code.values()):
        copy = path / copy_name(file)
        copy.parent.mkdir(exist_ok=True)
        copy.unlink(missing_ok=True)
        write_durably(copy, file.source)
        sync_directory(copy.parent)


def damaged(path: Path, code: Mapping[str, Strategy]) -> Iterator[str]:
    """Yield a sentence for each copy in the run directory `path` that is not what was played."""
    for file in files_of(code.values()):
        try:
            sound = sha256((path / copy_name(file)).read_bytes()) == file.sha256
        except OSError:
            sound = False
        if not sound:
            yield f"{copy_name(file)}: it is not the file that was played"


def refuse_unread(path: Path, players: Iterable[Player]) -> None:
    """Refuse to play games of the run directory `path` with code that nobody allowed to run.

    Raises:
        UsageFault: a player's strategy is not read; the message names its copy.
    """
    for player in players:
        own = player.strategy
        if own.file is not None and not own.is_read:
            copy = path / copy_name(own.file)
            raise UsageFault(f"{own.name} played in these games; {copy} {REFUSAL}")


def run_copies(path: Path, code: Mapping[str, Strategy]) -> dict[str, Strategy]:
    """Run the copies in the run directory `path`; return users' strategies that can play.

    Args:
        path: the run directory.
        code: the strategies as `run.json` tells of them.

    Raises:
        DataDamaged: a copy is not what was played.
        UsageFault: it cannot be read.
    """
    found = {}
    for name, one in code.items():
        if one.file is None:
            continue
        copy = read(path, copy_name(one.file))
        if copy.sha256 != one.file.sha256:
            raise DataDamaged(f"{copy.place} is not the file that was played; see run.json")
        file = replace(copy, path=one.file.path)
        found[name] = strategy_of(file, name.rpartition(":")[2])
    return found
