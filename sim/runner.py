"""Running: chunks through joblib's threads to the store, with progress and an orderly stop.

Workers play and write drafts; the parent alone publishes. A worker returns a small record and
never raises. A kernel call is short, so that a stop is heard within a second.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sim.design import Cell
from sim.errors import DiskFault, Interrupted, SimError, Terminated, WorkerFailed
from sim.experiment import Experiment
from sim.store import Publisher, Run, prepare
from sim.store.coverage import Task, missing
from sim.store.writing import Draft

CHUNK_GAMES = 32_768
CALL_SECONDS = 0.12
FIRST_GAMES = 64


class Engine(Protocol):
    """What plays: see `sim.kernel.Engine`."""

    def play(self, first_deal: int, deals: int) -> np.ndarray:
        """Play deals; return GAME rows."""
        ...


MakeEngine = Callable[[Cell, int], Engine]
"""From a cell and a seed to the engine that plays it."""


def kernel_engine(cell: Cell, seed: int) -> Engine:
    """Return the compiled engine of a cell."""
    from sim.kernel import Engine as Kernel

    engine: Engine = Kernel(cell.rules, cell.seatings, cell.hand_rotations, seed)
    return engine


class Progress(Protocol):
    """Who is told how many games are done."""

    def advance(self, games: int) -> None:
        """Note that `games` more are played; called from any thread."""
        ...


@dataclass
class Stop:
    """Whether to stop, and why: set by a signal, heard between kernel calls."""

    signal: int | None = None
    asked: threading.Event = field(default_factory=threading.Event)

    def ask(self, number: int, frame: object = None) -> None:
        """Handle a signal: the first asks for an orderly stop, the second ends at once."""
        if self.asked.is_set():
            os._exit(128 + number)
        self.signal = number
        self.asked.set()


@contextmanager
def stopped_by_signals(stop: Stop) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP ask `stop` inside a with statement (main thread only)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop.ask) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True)
class Record:
    """What a worker says of its task: drafts to publish, or why there are none."""

    task: Task
    drafts: list[Draft] = field(default_factory=list)
    failure: SimError | None = None
    stopped: bool = False


class _Worker:
    """Plays tasks; one for all threads."""

    def __init__(
        self,
        engines: dict[int, Engine],
        publisher: Publisher,
        progress: Progress,
        stop: Stop,
    ) -> None:
        self.engines = engines
        self.publisher = publisher
        self.progress = progress
        self.stop = stop
        self.kernel_seconds = 0.0
        self.lock = threading.Lock()

    def __call__(self, task: Task) -> Record:
        try:
            games = self.play(task)
            if games is None:
                return Record(task, stopped=True)
            return Record(task, self.publisher.draft(task, games))
        except SimError as fault:
            return Record(task, failure=fault)
        except OSError as fault:
            message = f"{self.publisher.path}: {fault.strerror or fault}; make room, then --resume"
            return Record(task, failure=DiskFault(message))
        except MemoryError:
            message = "there is not enough memory; run with fewer --jobs or a smaller --chunk"
            return Record(task, failure=WorkerFailed(message))
        except Exception as fault:
            place = f"cell {task.chunk.cell.id}, deals from {task.chunk.first_deal}"
            told = f"{type(fault).__name__}: {fault} ({place}, seed in run.json)"
            return Record(task, failure=WorkerFailed(told))

    def play(self, task: Task) -> np.ndarray | None:
        """Play a task in short calls; None if asked to stop."""
        chunk = task.chunk
        engine = self.engines[chunk.cell.id]
        played: list[np.ndarray] = []
        deal, end = chunk.first_deal, chunk.first_deal + chunk.deals
        size = max(1, FIRST_GAMES // chunk.cell.games_per_deal)
        while deal < end:
            if self.stop.asked.is_set():
                return None
            size = min(size, end - deal)
            start = time.perf_counter()
            played.append(engine.play(deal, size))
            seconds = time.perf_counter() - start
            with self.lock:
                self.kernel_seconds += seconds
            self.progress.advance(len(played[-1]))
            deal += size
            size = max(1, min(4 * size, int(size * CALL_SECONDS / max(seconds, 1e-6))))
        return np.concatenate(played)


@dataclass(frozen=True)
class Outcome:
    """A finished run.

    Attributes:
        run: the run directory, opened for reading.
        played: games played just now; 0 if all were there.
        seconds: time that took, compiling apart.
        kernel_seconds: time in the engine, all threads added up.
    """

    run: Run
    played: int
    seconds: float
    kernel_seconds: float


def run(
    experiment: Experiment,
    path: Path,
    *,
    jobs: int,
    chunk_games: int = CHUNK_GAMES,
    resume: bool = False,
    begin: Callable[[int, int], Progress] | None = None,
    make_engine: MakeEngine = kernel_engine,
) -> Outcome:
    """Play what is missing of `experiment` in the run directory `path`, and finish it.

    Args:
        experiment: what to play.
        path: the run directory.
        jobs: threads.
        chunk_games: games in a part, rounded up to whole blocks.
        resume: go on with an unfinished run.
        begin: told the games of the whole run and those already there; returns the progress.
        make_engine: where engines come from.

    Raises:
        SimError: as its classes say; what was published stays.
    """
    with prepare(path, experiment, resume) as publisher:
        opened = publisher.run
        tasks = list(missing(opened.cells, opened.kept, opened.ledger.entries, chunk_games))
        total = sum(cell.games for cell in opened.cells)
        playing = sum(task.chunk.games for task in tasks)
        if not tasks and opened.done is not None:
            return Outcome(opened, 0, 0.0, 0.0)
        progress = begin(total, max(0, total - playing)) if begin else _Silent()
        engines = _engines(tasks, experiment.seed, make_engine)
        start = time.monotonic()
        stop = Stop()
        worker = _Worker(engines, publisher, progress, stop)
        with stopped_by_signals(stop):
            failure = _play(worker, tasks, jobs, publisher)
        if failure is not None:
            raise failure
        if stop.asked.is_set():
            raise _interrupted(stop, Run(path), total)
        finished = Run(path)
        seconds = time.monotonic() - start
        publisher.finish({"data_hash": finished.data_hash(), "games": total, "seconds": seconds})
        return Outcome(Run(path), playing, seconds, worker.kernel_seconds)


def _engines(tasks: list[Task], seed: int, make_engine: MakeEngine) -> dict[int, Engine]:
    """Make the engine of every cell that is to be played: compiled before any worker starts."""
    cells = {task.chunk.cell.id: task.chunk.cell for task in tasks}
    return {number: make_engine(cell, seed) for number, cell in cells.items()}


def _play(worker: _Worker, tasks: list[Task], jobs: int, publisher: Publisher) -> SimError | None:
    """Play all tasks and publish them as they come; return the first failure, if any."""
    from joblib import Parallel, delayed

    def wanted() -> Iterator[Any]:
        for task in tasks:
            if worker.stop.asked.is_set():
                return
            yield delayed(worker)(task)

    failure: SimError | None = None
    parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered")
    for record in parallel(wanted()):
        if record.failure is not None:
            failure = failure or record.failure
            worker.stop.asked.set()
        elif record.drafts and failure is None:
            try:
                publisher.publish(record.drafts)
            except SimError as fault:
                failure = fault
                worker.stop.asked.set()
    return failure


def _interrupted(stop: Stop, run: Run, total: int) -> Interrupted:
    todo = missing(run.cells, run.kept, run.ledger.entries, CHUNK_GAMES)
    kept = max(0, total - sum(task.chunk.games for task in todo))
    message = (
        f"stopped; {kept:,} of {total:,} games are kept. Go on with the same command and --resume"
    )
    if stop.signal == signal.SIGINT:
        return Interrupted(message)
    return Terminated(message)


class _Silent:
    def advance(self, games: int) -> None:
        pass


def available_cores() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
