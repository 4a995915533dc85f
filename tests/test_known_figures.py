"""Figures of an independent program, and what they must not differ from.

An independent simulator of the same rules gave these means with standard errors of 0.03 to 0.04
cards (0.05 with random players). Each tolerance is four standard errors of the difference, theirs
and ours. Smallest defect caught: a rule that moves a role's mean by about 0.2 cards a round.
"""

import numpy as np
import pytest

from sim.kernel import Engine
from sim.rules import Rules
from sim.strategy import catalogue

DEALS = 20_000
FIGURES = {
    "two players": ("greedy", 2, Rules(), (25.09, 23.77), 3.14, 0.04),
    "Yoruba": ("greedy", 2, Rules(yoruba=True), (16.34, 14.30), 21.35, 0.04),
    "five, Yoruba": ("greedy", 5, Rules(yoruba=True), (4.72, 4.46, 4.78, 5.09, 5.21), None, 0.04),
    "Esun": ("random", 2, Rules(esun=True), (18.95, 18.49), 10.18, 0.05),
    "Esun, Yoruba": ("random", 3, Rules(esun=True, yoruba=True), (7.63, 7.36, 7.36), None, 0.05),
}
CAPTURE_RATES = {"two players": 0.435, "Yoruba": 0.191}


@pytest.fixture(scope="module")
def rows():
    played = {}
    for name, (strategy, players, rules, *_) in FIGURES.items():
        engine = Engine(rules, [[catalogue()[strategy].bind()] * players], 1, 1960)
        played[name] = engine.play(0, DEALS)
    return played


@pytest.mark.parametrize("name", FIGURES)
def test_cards_by_role_and_left_are_those_of_an_independent_program(rows, name):
    _, players, _, roles, left, theirs = FIGURES[name]
    per_round = rows[name]["role_points"][:, :players] / rows[name]["rounds"][:, None]
    ours = per_round.std(axis=0, ddof=1) / np.sqrt(DEALS)
    allowed = 4 * np.hypot(ours, theirs)
    assert (abs(per_round.mean(axis=0) - roles) < allowed).all()
    if left is not None:
        remaining = rows[name]["left"] / rows[name]["rounds"]
        se = np.hypot(remaining.std(ddof=1) / np.sqrt(DEALS), theirs)
        assert abs(remaining.mean() - left) < 4 * se


@pytest.mark.parametrize("name", CAPTURE_RATES)
def test_the_share_of_turns_that_capture(rows, name):
    captures, turns = rows[name]["captures"].sum(axis=1), rows[name]["turns"]
    rate = captures.sum() / turns.sum()
    se = (captures - rate * turns).std(ddof=1) / np.sqrt(DEALS) / turns.mean()
    rounding = 0.0005
    assert abs(rate - CAPTURE_RATES[name]) < 4 * se + rounding
