"""Running: chunks through joblib's threads or processes to the store, with an orderly stop.

Workers play and write drafts (`sim.work`); the parent alone publishes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from sim import processes, watch
from sim.contest import Contest
from sim.design import Cell, Chunk, cells, own_games
from sim.engines import Engine, engine_of
from sim.errors import Interrupted, SimError, Terminated, WorkerFailed
from sim.experiment import Experiment
from sim.looks import Looks, looks_of
from sim.output import say
from sim.room import refuse_without_room
from sim.sameness import play_as_before
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
        late: the time that was set is over.
    """

    file: Path
    signal: int | None = None
    late: bool = False
    asked: threading.Event = field(default_factory=threading.Event)

    def handle(self, number: int, frame: object = None) -> None:
        """Handle a signal: the first asks for an orderly stop, the second ends at once."""
        if self.asked.is_set():
            os._exit(128 + number)
        self.signal = number
        self.ask()

    def time_over(self) -> None:
        """Ask all workers to stop because the time that was set is over."""
        self.late = True
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


@contextmanager
def stopped_by_time(stop: Stop, seconds: float | None) -> Iterator[None]:
    """Let the time ask `stop` inside a with statement, after so many seconds if any."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, stop.time_over)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@dataclass(frozen=True)
class Outcome:
    """A run that came to its end, or whose time was over.

    Attributes:
        run: the run directory, opened for reading.
        played: games played just now; 0 if all were there.
        seconds: time that took, compiling apart.
        kernel_seconds: time in the engine, all threads added up.
        mended: what was damaged before, in words.
    """

    run: Run
    played: int
    seconds: float
    kernel_seconds: float
    mended: Sequence[str] = ()


def run(
    experiment: Experiment,
    path: Path,
    *,
    jobs: int,
    chunk_games: int | None = None,
    resume: bool = False,
    extend: int = 0,
    ignore_space: bool = False,
    backend: Backend = "threading",
    begin: Callable[[int, int], Progress] | None = None,
) -> Outcome:
    """Play what is missing of `experiment` in the run directory `path`, and finish it.

    Args:
        experiment: what to play; the files of its strategies are read.
        path: the run directory.
        jobs: threads or processes.
        chunk_games: games in a part, rounded up to whole blocks; chosen by speed if not given.
        resume: go on with an unfinished run, and play again what is damaged.
        extend: games to add to each cell of a finished run.
        ignore_space: begin even if the disk seems to be too small.
        backend: where games are played: in threads of this process, or in processes.
        begin: told the games of the whole run and those already there; returns the progress.

    Raises:
        SimError: as its classes say; what was published stays.
    """
    chunk_games = chunk_games or chunk_games_of(cells(experiment))
    if not ignore_space:
        refuse_without_room(experiment, path, chunk_games, jobs, extend)
    with prepare(path, experiment, resume, extend) as publisher:
        opened = publisher.run
        experiment = opened.experiment
        if opened.done is not None:
            return Outcome(opened, 0, 0.0, 0.0, publisher.mended)
        looks = looks_of(experiment, opened.planned)
        total = looks.most_games
        progress = begin(total, _stored_games(opened)) if begin else _Silent()
        stop = Stop(processes.stop_file(path))
        how = _How(jobs, chunk_games, backend, progress, stop)
        engines = {one.id: engine_of(one, experiment.seed) for one in own_games(opened.planned)}
        play_as_before(publisher, engines)
        limit = experiment.stop.max_seconds if experiment.stop else None
        start = time.monotonic()
        try:
            with stopped_by_signals(stop), stopped_by_time(stop, limit):
                played, kernel_seconds = _play(publisher, looks, engines, how)
        finally:
            stop.file.unlink(missing_ok=True)
        if looks.open and stop.signal is not None:
            raise _interrupted(stop, Run(path), total)
        seconds = time.monotonic() - start
        publisher.finish(
            {
                "complete": not looks.open,
                **looks.as_json(),
                "max_seconds": limit,
                "seconds": seconds,
                "data_hash": Run(path).data_hash(),
            }
        )
        return Outcome(Run(path), played, seconds, kernel_seconds, publisher.mended)


@dataclass(frozen=True)
class _How:
    """With what a run is played; nothing here changes its data."""

    jobs: int
    chunk_games: int
    backend: Backend
    progress: Progress
    stop: Stop


def _play(
    publisher: Publisher, looks: Looks | Contest, engines: dict[int, Engine], how: _How
) -> tuple[int, float]:
    """Play from look to look; return the games played and the seconds of all engines.

    Raises:
        SimError: a game or the disk failed; what was published stays.
    """
    games, seconds = 0, 0.0

    def missing_tasks() -> list[Task]:
        entries = Run(publisher.path).ledger.entries
        return list(missing(looks.wanted(), publisher.run.kept, entries, how.chunk_games))

    with _workers(publisher, how):
        while looks.open and not how.stop.asked.is_set():
            wanted = _until(how.stop, missing_tasks())
            if _in_own_processes(how):
                records = _in_processes(wanted, publisher, how)
            else:
                records = _in_threads(wanted, publisher, how, engines)
            published = _publish(records, publisher, how.stop)
            games += published.games
            seconds += published.seconds
            if published.failure is not None:
                raise _with_remedy(published.failure, publisher.path)
            if not missing_tasks():
                looks.look(Run(publisher.path))
    return games, seconds


def _with_remedy(failure: SimError, path: Path) -> SimError:
    if isinstance(failure, WorkerFailed):
        return WorkerFailed(f"{failure}{kept(path)}")
    return failure


def _in_own_processes(how: _How) -> bool:
    return how.backend == "loky" and how.jobs > 1


def _workers(publisher: Publisher, how: _How) -> AbstractContextManager[None]:
    return processes.workers(publisher.path) if _in_own_processes(how) else nullcontext()


def chunk_games_of(planned: list[Cell]) -> int:
    """Return the games in a part unless somebody chooses otherwise."""
    return CHUNK_GAMES if all(cell.compiled for cell in planned) else PLAIN_CHUNK_GAMES


def _until(stop: Stop, tasks: list[Task]) -> Iterator[Task]:
    for task in tasks:
        if stop.asked.is_set():
            return
        yield task


def _in_threads(
    tasks: Iterator[Task], publisher: Publisher, how: _How, engines: dict[int, Engine]
) -> Iterator[Record]:
    from joblib import Parallel, delayed

    def give_up(message: str) -> None:
        """End the process from outside the loop that never ends; the lock is freed by that."""
        how.progress.close()
        sys.stdout.flush()
        say(f"sim: {message}{kept(publisher.path)}", err=True)
        os._exit(WorkerFailed.exit_code)

    with Watch(give_up, watch.LIMIT_SECONDS) as looking:
        worker = Worker(engines, publisher, looking, how.stop.asked.is_set, how.progress.advance)
        parallel = Parallel(n_jobs=how.jobs, backend="threading", return_as="generator_unordered")
        yield from parallel(delayed(worker)(task) for task in tasks)


def _in_processes(tasks: Iterator[Task], publisher: Publisher, how: _How) -> Iterator[Record]:
    for record in processes.records(tasks, how.jobs, publisher, watch.LIMIT_SECONDS):
        how.progress.advance(record.games)
        yield record


def _publish(records: Iterator[Record], publisher: Publisher, stop: Stop) -> Record:
    """Publish what comes; return all records in one: the first failure, all games and seconds."""
    failure: SimError | None = None
    games, seconds = 0, 0.0
    for record in records:
        seconds += record.seconds
        if record.failure is not None:
            failure = failure or record.failure
            stop.ask()
        elif record.drafts and failure is None:
            try:
                publisher.publish(record.drafts)
                games += record.games
            except SimError as fault:
                failure = fault
                stop.ask()
    return Record(failure=failure, games=games, seconds=seconds)


def kept(path: Path) -> str:
    """Say what becomes of a run that failed."""
    return (
        f"; what was published stays in {path}, and --resume goes on there (with a changed "
        "strategy it is another experiment, which begins anew)"
    )


def _stored_games(run: Run) -> int:
    """Return how many games are there."""
    entries = (entry for entry in run.ledger.entries if entry.kind == "blocks")
    return sum(Chunk(run.planned[e.cell], e.first_block, e.blocks).games for e in entries)


def _interrupted(stop: Stop, run: Run, total: int) -> Interrupted:
    whole = f"{total:,}" if run.experiment.games_are_fixed else f"at most {total:,}"
    message = (
        f"stopped; {_stored_games(run):,} of {whole} games are kept. Go on with the same "
        "command and --resume"
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
