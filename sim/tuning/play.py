"""Playing a tune: the exploration, then the chosen rule sets on fresh deals, then the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sim.answers.tuned import Stage, Tuned
from sim.design import own_games
from sim.errors import DiskFault
from sim.experiment import Experiment
from sim.room import EXPECTED_SHARE, free_at
from sim.runner import Backend, Outcome, Progress, run
from sim.store.files import disk_faults, own_folder
from sim.store.lock import hold
from sim.tuning import directory, is_tune
from sim.tuning.directory import ANSWER, EXPLORE, FRESH, LOCK, finished
from sim.tuning.plan import Plan, exploration, proof
from sim.tuning.tune import Tune


@dataclass(frozen=True)
class Players:
    """With what a tune is played; nothing here changes its data.

    Attributes:
        jobs: threads or processes.
        chunk_games: games in a part; chosen by speed if None.
        backend: whether workers are threads or processes.
        begin: told the games of a stage and those already there; returns the progress.
    """

    jobs: int
    chunk_games: int | None = None
    backend: Backend = "threading"
    begin: Callable[[int, int], Progress] | None = None


@dataclass(frozen=True)
class Played:
    """A tune that came to its end.

    Attributes:
        answer: what it says.
        played: games played just now; 0 if all were there.
        seconds: time that took; kernel_seconds: that of the engine, all workers together.
    """

    answer: Tuned
    played: int
    seconds: float
    kernel_seconds: float


def play(tune: Tune, plan: Plan, path: Path, resume: bool, players: Players) -> Played:
    """Play what is missing of a tune in the directory `path`, and store its answer.

    Args:
        tune: what is asked.
        plan: how it is played.
        path: its directory.
        resume: go on with an unfinished one.
        players: who plays.

    Raises:
        SimError: as its classes say; what was published stays.
    """
    _refuse_without_room(plan, path)
    with disk_faults(path):
        own_folder(path)
    with hold(path / LOCK):
        if not is_tune(path):
            directory.begin(path, tune, plan)
        asked = exploration(tune, plan)
        explored = _stage(asked, path / EXPLORE, resume, players)
        names = [own.variant for own in Stage(explored.run).chosen]
        played = sum(cell.games for cell in own_games(explored.run.cells))
        fresh = proof(asked, plan, names, played)
        proved = _stage(fresh, path / FRESH, resume, players)
        answer = Tuned(explored.run, proved.run)
        if not finished(path):
            directory.write_whole(path / ANSWER, answer.as_json())
    stages = (explored, proved)
    return Played(
        answer,
        sum(one.played for one in stages),
        sum(one.seconds for one in stages),
        sum(one.kernel_seconds for one in stages),
    )


def _refuse_without_room(plan: Plan, path: Path) -> None:
    """Refuse a tune that the disk has no room for, beside what is stored of it.

    Raises:
        DiskFault: there is not enough room; the message has bytes and free bytes.
    """
    if finished(path):
        return
    stages = directory.open_tune(path).stages if is_tune(path) else []
    held = sum(entry.bytes for stage in stages for entry in stage.ledger.entries)
    needed, free = plan.bytes - held, free_at(path)
    if needed > EXPECTED_SHARE * free:
        raise DiskFault(
            f"{path}: the tune would take about {needed:,} bytes at most; {free:,} are free "
            "there. Nothing was played. Make room, narrow the space, or lower the budget"
        )


def _stage(asked: Experiment, path: Path, resume: bool, players: Players) -> Outcome:
    return run(
        asked,
        path,
        jobs=players.jobs,
        chunk_games=players.chunk_games,
        resume=resume,
        ignore_space=True,
        backend=players.backend,
        begin=players.begin,
    )
