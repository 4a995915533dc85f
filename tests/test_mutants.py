"""The list of rule mutants fits the code as it is; `make mutants` plants them."""

import ast
from collections import Counter

import pytest
from click.testing import CliRunner

from tests.mutants import KINDS, ROOT, Mutant, mutants
from tests.mutants import __main__ as command

LISTED = mutants()


@pytest.mark.parametrize("mutant", LISTED, ids=lambda m: f"{m.engine}: {m.name}")
def test_a_mutant_can_be_planted(mutant):
    text = ROOT.joinpath(mutant.file).read_text()
    planted = mutant.planted(text)
    assert ast.dump(ast.parse(planted)) != ast.dump(ast.parse(text))
    assert mutant.file.startswith(
        {"twin": "sim/reference/", "kernel": "sim/kernel/"}[mutant.engine]
    )


def test_ten_mutants_are_planted_in_either_engine():
    assert len(LISTED) == 20
    assert set(Counter(mutant.name for mutant in LISTED).values()) == {2}
    assert {(mutant.name, mutant.engine) for mutant in LISTED} == {
        (mutant.name, engine) for mutant in LISTED for engine in ("twin", "kernel")
    }


@pytest.mark.parametrize("text", ["nothing of it", "old old"])
def test_a_mutant_that_no_longer_fits_says_so(text):
    with pytest.raises(ValueError, match=r"'x', twin: its old text occurs [02] times in f\.py"):
        Mutant("x", "twin", "f.py", (("old", "new"),)).planted(text)


def test_every_kind_runs_tests_that_are_there():
    for tests in KINDS.values():
        for arguments in tests.values():
            for argument in arguments:
                file, _, name = argument.removeprefix("--deselect=").partition("::")
                assert f"def {name}" in ROOT.joinpath(file).read_text()


@pytest.mark.parametrize(("witnesses", "code"), [(1, 1), (2, 0)])
def test_a_mutant_needs_two_witnesses(monkeypatch, witnesses, code):
    outcomes = ["caught"] * witnesses + ["survived"] * (len(KINDS) - witnesses)
    told_apart = dict(zip(KINDS, outcomes, strict=True))
    monkeypatch.setattr(command.Laboratory, "meet", lambda laboratory, mutant: told_apart)
    told = CliRunner().invoke(command.main, ["--engine", "twin", "--name", "leader"])
    assert told.exit_code == code, told.output
    assert told.stdout.count("caught") == witnesses
    assert ("fewer than 2 kinds: the leader is not rotated (twin)" in told.stderr) == (code == 1)
