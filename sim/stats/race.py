"""Racing: which of many rule sets has most of something, playing on only those that still may.

All survivors play the same new blocks of deals. At each look the leader so far is compared with
each other on those deals by the confidence sequence of the paired difference; whoever is surely
behind drops out. It ends when one is left, or when every other is surely behind, or ahead by no
more than what matters. The winner is estimated again on fresh deals: the best of many looks better
than it is.
Source: docs/statistics.md, "Factors, races"; Maron and Moore 1994.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sim.stats.estimates import LEVEL
from sim.stats.samples import Floats
from sim.stats.stopping import FIRST_DECISION_LOOK, sequence_half_width

BLOCKS_BETWEEN_LOOKS = 5

Play = Callable[[Sequence[int], int, int], Floats]
"""``play(arms, first, count)``: values of blocks ``first .. first + count - 1`` of the arms, shape
(arms, count), all on the same deals."""


@dataclass(frozen=True)
class Race:
    """How a race ended.

    Attributes:
        winner: the arm that led in the end.
        survivors: all arms that may be the best, the winner among them.
        decided: every survivor but the winner is surely not better by more than what matters.
        blocks: blocks that each survivor played.
        played: blocks that all arms played together.
        looks: how often they were compared.
    """

    winner: int
    survivors: tuple[int, ...]
    decided: bool
    blocks: int
    played: int
    looks: int


def race(play: Play, arms: int, smallest: float, budget: int, level: float = LEVEL) -> Race:
    """Race `arms` for the highest mean, until decided or `budget` blocks are played by each left.

    With chance `level` the best arm is never dropped, whenever it ends.

    Raises:
        ValueError: the budget is below the 20 blocks of the first look.
    """
    if budget < FIRST_DECISION_LOOK:
        raise ValueError(f"a race needs {FIRST_DECISION_LOOK} blocks at least, found {budget}")
    alpha = (1 - level) / max(1, arms - 1)
    alive = list(range(arms))
    values: Floats = np.zeros((arms, 0))
    played = looks = 0
    while True:
        done = values.shape[1]
        step = FIRST_DECISION_LOOK if done == 0 else BLOCKS_BETWEEN_LOOKS
        step = min(step, budget - done)
        values = np.hstack([values, play(alive, done, step)])
        done += step
        played += step * len(alive)
        looks += 1
        leader = int(np.argmax(values.mean(axis=1)))
        behind = values[leader] - values
        half = np.array(
            [sequence_half_width(done, float(d.std(ddof=1)), alpha, budget // 2) for d in behind]
        )
        mean = behind.mean(axis=1)
        stays = (mean <= half) | ((mean == 0) & (half == 0))
        others = stays & (np.arange(len(alive)) != leader)
        decided = bool((half - mean)[others].max(initial=-math.inf) <= smallest)
        winner = alive[leader]
        alive = [arm for arm, stay in zip(alive, stays, strict=True) if stay]
        values = values[stays]
        if decided or done >= budget:
            return Race(winner, tuple(alive), decided, done, played, looks)
