"""Facts of rows (`tests.facts`): both engines hold them, and a wrong count breaks one."""

import random

import numpy as np
import pytest

from sim.columns import GAME
from sim.rules import FirstTo, Rounds, Rules
from sim.view import SEATS
from tests.differential import Case, new_log, play_twin
from tests.facts import broken_fact
from tests.fuzz.block import play_deals
from tests.random_games import random_case, random_player

KERNEL_CASES, TWIN_CASES = 250, 40


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_kernels_rows_break_no_fact(players):
    choose = random.Random(players)
    for _ in range(KERNEL_CASES):
        play_deals(random_case(choose, players))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_twins_rows_break_no_fact(players):
    choose = random.Random(players)
    for _ in range(TWIN_CASES):
        case = random_case(choose, players)
        rows = np.zeros(case.hand_rotations, GAME)
        for row, told in zip(rows, play_twin(case, new_log()), strict=True):
            for name, value in told.items():
                row[name] = value
        assert broken_fact(case.rules, players, rows) is None, case


SOME = [
    Rules(jokers=2, rest="last_to_play", leftover="table"),
    Rules(esun=True, rest="last_to_capture", end=Rounds(rounds=2)),
    Rules(end=FirstTo(first_to=20)),
    Rules(end=FirstTo(first_to=2, unit="rounds", max_rounds=2)),
]


@pytest.fixture(scope="module")
def games():
    choose = random.Random(7)
    lineup = tuple(random_player(choose) for _ in range(3))
    return [(rules, play_deals(Case(rules, lineup, 1, 2, 3)).reshape(-1)) for rules in SOME]


@pytest.mark.parametrize(
    "name",
    [
        *("points", "penalties", "captures", "taken", "rest", "role_points", "rounds_won"),
        *("winners", "unfinished", "rounds", "turns", "left", "unused", "discarded"),
        *(
            "built",
            "piles_own",
            "piles_others",
            "unclaimed",
            "caught",
            "false_challenges",
            "noticed",
        ),
        *("penalties_esun", "penalties_miscapture", "penalties_challenge", "penalties_peek"),
    ],
)
def test_a_wrong_count_breaks_a_fact(games, name):
    broken = []
    for rules, rows in games:
        wrong = rows.copy()
        if name == "winners":
            wrong[name] ^= 7
        else:
            wrong[name] += np.arange(SEATS) == 0 if wrong.dtype[name].shape else 1
        broken.append(broken_fact(rules, 3, wrong))
    assert any(broken)
