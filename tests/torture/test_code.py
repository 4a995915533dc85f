"""Strategy files and caches are programs: what runs them, what never does, what they break."""

import hashlib
import os
import pickle
import re
import shutil
import stat
from pathlib import Path

import pytest

from sim.kernel import cache
from sim.store import open_run
from tests.torture.harness import logical_hash, sim, strays

quick = pytest.mark.quick
ROOT = Path(__file__).parents[2]

CANARY = "from pathlib import Path\nPath({place!r}).open('a').write('run ')\n"
FAIR = (
    "import os, random, sys, threading, time\nfrom sim.strategy import strategy\nKEPT = []\n"
    "@strategy(wants='best', compiled=False)\ndef mine(view):\n    '''Its first move.'''\n"
    "    if view.turn == 3 and view.seat == 0:\n        {deed}\n    return 0\n"
)
ASKED = "question: Who wins?\ngames: 20\nlineups: {a: [mine.py:mine, greedy]}\n"


def asked(folder, deed="pass", first=""):
    folder.mkdir(exist_ok=True)
    (folder / "mine.py").write_text(first + FAIR.format(deed=deed))
    path = folder / "asked.yaml"
    path.write_text(ASKED)
    return path


def test_a_strategy_file_is_run_by_whoever_allows_it_and_by_nobody_else(tmp_path, injecting):
    """The canary in it sings with --allow-code alone; path and hash are on record (B30)."""
    place = tmp_path / "canary"
    path = asked(tmp_path / "theirs", first=CANARY.format(place=str(place)))
    run = tmp_path / "run"
    for args in (["run", path, "--out", run], ["check", path], ["plan", path], ["rules", path]):
        with injecting(f"sim {args[0]} without being allowed"):
            told = sim(*args, code=2).err
            assert "mine.py is a program" in told and "--allow-code" in told
            assert not place.exists() and not run.exists()
    sim("run", path, "--out", run, "--allow-code", code=0)
    assert place.exists()
    place.unlink()
    one = open_run(run).record["experiment"]["strategies"]["mine.py:mine"]
    assert one["sha256"] == hashlib.sha256(path.with_name("mine.py").read_bytes()).hexdigest()
    shutil.rmtree(path.parent)
    (copy,) = (run / "code").iterdir()
    copy.with_name("conftest.py").write_text(CANARY.format(place=str(place)))
    (run / "sitecustomize.py").write_text(CANARY.format(place=str(place)))
    reads = (["verify", run], ["show", run], ["report", run], ["show", run, "--json"])
    for args in (*reads, ["show", run, "--metric", "tie_rate"], ["compare", run, run]):
        with injecting(f"sim {args[0]} of their run"):
            sim(*args)
            assert not place.exists()
    with injecting("sim replay of their run"):
        assert "is a program" in sim("replay", run, "--deal", 0, code=2).err
        assert not place.exists()
    sim("replay", run, "--deal", 0, "--allow-code", code=0)
    assert place.exists()


def test_a_copy_that_is_not_what_was_played_is_never_run(tmp_path, injecting):
    """Its hash is compared before anything of it runs (B30)."""
    place = tmp_path / "canary"
    run = tmp_path / "run"
    sim("run", asked(tmp_path / "mine"), "--out", run, "--allow-code", code=0)
    (copy,) = (run / "code").iterdir()
    copy.write_text(CANARY.format(place=str(place)) + copy.read_text())
    with injecting("a changed copy"):
        told = sim("replay", run, "--deal", 0, "--allow-code", code=3).err
        assert "is not the file that was played" in told
        assert not place.exists()


FAILING = {
    "ends the program": ("sys.exit(3)", "RuntimeError: it raised SystemExit"),
    "ends the program well": ("raise SystemExit(0)", "it raised SystemExit"),
    "closes a generator": ("raise GeneratorExit", "it raised GeneratorExit"),
    "calls itself": ("mine.choose(view)", "RecursionError"),
    "takes all memory": ("KEPT.append(bytearray(10**14))", "MemoryError"),
    "no number": ("return float('nan')", "chose no move of its list but nan"),
    "a word": ("return '0'", "chose no move of its list but '0'"),
    "a number without end": ("return 10**5000", "mine.py:mine failed"),
    "changes its view": ("view.n_moves = 9", "writes view.n_moves"),
    "terminal codes": ("raise ValueError('\\x1b[31m\\x9bred')", "ValueError: �[31m�red"),
}


@pytest.mark.parametrize(
    "what", [pytest.param(one, marks=quick if i == 0 else ()) for i, one in enumerate(FAILING)]
)
def test_what_a_strategy_does_wrong_ends_the_run_in_order(tmp_path, injecting, what):
    """Exit code 7 with strategy, address and reason; the run directory is sound (B30)."""
    deed, told = FAILING[what]
    run = tmp_path / "run"
    with injecting(what):
        done = sim("run", asked(tmp_path, deed), "--out", run, "--allow-code", "--jobs", 1, code=7)
        assert "the strategy mine.py:mine" in done.err
        assert told in done.err
        assert sim("verify", run, code=0)
        assert strays(run) == set()


HARMLESS = {
    "prints much": "print('x' * 1000)",
    "starts a thread": "KEPT.append(threading.Thread(target=time.sleep, args=(0.1,)).start())",
    "forks": "KEPT or KEPT.append(os.fork() or 1)",
    "draws at random": "random.seed(time.time()); random.random()",
    "changes folder": "os.chdir('/')",
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_a_strategy_does_beside_choosing_changes_no_number(tmp_path, injecting, what):
    """The rows are those of the same strategy without its deed (B30)."""
    sim("run", asked(tmp_path / "a"), "--out", tmp_path / "plain", "--allow-code", code=0)
    with injecting(what):
        path = asked(tmp_path / "b", HARMLESS[what])
        sim("run", path, "--out", tmp_path / "run", "--allow-code", "--jobs", 1, code=0)
        assert logical_hash(tmp_path / "run") == logical_hash(tmp_path / "plain")
        assert strays(tmp_path / "run") == set()


def test_nothing_depends_on_the_order_in_which_python_hashes_words(tmp_path, injecting):
    """C1: each start of Python has an order of its own, and so has each of its workers (B23)."""
    path = asked(tmp_path / "mine")
    how = ("--allow-code", "--backend", "loky", "--jobs", 2, "--chunk", 20)
    runs = {seed: tmp_path / seed for seed in ("1", "2")}
    for seed, run in runs.items():
        with injecting(f"PYTHONHASHSEED={seed}"):
            sim("run", path, "--out", run, *how, code=0, env={"PYTHONHASHSEED": seed})
    one, other = map(open_run, runs.values())
    assert one.data_hash() == other.data_hash()
    assert one.record == other.record


class Bomb:
    """Unpickled, it leaves a file."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return Path.touch, (self.place,)


PLACES = ("run.json", "ledger.jsonl", "DONE.json", "cells.parquet", "configs.parquet")


def test_nothing_in_a_run_directory_is_unpickled(tmp_path, injecting):
    """A pickle in the place of any file is damage, or nothing, and never loaded (B31)."""
    place = tmp_path / "canary"
    run = tmp_path / "run"
    sim("run", asked(tmp_path / "mine"), "--out", run, "--allow-code", code=0)
    bomb = pickle.dumps(Bomb(place))
    pickle.loads(bomb)
    assert place.exists()
    place.unlink()
    parts = [str(part.relative_to(run)) for part in (run / "parts").iterdir()]
    for name in (*PLACES, *parts[:2], "x.pkl", "parts/x.pkl", "report/x.pkl", "code/x.pkl"):
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(run, copy)
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_bytes(bomb)
        with injecting(f"a pickle as {name}"):
            assert sim("show", copy).code in (0, 3)
            assert not place.exists()


LOADS = re.compile(
    r"\b(import|from) (pickle|joblib\.numpy_pickle|shelve|marshal)|joblib\.load|allow_pickle=T"
)


@quick
def test_no_source_of_ours_reads_pickles(injecting):
    """Nothing of the program loads one; numba alone does, from a cache of ours (B31)."""
    sources = [
        path for part in ("sim", "reports", "strategies") for path in (ROOT / part).rglob("*.py")
    ]
    with injecting("a search of the sources"):
        assert sources
        assert not [path for path in sources if LOADS.search(path.read_text(encoding="utf-8"))]


@quick
def test_the_cache_of_compiled_code_is_ours_alone(tmp_path, injecting, monkeypatch):
    """It is made for nobody else, and one that others own or can write to is not used (B31)."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "x")
    monkeypatch.setattr(cache, "generation", lambda: "now")

    def chosen():
        found, _ = cache._chosen_place()
        assert found is not None
        mode = stat.S_IMODE(found.stat().st_mode)
        assert found.stat().st_uid == os.getuid() and mode == 0o700, oct(mode)
        return found

    def base(name, mode=0o700):
        path = tmp_path / name
        path.mkdir()
        monkeypatch.setenv("ELEWENJEWE_CACHE_DIR", str(path))
        (path / "now").mkdir()
        (path / "now").chmod(mode)
        path.chmod(mode)
        return path

    with injecting("no cache yet"):
        monkeypatch.setenv("ELEWENJEWE_CACHE_DIR", str(tmp_path / "new" / "base"))
        assert chosen() == tmp_path / "new" / "base" / "now"
    for mode in (0o777, 0o770, 0o702):
        with injecting(f"a cache of mode {mode:o}"):
            path = base(f"mode{mode:o}", mode)
            assert chosen() != path / "now"
    with injecting("a directory above that all can write to"):
        path = base("above")
        path.chmod(0o777)
        assert chosen() != path / "now"
    with injecting("a link to another cache"):
        path = base("link")
        (path / "now").rmdir()
        (path / "now").symlink_to(tmp_path / "mode777")
        assert chosen() != path / "now"
    if os.getuid() == 0:
        with injecting("a cache of another user"):
            path = base("theirs")
            os.chown(path / "now", 12345, 12345)
            assert chosen() != path / "now"
