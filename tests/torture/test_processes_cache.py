"""The cache of compiled code, damaged, taken away, filled by many at once: never a wrong game."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sim.kernel import cache
from tests.runs import command, written
from tests.torture.harness import CHUNK, TINY, logical_hash, sim
from tests.torture.test_processes_limits import mounted, mounting

ROOT = Path(__file__).parents[2]
PLAY = """
import json, os, shutil
from sim.kernel import CACHE, Engine
warm = CACHE.warm
from sim.rules import Rules
from sim.strategy import catalogue
if os.environ.get("TAKE_AWAY"):
    shutil.rmtree(CACHE.path)
rows = Engine(Rules(), [[catalogue()["greedy"].bind()] * 2], 1, 7).play(0, 20)
print(json.dumps({"warm": warm, "points": int(rows["points"].sum())}))
"""


def begun(folder, **env):
    return subprocess.Popen(
        [sys.executable, "-c", PLAY],
        env={**os.environ, "ELEWENJEWE_CACHE_DIR": str(folder), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    return json.loads(out)


@pytest.fixture(scope="module")
def cold(tmp_path_factory, request):
    """A cache that six processes filled at the same moment, and what they played (B34)."""
    folder = tmp_path_factory.mktemp("cache")
    found = [ended(one) for one in [begun(folder) for _ in range(6)]]
    assert len({told["points"] for told in found}) == 1
    return folder, found[0]["points"]


def files(folder, pattern):
    return sorted((folder / cache.generation()).rglob(pattern))


def test_six_cold_starts_at_once_leave_a_cache_that_is_right(cold, injecting):
    """B34. Which of them wrote a file last is nothing to rely on: what is not as it was sealed is
    compiled once more, and then it is warm."""
    folder, points = cold
    with injecting("six cold starts at once"):
        assert ended(begun(folder))["points"] == points
        assert ended(begun(folder)) == {"warm": True, "points": points}


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["empty", "cut", "flip", "gone"])
def test_a_damaged_file_is_compiled_again(cold, kind, damage, injecting):
    """B34, finding 7."""
    folder, points = cold
    victim = next(one for one in files(folder, f"*.{kind}") if "_fill_table" in one.name)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 255
    with injecting(f"{kind}: {damage}"):
        if damage == "gone":
            victim.unlink()
        else:
            size = {"empty": 0, "cut": len(data) // 3, "flip": len(data)}[damage]
            victim.write_bytes(bytes(data[:size]))
        assert ended(begun(folder))["points"] == points
        assert ended(begun(folder)) == {"warm": True, "points": points}


def test_what_numba_cannot_load_though_it_is_as_it_was_sealed_is_given_up(cold, injecting):
    """B34: whatever is wrong with a cache, the games are played without it."""
    folder, points = cold
    spoilt = folder.parent / "spoilt"
    shutil.copytree(folder, spoilt)
    for index in files(spoilt, "*.nbi"):
        index.write_bytes(index.read_bytes()[:-9])
    place = spoilt / cache.generation()
    (place / cache.SEAL).write_text(json.dumps(cache._digests(place)))
    with injecting("a sealed file that numba cannot load"):
        assert ended(begun(spoilt))["points"] == points
        assert not place.exists()


def test_a_cache_that_is_taken_away_during_a_run(cold, injecting):
    """B34."""
    folder, points = cold
    taken = folder.parent / "taken"
    shutil.copytree(folder, taken)
    with injecting("the cache is removed"):
        assert ended(begun(taken, TAKE_AWAY="yes"))["points"] == points


def sealed(folder, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "x")
    monkeypatch.setattr(sys.modules["numba"].config, "CACHE_DIR", "x")
    monkeypatch.setenv("ELEWENJEWE_CACHE_DIR", str(folder))
    place = folder / cache.generation()
    place.mkdir(mode=0o700, parents=True)
    (place / "a.nbi").write_bytes(b"code")
    (place / cache.SEAL).write_text(json.dumps(cache._digests(place)))
    return place


@pytest.mark.quick
@pytest.mark.parametrize("seal", ["", "{", "[]", "null", '{"a.nbi": 7}', "\0"])
def test_without_its_seal_nothing_is_trusted(tmp_path, monkeypatch, seal, injecting):
    """B31, B34: files of the cache are pickles."""
    place = sealed(tmp_path, monkeypatch)
    assert cache.Cache().warm
    with injecting(f"the seal is {seal!r}"):
        (place / cache.SEAL).write_text(seal)
        assert not cache.Cache().warm
        assert not (place / "a.nbi").exists()


@pytest.mark.quick
@pytest.mark.parametrize("flag", cache.FLAGS)
def test_code_that_was_compiled_with_other_flags_is_not_loaded(
    tmp_path, monkeypatch, flag, injecting
):
    """B34, finding 6: such as a warm cache where bounds checks are asked for."""
    sealed(tmp_path, monkeypatch)
    with injecting(f"{flag}=1"):
        monkeypatch.setenv(flag, "1")
        assert not cache.Cache().warm


@mounting
def test_an_install_that_is_read_only_and_no_home(tmp_path, injecting):
    """B11: with a cache of this start alone, and one line that says so."""
    path = written(tmp_path, TINY)
    (tmp_path / "tmp").mkdir()
    run = command("run", path, "--out", tmp_path / "run", "--chunk", CHUNK)
    mount = f"mount --bind {ROOT} {ROOT} && mount -o remount,bind,ro {ROOT} && cd {ROOT}"
    nowhere = ["env", "-u", "XDG_CACHE_HOME", "-u", "ELEWENJEWE_CACHE_DIR", "HOME=/proc/nope"]
    argv = [*nowhere, f"TMPDIR={tmp_path / 'tmp'}", *run]
    with injecting("a read-only install and no HOME"):
        done = sim(argv=mounted(mount, argv), code=0)
    assert done.err.count("at every start: set ELEWENJEWE_CACHE_DIR to a folder") == 1
    assert [one.name for one in (tmp_path / "tmp").glob("elewenjewe*")] == []
    sim("run", path, "--out", tmp_path / "again", code=0)
    assert logical_hash(tmp_path / "run") == logical_hash(tmp_path / "again")
