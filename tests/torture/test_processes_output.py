"""Output that nobody reads, or that cannot be written: the run goes on to the same data."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import time

import pytest

from tests.runs import command, written
from tests.torture.harness import CHUNK, TINY, logical_hash, sim, strays

F_SETPIPE_SZ = 1031


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What an undisturbed run holds."""
    path = written(tmp_path_factory.mktemp("whole"), TINY)
    out = path.parent / "run"
    sim("run", path, "--out", out, "--chunk", CHUNK, code=0)
    return logical_hash(out)


def in_shell(folder, line):
    """Run a line of shell in which ``"$@"`` is a run, and say ``code N`` of its own at the end."""
    path = written(folder, TINY)
    run = command("run", path, "--out", folder / "run", "--chunk", CHUNK)
    return sim(argv=["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}", "bash", *run])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param('"$@" | head -1', 0, marks=pytest.mark.quick),
        ('"$@" | true', 0),
        ('"$@" 2>&1 | head -1', 0),
        ('"$@" >&-', 0),
        ('"$@" 2>&-', 0),
        ('"$@" <&- >&- 2>&-', 0),
        pytest.param('"$@" >/dev/full', 5, marks=pytest.mark.quick),
        ('"$@" 2>/dev/full', 0),
    ],
)
def test_the_run_is_the_same_whatever_becomes_of_its_output(tmp_path, line, code, whole, injecting):
    """C1, C7; B32. Where a reader was there and did not get it all, the code says so."""
    with injecting(line):
        done = in_shell(tmp_path, line)
    assert done.code == code, done.err
    assert "BrokenPipe" not in done.err
    assert "Exception ignored" not in done.err
    assert logical_hash(tmp_path / "run") == whole
    assert strays(tmp_path / "run") == set()
    if code:
        assert "the output could not be written: No space left on device" in done.err


def test_a_reader_who_does_not_read_does_not_hold_up_the_games(tmp_path, whole, injecting):
    """B32: the pipe holds 4096 bytes, and its reader sleeps until the data are whole."""
    path = written(tmp_path, TINY)
    with injecting("a reader who sleeps"):
        process = subprocess.Popen(
            command("run", path, "--out", tmp_path / "run", "--chunk", CHUNK),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        fcntl.fcntl(process.stdout, F_SETPIPE_SZ, 4096)
        deadline = time.monotonic() + 120
        while not (tmp_path / "run" / "DONE.json").exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert b"Data hash" in out
        assert logical_hash(tmp_path / "run") == whole


@pytest.mark.parametrize("args", [["rules", "default"], ["schema"], ["list", "metrics"]])
def test_other_commands_say_that_their_output_was_lost(args, injecting):
    """B32."""
    with injecting(f"sim {args[0]} > /dev/full"):
        done = sim(argv=["bash", "-c", '"$@" >/dev/full', "bash", *command(*args)], code=5)
    assert "the output could not be written: No space left on device" in done.err


@pytest.mark.quick
def test_a_terminal_that_takes_no_more_and_does_not_wait_loses_the_output(injecting):
    """B32: a pipe that does not block, and that nobody reads."""
    with injecting("a full pipe that does not block"):
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writing, b"x" * 4096)
        process = subprocess.Popen(
            command("rules", "default"), stdout=writing, stderr=subprocess.PIPE, text=True
        )
        _, err = process.communicate(timeout=60)
        os.close(reading)
        os.close(writing)
        assert process.returncode == 5, err
        assert "the output could not be written: Resource temporarily unavailable" in err
