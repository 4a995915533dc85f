"""The command line: exit codes, and sentences instead of tracebacks."""

import re
import subprocess

import pytest

from sim import __version__
from sim.cli import COMMANDS
from tests.runs import command, said, written


def test_the_version():
    assert said("--version").strip() == f"sim, version {__version__}"


def test_help_lists_every_command_with_a_whole_sentence():
    told = said("--help").partition("Commands:")[2]
    assert "..." not in told
    assert " ".join(told.split()).count("the answer to its question.") == 1
    assert all(re.search(rf"^  {name} +[A-Z]", told, re.M) for name in COMMANDS)


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["frob"], 2, "No such command 'frob'"),
        (["chekc"], 2, "No such command 'chekc' (did you mean check?)"),
        (["list"], 2, "Choose from:\n  strategies,\n  metrics"),
        (["run", "nope.yaml"], 2, "nope.yaml: cannot be read: No such file"),
        (["run"], 2, "Missing argument"),
        (["verify", "/"], 3, "is no run directory"),
        (["show", "nowhere"], 3, "is no run directory"),
        (["show", "experiments/yoruba_vs_casual.yaml"], 3, "is no run directory"),
        (["replay", "nowhere", "--deal", "1"], 3, "is no run directory"),
        (["moves", "--hand", "Z", "--table", ""], 2, "'Z' is no card"),
    ],
)
def test_a_fault_is_a_sentence_and_an_exit_code(args, code, told):
    assert told in said(*args, code=code)


@pytest.mark.parametrize("jobs", ["0", "-1", "10000", "two"])
def test_jobs_out_of_range_are_refused(tmp_path, jobs):
    assert "--jobs" in said("run", written(tmp_path), "--jobs", jobs, code=2)


def test_check_tells_in_which_unit_the_smallest_difference_is(tmp_path):
    path = written(tmp_path, "question: q\ngames: 64\n")
    assert "matters 0.005 (0.5 percentage points)\n" in said("check", path)
    assert "matters 0.5 points per game\n" in said("check", path, "--set", "primary=margin")
    assert "\n1 cell of 64 games" in said("check", path)


def test_rounding_up_and_the_seed_are_said(tmp_path):
    text = said("run", written(tmp_path), "--out", tmp_path / "run", "--set", "games=500")
    assert "seed 1960" in text
    assert "rounded up to whole blocks" in text
    assert re.search(r"Data hash: [0-9a-f]{64}", text)
    again = said("run", written(tmp_path), "--out", tmp_path / "run", "--set", "games=500")
    assert "was played before; here is its answer" in again


def test_output_without_a_reader_or_an_encoding_is_no_error(tmp_path):
    import os

    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        command("check", written(tmp_path, "question: Ẹ̀yọ́ tàbí ọ̀pẹ́?\n")),
        capture_output=True,
        text=True,
        env=env,
    )
    assert done.returncode == 0, done.stderr
    assert "question" in done.stdout
