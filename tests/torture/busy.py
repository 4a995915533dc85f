"""Runs that are busy when something happens to them: a strategy of a user's own does a deed.

The strategy is slow while the file ``slow`` lies beside the experiment, and does its deed while
``deed`` does, so that the same experiment can be resumed without them.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.runs import command
from tests.torture.harness import TIMEOUT, end_session, entries, nobody_left, session

STRATEGY = """\
import os, sys, time
from pathlib import Path
from sim.strategy import strategy

HERE = Path(__file__).parent


@strategy(wants="best", compiled=False)
def mine(view):
    '''Plays its first move, and what else the test wants.'''
    if (HERE / "slow").exists():
        time.sleep(0.005)
    if view.noise < {below} and (HERE / "deed").exists():
        {deed}
    return 0
"""
ASKED = """\
question: Who wins?
players: 2
games: {games}
lineups: {{them: [mine.py:mine, greedy]}}
"""
PROCESSES = ("--backend", "loky", "--jobs", "2", "--chunk", "8")
ALWAYS, SOMETIMES = 2**32, 2**32 // 2000
"""How often: at every choice of the strategy, or at one in 2000, which is in about 20 games."""

HOLD = "sum(range(10**9))"
"""One call of many seconds that never lets go of Python's lock."""


def asked(
    folder: Path,
    deed: str = "pass",
    below: int = SOMETIMES,
    *,
    games: int = 60,
    files: tuple[str, ...] = ("slow",),
) -> Path:
    """Write an experiment and its strategy, and files beside them; return the experiment's path."""
    (folder / "mine.py").write_text(STRATEGY.format(deed=deed, below=below))
    for name in files:
        (folder / name).touch()
    path = folder / "asked.yaml"
    path.write_text(ASKED.format(games=games))
    return path


def arguments(path: Path, *options: object) -> list[str]:
    """Return the arguments that play an experiment into ``run`` beside it."""
    out = path.parent / "run"
    return ["run", str(path), "--allow-code", "--out", str(out), *map(str, options)]


@contextmanager
def begun(path: Path, *options: object, argv: list[str] | None = None, parts: int = 1):
    """Start a run in a session of its own and wait until it has published a few parts."""
    process = subprocess.Popen(
        argv or command(*arguments(path, *options)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_for(lambda: published(path) >= parts or process.poll() is not None)
        yield process
    finally:
        process.kill()
        try:
            nobody_left(process.pid)
        finally:
            end_session(process)


def calm(path: Path) -> None:
    """Let the strategy be as quick as it is, and do no deed."""
    for name in ("slow", "deed"):
        (path.parent / name).unlink(missing_ok=True)


def published(path: Path) -> int:
    """Return how many parts the ledger lists."""
    run = path.parent / "run"
    return len(entries(run)) if (run / "ledger.jsonl").exists() else 0


def wait_for(condition) -> None:
    """Wait until something holds; fail if it never does."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def workers(leader: int) -> list[int]:
    """Return the worker processes of a run."""
    found = []
    for pid in session(leader):
        with suppress(OSError):
            if b"popen_loky_posix" in (Path("/proc") / str(pid) / "cmdline").read_bytes():
                found.append(pid)
    return found
