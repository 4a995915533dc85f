"""Running: chunks through joblib's threads or processes to the store, with an orderly stop.

Workers play and write drafts (`sim.work`); the parent alone publishes.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from sim import processes, watch
from sim.contest import Contest
from sim.design import Cell, Chunk, cells, own_games
from sim.endings import Stop, end_at_once
from sim.engines import Engine, engine_of
from sim.errors import Interrupted, SimError, UsageFault, WorkerFailed
from sim.experiment import Experiment
from sim.looks import Looks, looks_of
from sim.room import refuse_without_room
from sim.sameness import play_as_before
from sim.store import Publisher, Run, prepare
from sim.store.coverage import Task, missing
from sim.watch import Watch
from sim.work import Record, Worker

Backend = Literal["threading", "loky"]

warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")

GO_ON = "Go on with the same command and --resume"
CHUNK_GAMES = 32_768
PLAIN_CHUNK_GAMES = 256
"""Games in a part where the twin plays: a part is what an interrupted run can lose."""


class Progress(Protocol):
    """Who is told how many games are done."""

    def advance(self, games: int) -> None:
        """Note that `games` more are played; called from any thread."""
        ...

    def note(self, text: str) -> None:
        """Tell of something that went wrong and was mended."""
        ...

    def close(self) -> None:
        """Leave the terminal as it was; called from any thread."""
        ...


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
    if resume and extend:
        raise UsageFault("--resume finishes a run, --extend makes a finished one longer: one first")
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
        stop = Stop(processes.stop_file(path))
        try:
            with stop.heard():
                progress = begin(total, _stored_games(opened)) if begin else _Silent()
                how = _How(jobs, chunk_games, backend, progress, stop)
                return _played_to_its_end(publisher, looks, how)
        except KeyboardInterrupt:
            raise _interrupted(stop, Run(path), total) from None


def _played_to_its_end(publisher: Publisher, looks: Looks | Contest, how: _How) -> Outcome:
    """Play what is missing and record how the run ended.

    Raises:
        SimError: as its classes say.
        KeyboardInterrupt: it was asked to stop before its end.
    """
    opened = publisher.run
    experiment = opened.experiment
    engines = {one.id: engine_of(one, experiment.seed) for one in own_games(opened.planned)}
    play_as_before(publisher, engines)
    limit = experiment.stop.max_seconds if experiment.stop else None
    start = time.monotonic()
    with how.stop.in_order(limit):
        played, kernel_seconds = _play(publisher, looks, engines, how)
    if looks.open and how.stop.signal is not None:
        raise KeyboardInterrupt
    seconds = time.monotonic() - start
    publisher.finish(
        {
            "complete": not looks.open,
            **looks.as_json(),
            "max_seconds": limit,
            "seconds": seconds,
            "data_hash": Run(publisher.path).data_hash(),
        }
    )
    return Outcome(Run(publisher.path), played, seconds, kernel_seconds, publisher.mended)


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

    with _workers(publisher, how, engines) as play:
        while looks.open and not how.stop.asked.is_set():
            published = _publish(play(_until(how.stop, missing_tasks())), publisher, how.stop)
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


@contextmanager
def _workers(
    publisher: Publisher, how: _How, engines: dict[int, Engine]
) -> Iterator[Callable[[Iterator[Task]], Iterator[Record]]]:
    """Give what plays tasks, in threads or in processes; leave no draft behind."""
    try:
        if how.backend == "loky" and _processes_can_be_had(how):
            with processes.Pool(
                publisher, how.jobs, watch.LIMIT_SECONDS, how.stop, how.progress.note
            ) as pool:
                yield lambda tasks: _told(pool.records(tasks), how.progress)
        else:
            yield lambda tasks: _in_threads(tasks, publisher, how, engines)
    finally:
        publisher.forget_drafts()


def _processes_can_be_had(how: _How) -> bool:
    from joblib import effective_n_jobs

    if how.jobs > 1 and effective_n_jobs(how.jobs) == 1:
        how.progress.note("no processes can be had here (is there a /dev/shm?): one worker plays")
        return False
    return how.jobs > 1


def _told(records: Iterator[Record], progress: Progress) -> Iterator[Record]:
    for record in records:
        progress.advance(record.games)
        yield record


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
        """End the process from outside the loop that never ends."""
        how.progress.close()
        end_at_once(WorkerFailed(f"{message}{kept(publisher.path)}"))

    with Watch(give_up, watch.LIMIT_SECONDS) as looking:
        worker = Worker(engines, publisher, looking, how.stop.asked.is_set, how.progress.advance)
        parallel = Parallel(n_jobs=how.jobs, backend="threading", return_as="generator_unordered")
        yield from parallel(delayed(worker)(task) for task in tasks)


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
    return stop.fault(f"stopped; {_stored_games(run):,} of {whole} games are kept. {GO_ON}")


class _Silent:
    def advance(self, games: int) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


def available_cores() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
