"""A strategy that fails ends the run with its name, the address and a remedy; nothing is lost.

The strategies fail at a rare word of chance, so that some parts are published before.
"""

import os
import re
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from sim.blame import Place
from sim.errors import WorkerFailed
from sim.kernel import Engine
from sim.rules import Rules
from sim.store import open_run
from sim.strategy import catalogue, strategy
from sim.watch import Watch
from tests.runs import impatient

HEAD = "from sim.sight import move_size\nfrom sim.strategy import strategy\n"
STRATEGY = """
@strategy(wants="best"{more})
def mine(view):
    '''Plays its first move, until it fails.'''
    if view.noise < {below}:
        {deed}
    return 0
"""
COMPILED = {"more": "", "below": 2**32 // 40_000}
PLAIN = {"more": ", compiled=False", "below": 2**32 // 1000}

ADDRESS = re.compile(
    r"variant rules, 2 players, line-up a, seed 1960, deal (\d+), rotation (\d+), hand rotation 0, "
    r"round \d+, turn \d+, seat [01]\)"
)


def asked(folder, deed, how, games):
    (folder / "mine.py").write_text(HEAD + STRATEGY.format(deed=deed, **how))
    path = folder / "asked.yaml"
    path.write_text(
        f"question: Who wins?\ngames: {games}\nlineups: {{a: [mine.py:mine, greedy]}}\n"
    )
    return path


def sim(mark, *args):
    return subprocess.Popen(
        impatient(*args),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "MARK_OF_TEST": mark, "COLUMNS": "100"},
    )


def alive(mark):
    """Return the processes that were started with a mark, and their children."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if (
                mark.encode() in (place / "environ").read_bytes()
                and "Z" not in ((place / "stat").read_text().rpartition(")")[2].split()[0])
            ):
                found.append(int(place.name))
        except OSError:
            continue
    return found


def ended(mark):
    """Wait for all marked processes to end; say whether they did."""
    deadline = time.monotonic() + 20
    while alive(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(mark)


DEEDS = {
    "wrong index": ("return 99", "chose no move of its list", "an index from 0 to view.n_moves"),
    "negative index": ("return -1", "chose no move of its list", "an index from 0 to"),
    "raises": ("raise ValueError('oh no')", "mine.py:8: ValueError: oh no", "check-strategy"),
    "out of bounds": ("return view.points[view.turn + 9]", "IndexError", "check-strategy"),
    "no such move": ("return move_size(view, view.n_moves)", "Error", "check-strategy"),
    "never ends": ("while view.turn >= 0:\n            pass", "never to end", "loops"),
}
LOKY = ["--backend", "loky", "--jobs", "2"]
BACKENDS = {
    "compiled, in the main thread": (COMPILED, 2000, ["--jobs", "1", "--chunk", "40"]),
    "compiled, in threads": (COMPILED, 2000, ["--jobs", "2", "--chunk", "40"]),
    "compiled, in processes": (
        COMPILED,
        2000,
        ["--backend", "loky", "--jobs", "2", "--chunk", "40"],
    ),
    "plain, in the main thread": (PLAIN, 60, ["--jobs", "1", "--chunk", "2"]),
    "plain, in processes": (PLAIN, 60, [*LOKY, "--chunk", "2"]),
}
CASES = [(deed, backend) for deed in ("raises", "never ends") for backend in BACKENDS]
CASES += [
    (deed, backend)
    for deed in DEEDS
    if (deed, "compiled, in threads") not in CASES
    for backend in ("compiled, in threads", "plain, in the main thread")
]


@pytest.mark.parametrize(("deed", "backend"), CASES)
def test_a_strategy_that_fails_is_told_and_nothing_is_lost(tmp_path, deed, backend):
    code, told, remedy = DEEDS[deed]
    how, games, options = BACKENDS[backend]
    path = asked(tmp_path, code, how, games)
    run = ["run", path, "--allow-code", "--out", tmp_path / "run", *options]
    mark = uuid.uuid4().hex
    for again in ([], ["--resume"]):
        process = sim(mark, *run, *again)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 7, out + err
        assert "Traceback" not in err
        assert "the strategy mine.py:mine" in err
        assert told in err
        assert remedy in err
        assert ADDRESS.search(err)
        assert "what was published stays" in err
        assert ended(mark)
        health = open_run(tmp_path / "run").health()
        assert health.faults == ()
        assert health.parts > 0
        assert health.missing_blocks > 0
    if "main" in backend:
        deal, rotation = map(int, ADDRESS.search(err).groups())
        replay = ["--deal", deal, "--rotation", rotation, "--allow-code"]
        if deed != "never ends":
            process = sim(mark, "replay", tmp_path / "run", *replay)
            _, err = process.communicate(timeout=120)
            assert process.returncode == 7, err


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("return view.hands[0]", ("reads view.hands", "mine.py:8", "a View has hand, loose")),
        ("view.points[0] = 9", ("writes view.points", "mine.py:8", "only to be read")),
        ("view.loose += 1", ("writes view.loose", "mine.py:8", "only to be read")),
        ("return len(open('x').read())", ("cannot be compiled", "mine.py:8", "open")),
        ("return [1, 'a']", ("cannot be compiled", "mine.py:8", "compiled=False")),
        ("return unheard(view)", ("cannot be compiled", "unheard", "compiled=False")),
    ],
)
def test_what_cannot_be_compiled_or_read_is_told_by_its_line(tmp_path, code, told):
    path = asked(tmp_path, code, COMPILED, 100)
    process = sim("", "run", path, "--allow-code", "--out", tmp_path / "run")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 7, out + err
    for part in ("the strategy mine.py:mine", *told):
        assert part in err
    assert "Traceback" not in err
    assert "site-packages" not in err


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("return view.hands[0]", "reads view.hands"),
        ("view.points[0] = 9", "writes view.points"),
        ("return 1.0", "chose no move of its list but 1.0"),
        ("return True", "chose no move of its list but True"),
        ("return None", "chose no move of its list but None"),
    ],
)
def test_plain_python_is_held_to_the_same(tmp_path, code, told):
    path = asked(tmp_path, code, PLAIN, 60)
    process = sim("", "run", path, "--allow-code", "--out", tmp_path / "run", "--jobs", "1")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 7, out + err
    assert told in err
    assert "Traceback" not in err


def test_a_process_caught_in_a_call_that_never_ends_is_ended(tmp_path):
    path = asked(tmp_path, "sum(__import__('itertools').count())", PLAIN, 60)
    mark = uuid.uuid4().hex
    process = sim(mark, "run", path, "--allow-code", "--out", tmp_path / "run", *LOKY)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 7, out + err
    assert "a worker process ended by itself" in err
    assert "Traceback" not in err
    assert ended(mark)


SLOW = "import time\n        time.sleep(0.02)"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_processes_end_with_their_parent_in_order_or_not(tmp_path, number, code):
    path = asked(tmp_path, SLOW, {**PLAIN, "below": 2**32}, 400)
    mark = uuid.uuid4().hex
    options = [*LOKY, "--chunk", "1"]
    process = sim(mark, "run", path, "--allow-code", "--out", tmp_path / "run", *options)
    ledger = tmp_path / "run" / "ledger.jsonl"
    deadline = time.monotonic() + 120
    while not (ledger.exists() and ledger.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, out + err
    assert "Traceback" not in err
    assert ended(mark)
    health = open_run(tmp_path / "run").health()
    assert health.faults == ()
    assert health.parts > 0


def test_an_exception_of_compiled_code_without_a_file_is_told_too():
    @strategy(wants="best")
    def raiser(view):
        """Raises."""
        if view.turn == 3:
            raise ValueError("no")
        return 0

    with pytest.raises(WorkerFailed, match=r"raiser failed: ValueError: no \(seed 5, deal 2"):
        Engine(Rules(), [[raiser.bind(), catalogue()["greedy"].bind()]], 1, 5).play(2, 3)


def test_the_watch_counts_looks_at_the_same_decision_only():
    told = []
    player = catalogue()["greedy"].bind()
    places = iter([*range(100)] + [100] * 1000)
    seen = []

    def where():
        seen.append(next(places))
        return player, Place("c", 1, 0, 0, 0, turn=seen[-1])

    with Watch(told.append, 0.3) as watch, watch.over(where):
        while not told:
            time.sleep(0.01)
    assert seen.count(100) > 30
    assert "greedy has thought about one move for 0.3 s" in told[0]
    assert "turn 101" in told[0]
