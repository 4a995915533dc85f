"""A block of random games: a pure function of the seed and its number."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from sim.errors import WorkerFailed
from sim.kernel import Engine
from tests.differential import Case, MismatchError, compare
from tests.facts import broken_fact
from tests.random_games import random_case

DEALS = 4
"""Deals of each random case."""
SHARE = 16
"""One deal in so many is played again by the twin."""


@dataclass(frozen=True)
class Played:
    """A block that was played.

    Attributes:
        turns: played in the kernel.
        checked: of them, those the twin played too.
        case: the deal that stopped it, if one did.
        difference: what is wrong there.
    """

    turns: int
    checked: int
    case: Case | None = None
    difference: str = ""


def play_block(seed: int, number: int, turns: int) -> Played:
    """Play random cases until `turns` are played, or the engines disagree."""
    choose = random.Random(f"{seed}/{number}")
    played = checked = 0
    while played < turns:
        case = random_case(choose)
        try:
            rows = play_deals(case)
            for deal in range(DEALS):
                if choose.randrange(SHARE) == 0:
                    checked += check(replace(case, deal=case.deal + deal), rows[deal])
        except MismatchError as mismatch:
            return Played(played, checked, mismatch.case, mismatch.difference)
        played += int(rows["turns"].sum())
    return Played(played, checked)


def play_deals(case: Case) -> np.ndarray:
    """Play `DEALS` deals in the kernel; return their rows, shape (deals, hand rotations).

    Raises:
        MismatchError: a row breaks a fact, or the kernel failed; the case is that deal.
    """
    engine = Engine(case.rules, [list(case.lineup)], case.hand_rotations, case.seed)
    try:
        rows = engine.play(case.deal, DEALS).reshape(DEALS, case.hand_rotations)
    except WorkerFailed:
        return np.stack([play_one(replace(case, deal=case.deal + d)) for d in range(DEALS)])
    for deal in range(DEALS):
        if fact := broken_fact(case.rules, len(case.lineup), rows[deal]):
            raise MismatchError(replace(case, deal=case.deal + deal), fact)
    return rows


def play_one(case: Case) -> np.ndarray:
    """Play one deal in the kernel; a failure there is a mismatch."""
    try:
        return Engine(case.rules, [list(case.lineup)], case.hand_rotations, case.seed).play(
            case.deal, 1
        )
    except WorkerFailed as failure:
        raise MismatchError(case, str(failure)) from failure


def check(case: Case, rows: np.ndarray) -> int:
    """Compare the engines on a deal whose rows are known; return the turns compared."""
    recorded = compare(case)
    if not np.array_equal(recorded, rows):
        raise MismatchError(case, "the kernel plays another game when it is recorded")
    return int(rows["turns"].sum())
