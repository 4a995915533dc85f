"""Killed at any step of publishing, a resumed run ends in the data of an undisturbed one."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import shutil
import signal

import pytest

from reports import theme
from sim.store import failpoints
from tests.runs import written
from tests.torture.forked import FULL, KILL
from tests.torture.harness import TINY, logical_hash, strays
from tests.torture.power import LOSSES


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    return written(tmp_path_factory.mktemp("asked"), TINY)


@pytest.fixture(scope="module")
def whole(forge, asked):
    """The steps of an undisturbed run, and what it holds."""
    out = asked.parent / "whole"
    return forge.steps(asked, out), logical_hash(out)


def recovered(forge, asked, out, whole):
    ended = forge.play(asked, out, resume=True)
    assert ended.code == 0, ended.said
    assert logical_hash(out) == whole
    assert strays(out) == set()


def killed(forge, asked, out, at, data):
    assert forge.play(asked, out, at, KILL).code == -signal.SIGKILL
    recovered(forge, asked, out, data)


@pytest.mark.quick
def test_killed_at_the_first_and_the_last_step_of_each_kind(
    forge, asked, whole, tmp_path, injecting
):
    """C2; B1."""
    steps, data = whole
    names = [name for name, _ in steps]
    assert len(set(names)) >= 10
    last = {name: at for at, name in enumerate(names)}
    for at in sorted({names.index(name) for name in last} | {*last.values()}):
        with injecting(f"kill -9 where {names[at]} ({at})"):
            killed(forge, asked, tmp_path / str(at), at, data)


def test_killed_at_every_step(forge, asked, whole, tmp_path, injecting):
    """C2; B1."""
    steps, data = whole
    for at, (step, _) in enumerate(steps):
        with injecting(f"kill -9 where {step} ({at})"):
            killed(forge, asked, tmp_path / str(at), at, data)


def test_killed_twice(forge, asked, whole, tmp_path, injecting):
    """C2; B2."""
    steps, data = whole
    choose = random.Random(12)
    for pair in range(12):
        first = choose.randrange(len(steps))
        out = tmp_path / str(pair)
        forge.play(asked, out, first, KILL)
        second = choose.randrange(len(forge_steps_left(forge, asked, out)))
        with injecting(f"kill -9 at step {first}, and at step {second} of the resumed run"):
            ended = forge.play(asked, out, second, KILL, resume=True)
            assert ended.code == -signal.SIGKILL
            recovered(forge, asked, out, data)


def forge_steps_left(forge, asked, out):
    """The steps that a resumed run of `out` would take, from a copy of it."""
    copy = out.with_name(f"{out.name}-copy")
    shutil.copytree(out, copy)
    return forge.steps(asked, copy, resume=True)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_power_fails_at_every_step_with_something_unsynced(
    forge, asked, whole, tmp_path, injecting, loss
):
    """C2; B40."""
    steps, data = whole
    for at, (step, unsynced) in enumerate(steps):
        if not unsynced:
            continue
        with injecting(f"power cut where {step} ({at}): {loss} gone"):
            out = tmp_path / str(at)
            assert forge.play(asked, out, at, loss).code == -signal.SIGKILL
            recovered(forge, asked, out, data)


def test_the_disk_is_full_at_every_step(forge, asked, whole, tmp_path, injecting):
    """C2, C7; B8."""
    steps, data = whole
    for at, (step, _) in enumerate(steps):
        with injecting(f"no space left where {step} ({at})"):
            out = tmp_path / str(at)
            ended = forge.play(asked, out, at, FULL)
            assert (ended.code, "Traceback" in ended.said) == (5, False), ended.said
            assert "No space left" in ended.said and "--resume" in ended.said
            assert not out.exists() or strays_of_unfinished(out) == set()
            recovered(forge, asked, out, data)


def strays_of_unfinished(out):
    return strays(out) if (out / "ledger.jsonl").exists() else set()


def drawn(folder, width, at=None):
    """Write a picture in a child that is killed where the step `at` is reached; return its end."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            steps = itertools.count()
            failpoints.at = lambda step: next(steps) == at and os.kill(os.getpid(), signal.SIGKILL)
            theme.save_for_print(theme.figure(width, 1), folder, "answer")
            os._exit(0)
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.quick
def test_a_picture_is_whole_wherever_its_writer_is_killed(tmp_path, injecting):
    """C2; B1: the old or the new; drafts of the dead are gone at the next start."""
    old, new, folder = tmp_path / "old", tmp_path / "new", tmp_path / "report"
    for place, width in ((old, 1), (new, 2), (folder, 1)):
        theme.save_for_print(theme.figure(width, 1), place, "answer")
    names = {"answer.png", "answer.pdf"}
    for at in itertools.count():
        with injecting(f"kill -9 at step {at} of two pictures"):
            ended = drawn(folder, 2, at)
            assert ended in (0, -signal.SIGKILL)
            for name in names:
                either = [(there / name).read_bytes() for there in (old, new)]
                assert (folder / name).read_bytes() in either
            if ended == 0:
                break
        assert len(list(folder.glob("drafts-*"))) == 1
        theme.save_for_print(theme.figure(1, 1), folder, "answer")
        assert {path.name for path in folder.iterdir()} == names
    assert at == 10
