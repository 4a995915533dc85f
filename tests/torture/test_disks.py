"""Disks that are small, full or read-only, in truth: mounted where a test may do that."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager

import pytest

from tests.runs import written
from tests.torture.harness import TINY, logical_hash, sim
from tests.torture.test_conditions import HUGE


@contextmanager
def mounted(place, *options):
    """Mount a file system at `place` for a with statement; skip the test where nobody may."""
    place.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no mount here")
    done = subprocess.run(["mount", *options, place], capture_output=True, timeout=20)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True, timeout=20)


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "disk"
    with mounted(place, "-t", "tmpfs", "-o", "size=1m", "none"):
        yield place


def test_a_full_disk_ends_the_run_and_room_lets_it_go_on(small_disk, tmp_path, injecting):
    """C2, C7; B8."""
    asked = written(tmp_path, TINY)
    out = small_disk / "run"
    with injecting("a disk that fills up"):
        filler = small_disk / "filler"
        filler.write_bytes(b"x" * 800_000)
        done = sim("run", asked, "--out", out, "--jobs", 1, "--chunk", 60, "--ignore-space", code=5)
        assert "No space left" in done.err and "bytes are free there" in done.err
        assert not list((out / "tmp").iterdir())
        filler.unlink()
        sim("run", asked, "--out", out, "--jobs", 1, "--chunk", 60, "--resume", code=0)
        sim("run", asked, "--out", tmp_path / "whole", code=0)
        assert logical_hash(out) == logical_hash(tmp_path / "whole")


def test_a_run_that_cannot_fit_on_a_real_small_disk(small_disk, tmp_path, injecting):
    """C7; B9."""
    with injecting("a thousand million games on a real disk of a megabyte"):
        done = sim("run", written(tmp_path, HUGE), "--out", small_disk / "run", code=5)
        assert "Nothing was played" in done.err
        assert not list(small_disk.iterdir())


def test_a_read_only_directory(tmp_path, injecting):
    """C7; B10."""
    place = tmp_path / "disk"
    with mounted(place, "-t", "tmpfs", "-o", "size=1m,ro", "none"), injecting("a read-only disk"):
        done = sim("run", written(tmp_path, TINY), "--out", place / "run", code=5)
        assert "Read-only" in done.err
