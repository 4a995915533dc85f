"""Users' strategies: run only when allowed, played as any other, bound to their file."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from sim.design import cells
from sim.engines import engine_of
from sim.errors import DataDamaged, ResumeRefused, UsageFault
from sim.experiment import Experiment, load
from sim.runner import run
from sim.store import open_run
from tests.runs import said

GREEDY = Path(__file__).parents[1].joinpath("strategies", "greedy.py").read_text()
TRACE = "from pathlib import Path\nPath(__file__).with_name('was_run').touch()\n"
ASKED = "question: Who wins?\nname: n\nlineups: {a: [mine.py:greedy, random]}\ngames: 100\n"


@pytest.fixture
def asked(tmp_path):
    """Return a function that writes an experiment and its strategy file."""

    def asked(text=ASKED, code=GREEDY):
        (tmp_path / "mine.py").write_text(TRACE + code)
        path = tmp_path / "asked.yaml"
        path.write_text(text)
        return path

    return asked


def read(path):
    return load(path, allow_code=True)


def rows(experiment, deals=20):
    return [engine_of(cell, experiment.seed).play(0, deals) for cell in cells(experiment)]


def test_without_being_allowed_no_code_is_run_and_the_refusal_says_why(asked, tmp_path):
    path = asked()
    with pytest.raises(UsageFault, match=r"lineups\.a\[0\]: mine\.py is a program") as fault:
        load(path)
    assert "read it first" in str(fault.value)
    assert "--allow-code" in str(fault.value)
    for args in (["run", path, "--out", tmp_path / "run"], ["check", path], ["rules", path]):
        assert "is a program" in said(*args, code=2)
    assert not (tmp_path / "was_run").exists()
    assert not (tmp_path / "run").exists()
    said("check", path, "--allow-code")
    assert (tmp_path / "was_run").exists()


def test_it_plays_as_the_same_strategy_of_the_program_does(asked):
    own = read(asked())
    built_in = read(asked(ASKED.replace("mine.py:greedy", "greedy")))
    assert all(map(np.array_equal, rows(own), rows(built_in)))


def test_plain_python_plays_what_compiled_code_plays(asked):
    plain = read(asked(code=GREEDY.replace('wants="best"', 'wants="best", compiled=False')))
    assert not cells(plain)[0].compiled
    compiled = read(asked(code=GREEDY))
    assert all(map(np.array_equal, rows(plain, 3), rows(compiled, 3)))


def test_a_strategy_in_plain_python_reads_every_field_as_compiled_code_does(asked):
    """A numpy record has a method of the name of the field `round`."""
    code = (
        "from sim.strategy import strategy\n"
        "@strategy(wants='all'{more})\ndef greedy(view):\n"
        '    """Plays by the numbers of the game."""\n'
        "    mixed = 3 * view.round + 5 * view.turn + 7 * view.points[0] + view.role\n"
        "    return mixed % view.n_moves\n"
    )
    plain = rows(read(asked(code=code.format(more=", compiled=False"))), 3)
    compiled = rows(read(asked(code=code.format(more=""))), 3)
    assert all(map(np.array_equal, plain, compiled))


HELPED = """
from sim.sight import CAPTURE, move_kind, move_size
from sim.strategy import Parameter, strategy

NERVE = Parameter("nerve", 0.5, 0, 1, "how bold")

def worth(view, move):
    return move_size(view, move) - view.parameters[0] if move_kind(view, move) == CAPTURE else 0.0

@strategy(wants="best", parameters=(NERVE,))
def greedy(view):
    '''Plays with a helper.'''
    best = 0
    for move in range(view.n_moves):
        if worth(view, move) > worth(view, best):
            best = move
    return best
"""


def test_a_helper_of_the_file_is_compiled_along(asked):
    assert len(rows(read(asked(code=HELPED)))[0])


def test_parameters_are_checked_like_those_of_the_program(asked):
    wrong = "{strategy: mine.py:greedy, nerve: 3, neve: 1}"
    with pytest.raises(UsageFault) as fault:
        read(asked(ASKED.replace("[mine.py:greedy, random]", wrong), HELPED))
    assert "lineups.a.nerve: 3 is not allowed; nerve is a number from 0 to 1" in str(fault.value)
    assert "has no such parameter (did you mean nerve?)" in str(fault.value)


@pytest.mark.parametrize(
    ("named", "code", "told"),
    [
        ("none.py:greedy", "", "none.py cannot be read: No such file"),
        ("mine.py:gredy", GREEDY, "no strategy 'gredy' (did you mean greedy?); it has greedy"),
        ("mine.py:luckiest", GREEDY, "luckiest is no strategy; put @strategy(wants=...)"),
        ("mine.py:x", "x = (\n", "mine.py:3: SyntaxError"),
        ("mine.py:x", "\n\n1 / 0\n", "mine.py:5: ZeroDivisionError: division by zero"),
        ("mine.py:x", "raise SystemExit\n", "mine.py:3: SystemExit"),
        ("mine.py:x", "#" * 300_000, "mine.py is larger than 256 KiB"),
        ("/mine.py:x", "", "or your own as FILE.py:NAME, relative to the experiment file"),
        ("mine.py", "", "or your own as FILE.py:NAME"),
        (
            "mine.py:x",
            "from sim.strategy import strategy\n@strategy(wants='some')\ndef x(view): pass\n",
            "a strategy wants 'best' or 'all' of its moves",
        ),
    ],
)
def test_a_file_that_does_not_serve_is_told_with_its_place(asked, named, code, told):
    with pytest.raises(UsageFault) as fault:
        read(asked(ASKED.replace("mine.py:greedy", named), code))
    assert told in str(fault.value)
    assert "asked.yaml:3:" in str(fault.value)


def test_no_parameter_takes_the_name_of_another_key(asked):
    for name in ("strategy", "with"):
        with pytest.raises(UsageFault, match=f"no parameter can be called '{name}'"):
            read(asked(code=HELPED.replace('"nerve"', f'"{name}"')))


@pytest.mark.parametrize(
    "told",
    [
        '"n", 5, 0, 1',
        '"n", float("nan"), 0, 1',
        '"n", 0, 0, float("inf")',
        '"n", "x", 0, 1',
        '"a b", 0, 0, 1',
    ],
)
def test_a_parameter_that_no_experiment_could_set_is_told_with_its_place(asked, told):
    with pytest.raises(UsageFault, match=r"asked\.yaml:3:.*mine\.py:\d+: ValueError"):
        read(asked(code=HELPED.replace('"nerve", 0.5, 0, 1', told)))


def test_the_identity_is_that_of_the_files_content(asked):
    first = read(asked()).identity
    assert read(asked()).identity == first
    assert read(asked(ASKED.replace("mine.py", "./mine.py"))).identity == first
    assert read(asked(code=GREEDY + "\n")).identity != first


def test_without_files_and_rates_the_stored_form_is_what_it_was(asked):
    stored = read(asked(ASKED.replace("mine.py:greedy", "greedy"))).to_dict()
    assert "strategies" not in stored
    assert stored["lineups"][0]["players"] == [{"strategy": "greedy"}, {"strategy": "random"}]


def test_a_stored_experiment_is_read_without_the_file(asked, tmp_path):
    experiment = read(asked(code=HELPED))
    stored = json.loads(json.dumps(experiment.to_dict()))
    (tmp_path / "mine.py").unlink()
    again = Experiment.from_dict(stored)
    assert again.to_dict() == experiment.to_dict()
    assert again.identity == experiment.identity
    own = again.lineups[0].entries[0]
    assert str(own) == "mine.py:greedy"
    assert not own.strategy.is_read
    assert stored["strategies"]["mine.py:greedy"]["sha256"] == own.strategy.file.sha256
    del stored["strategies"]
    with pytest.raises(DataDamaged):
        Experiment.from_dict(stored)


def test_a_changed_file_is_another_experiment_and_is_not_resumed(asked, tmp_path):
    run(read(asked()), tmp_path / "run", jobs=1)
    with pytest.raises(ResumeRefused, match=r"strategies\.mine\.py:greedy\.sha256"):
        run(read(asked(code=GREEDY + "\n")), tmp_path / "run", jobs=1, resume=True)
    assert ResumeRefused.exit_code == 6


def test_a_run_is_shown_verified_and_replayed_without_the_users_file(asked, tmp_path):
    path = tmp_path / "run"
    run(read(asked()), path, jobs=1)
    (tmp_path / "mine.py").unlink()
    (tmp_path / "was_run").unlink()
    assert "Who wins?" in said("show", path)
    assert "as they were written" in said("verify", path)
    refusal = said("replay", path, "--deal", "3", code=2)
    (copy,) = (path / "code").iterdir()
    assert f"{copy} is a program" in refusal
    assert not copy.with_name("was_run").exists()
    told = said("replay", path, "--deal", "3", "--allow-code")
    assert "seat 0 mine.py:greedy, seat 1 random" in told
    assert "The game is over." in told
    assert copy.with_name("was_run").exists()
    copy.write_text(copy.read_text() + "#")
    assert "is not the file that was played" in said(
        "replay", path, "--deal", "3", "--allow-code", code=3
    )


MIXED = (
    "question: Who wins?\nplayers: [2, 3]\ngames: 40\nkeep: {games: 60}\n"
    "lineups: {x: greedy, y: [mine.py:greedy, random]}\n"
)


@pytest.mark.parametrize("more", ["", ", compiled=False"], ids=["compiled", "plain"])
def test_the_data_do_not_depend_on_the_backend(asked, tmp_path, more):
    path = asked(MIXED, GREEDY.replace('wants="best"', f'wants="best"{more}'))
    hashes = set()
    for i, how in enumerate(
        ({"jobs": 1}, {"jobs": 2, "chunk_games": 7}, {"jobs": 2, "backend": "loky"})
    ):
        hashes.add(run(read(path), tmp_path / f"run{i}", **how).run.data_hash())
    assert len(hashes) == 1


def test_an_interrupted_run_goes_on_in_processes(asked, tmp_path):
    path = asked(MIXED)
    whole = run(read(path), tmp_path / "run", jobs=1, chunk_games=7).run
    shutil.copytree(whole.path, tmp_path / "copy")
    ledger = tmp_path / "copy" / "ledger.jsonl"
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[::3]))
    how = {"jobs": 2, "backend": "loky", "resume": True}
    outcome = run(read(path), tmp_path / "copy", **how)
    assert outcome.played
    assert open_run(tmp_path / "copy").data_hash() == whole.data_hash()
    assert not list((tmp_path / "copy" / "tmp").iterdir())
