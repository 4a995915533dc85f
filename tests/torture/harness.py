"""Helpers of the torture tests: tiny experiments, commands with an end, and what must hold after.

Nothing here asks the program whether its data are right; the files are read with polars and json.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tests.runs import command

TINY = """\
question: Does the Yoruba rule change anything?
players: 2
variants:
  casual: {preset: casual}
  yoruba: {preset: yoruba}
lineups: {them: [random, greedy]}
games: 120
"""
"""Two cells of 60 blocks and 120 games; with ``--chunk 60`` they are stored in 8 parts."""

CHUNK = 60
TIMEOUT = 300
"""Seconds for a command on a machine that is busy with other things."""

BESIDE = {
    "run.json", "ledger.jsonl", "DONE.json", "lock", "parts", "tmp", "report", "code",
    "cells.parquet", "configs.parquet", "lineups.parquet", "strategies.parquet",
}  # fmt: skip
"""What may lie in a run directory."""


@dataclass(frozen=True)
class Done:
    """A command that has ended: its exit code (negative: killed by that signal) and its words."""

    code: int
    out: str
    err: str


def sim(
    *args: str | Path | int,
    code: int | None = None,
    env: Mapping[str, str] | None = None,
    argv: list[str] | None = None,
) -> Done:
    """Run `sim` in a session of its own; nobody is left after it, and nobody sees a traceback.

    Its output goes to files: to read a pipe to its end is to wait for all who hold it.

    Args:
        args: its arguments.
        code: the exit code it must have, if any.
        env: environment variables beside those that are set.
        argv: the whole command line instead, such as `tests.runs.impatient` gives.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(
            argv or command(*map(str, args)),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            text=True,
            env={**os.environ, "COLUMNS": "100", **(env or {})},
            start_new_session=True,
        )
        try:
            process.wait(timeout=TIMEOUT)
            nobody_left(process.pid)
        finally:
            end_session(process)
        done = Done(process.returncode, *(file.seek(0) or file.read() for file in (out, err)))
    assert "Traceback" not in done.err, done.err
    assert code is None or done.code == code, done.out + done.err
    return done


def session(leader: int) -> list[int]:
    """Return the live processes of the session that `leader` began."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, own, *_ = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(own) == leader and state != "Z":
            found.append(int(place.parent.name))
    return found


def end_session(process: subprocess.Popen[str]) -> None:
    """Kill a process that leads a session, and whatever is left of that, so that no test hangs."""
    process.kill()
    for pid in session(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=TIMEOUT)


def nobody_left(leader: int, seconds: float = 2.0) -> None:
    """Fail if a process of a session is alive after so many seconds (C4)."""
    deadline = time.monotonic() + seconds
    while (alive := session(leader)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive, f"processes {alive} are alive {seconds:g} s after their parent"


def entries(run: Path) -> list[dict[str, object]]:
    """Return the lines of a ledger."""
    return [json.loads(line) for line in (run / "ledger.jsonl").read_bytes().splitlines()]


def logical_hash(run: Path) -> str:
    """Hash all rows of the parts that the ledger lists, sorted: where cuts are does not show."""
    digest = hashlib.sha256()
    for kind, keys in (("blocks", ["cell", "block"]), ("games", KEYS)):
        names = [str(one["part"]) for one in entries(run) if one["kind"] == kind]
        frames = [pl.read_parquet(run / "parts" / name) for name in names]
        if frames:
            whole = pl.concat(frames).sort(keys)
            assert whole.select(keys).is_unique().all(), "a row is there twice"
            digest.update(whole.write_csv().encode())
    return digest.hexdigest()


KEYS = ["cell", "deal", "rotation", "hand_rotation"]


def strays(run: Path) -> set[str]:
    """Return the files of a run directory that nobody should have left there."""
    listed = {str(one["part"]) for one in entries(run)}
    found = {one.name for one in run.iterdir()} - BESIDE
    found |= {f"tmp/{one.name}" for one in (run / "tmp").iterdir()}
    return found | {f"parts/{one.name}" for one in (run / "parts").iterdir()} - {
        f"parts/{name}" for name in listed
    }


def flip(path: Path, bit: int) -> None:
    """Turn one bit of a file."""
    data = bytearray(path.read_bytes())
    data[bit // 8 % len(data)] ^= 1 << bit % 8
    path.write_bytes(bytes(data))
