"""From which penalty on offending no longer pays, as the answer of a run tells it."""

import json

import numpy as np
import pytest

from tests.runs import played, said

ASKED = """\
question: When does miscapturing stop to pay?
players: 2
variants:
  free: {penalty: {miscapture: 0}}
  some: {penalty: {miscapture: 2}}
  dear: {penalty: {miscapture: 30}}
lineups:
  watched: [{strategy: greedy, with: {miscapture: 0.3}}, {strategy: greedy, with: {vigilance: 0.1}}]
  unseen: [{strategy: greedy, with: {miscapture: 0.3}}, greedy]
games: 2000
primary: first_named_advantage
"""
HEAD = "The smallest penalty.miscapture at which offending no longer pays:"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deterrence")
    return played(folder, ASKED).run.path


def test_the_threshold_is_where_the_line_of_gains_crosses_0(path):
    data = json.loads(said("show", path, "--json"))
    gains = [
        record["value"]
        for cell in data["cells"]
        for record in cell["estimates"]
        if cell["lineup"] == "watched" and record["metric"] == "first_named_advantage"
    ]
    watched, unseen = data["deterrence"]
    assert gains[1] > 0 > gains[2]
    assert watched["value"] == pytest.approx(np.interp(0, gains[:0:-1], [30, 2]))
    assert watched["low"] < watched["value"] < watched["high"]
    assert (unseen["value"], unseen["low"], unseen["highest"]) == (None, None, 30)


def test_it_is_told_a_setting_a_sentence_after_the_answer(path):
    text = said("show", path)
    told = [line.strip() for line in text.splitlines()]
    at = told.index(HEAD)
    assert told[at + 1].startswith("2 players, watched: ")
    assert told[at + 1].endswith(").")
    assert told[at + 2] == "2 players, unseen: offending pays at every penalty up to 30."


UNSEEN = "  unseen: [{strategy: greedy, with: {miscapture: 0.3}}, greedy]\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("primary: first_named_advantage", "primary: margin"),
        ("some: {penalty: {miscapture: 2}}", "some: {penalty: {miscapture: 2}, jokers: 1}"),
        ("free: {penalty: {miscapture: 0}}", "free: {penalty: {miscapture: 1}}"),
        ("dear: {penalty: {miscapture: 30}}", "dear: {penalty: {miscapture: 1}}"),
        ("penalty: {miscapture", "penalty: {challenge"),
        ("penalty: {miscapture", "penalty: {esun"),
        ("vigilance: 0.1}", "vigilance: 0.1, noise: 0.1}"),
        ("vigilance: 0.1}", "miscapture: 0.1}"),
        ("{strategy: greedy, with: {vigilance: 0.1}}", "random"),
    ],
)
def test_what_is_no_gain_from_offending_has_no_threshold(tmp_path, old, new):
    text = ASKED.replace(UNSEEN, "").replace("games: 2000", "games: 100")
    assert old in text
    assert HEAD in said("show", played(tmp_path, text, out="with").run.path)
    told = said("show", played(tmp_path, text.replace(old, new)).run.path)
    assert "no longer pays" not in told


def test_an_advantage_that_is_no_dealers_is_told_above_or_below_0(tmp_path):
    text = ASKED.replace("  some: {penalty: {miscapture: 2}}\n", "")
    text = text.replace("  free: {penalty: {miscapture: 0}}\n", "")
    told = " ".join(said("show", played(tmp_path, text).run.path).split())
    assert "above 0 by more than 0.5 points per game in 1 of 2 settings, below 0 by more" in told
    assert "the dealer by" not in told
