"""Playing in processes of their own, for strategies in plain Python, which hold the GIL.

A process is told the run directory and the bytes of the strategy files, and makes its own engines
from them. It drafts parts and never publishes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path

from sim.design import Chunk
from sim.endings import Stop
from sim.engines import Engine, engine_of
from sim.errors import OutOfMemory, ResumeRefused, SimError, WorkerFailed
from sim.orphans import HELD_TOO_LONG, live_with, signals_left_to_us
from sim.store import Publisher, Run
from sim.store.coverage import Task
from sim.store.identity import source_hash
from sim.store.ledger import Kind
from sim.store.run import TEMPORARY
from sim.strategy import StrategyFile
from sim.strategy_file import strategy_of
from sim.watch import Watch
from sim.work import Record, Worker

MOST_DEATHS = 3
"""So often a process may be killed while it plays one part; the last time it plays that alone."""

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

    def __str__(self) -> str:
        last = self.first_block + self.blocks - 1
        return f"cell {self.cell}, blocks {self.first_block} to {last}"


def stop_file(path: Path) -> Path:
    """Return the file whose presence asks all workers of the run at `path` to stop."""
    return path / TEMPORARY / STOP


@dataclass
class Pool:
    """Processes that play; use it in a with statement, which leaves none behind.

    A part whose process is killed is played again, once with the others and then alone, so that
    one which kills its process every time is known by name.

    Attributes:
        publisher: of the run.
        jobs: how many processes, at least 2.
        limit: seconds for one move.
        stop: whether to stop.
        say: told what went wrong and was mended.
        deaths: of the shares that were sent and not answered: how often a process was killed.
    """

    publisher: Publisher
    jobs: int
    limit: float
    stop: Stop
    say: Callable[[str], None]
    deaths: dict[Share, int] = field(default_factory=dict)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *fault: object) -> None:
        self._end_all()
        _failure_file(self.publisher.path).unlink(missing_ok=True)

    def records(self, tasks: Iterable[Task]) -> Iterator[Record]:
        """Play `tasks` and yield their records as they come; the last may tell of a failure."""
        fresh = (Share.of(task) for task in tasks)
        while not self.stop.asked.is_set():
            alone = [s for s, deaths in self.deaths.items() if deaths == MOST_DEATHS - 1][:1]
            try:
                yield from self._answers(alone or chain([*self.deaths], fresh))
                if not alone and not self.deaths:
                    return
            except BrokenExecutor as fault:
                self._end_all()
                failure = self._count(alone or [*self.deaths], str(fault))
                if failure is not None and not self.stop.asked.is_set():
                    yield Record(failure=failure)
                    return

    def _answers(self, shares: Iterable[Share]) -> Iterator[Record]:
        """Play shares; one for which there was not enough memory is left to be played alone.

        Raises:
            BrokenExecutor: a process died.
        """
        for share, record in self._played(self._noted(shares)):
            if isinstance(record.failure, OutOfMemory) and self.deaths[share] < MOST_DEATHS - 1:
                self.deaths[share] = MOST_DEATHS - 1
                self.say(f"there was not enough memory for {share}: it is played again, alone")
            else:
                del self.deaths[share]
                yield record

    def _noted(self, shares: Iterable[Share]) -> Iterator[Share]:
        for share in shares:
            self.deaths.setdefault(share, 0)
            yield share

    def _played(self, shares: Iterable[Share]) -> Iterator[tuple[Share, Record]]:
        from joblib import Parallel, delayed

        setting = Setting.of(self.publisher, self.limit)
        parallel = Parallel(
            n_jobs=self.jobs,
            backend="loky",
            return_as="generator_unordered",
            batch_size=1,
            max_nbytes=None,
            initializer=live_with,
            initargs=(os.getpid(), 2 * self.limit),
        )
        with signals_left_to_us():
            answers = parallel(delayed(play)(setting, share) for share in shares)
        yield from answers

    def _count(self, lost: list[Share], how: str) -> WorkerFailed | None:
        """Count the death of a process; return a failure if nothing is to be tried again.

        Args:
            lost: the shares it may have been at.
            how: what is known of its end, with names of signals or ``EXIT``.
        """
        for share in lost:
            self.deaths[share] += 1
        names = f"{lost[0]}" + (f", and {len(lost) - 1} more" if len(lost) > 1 else "")
        with suppress(OSError):
            return WorkerFailed(_failure_file(self.publisher.path).read_text(encoding="utf-8"))
        signals = sorted(set(re.findall(r"\bSIG[A-Z]+", how)))
        if not signals or HELD_TOO_LONG.name in signals:
            return WorkerFailed(
                f"a worker process ended by itself (at {names}): a strategy in plain Python ends "
                "the program, or is caught in a call that never ends"
            )
        told = ", ".join(signals)
        if max(self.deaths[share] for share in lost) == MOST_DEATHS:
            return WorkerFailed(
                f"{MOST_DEATHS} times a worker process was killed ({told}) at {names}: see "
                "whether memory runs out (try fewer --jobs), or what its strategies do"
            )
        self.say(f"a worker process was killed ({told}); played again: {names}")
        return None

    def _end_all(self) -> None:
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown(wait=True, kill_workers=True)
        self.publisher.forget_drafts()


def _failure_file(path: Path) -> Path:
    return path / TEMPORARY / FAILURE


def play(setting: Setting, share: Share) -> tuple[Share, Record]:
    """Play a share of the run in this process, which is a worker."""
    try:
        worker = _worker(setting)
    except SimError as fault:
        return share, Record(failure=fault)
    cell = worker.publisher.run.cells[share.cell]
    return share, worker(Task(Chunk(cell, share.first_block, share.blocks), share.kinds))


@lru_cache(maxsize=1)
def _worker(setting: Setting) -> Worker:
    """Return the worker of this process.

    Raises:
        ResumeRefused: the program is not the one that began the run.
    """
    code = [strategy_of(file, function) for file, function in setting.strategies]
    run = Run(setting.path, {one.name: one for one in code})
    if run.record["sources"] != source_hash():
        raise ResumeRefused(
            f"the program was changed while it played {setting.path}; put it back as it was and "
            "go on with --resume, or begin anew with --out"
        )

    def give_up(message: str) -> None:
        with suppress(OSError):
            _failure_file(setting.path).write_text(message, encoding="utf-8")
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
