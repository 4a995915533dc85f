"""`sim check-strategy`: a fit strategy passes, each way of being unfit is found by its check."""

import subprocess

import pytest
from click.testing import CliRunner

from sim.battery import option_values, rule_sets
from sim.cli import cli
from sim.errors import UsageFault, WorkerFailed
from sim.rules import FirstTo, Rounds, Rules
from tests.runs import impatient

CODE = """
import sys
from sim.sight import luck, move_size, word
from sim.strategy import strategy

asked = [0]


@strategy(wants="all")
def fit(view):
    '''Plays any move.'''
    best = 0
    for move in range(view.n_moves):
        if luck(view, move) > luck(view, best):
            best = move
    return best


@strategy(wants="all")
def out_of_range(view):
    return view.n_moves


@strategy(wants="all")
def fails_with_piles(view):
    if view.n_piles:
        raise ValueError("piles!")
    return 0


@strategy(wants="all")
def five_only(view):
    return 0 if view.players < 5 else -1


@strategy(wants="all", compiled=False)
def counts_its_turns(view):
    asked[0] += 1
    return asked[0] % view.n_moves


@strategy(wants="all", compiled=False)
def looks_into_hands(view):
    frame = sys._getframe()
    while frame and "round_" not in frame.f_locals:
        frame = frame.f_back
    hands = frame.f_locals["round_"].hands if frame else [[]]
    return len([card for hand in hands for card in hand if card in "A2345"]) % view.n_moves


@strategy(wants="all")
def reads_behind_its_list(view):
    return word(view.moves, 2 * view.n_moves) % view.n_moves


@strategy(wants="all")
def halves(view):
    return view.n_moves / 2


@strategy(wants="all")
def hides_that_it_counts(view):
    return view.unseen % view.n_moves


@strategy(wants="all")
def endless(view):
    while view.turn >= 7:
        pass
    return 0
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("mine") / "mine.py"
    path.write_text(CODE)
    return path


def checked(file, name, *args):
    result = CliRunner().invoke(
        cli,
        ["check-strategy", f"{file}:{name}", "--games", "2", *args],
        standalone_mode=False,
    )
    return result.output, result.exception


def test_a_fit_strategy_passes_every_check(file):
    told, fault = checked(file, "fit", "--allow-code")
    assert fault is None
    assert told.splitlines()[0] == f"{file}:fit: Plays any move."
    assert told.splitlines()[-1] == f"{file}:fit is fit to play."
    for check in ("compiles", "legal", "in range", "same address", "blind", "well read", "unseen"):
        assert f"  ok    {check}" in told
    assert "a turn" in told
    assert "FAIL" not in told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("out_of_range", "FAIL  plays         the strategy"),
        ("fails_with_piles", "ValueError: piles! ("),
        ("five_only", "chose no move of its list (5 players"),
        ("counts_its_turns", "FAIL  same address"),
        ("looks_into_hands", "FAIL  blind"),
        ("reads_behind_its_list", "FAIL  blind"),
        ("halves", "FAIL  well read"),
        ("hides_that_it_counts", "FAIL  unseen"),
    ],
)
def test_each_way_of_being_unfit_is_found(file, name, told):
    found, fault = checked(file, name, "--allow-code")
    assert told in found
    assert isinstance(fault, WorkerFailed)
    assert "is not fit to play" in str(fault)


def test_one_that_never_ends_is_found_and_ended(file):
    args = ["check-strategy", f"{file}:endless", "--allow-code"]
    done = subprocess.run(impatient(*args), capture_output=True, text=True)
    assert done.returncode == 7, done.stdout + done.stderr
    assert "FAIL  ends" in done.stdout
    assert "never to end (2 players" in done.stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("fit",), "is a program, which would run with all your rights"),
        (("unheard", "--allow-code"), "has no strategy 'unheard'"),
        (("1st", "--allow-code"), "name a strategy as FILE.py:NAME"),
    ],
)
def test_what_is_no_strategy_or_not_allowed_is_refused(file, args, told):
    _, fault = checked(file, *args)
    assert isinstance(fault, UsageFault)
    assert told in str(fault)


def test_every_value_of_every_option_comes_up():
    sets = rule_sets()
    for key, values in option_values().items():
        assert {str(getattr(rules, key)) for rules in sets} == {str(value) for value in values}
    assert set(option_values()) == set(Rules.model_fields)
    assert {type(rules.end) for rules in sets} == {Rounds, FirstTo}
