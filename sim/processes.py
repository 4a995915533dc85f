"""Playing in processes of their own, for strategies in plain Python, which hold the GIL.

A process is told the run directory and the bytes of the strategy files, and makes its own engines
from them. It drafts parts and never publishes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from sim.design import Chunk
from sim.engines import Engine, engine_of
from sim.errors import WorkerFailed
from sim.orphans import live_with
from sim.store import Publisher, Run
from sim.store.coverage import Task
from sim.store.ledger import Kind
from sim.store.run import TEMPORARY
from sim.strategy import StrategyFile
from sim.strategy_file import strategy_of
from sim.watch import Watch
from sim.work import Record, Worker

STOP, FAILURE = "stop", "failure"
"""Files beside the drafts: the parent asks its workers to stop; a worker says why it ended."""


@dataclass(frozen=True)
class Setting:
    """All that a process needs to know of a run; small, and plain enough to be sent.

    Attributes:
        path: the run directory.
        attempt: which start of the run; with `path` it tells settings apart.
        limit: seconds for one move.
        strategies: users' strategies: file, bytes and all, and the name of the function.
    """

    path: Path
    attempt: str
    limit: float
    strategies: tuple[tuple[StrategyFile, str], ...] = field(compare=False, repr=False)

    @classmethod
    def of(cls, publisher: Publisher, limit: float) -> Setting:
        """Return the setting of a run that is about to be played."""
        users = tuple(
            (one.file, one.name.rpartition(":")[2])
            for one in publisher.run.experiment.code.values()
            if one.file is not None
        )
        return cls(publisher.path, publisher.attempt, limit, users)


@dataclass(frozen=True)
class Share:
    """A task as it is sent: by numbers."""

    cell: int
    first_block: int
    blocks: int
    kinds: tuple[Kind, ...]

    @classmethod
    def of(cls, task: Task) -> Share:
        """Return the numbers of a task."""
        chunk = task.chunk
        return cls(chunk.cell.id, chunk.first_block, chunk.blocks, task.kinds)


def stop_file(path: Path) -> Path:
    """Return the file whose presence asks all workers of the run at `path` to stop."""
    return path / TEMPORARY / STOP


def records(
    tasks: Iterable[Task], jobs: int, publisher: Publisher, limit: float
) -> Iterator[Record]:
    """Play `tasks` in `jobs` processes and yield their records as they come.

    To be called inside `workers`. A process that ended by itself is told in a last record.
    """
    from joblib import Parallel, delayed

    setting = Setting.of(publisher, limit)
    parallel = Parallel(
        n_jobs=jobs,
        backend="loky",
        return_as="generator_unordered",
        max_nbytes=None,
        initializer=live_with,
        initargs=(os.getpid(), 2 * limit),
    )
    try:
        yield from parallel(delayed(play)(setting, Share.of(task)) for task in tasks)
    except BrokenExecutor:
        yield Record(failure=WorkerFailed(_why(publisher.path)))


@contextmanager
def workers(path: Path) -> Iterator[None]:
    """Let processes play the run at `path` inside a with statement; none is left behind it."""
    from joblib.externals.loky import get_reusable_executor

    try:
        yield
    finally:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)
        stop_file(path).unlink(missing_ok=True)
        (path / TEMPORARY / FAILURE).unlink(missing_ok=True)


def _why(path: Path) -> str:
    try:
        return (path / TEMPORARY / FAILURE).read_text()
    except OSError:
        return (
            "a worker process ended by itself: it was killed, or out of memory (try fewer --jobs), "
            "or a strategy in plain Python is caught in a call that never ends"
        )


def play(setting: Setting, share: Share) -> Record:
    """Play a share of the run in this process, which is a worker."""
    worker = _worker(setting)
    cell = worker.publisher.run.cells[share.cell]
    return worker(Task(Chunk(cell, share.first_block, share.blocks), share.kinds))


@lru_cache(maxsize=1)
def _worker(setting: Setting) -> Worker:
    code = [strategy_of(file, function) for file, function in setting.strategies]
    run = Run(setting.path, {one.name: one for one in code})

    def give_up(message: str) -> None:
        (setting.path / TEMPORARY / FAILURE).write_text(message)
        os._exit(1)

    return Worker(
        engines=_Engines(run),
        publisher=Publisher(setting.path, run),
        watch=Watch(give_up, setting.limit).__enter__(),
        stopped=stop_file(setting.path).exists,
        advance=lambda games: None,
    )


class _Engines(dict[int, Engine]):
    """The engines of a run, each made when it is first asked for."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run

    def __missing__(self, cell: int) -> Engine:
        self[cell] = engine_of(self.run.cells[cell], self.run.experiment.seed)
        return self[cell]
