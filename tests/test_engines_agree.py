"""The kernel against the twin: every View, every list of moves, every row.

Smallest defect it would catch: one wrong card, move, point or count in any of the turns compared.
"""

import random

import pytest

from tests.differential import compare
from tests.random_games import random_case

TURNS = 210_000
SHARES = [(players, part) for players in (2, 3, 4, 5) for part in range(4)]


@pytest.mark.parametrize(("players", "part"), SHARES)
def test_twin_and_kernel_agree_turn_for_turn(players, part):
    choose = random.Random(1000 * players + part)
    turns = 0
    while turns < TURNS // len(SHARES):
        turns += compare(random_case(choose, players))["turns"].sum()
