"""Processes that are killed, stopped or short of memory: nothing is lost and nobody is left."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest

from sim.store import open_run
from tests.runs import impatient
from tests.torture.busy import (
    ALWAYS,
    HOLD,
    PROCESSES,
    SOMETIMES,
    arguments,
    asked,
    begun,
    calm,
    published,
    wait_for,
    workers,
)
from tests.torture.harness import logical_hash, nobody_left, session, sim, strays

KILLED = re.compile(
    r"^sim: a worker process was killed \(SIGKILL\); played again: cell 0, blocks", re.M
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What an undisturbed run holds."""
    path = asked(tmp_path_factory.mktemp("whole"), files=())
    sim(*arguments(path, *PROCESSES), code=0)
    return logical_hash(path.parent / "run")


def resumed(path, whole):
    calm(path)
    sim(*arguments(path, *PROCESSES, "--resume"), code=0)
    assert logical_hash(path.parent / "run") == whole
    assert strays(path.parent / "run") == set()


def parent_killed(path, wait):
    with begun(path, *PROCESSES) as process:
        (path.parent / "deed").touch()
        time.sleep(wait)
        process.kill()
        nobody_left(process.pid)


@pytest.mark.quick
def test_workers_end_with_their_parent_even_in_a_call_that_holds_pythons_lock(tmp_path, injecting):
    """C4; B3, finding 1. A thread that looks for the parent cannot run in such a call."""
    path = asked(tmp_path, HOLD, ALWAYS)
    with injecting("kill -9 of the parent while its workers hold Python's lock"):
        parent_killed(path, 1.0)


@pytest.mark.parametrize("trial", range(8))
def test_killed_at_a_random_time_no_worker_is_left_and_the_run_can_be_resumed(
    tmp_path, trial, whole, injecting
):
    """C2, C4; B3."""
    choose = random.Random(trial)
    path = asked(tmp_path, HOLD, choose.choice([ALWAYS, SOMETIMES]))
    with injecting(f"kill -9 of the parent at a random time ({trial})"):
        parent_killed(path, choose.uniform(0.0, 2.0))
        resumed(path, whole)


WITHOUT_WATCHDOG = """\
import sys
from sim import processes
processes.live_with = print
from sim.cli import main
sys.argv[0] = "sim"
main()
"""


def test_the_test_is_seen_to_fail_without_the_watchdog(tmp_path):
    """Finding 1: what `sim.orphans` is for. It also holds that the test above can fail."""
    path = asked(tmp_path, "time.sleep(20)", ALWAYS)
    argv = [sys.executable, "-c", WITHOUT_WATCHDOG, *arguments(path, *PROCESSES)]
    with begun(path, argv=argv) as process:
        (tmp_path / "deed").touch()
        left = workers(process.pid)
        process.kill()
        with pytest.raises(AssertionError, match="alive"):
            nobody_left(process.pid)
        for one in left:
            os.kill(one, signal.SIGKILL)


@pytest.mark.quick
def test_the_part_of_a_killed_worker_is_played_again(tmp_path, whole, injecting):
    """C1; B4."""
    path = asked(tmp_path)
    with injecting("kill -9 of a worker"), begun(path, *PROCESSES) as process:
        os.kill(workers(process.pid)[0], signal.SIGKILL)
        wait_for(lambda: len(session(process.pid)) > 2 or process.poll() is not None)
        calm(path)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err
        assert len(KILLED.findall(err)) == 1
        assert "Traceback" not in err
        assert logical_hash(tmp_path / "run") == whole
        assert strays(tmp_path / "run") == set()


def test_a_part_that_always_kills_its_worker_is_named_and_the_others_are_kept(
    tmp_path, whole, injecting
):
    """B4: three times, the last time alone."""
    path = asked(tmp_path, "os.kill(os.getpid(), 9)", files=("deed",))
    with injecting("a strategy that kills its worker"):
        done = sim(*arguments(path, *PROCESSES), code=7)
    assert len(KILLED.findall(done.err)) >= 2
    told = r"3 times a worker process was killed \(SIGKILL\) at cell 0, blocks \d+ to \d+:"
    assert re.search(told, done.err)
    assert open_run(tmp_path / "run").health().faults == ()
    assert published(path)
    assert strays(tmp_path / "run") == set()
    resumed(path, whole)


def test_a_strategy_that_ends_its_process_is_told_at_once(tmp_path, injecting):
    """B30: no part is tried again where nobody killed the process."""
    path = asked(tmp_path, "os._exit(0)", files=("deed",))
    with injecting("a strategy that ends its worker"):
        done = sim(*arguments(path, *PROCESSES), code=7)
    assert "a worker process ended by itself (at cell 0, blocks" in done.err
    assert not KILLED.search(done.err)


def test_a_strategy_that_never_ends_is_told_where_the_system_knows_no_such_letters(
    tmp_path, injecting
):
    """B30, B33: what a worker says on its end is written as UTF-8 everywhere."""
    path = asked(tmp_path, "while True: pass", ALWAYS, files=("deed",))
    path.write_text(path.read_text().replace("them", "ọ̀rẹ́"), encoding="utf-8")
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with injecting("an endless loop under the C locale"):
        done = sim(argv=impatient(*arguments(path, *PROCESSES)), code=7, env=env)
    assert "mine.py:mine has thought about one move for 2 s" in done.err


SHORT_OF_MEMORY = """\
from sim import work
        if work.Worker._play.__name__ == "short":
            return 0
        def short(worker, task, _play=work.Worker._play):
            if task.chunk.first_block == 8 {once}:
                {note}
                raise MemoryError
            return _play(worker, task)
        work.Worker._play = short"""
"""Put in place of a worker's play by the first choice of its first game."""


@pytest.mark.parametrize("once", [True, False])
def test_a_part_without_enough_memory_is_played_alone_and_then_told(
    tmp_path, whole, once, injecting
):
    """B20. A chunk needs little memory beside the libraries, so half a batch would not help."""
    told = "(HERE / 'short').touch()" if once else "pass"
    when = "and not (HERE / 'short').exists()" if once else ""
    path = asked(tmp_path, SHORT_OF_MEMORY.format(once=when, note=told), ALWAYS, files=("deed",))
    with injecting("a worker without memory"):
        done = sim(*arguments(path, *PROCESSES), code=0 if once else 7)
    assert "there was not enough memory for cell 0, blocks 8 to" in done.err
    if once:
        assert logical_hash(tmp_path / "run") == whole
    else:
        assert "fewer --jobs or a smaller --chunk" in done.err
        resumed(path, whole)


def test_a_strategy_that_takes_all_memory_is_told_with_its_game(tmp_path, injecting):
    """B20, under a limit of address space."""
    path = asked(tmp_path, "bytearray(10**11)", files=("deed",))
    limited = ["sh", "-c", 'ulimit -v 6000000; exec "$@"', "sh", sys.executable, "-m", "sim"]
    with injecting("a strategy that takes all memory"):
        done = sim(argv=[*limited, *arguments(path, *PROCESSES)], code=7)
    assert "the strategy mine.py:mine failed: " in done.err
    assert "MemoryError (variant rules, 2 players, line-up them, seed 1960, deal" in done.err


GROWTH = """\
import resource, sys
from pathlib import Path
from sim.experiment import load
from sim.runner import run

PAGE = resource.getpagesize()
sizes = []

class Sampled:
    def advance(self, games): sizes.append(int(Path("/proc/self/statm").read_text().split()[1]))
    def note(self, text): pass
    def close(self): pass

run(load(Path(sys.argv[1])), Path(sys.argv[2]), jobs=2, chunk_games=512,
    begin=lambda total, there: Sampled())
print(len(sizes), (max(sizes[-20:]) - sizes[len(sizes) // 10]) * PAGE)
"""


def test_the_memory_of_the_parent_does_not_grow_with_the_parts(tmp_path):
    """B20: less than 50 MB over 200 parts."""
    (tmp_path / "asked.yaml").write_text("question: Who wins?\ngames: 110000\n")
    argv = [sys.executable, "-c", GROWTH, str(tmp_path / "asked.yaml"), str(tmp_path / "run")]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    parts, growth = map(int, done.stdout.split())
    assert parts >= 200
    assert growth < 50e6


@pytest.mark.parametrize("whom", ["parent", "worker", "all"])
def test_a_process_that_was_stopped_for_a_while_is_not_taken_for_one_that_never_ends(
    tmp_path, whom, whole, injecting
):
    """B39: six seconds, where two are allowed for a move and four for a call; all by Ctrl-Z."""
    path = asked(tmp_path)
    argv = impatient(*arguments(path, *PROCESSES))
    with injecting(f"SIGSTOP of a {whom}"), begun(path, argv=argv) as process:
        stopped = workers(process.pid)[0] if whom == "worker" else process.pid
        send = os.killpg if whom == "all" else os.kill
        send(stopped, signal.SIGSTOP)
        time.sleep(6)
        send(stopped, signal.SIGCONT)
        calm(path)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err
        assert logical_hash(tmp_path / "run") == whole
