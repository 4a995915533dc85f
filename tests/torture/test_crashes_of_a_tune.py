"""Killed at any step, a resumed tune ends in the answer of an undisturbed one."""

from __future__ import annotations

import json
import signal

import pytest

from tests.runs import written
from tests.torture.forked import FULL, KILL
from tests.torture.harness import logical_hash, strays
from tests.torture.power import LOSSES

TUNE = """\
question: Is a single round fair?
space: {rest: [nobody, last_to_play]}
goals: [{fair_within: 0.3}]
lineups: {them: greedy}
budget: {games: 2000}
"""
FILES = {"tune.json", "answer.json", "explore", "fresh", "lock", "tmp"}
"""What lies in the directory of a tune that came to its end."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    return written(tmp_path_factory.mktemp("asked"), TUNE)


@pytest.fixture(scope="module")
def whole(forge, asked):
    """The steps of an undisturbed tune, and what it found."""
    out = asked.parent / "whole"
    return forge.steps(asked, out, tune=True), found(out)


def found(out):
    answer = json.loads((out / "answer.json").read_bytes())
    return answer, logical_hash(out / "explore"), logical_hash(out / "fresh")


def recovered(forge, asked, out, whole):
    ended = forge.play(asked, out, tune=True, resume=True)
    assert ended.code == 0, ended.said
    assert found(out) == whole
    assert {one.name for one in out.iterdir()} == FILES
    assert not list((out / "tmp").iterdir())
    assert strays(out / "explore") == strays(out / "fresh") == set()


def own_steps(steps):
    """The numbers of the steps by which the tune itself is published: its first, and its last."""
    writing = [name for name, _ in steps][:5]
    assert writing[0] == "a file is made" and writing[-1] == "the replacement is synced"
    assert [name for name, _ in steps][-5:] == writing
    return [*range(5), *range(len(steps) - 5, len(steps))]


@pytest.mark.quick
def test_killed_as_a_tune_begins_and_ends(forge, asked, whole, tmp_path, injecting):
    """C2; B1: at every step of what it writes beside its two runs."""
    steps, data = whole
    for at in own_steps(steps):
        with injecting(f"kill -9 where {steps[at][0]} ({at})"):
            out = tmp_path / str(at)
            assert forge.play(asked, out, at, KILL, tune=True).code == -signal.SIGKILL
            recovered(forge, asked, out, data)


def test_killed_at_every_step_of_a_tune(forge, asked, whole, tmp_path, injecting):
    """C2; B1."""
    steps, data = whole
    for at, (step, _) in enumerate(steps):
        with injecting(f"kill -9 where {step} ({at})"):
            out = tmp_path / str(at)
            assert forge.play(asked, out, at, KILL, tune=True).code == -signal.SIGKILL
            recovered(forge, asked, out, data)


@pytest.mark.parametrize("what", [FULL, *LOSSES])
def test_the_disk_fails_as_a_tune_begins_and_ends(forge, asked, whole, tmp_path, injecting, what):
    """C2, C7; B8, B40: it is full, or the power is cut."""
    steps, data = whole
    for at in own_steps(steps):
        with injecting(f"{what} where {steps[at][0]} ({at})"):
            out = tmp_path / str(at)
            ended = forge.play(asked, out, at, what, tune=True)
            assert ended.code == (5 if what == FULL else -signal.SIGKILL), ended.said
            recovered(forge, asked, out, data)
