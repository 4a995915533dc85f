"""Machines that give little: few files or processes, no shared memory, a full disk; two at once."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runs import command, written
from tests.torture.busy import PROCESSES, arguments, asked, begun, calm, published, workers
from tests.torture.harness import CHUNK, TINY, logical_hash, sim, strays


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What undisturbed runs hold: of the tiny experiment, and of the one with its own strategy."""
    tiny = written(tmp_path_factory.mktemp("tiny"), TINY)
    sim("run", tiny, "--out", tiny.parent / "run", "--chunk", CHUNK, code=0)
    own = asked(tmp_path_factory.mktemp("own"), files=())
    sim(*arguments(own, *PROCESSES), code=0)
    return logical_hash(tiny.parent / "run"), logical_hash(own.parent / "run")


def may_mount() -> bool:
    """Say whether this machine lets us mount file systems of our own."""
    made = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    return shutil.which("unshare") is not None and (
        subprocess.run(made, capture_output=True, timeout=20).returncode == 0
    )


mounting = pytest.mark.skipif(not may_mount(), reason="it may not mount anything")


def mounted(how, argv):
    """Return the command line `argv` with file systems of its own."""
    return ["unshare", "-m", "sh", "-c", f'{how} && exec "$@"', "sh", *argv]


@mounting
@pytest.mark.parametrize(
    "shm",
    ["-o size=64k none /dev/shm", "-o size=4k,nr_inodes=2 none /dev/shm", "-o ro none /dev/shm"],
)
def test_little_or_no_shared_memory(tmp_path, shm, whole, injecting):
    """C1; B37."""
    path = asked(tmp_path, files=())
    with injecting(f"mount -t tmpfs {shm}"):
        argv = mounted(f"mount -t tmpfs {shm}", command(*arguments(path, *PROCESSES)))
        done = sim(argv=argv, code=0)
    assert ("no processes can be had here" in done.err) == ("64k" not in shm)
    assert "serial mode" not in done.err
    assert logical_hash(tmp_path / "run") == whole[1]


@pytest.mark.parametrize("how", [("--jobs", "2", "--chunk", "8"), PROCESSES])
def test_few_open_files(tmp_path, how, whole, injecting):
    """B36: 64 are enough."""
    path = asked(tmp_path, files=())
    argv = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", *command(*arguments(path, *how))]
    with injecting("64 open files"):
        sim(argv=argv, code=0)
    assert logical_hash(tmp_path / "run") == whole[1]


FEW_THREADS = """\
import sys, threading
start = threading.Thread.start
def refused(thread):
    if threading.active_count() >= 3:
        raise RuntimeError("can't start new thread")
    start(thread)
threading.Thread.start = refused
from sim.cli import main
sys.argv[0] = "sim"
main()
"""


def test_few_threads(tmp_path, injecting):
    """B36: what the system says where no more can be started; root knows no such limit."""
    path = asked(tmp_path, files=())
    argv = [sys.executable, "-c", FEW_THREADS, *arguments(path, "--jobs", "4", "--chunk", "8")]
    with injecting("no more threads"):
        done = sim(argv=argv, code=7)
    assert "the system lets it start or open no more" in done.err
    assert "--jobs" in done.err


@pytest.mark.parametrize("jobs", ["0", "-1", "10000"])
def test_jobs_that_cannot_be(tmp_path, jobs, injecting):
    """B36."""
    with injecting(f"--jobs {jobs}"):
        done = sim("run", written(tmp_path, TINY), "--jobs", jobs, code=2)
    assert "--jobs" in done.err


def test_of_six_that_begin_together_one_plays(tmp_path, whole, injecting):
    """C7; B12. The others are told who has the directory."""
    path = written(tmp_path, TINY)
    with injecting("six runs at once"):
        started = [
            subprocess.Popen(
                command("run", path, "--out", tmp_path / "run", "--chunk", CHUNK),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(6)
        ]
        ended = [(one, *one.communicate(timeout=300)) for one in started]
    told = [(one.returncode, err) for one, _, err in ended]
    assert {code for code, _ in told} <= {0, 4}, told
    played = [one for one, out, _ in ended if "of engine time" in out]
    assert len(played) == 1
    for code, err in told:
        assert "Traceback" not in err
        if code == 4:
            assert "another run is writing here" in err
    assert logical_hash(tmp_path / "run") == whole[0]
    assert strays(tmp_path / "run") == set()


@pytest.mark.quick
def test_who_is_busy_is_told_by_process_machine_and_time(tmp_path, injecting):
    """B12."""
    path = asked(tmp_path)
    with injecting("a second run"), begun(path, "--jobs", "1", "--chunk", "2") as process:
        done = sim(*arguments(path, "--resume"), code=4)
        assert f"process {process.pid} on {socket.gethostname()}, since 20" in done.err


@mounting
@pytest.mark.parametrize("how", [("--jobs", "2", "--chunk", "4"), (*PROCESSES[:-1], "4")])
def test_a_full_disk_ends_it_with_5_and_what_was_published_is_kept(tmp_path, how, whole, injecting):
    """C2, C7; B8: workers meet it as they draft. The disk is made larger for the rest."""
    path = asked(tmp_path, files=())
    out = tmp_path / "disk" / "run"
    out.parent.mkdir()
    told = tmp_path / "first.txt"
    run = ["run", str(path), "--allow-code", "--out", str(out), *how]
    first, second = (" ".join(command(*run, *more)) for more in ((), ("--resume",)))
    script = (
        f"mount -t tmpfs -o size=200k none {out.parent} && {{ {first} 2>{told}; "
        f"test $? = 5 || exit 99; test -e {out}/tmp/stop && exit 98; ls {out}/tmp; "
        f"mount -o remount,size=50m {out.parent} && {second} && cp -r {out} {tmp_path}/kept; }}"
    )
    with injecting(f"a full disk, {how}"):
        done = sim(argv=["unshare", "-m", "sh", "-c", script])
    assert done.code == 0, (done.code, done.out, done.err, told.read_text())
    assert "No space left on device" in told.read_text()
    assert "Traceback" not in told.read_text()
    assert "bytes are free" in told.read_text()
    assert logical_hash(tmp_path / "kept") == whole[1]
    assert strays(tmp_path / "kept") == set()


EDITED = "sim/rules.py"


def test_a_program_that_is_changed_while_it_plays_is_noticed(tmp_path, whole, injecting):
    """B35: a worker that begins later would play by other rules."""
    root = Path(__file__).parents[2]
    tree = tmp_path / "tree"
    for name in ("sim", "strategies", "reports"):
        shutil.copytree(root / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    path = asked(tmp_path)
    there = ["sh", "-c", f'cd {tree}; exec "$@"', "sh"]
    argv = [*there, *command(*arguments(path, *PROCESSES))]
    with injecting("an edit of the program"), begun(path, argv=argv) as process:
        (tree / EDITED).write_text((tree / EDITED).read_text() + "\n# changed\n")
        kept = published(path)
        os.kill(workers(process.pid)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=100)
        assert process.returncode == 6, out + err
        assert "the program was changed while it played" in err
        assert published(path) >= kept
    calm(path)
    sim(*arguments(path, *PROCESSES, "--resume"), code=0)
    assert logical_hash(tmp_path / "run") == whole[1]


def test_a_strategy_file_that_is_changed_while_it_plays_is_not_looked_at_again(
    tmp_path, whole, injecting
):
    """B35: workers are sent the bytes that were hashed; a resume of another file is refused."""
    path = asked(tmp_path)
    with injecting("an edit of the strategy file"), begun(path, *PROCESSES) as process:
        mine = tmp_path / "mine.py"
        mine.write_text(mine.read_text().replace("return 0", "return view.n_moves - 1"))
        calm(path)
        out, err = process.communicate(timeout=100)
        assert process.returncode == 0, out + err
    assert logical_hash(tmp_path / "run") == whole[1]
    assert "sha256" in sim(*arguments(path, "--resume"), code=6).err
