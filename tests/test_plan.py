"""`sim plan`: what it says of games is what the run then takes."""

import json

import pytest

from sim.experiment import load
from sim.pilot import plan
from tests.runs import played, said, written

NARROW = """\
question: Who wins?
players: 2
variants: {plain: {}, inert: {yoruba_faces: pair}, rest: {rest: last_to_play}}
stop: {half_width: 0.006, metric: dealer_advantage_wins, max_games: 100000}
keep: {games: 2000}
"""
FIXED = NARROW.replace(
    "stop: {half_width: 0.006, metric: dealer_advantage_wins, max_games: 100000}", "games: 20000"
)


def planned(tmp_path, text):
    return plan(load(written(tmp_path, text)))


def test_the_games_are_about_those_at_which_the_run_stops(tmp_path):
    """100 blocks tell a variance to 14%, and looks are an eighth apart; 4 standard errors."""
    found = planned(tmp_path, NARROW)
    run = played(tmp_path, NARROW).run
    played_games = sum(cell.games for cell in run.cells if cell.shares is None)
    assert abs(found.games / played_games - 1) < 4 * 0.14 + 1 / 8
    assert found.games < found.most_games


def test_every_cell_says_games_and_the_smallest_effect(tmp_path):
    plain, inert, rest = planned(tmp_path, NARROW).needs
    assert (plain.games, plain.variance_ratio) == (inert.games, None)
    assert inert.variance_ratio is None
    assert rest.variance_ratio > 1
    for need in (plain, inert, rest):
        assert not need.difference
        assert need.half_width == 0.006
        assert 0 < need.smallest_effect < need.half_width


def test_of_a_number_of_games_the_differences_are_planned(tmp_path):
    inert, rest = planned(tmp_path, FIXED).needs
    assert inert.difference and rest.difference
    assert inert.games == 0
    assert rest.half_width == 0.0025  # half of the smallest difference that matters, 0.005
    assert rest.games > 0


def test_a_decision_takes_more_games_than_an_ordinary_interval(tmp_path):
    decide = "stop: {decide: dealer_advantage_wins, max_games: 20000}"
    ordinary = planned(tmp_path, FIXED).needs[1]
    sequence = planned(tmp_path, FIXED.replace("games: 20000", decide, 1)).needs[1]
    assert sequence.half_width == ordinary.half_width
    assert sequence.games > ordinary.games


def test_bytes_are_within_a_factor_of_two_of_those_of_the_parts(tmp_path):
    found = planned(tmp_path, FIXED)
    outcome = played(tmp_path, FIXED)
    stored = sum(entry.bytes for entry in outcome.run.ledger.entries)
    assert 0.5 < found.bytes / stored < 2


def test_rows_that_are_not_kept_cost_nothing(tmp_path):
    less = planned(tmp_path, FIXED.replace("{games: 2000}", "{games: 0}"))
    assert less.bytes < planned(tmp_path, FIXED).bytes


@pytest.mark.parametrize("text", [NARROW, FIXED])
def test_it_is_told_as_text_and_as_json(tmp_path, text):
    path = written(tmp_path, text)
    shown = said("plan", path)
    assert "2 players, greedy" in shown
    assert "games in all" in shown
    assert ("  rest minus plain\n" in shown) == (text == FIXED)
    told = said("plan", path, "--json")
    told = json.loads(told[told.index("{") :])
    assert told["games"] <= told["most_games"]
    assert {need["variant"] for need in told["needs"]} >= {"inert", "rest"}


def test_a_faulty_experiment_is_refused(tmp_path):
    assert "gmaes" in said("plan", written(tmp_path, "question: q\ngmaes: 1\n"), code=2)
