"""Running: chunks through joblib's threads or processes to the store, with an orderly stop.

Workers play and write drafts (`sim.work`); the parent alone publishes.
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
from typing import Literal, Protocol

from sim import processes, watch
from sim.design import Cell
from sim.engines import Engine, engine_of
from sim.errors import Interrupted, SimError, Terminated, WorkerFailed
from sim.experiment import Experiment
from sim.store import Publisher, Run, prepare
from sim.store.coverage import Task, missing
from sim.watch import Watch
from sim.work import Record, Worker

Backend = Literal["threading", "loky"]

CHUNK_GAMES = 32_768
PLAIN_CHUNK_GAMES = 256
"""Games in a part where the twin plays: a part is what an interrupted run can lose."""


class Progress(Protocol):
    """Who is told how many games are done."""

    def advance(self, games: int) -> None:
        """Note that `games` more are played; called from any thread."""
        ...

    def close(self) -> None:
        """Leave the terminal as it was; called from any thread."""
        ...


@dataclass
class Stop:
    """Whether to stop, and why: set by a signal, heard between kernel calls.

    Attributes:
        file: is made to let processes hear it.
    """

    file: Path
    signal: int | None = None
    asked: threading.Event = field(default_factory=threading.Event)

    def handle(self, number: int, frame: object = None) -> None:
        """Handle a signal: the first asks for an orderly stop, the second ends at once."""
        if self.asked.is_set():
            os._exit(128 + number)
        self.signal = number
        self.ask()

    def ask(self) -> None:
        """Ask all workers to stop."""
        self.asked.set()
        self.file.touch()


@contextmanager
def stopped_by_signals(stop: Stop) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP ask `stop` inside a with statement (main thread only)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop.handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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
    chunk_games: int | None = None,
    resume: bool = False,
    backend: Backend = "threading",
    begin: Callable[[int, int], Progress] | None = None,
) -> Outcome:
    """Play what is missing of `experiment` in the run directory `path`, and finish it.

    Args:
        experiment: what to play; the files of its strategies are read.
        path: the run directory.
        jobs: threads or processes.
        chunk_games: games in a part, rounded up to whole blocks; chosen by speed if not given.
        resume: go on with an unfinished run.
        backend: where games are played: in threads of this process, or in processes.
        begin: told the games of the whole run and those already there; returns the progress.

    Raises:
        SimError: as its classes say; what was published stays.
    """
    with prepare(path, experiment, resume) as publisher:
        opened = publisher.run
        size = chunk_games or _chunk_games(opened.cells)
        tasks = list(missing(opened.cells, opened.kept, opened.ledger.entries, size))
        total = sum(cell.games for cell in opened.cells)
        playing = sum(task.chunk.games for task in tasks)
        if not tasks and opened.done is not None:
            return Outcome(opened, 0, 0.0, 0.0)
        progress = begin(total, max(0, total - playing)) if begin else _Silent()
        engines = _engines(tasks, experiment.seed)
        start = time.monotonic()
        stop = Stop(processes.stop_file(path))
        wanted = _until(stop, tasks)
        if backend == "loky" and jobs > 1:
            records = _in_processes(wanted, jobs, publisher, progress)
        else:
            records = _in_threads(wanted, jobs, publisher, progress, engines, stop)
        with stopped_by_signals(stop):
            failure, kernel_seconds = _publish(records, publisher, stop)
        stop.file.unlink(missing_ok=True)
        if isinstance(failure, WorkerFailed):
            raise WorkerFailed(f"{failure}{kept(path)}") from failure
        if failure is not None:
            raise failure
        if stop.asked.is_set():
            raise _interrupted(stop, Run(path), total)
        finished = Run(path)
        seconds = time.monotonic() - start
        publisher.finish({"data_hash": finished.data_hash(), "games": total, "seconds": seconds})
        return Outcome(Run(path), playing, seconds, kernel_seconds)


def _chunk_games(planned: list[Cell]) -> int:
    return CHUNK_GAMES if all(cell.compiled for cell in planned) else PLAIN_CHUNK_GAMES


def _engines(tasks: list[Task], seed: int) -> dict[int, Engine]:
    """Make the engine of every cell that is to be played: compiled before any worker starts."""
    wanted = {task.chunk.cell.id: task.chunk.cell for task in tasks}
    return {number: engine_of(cell, seed) for number, cell in wanted.items()}


def _until(stop: Stop, tasks: list[Task]) -> Iterator[Task]:
    for task in tasks:
        if stop.asked.is_set():
            return
        yield task


def _in_threads(
    tasks: Iterator[Task],
    jobs: int,
    publisher: Publisher,
    progress: Progress,
    engines: dict[int, Engine],
    stop: Stop,
) -> Iterator[Record]:
    from joblib import Parallel, delayed

    def give_up(message: str) -> None:
        """End the process from outside the loop that never ends; the lock is freed by that."""
        progress.close()
        sys.stdout.flush()
        print(f"sim: {message}{kept(publisher.path)}", file=sys.stderr, flush=True)
        os._exit(WorkerFailed.exit_code)

    with Watch(give_up, watch.LIMIT_SECONDS) as looking:
        worker = Worker(engines, publisher, looking, stop.asked.is_set, progress.advance)
        parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered")
        yield from parallel(delayed(worker)(task) for task in tasks)


def _in_processes(
    tasks: Iterator[Task], jobs: int, publisher: Publisher, progress: Progress
) -> Iterator[Record]:
    for record in processes.records(tasks, jobs, publisher, watch.LIMIT_SECONDS):
        progress.advance(record.games)
        yield record


def _publish(
    records: Iterator[Record], publisher: Publisher, stop: Stop
) -> tuple[SimError | None, float]:
    """Publish what comes; return the first failure, if any, and the seconds of all engines."""
    failure: SimError | None = None
    seconds = 0.0
    for record in records:
        seconds += record.seconds
        if record.failure is not None:
            failure = failure or record.failure
            stop.ask()
        elif record.drafts and failure is None:
            try:
                publisher.publish(record.drafts)
            except SimError as fault:
                failure = fault
                stop.ask()
    return failure, seconds


def kept(path: Path) -> str:
    """Say what becomes of a run that failed."""
    return (
        f"; what was published stays in {path}, and --resume goes on there (with a changed "
        "strategy it is another experiment, which begins anew)"
    )


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

    def close(self) -> None:
        pass


def available_cores() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
