"""Where a run stops: by the data alone, at the first look that is content, and told everywhere."""

import json
import shutil
import threading
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from reports import answers
from sim.design import cells, settings_of
from sim.errors import UsageFault
from sim.experiment import load
from sim.looks import boundaries, comparisons, rule_of
from sim.stats.blocks import by_cell
from sim.stats.estimates import Method, State
from sim.stats.stopping import Decision, FixedGames, HalfWidth
from sim.store import open_run, prepare
from sim.store.ending import UNFINISHED
from tests.runs import played, said, written

ASKED = """\
question: Who wins?
players: [2, 3]
variants: {plain: {}, inert: {yoruba_faces: pair}, yoruba: {yoruba: true}}
lineups: {greedy: greedy}
"""
NARROW = ASKED + "stop: {half_width: 0.0075, metric: dealer_advantage_wins, max_games: 20000}\n"
WIDE = State.INTERVAL.value
DECIDE = (
    ASKED.replace("[2, 3]", "2") + "stop: {decide: tie_rate, smallest: 0.05, max_games: 20000}\n"
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return played(tmp_path_factory.mktemp("narrow"), NARROW).run


def stops(run):
    return run.ending.facts["stops"]


@pytest.mark.parametrize(
    "rule", [HalfWidth(0.1, 3), HalfWidth(0.1, 50), HalfWidth(0.1, 10_000), Decision(0.1, 977)]
)
def test_looks_are_at_growing_numbers_of_blocks_and_the_last_is_the_budget(rule):
    found = [*boundaries(rule)]
    assert found == sorted({*found})
    assert found[0] == min(rule.first_look, rule.budget)
    assert found[-1] == rule.budget
    assert all(b - a <= -(-a // 8) for a, b in pairwise(found))


def test_a_number_of_games_is_looked_at_once():
    assert [*boundaries(FixedGames(77))] == [77]


def test_it_stops_at_the_first_look_at_which_every_interval_is_narrow(whole):
    blocks = by_cell(whole.blocks(), whole.cells)
    settings = settings_of(whole.planned)
    assert len(stops(whole)) == len(settings)
    for setting, told in zip(settings, stops(whole), strict=True):
        rule = rule_of(whole.experiment, setting, len(settings))
        looks = 0
        for at in boundaries(rule):
            below = {i: own.take(np.flatnonzero(own.block < at)) for i, own in blocks.items()}
            found = comparisons(whole.experiment, setting, below)
            assert len(found) == 3
            looks += 1
            if all(each.half_width <= 0.0075 for each in found):
                break
        assert (told["reason"], told["blocks"], told["looks"]) == ("narrow", at, looks)
        assert looks > 1
        for cell in setting.cells:
            assert len(blocks[cell.id]) == at


@pytest.mark.parametrize("how", [{"jobs": 1, "chunk_games": 150}, {"jobs": 3}])
def test_where_it_stops_does_not_depend_on_jobs_or_chunks(whole, tmp_path, how):
    again = played(tmp_path, NARROW, **how).run
    assert stops(again) == stops(whole)
    assert again.data_hash() == whole.data_hash()


def test_where_it_stops_does_not_depend_on_processes(whole, tmp_path):
    again = played(tmp_path, NARROW, backend="loky").run
    assert again.data_hash() == whole.data_hash()


@pytest.mark.parametrize("kept", [1, 9, 15])
def test_an_interrupted_run_stops_where_it_would_have(whole, tmp_path, kept):
    shutil.copytree(whole.path, tmp_path / "run")
    ledger = tmp_path / "run" / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    assert len(lines) > kept
    ledger.write_bytes(b"".join(lines[:kept]))
    (tmp_path / "run" / "DONE.json").unlink()
    cut = open_run(tmp_path / "run")
    assert cut.done is None
    assert cut.stopped == UNFINISHED
    again = played(tmp_path, NARROW, resume=True).run
    assert stops(again) == stops(whole)
    assert again.data_hash() == whole.data_hash()


def test_a_finished_run_is_not_looked_at_again(whole, tmp_path):
    shutil.copytree(whole.path, tmp_path / "run")
    assert played(tmp_path, NARROW).played == 0


def test_the_games_are_those_of_a_run_with_a_fixed_number(whole, tmp_path):
    """Stopping chooses how many, never which: a prefix of the same deals."""
    fixed = played(tmp_path, ASKED + "games: 20000\n").run
    long, short = (by_cell(run.blocks(), run.cells) for run in (fixed, whole))
    for number, own in short.items():
        for name, column in own.columns.items():
            assert (column == long[number].columns[name][: len(own)]).all()


def test_a_decision_is_made_by_the_confidence_sequence(tmp_path):
    run = played(tmp_path, DECIDE).run
    (told,) = stops(run)
    assert (told["rule"], told["reason"]) == ("decision", "decided")
    assert "every question is decided" in run.stopped
    (setting,) = settings_of(run.cells)
    blocks = by_cell(run.blocks(), run.cells)
    rule = rule_of(run.experiment, replace(setting, cells=tuple(run.planned)), 1)
    found = comparisons(run.experiment, setting, blocks)
    assert rule.satisfied(found) is not None
    assert told["blocks"] >= rule.first_look
    shown = [change for change in answers.as_json(run)["contrasts"] if change["state"] == WIDE]
    methods = {change["metric"]: change["method"] for change in shown}
    assert methods.pop("tie_rate") == Method.CONFIDENCE_SEQUENCE.value
    assert Method.CONFIDENCE_SEQUENCE.value not in methods.values()
    told = [change for change in shown if change["metric"] == "tie_rate"]
    for change, each in zip(told, found[1:], strict=True):
        assert change["high"] - change["low"] > each.high - each.low
        sequence = rule.sequence(each, 2)  # of two variants against the first
        assert (change["low"], change["high"]) == pytest.approx((sequence.low, sequence.high))
        assert change["family"] == 2


def test_the_most_games_end_it_and_that_is_said(tmp_path):
    text = ASKED + "stop: {half_width: 0.0001, max_games: 500}\n"
    outcome = played(tmp_path, text)
    assert outcome.run.done is not None
    assert "the budget is spent" in outcome.run.stopped
    assert all(cell.games >= 500 for cell in outcome.run.cells)


def test_a_run_whose_time_is_over_is_partial_wherever_it_is_shown(tmp_path):
    path = written(tmp_path, ASKED + "stop: {games: 200000000, max_seconds: 4}\nkeep: {games: 0}\n")
    out = tmp_path / "run"
    text = said("run", path, "--out", out)
    assert "Partial: the time that was set, 4 s, was over" in text
    assert "Data hash" not in text
    assert "Partial: the time that was set" in said("show", out)
    assert json.loads(said("show", out, "--json"))["complete"] is False
    assert "unfinished" in said("verify", out)
    assert "(partial run)" in (out / "report" / "dealer_advantage.svg").read_text()
    assert "--resume" in said("run", path, "--out", out, code=2)


class OverAfter:
    """A clock whose time is over when so many games are played, and the progress that it counts."""

    def __init__(self, games):
        self.games = games
        self.there = []

    def timer(self, seconds, time_over):
        self.time_over = time_over
        return SimpleNamespace(start=lambda: None, cancel=lambda: None)

    def begin(self, total, there):
        self.left = self.games
        self.there.append(there)
        return self

    def advance(self, games):
        self.left -= games
        if self.left <= 0:
            self.time_over()

    def close(self):
        pass


def test_going_on_after_the_time_was_over_ends_in_the_same_data(tmp_path, monkeypatch):
    """Of 700 games two workers end one part of 200 at least, so each time more are there."""
    fixed = played(tmp_path, ASKED + "games: 1000\n", out="fixed").run
    clock = OverAfter(700)
    monkeypatch.setattr(threading, "Timer", clock.timer)
    text = ASKED + "stop: {games: 1000, max_seconds: 3600}\n"
    how = {"chunk_games": 200, "begin": clock.begin}
    outcome = played(tmp_path, text, **how)
    assert outcome.run.stopped.startswith("Partial: the time that was set, 3600 s, was over")
    while outcome.run.done is None:
        outcome = played(tmp_path, text, resume=True, **how)
        assert clock.there == sorted({*clock.there}), "it went on and nothing was added"
    assert len(clock.there) > 2
    assert outcome.run.data_hash() == fixed.data_hash()


def test_what_stops_a_run_is_part_of_what_it_is(tmp_path):
    played(tmp_path, ASKED + "games: 500\n")
    from sim.errors import ResumeRefused

    with pytest.raises(ResumeRefused, match=r"experiment\.stop\.half_width"):
        played(tmp_path, NARROW, resume=True)


REFUSED = {
    "stop: {half_width: 0}": "stop.half_width: found 0; allowed is more than 0",
    "stop: {half_width: 0.1, games: 5}": "stop.games: cannot go with half_width; keep one",
    "stop: {decide: tie_rate, half_width: 0.1}": "stop.decide: cannot go with half_width",
    "stop: {decide: tie_raet}": "stop.decide: found 'tie_raet' (did you mean tie_rate?)",
    "stop: {decide: tie_rate}": "of one variant only",
    "stop: {half_width: 0.1, metric: fun}": "stop.metric: found 'fun'",
    "stop: {max_gmaes: 5}": "stop.max_gmaes: there is no such key (did you mean max_games?)",
    "stop: {games: 5}\ngames: 6": "games: games of stop is the number",
    "stop: {half_width: 0.1}\ngames: 6": "games: max_games of stop is the number",
    "stop: {decide: dealer_advantage_wins, smallest: 0.1}\nsmallest: 0.2": "keep one of them",
    "design: {hands: rotate}": "design.hands: found 'rotate' (did you mean rotated?)",
    "design: {hand: rotated}": "design.hand: there is no such key (did you mean hands?)",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_with_what_to_do(tmp_path, text):
    with pytest.raises(UsageFault) as fault:
        played(tmp_path, f"question: q\n{text}\n")
    assert REFUSED[text] in str(fault.value)


def test_shared_games_are_stored_once_and_reported_twice(whole):
    played_here = {cell.id for cell in whole.cells if cell.shares is None}
    assert {entry.cell for entry in whole.ledger.entries} == played_here
    told = {cell["variant"]: cell for cell in answers.as_json(whole)["cells"]}
    assert told["inert"]["shares_games_of"] == "plain"
    assert told["inert"]["estimates"] == told["plain"]["estimates"]


def test_what_was_said_of_an_end_is_forgotten_when_a_run_goes_on(tmp_path):
    text = ASKED + "stop: {games: 20000, max_seconds: 0.001}\n"
    assert played(tmp_path, text).run.stopped.startswith("Partial: the time")
    with prepare(tmp_path / "run", load(tmp_path / "asked.yaml"), resume=True):
        assert open_run(tmp_path / "run").stopped == UNFINISHED


def test_the_level_of_all_decisions_together_is_shared_among_the_settings(tmp_path):
    experiment = load(written(tmp_path, DECIDE))
    (setting,) = settings_of(cells(experiment))
    assert rule_of(experiment, setting, 4).level == pytest.approx(1 - 0.05 / 4)
