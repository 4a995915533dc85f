"""Ctrl-C, SIGTERM, SIGHUP, once and again: an orderly end, the right code, and how to go on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sim import endings
from sim.errors import Terminated
from tests.runs import command
from tests.torture.busy import ALWAYS, PROCESSES, arguments, asked, begun, calm, wait_for, workers
from tests.torture.harness import logical_hash, nobody_left, sim, strays

THREADS = ("--jobs", "2", "--chunk", "8")
ALONE = ("--jobs", "1", "--chunk", "8")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143}
STUCK = "time.sleep(40)"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What an undisturbed run holds."""
    path = asked(tmp_path_factory.mktemp("whole"), files=())
    sim(*arguments(path, *THREADS), code=0)
    return logical_hash(path.parent / "run")


def ended(process, number):
    process.wait(timeout=100)
    nobody_left(process.pid)
    out, err = process.communicate(timeout=100)
    assert process.returncode == CODES[number], out + err
    assert "Traceback" not in err
    assert "--resume" in err
    assert "exception" not in err.lower()
    return err


def resumed(path, whole):
    calm(path)
    sim(*arguments(path, *THREADS, "--resume"), code=0)
    assert logical_hash(path.parent / "run") == whole
    assert strays(path.parent / "run") == set()


@pytest.mark.parametrize(
    ("number", "how", "to_all"),
    [
        pytest.param(signal.SIGINT, PROCESSES, True, marks=pytest.mark.quick),
        (signal.SIGINT, PROCESSES, False),
        (signal.SIGTERM, PROCESSES, True),
        (signal.SIGTERM, PROCESSES, False),
        (signal.SIGHUP, PROCESSES, True),
        (signal.SIGINT, THREADS, True),
        (signal.SIGHUP, THREADS, True),
        (signal.SIGTERM, ALONE, False),
    ],
)
def test_a_signal_ends_the_run_in_order(tmp_path, number, how, to_all, whole, injecting):
    """C4, C7; B5, B6: to the group, as a terminal sends it, or to the parent alone."""
    path = asked(tmp_path)
    with injecting(f"{number.name} to {how}, all: {to_all}"), begun(path, *how) as process:
        (os.killpg if to_all else os.kill)(process.pid, number)
        ended(process, number)
        resumed(path, whole)


@pytest.mark.parametrize(("number", "how"), [(signal.SIGINT, PROCESSES), (signal.SIGTERM, THREADS)])
def test_a_second_signal_ends_it_at_once_and_a_third_is_nothing_worse(
    tmp_path, number, how, whole, injecting
):
    """B5: while a strategy thinks for 40 s."""
    path = asked(tmp_path, STUCK, ALWAYS)
    with injecting(f"{number.name} again and again, to {how}"), begun(path, *how) as process:
        (tmp_path / "deed").touch()
        time.sleep(1)
        start = time.monotonic()
        for _ in range(3):
            if process.poll() is None:
                os.killpg(process.pid, number)
                time.sleep(0.5)
        assert "stopped at once" in ended(process, number)
        assert time.monotonic() - start < 20
        resumed(path, whole)


def test_what_does_not_end_in_order_is_ended_after_five_seconds(tmp_path, whole, injecting):
    """B5."""
    path = asked(tmp_path, STUCK, ALWAYS)
    with injecting("SIGINT while a strategy thinks"), begun(path, *PROCESSES) as process:
        (tmp_path / "deed").touch()
        time.sleep(1)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert "stopped at once" in ended(process, signal.SIGINT)
        assert 4 < time.monotonic() - start < 25
        resumed(path, whole)


def test_a_signal_that_timeout_sends_twice_is_one(tmp_path, injecting):
    """`timeout` signals its child, and then its group with the child in it."""
    path = asked(tmp_path)
    argv = ["timeout", "--preserve-status", "1000", *command(*arguments(path, *THREADS))]
    with injecting("timeout"), begun(path, argv=argv) as process:
        process.terminate()
        assert "games are kept" in ended(process, signal.SIGTERM)


def test_workers_that_have_just_begun_leave_ctrl_c_to_their_parent(tmp_path, injecting):
    """B5: from their first moment, when they have not run a line of ours."""
    path = asked(tmp_path)
    with injecting("SIGINT to workers that begin"):
        process = subprocess.Popen(
            command(*arguments(path, *PROCESSES)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        wait_for(lambda: workers(process.pid))
        assert all(map(is_deaf_to_ctrl_c, workers(process.pid)))
        os.killpg(process.pid, signal.SIGINT)
        told = ended(process, signal.SIGINT)
        assert "games are kept" in told or "nothing that was stored is lost" in told
        assert "was killed" not in told


def is_deaf_to_ctrl_c(process):
    status = Path(f"/proc/{process}/status").read_text()
    masks = re.findall(r"^Sig(?:Blk|Ign):\s*(\w+)", status, re.MULTILINE)
    return any(int(mask, 16) >> (signal.SIGINT - 1) & 1 for mask in masks)


@pytest.mark.parametrize("number", CODES)
def test_a_signal_while_the_engine_is_compiled(tmp_path, number, injecting):
    """B5, B34: what was half compiled is not taken for whole."""
    path = tmp_path / "asked.yaml"
    path.write_text("question: Who wins?\ngames: 100\n")
    env = {**os.environ, "ELEWENJEWE_CACHE_DIR": str(tmp_path / "cache")}
    with injecting(f"{number.name} while compiling"):
        process = subprocess.Popen(
            command(*arguments(path)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
            start_new_session=True,
        )
        wait_for(lambda: any((tmp_path / "cache").rglob("*.nbc")))
        os.killpg(process.pid, number)
        ended(process, number)
    again = [] if not (tmp_path / "run" / "run.json").exists() else ["--resume"]
    sim(*arguments(path), *again, code=0, env={"ELEWENJEWE_CACHE_DIR": str(tmp_path / "cache")})


def test_a_signal_while_the_report_is_written(tmp_path, injecting):
    """B5: the data are whole, and the same command tells the answer."""
    path = asked(tmp_path, files=())
    waiting = (
        "import sys, time\n"
        "from reports import dealer_picture\n"
        "dealer_picture.draw = lambda *args: (print('drawing', flush=True), time.sleep(60))\n"
        "from sim.cli import main\n"
        "sys.argv[0] = 'sim'\n"
        "main()\n"
    )
    with injecting("SIGINT while a picture is drawn"):
        process = subprocess.Popen(
            [sys.executable, "-c", waiting, *arguments(path, *THREADS)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert any("drawing" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "nothing that was stored is lost" in err
        assert "Traceback" not in err
    assert "played before" in sim(*arguments(path, *THREADS), code=0).out


def test_a_run_that_was_begun_with_nohup_does_not_hear_that_its_terminal_was_closed(tmp_path):
    """B6."""
    path = asked(tmp_path)
    argv = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command(*arguments(path, *THREADS))]
    with begun(path, argv=argv) as process:
        process.send_signal(signal.SIGHUP)
        calm(path)
        process.communicate(timeout=100)
        assert process.returncode == 0


SLOWEST = """\
question: How long is a call of the engine?
players: 5
variants: {slow: {preset: professional, esun: true}}
lineups: {slow: [lookahead, counter, builder, raider, lookahead]}
games: 100000000
keep: {games: 0}
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_is_heard_inside_the_slowest_games(tmp_path, jobs, injecting):
    """B7. On a quiet machine it takes less than a second; here only that it takes no grace."""
    path = tmp_path / "asked.yaml"
    path.write_text(SLOWEST)
    how = ("--jobs", jobs, "--chunk", 2000)
    with injecting("SIGINT inside the kernel"), begun(path, *how) as process:
        os.killpg(process.pid, signal.SIGINT)
        assert "games are kept" in ended(process, signal.SIGINT)


ENDLESS = """\
from sim.strategy import strategy

@strategy(wants="best")
def mine(view):
    '''Never ends.'''
    while view.turn >= 0:
        pass
    return 0
"""


def test_a_second_ctrl_c_is_heard_where_the_main_thread_is_caught_in_compiled_code(
    tmp_path, injecting
):
    """B5, B7: with one job the main thread plays."""
    path = asked(tmp_path)
    (tmp_path / "mine.py").write_text(ENDLESS)
    with injecting("SIGINT twice in an endless loop"):
        process = subprocess.Popen(
            command(*arguments(path, "--jobs", 1)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        wait_for((tmp_path / "run" / "run.json").exists)
        time.sleep(8)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert "stopped at once" in ended(process, signal.SIGINT)


@pytest.mark.quick
def test_a_signal_that_ends_nothing_is_passed_over(monkeypatch, injecting):
    """B5: a size of the window that changed, then SIGTERM, which ends it when its time is over."""

    def end(fault):
        raise fault

    reading, writing = os.pipe()
    monkeypatch.setattr(endings, "GRACE_SECONDS", 0.3)
    monkeypatch.setattr(endings, "end_at_once", end)
    with injecting("SIGWINCH before SIGTERM"):
        os.write(writing, bytes([signal.SIGWINCH, signal.SIGTERM, signal.SIGWINCH]))
        with pytest.raises(Terminated, match="at once"):
            endings._end_in_time(reading)
    os.close(reading)
    os.close(writing)
