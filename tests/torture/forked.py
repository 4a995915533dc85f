"""One process that has imported everything, and forks for each case that is to be killed.

`python -m tests.torture.forked` is that process. It reads a case a line, plays it in a child, and
answers how the child ended. A child is a process like any other: it plays a run directory with
`sim.runner.run`, or a tune, and can be killed at any step. The forking process itself starts no
thread that a child would lack: it imports polars and never uses it, for a pool of threads begins
with its use.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.runs import written
from tests.torture.harness import CHUNK, TINY, nobody_left
from tests.torture.power import LOSSES, Disk

KILL, FULL, NOTE = "kill", "full", "note"


@dataclass(frozen=True)
class Case:
    """A run to be played, and what happens to it.

    Attributes:
        experiment, out: its file and its directory.
        how: further arguments of `sim.runner.run`; of a tune only ``resume`` counts.
        at: the number of the step of publishing, from 0 on, at which something happens.
        what: ``kill``, ``full`` (the disk is, once), one of `power.LOSSES`, or ``note`` the steps.
        tune: the file is that of a tune.
    """

    experiment: Path
    out: Path
    how: dict[str, Any]
    at: int = -1
    what: str = NOTE
    tune: bool = False


@dataclass(frozen=True)
class Ended:
    """How a case ended: exit code, negative if killed by that signal; what it said; its steps.

    A step is its name, and whether anything was not yet synced then.
    """

    code: int
    said: str
    steps: list[tuple[str, bool]]


class Forge:
    """The forking process, as seen from a test."""

    def __enter__(self) -> Forge:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.torture.forked"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=20)
        nobody_left(self.process.pid)

    def play(
        self,
        experiment: Path,
        out: Path,
        at: int = -1,
        what: str = NOTE,
        tune: bool = False,
        **how: Any,
    ) -> Ended:
        """Play a case in a child; `how` goes to `sim.runner.run`."""
        assert self.process.stdin is not None and self.process.stdout is not None
        case = Case(experiment, out, {"jobs": 1, "chunk_games": CHUNK, **how}, at, what, tune)
        self.process.stdin.write(json.dumps(asdict(case), default=str) + "\n")
        self.process.stdin.flush()
        told = json.loads(self.process.stdout.readline())
        return Ended(told["code"], told["said"], [(a, b) for a, b in told["steps"]])

    def steps(self, experiment: Path, out: Path, **how: Any) -> list[tuple[str, bool]]:
        """Play a case undisturbed and return the steps it took."""
        ended = self.play(experiment, out, **how)
        assert ended.code == 0, ended.said
        return ended.steps


def main() -> None:
    """Fork a child for each line."""
    _warm()
    for line in sys.stdin:
        data = json.loads(line)
        case = Case(Path(data.pop("experiment")), Path(data.pop("out")), **data)
        answer, said = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(said[1], 1)
            os.dup2(said[1], 2)
            signal.alarm(300)
            os._exit(_play(case, answer[1]))
        os.close(answer[1])
        os.close(said[1])
        steps, words = (_all_of(pipe[0]) for pipe in (answer, said))
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        told = {"code": code, "said": words, "steps": json.loads(steps or "[]")}
        print(json.dumps(told), flush=True)


def _warm() -> None:
    """Import everything, and load the compiled engine, by playing a deal."""
    import joblib  # noqa: F401

    import sim.runner
    import sim.tuning.play
    import sim.tuning.tune  # noqa: F401
    from sim.design import cells
    from sim.engines import engine_of
    from sim.experiment import load

    with tempfile.TemporaryDirectory() as folder:
        experiment = load(written(Path(folder), TINY))
    engine_of(cells(experiment)[0], experiment.seed).play(0, 1)


def _all_of(descriptor: int) -> str:
    with open(descriptor) as file:
        return file.read()


def _play(case: Case, answer: int) -> int:
    from sim.errors import SimError
    from sim.store import failpoints

    disk = Disk(case.out)
    steps: list[tuple[str, bool]] = []

    def at(step: str) -> None:
        steps.append((step, case.what == NOTE and disk.unsynced()))
        if len(steps) - 1 != case.at:
            return
        if case.what == FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if case.what in LOSSES:
            disk.lose(case.what)
        os.kill(os.getpid(), signal.SIGKILL)

    failpoints.at = at
    try:
        _tuned(case) if case.tune else _ran(case)
        code = 0
    except SimError as fault:
        print(f"sim: {fault}", flush=True)
        code = fault.exit_code
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        code = 99
    with contextlib.suppress(BrokenPipeError), io.FileIO(answer, "w") as file:
        file.write(json.dumps(steps).encode())
    return code


def _ran(case: Case) -> None:
    from sim.experiment import load
    from sim.runner import run

    run(load(case.experiment, allow_code=True), case.out, **case.how)


def _tuned(case: Case) -> None:
    from sim.tuning import directory
    from sim.tuning.plan import plan
    from sim.tuning.play import Players, play
    from sim.tuning.tune import load_tune

    tune, resume = load_tune(case.experiment), case.how.get("resume", False)
    found = directory.begun(case.out, tune, resume) or plan(tune, 1)
    play(tune, found, case.out, resume, Players(jobs=1))


if __name__ == "__main__":
    main()
