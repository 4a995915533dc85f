"""With perfect conduct and Esun off, games are what they were before conduct was played.

The hashes were taken over the columns of that time, before any of it was written. Smallest defect
caught: one count of one game changed by something that nobody does.
"""

import hashlib

import numpy as np
import pytest

from sim.kernel import Engine
from sim.reference import play_game
from sim.rules import FirstTo, Rules
from sim.strategy import catalogue

OLD_COLUMNS = (
    *("deal", "hand_rotation", "deck_check", "points", "penalties", "captures", "taken", "sweeps"),
    *("rest", "role_points", "rounds_won", "winners", "first_leaders", "unfinished", "rounds"),
    *("turns", "left", "unused", "discarded", "lead_changes", "decided", "comeback"),
    "joker_captures",
)
SEED = 1960
RULE_SETS = {
    "default": (Rules(), ("greedy", "random")),
    "casual": (Rules(jokers=2, isiwo=True, rest="last_to_capture"), ("random",) * 3),
    "yoruba": (
        Rules(jokers=2, yoruba=True, yoruba_joker="distinct", must_capture="any"),
        ("greedy", "random"),
    ),
    "to a target": (
        Rules(leftover="table", single_deal=True, end=FirstTo(first_to=30)),
        ("greedy", "random", "greedy", "random", "random"),
    ),
}
TWIN_DEALS, KERNEL_DEALS = 3, 400
HASHES = {
    "default": ("b7508e71fe2dbda0", "d1a2865d40ef6e60"),
    "casual": ("811bae728e7766d6", "d9b76a9d6be31d7a"),
    "yoruba": ("2a0534107332d662", "413286cca5d58fe2"),
    "to a target": ("f4bd70f0d80e4b5b", "38dcd734e9853528"),
}
"""Of the twin's rows, and of the kernel's."""


def hashed(rows):
    """Hash the old columns of rows, as int64 in the order of `OLD_COLUMNS`."""
    digest = hashlib.sha256()
    for row in rows:
        for name in OLD_COLUMNS:
            digest.update(np.asarray(row[name], "<i8").tobytes())
    return digest.hexdigest()[:16]


def seating(names):
    return [catalogue()[name].bind() for name in names]


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_twin_counts_what_it_counted(name):
    rules, names = RULE_SETS[name]
    rows = [play_game(rules, seating(names), SEED, deal) for deal in range(TWIN_DEALS)]
    assert hashed(rows) == HASHES[name][0]


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_kernel_counts_what_it_counted(name):
    rules, names = RULE_SETS[name]
    rows = Engine(rules, [seating(names)], 1, SEED).play(0, KERNEL_DEALS)
    assert hashed(rows) == HASHES[name][1]
