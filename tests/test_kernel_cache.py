"""The cache of compiled code: never stale, never trusted when altered, never in the way."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sim.kernel import cache

ROOT = Path(__file__).parents[1]
PLAY = """
import json
from sim.kernel import CACHE, Engine
warm = CACHE.warm
from sim.rules import Rules
from sim.strategy import catalogue
rows = Engine(Rules(), [[catalogue()["greedy"].bind()] * 2], 1, 7).play(0, 20)
print(json.dumps({"warm": warm, "points": int(rows["points"].sum()), "path": str(CACHE.path)}))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the program with a cache of its own, played once."""
    folder = tmp_path_factory.mktemp("tree")
    for name in ("sim", "strategies"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    first = _play(folder)
    assert not first["warm"]
    return folder, first


def _play(folder):
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        cwd=folder,
        env={
            **os.environ,
            "ELEWENJEWE_CACHE_DIR": str(folder / "cache"),
            "PYTHONPATH": str(folder),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def _files(found):
    return {p: p.stat().st_mtime_ns for p in Path(found["path"]).rglob("*.nb?")}


def test_a_later_start_does_not_compile(tree):
    folder, first = tree
    files = _files(first)
    second = _play(folder)
    assert second == {**first, "warm": True}
    assert _files(second) == files


@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_an_altered_file_is_compiled_again(tree, damage):
    folder, first = tree
    victim = next(p for p in _files(first) if "_fill_table" in p.name and p.suffix == ".nbc")
    data = bytearray(victim.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 255
    victim.write_bytes(bytes(data if damage == "flip" else data[:50]))
    assert _play(folder)["points"] == first["points"]
    assert _play(folder) == {**first, "warm": True}


def test_an_edited_helper_module_gives_the_new_result(tree):
    """numba alone would serve the old code here: it watches only the file of the entry point."""
    folder, first = tree
    helper = folder / "sim" / "kernel" / "turn.py"
    text = helper.read_text()
    changed = text.replace("state.points[seat] += taken + 1", "state.points[seat] += taken + 1000")
    assert changed != text
    helper.write_text(changed)
    game = folder / "sim" / "kernel" / "game.py"
    game.write_text(game.read_text().replace("if not conserved(", "if False and conserved("))
    assert _play(folder)["points"] > 100 * first["points"]


def test_without_a_place_to_write_a_directory_of_this_run_alone_is_used(monkeypatch):
    monkeypatch.setenv("ELEWENJEWE_CACHE_DIR", "/proc/nowhere")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "x")
    monkeypatch.setattr(sys.modules["numba"].config, "CACHE_DIR", "x")
    found = cache.Cache()
    assert found.usable
    assert not found.stays
    assert not found.warm
    assert "proc" not in str(found.path)


WITH_A_CHILD = """
import os, runpy, subprocess, sys
print(runpy.run_path(sys.argv[1])["CACHE"].path, flush=True)
if len(sys.argv) > 2:
    os._exit(0)
subprocess.run([sys.executable, "-c", os.environ["CODE"], sys.argv[1], "child"], check=True)
"""


def test_processes_share_the_directory_of_this_run_alone_and_leave_none_behind(tmp_path):
    """Workers are killed when a run is over: what they made for themselves would stay."""
    done = subprocess.run(
        [sys.executable, "-c", WITH_A_CHILD, cache.__file__],
        env={
            **os.environ,
            "ELEWENJEWE_CACHE_DIR": "/proc/nowhere",
            "TMPDIR": str(tmp_path),
            "CODE": WITH_A_CHILD,
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    own, childs = done.stdout.split()
    assert own == childs
    assert Path(own).is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_others_can_write_to_is_not_used(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "x")
    monkeypatch.setattr(sys.modules["numba"].config, "CACHE_DIR", "x")
    monkeypatch.setenv("ELEWENJEWE_CACHE_DIR", str(tmp_path))
    theirs = tmp_path / cache.generation()
    theirs.mkdir()
    theirs.chmod(0o777)
    assert cache.Cache().path != theirs


def test_with_no_place_at_all_nothing_is_cached(monkeypatch):
    monkeypatch.setattr(cache, "_chosen_place", lambda: (None, False))
    assert not cache.Cache().usable


def test_every_compiled_source_is_in_the_generation(tmp_path):
    for name in ("sim", "strategies"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    before = cache.sources_hash(tmp_path)
    for part in ("sim/kernel/rng.py", "sim/sight.py", "sim/view.py", "strategies/greedy.py"):
        path = tmp_path / part
        text = path.read_text()
        path.write_text(text + "\n# changed\n")
        assert cache.sources_hash(tmp_path) != before
        path.write_text(text)
    assert cache.sources_hash(tmp_path) == before


def test_a_processor_named_in_other_letters_is_one_all_the_same(tmp_path, monkeypatch):
    told = tmp_path / "cpuinfo"
    told.write_bytes(b"model name : Caf\xe9 9000\nflags : fpu\n\nmodel name : the next\n")
    monkeypatch.setattr(cache, "Path", lambda _: told)
    assert cache._processor().splitlines()[1] == "flags : fpu"
