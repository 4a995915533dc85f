"""What a worker does, in a thread or in a process of its own: play a task and draft its parts.

A worker returns a small record and never raises. It plays in short calls, so that a stop is heard
within a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from sim.engines import Engine
from sim.errors import OutOfMemory, SimError, WorkerFailed
from sim.store import Publisher
from sim.store.coverage import Task
from sim.store.files import disk_faults
from sim.store.writing import Draft
from sim.watch import Watch

CALL_SECONDS = 0.12
FIRST_GAMES = 64


@dataclass(frozen=True)
class Record:
    """What a worker says of its task: drafts to publish, or why there are none.

    Attributes:
        drafts: parts on the disk.
        failure: what went wrong.
        games: how many were played.
        seconds: time in the engine.
    """

    drafts: list[Draft] = field(default_factory=list)
    failure: SimError | None = None
    games: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Worker:
    """Plays tasks; one for all threads of a process.

    Attributes:
        engines: by the number of their cells.
        publisher: where drafts go.
        watch: looks on while games are played.
        stopped: says whether to stop; asked between calls of an engine.
        advance: told how many games more are played.
    """

    engines: Mapping[int, Engine]
    publisher: Publisher
    watch: Watch
    stopped: Callable[[], bool]
    advance: Callable[[int], None]

    def __call__(self, task: Task) -> Record:
        """Play a task and draft its parts; nothing is drafted when asked to stop."""
        try:
            games, seconds = self._play(task)
            if games is None:
                return Record()
            with disk_faults(self.publisher.path):
                drafts = self.publisher.draft(task, games)
            return Record(drafts, games=len(games), seconds=seconds)
        except SimError as fault:
            return Record(failure=fault)
        except MemoryError:
            message = "there is not enough memory; run with fewer --jobs or a smaller --chunk"
            return Record(failure=OutOfMemory(message))
        except Exception as fault:
            place = f"cell {task.chunk.cell.id}, deals from {task.chunk.first_deal}"
            told = f"{type(fault).__name__}: {fault} ({place}, seed in run.json)"
            return Record(failure=WorkerFailed(told))

    def _play(self, task: Task) -> tuple[np.ndarray | None, float]:
        """Play a task in short calls; no games if asked to stop. Also the seconds it took."""
        chunk = task.chunk
        engine = self.engines[chunk.cell.id]
        played: list[np.ndarray] = []
        total = 0.0
        deal, end = chunk.first_deal, chunk.first_deal + chunk.deals
        size = max(1, FIRST_GAMES // chunk.cell.games_per_deal) if chunk.cell.compiled else 1
        while deal < end:
            if self.stopped():
                return None, total
            size = min(size, end - deal)
            start = time.perf_counter()
            played.append(engine.play(deal, size, self.watch))
            seconds = time.perf_counter() - start
            total += seconds
            self.advance(len(played[-1]))
            deal += size
            size = max(1, min(4 * size, int(size * CALL_SECONDS / max(seconds, 1e-6))))
        return np.concatenate(played), total
