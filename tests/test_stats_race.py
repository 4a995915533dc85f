"""Racing: the best is kept as often as promised, and for fewer blocks than playing all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import scipy.stats

from sim.stats.race import race
from sim.stats.samples import Floats
from sim.stats.stopping import sequence_half_width


class Track:
    """Arms of these means; blocks share the luck of their deals."""

    def __init__(self, means: Sequence[float], seed: int) -> None:
        self.means = np.asarray(means)
        self.seed = seed
        self.asked: list[tuple[tuple[int, ...], int, int]] = []

    def __call__(self, arms: Sequence[int], first: int, count: int) -> Floats:
        self.asked.append((tuple(arms), first, count))
        values = []
        for block in range(first, first + count):
            generator = np.random.default_rng([self.seed, block])
            shared = generator.normal(0, 2)
            values.append(self.means + shared + generator.normal(0, 1, len(self.means)))
        whole: Floats = np.array(values).T[list(arms)]
        return whole


def test_a_planted_best_wins_for_fewer_blocks_than_playing_all() -> None:
    track = Track(np.linspace(0, 4, 40), seed=1)
    found = race(track, 40, smallest=0.05, budget=2000)
    assert (found.winner, found.decided) == (39, True)
    assert found.played < 0.2 * 40 * found.blocks


def test_survivors_play_the_same_blocks_each_once() -> None:
    """Catches blocks skipped or played twice, and an arm that comes back."""
    track = Track(np.linspace(0, 2, 8), seed=2)
    found = race(track, 8, smallest=0.04, budget=400)
    assert track.asked[0] == (tuple(range(8)), 0, 20)
    for (before, first, count), (after, start, _) in zip(
        track.asked, track.asked[1:], strict=False
    ):
        assert set(after) <= set(before) and start == first + count
    assert found.looks == len(track.asked)
    assert found.played == sum(len(arms) * count for arms, _, count in track.asked)


def test_the_best_is_never_dropped_as_often_as_promised() -> None:
    """Slippage: one arm better by a little, all others alike, 200 races.

    Catches alpha for each comparison instead of for all, and looks at ordinary intervals.
    """
    lost = 0
    for seed in range(200):
        found = race(Track([0.3, *[0.0] * 7], seed), 8, smallest=0.0, budget=120)
        lost += 0 not in found.survivors
    assert lost <= scipy.stats.binom.ppf(0.9995, 200, 0.05)


def test_two_arms_are_the_confidence_sequence() -> None:
    track = Track([0.5, 0.0], seed=3)
    found = race(track, 2, smallest=0.0, budget=400)
    whole = Track([0.5, 0.0], seed=3)([0, 1], 0, 400)
    difference = whole[0] - whole[1]
    for blocks in range(20, 401, 5):
        own = difference[:blocks]
        half = sequence_half_width(blocks, float(own.std(ddof=1)), 0.05, 200)
        if own.mean() > half:
            break
    assert (found.winner, found.blocks) == (0, blocks)


def test_equals_stay_and_the_end_says_so() -> None:
    """Identical rule sets never differ: nobody is dropped, and neither can matter."""

    def alike(arms: Sequence[int], first: int, count: int) -> Floats:
        luck = np.random.default_rng(first).normal(0, 1, count)
        return np.tile(luck, (len(arms), 1))

    found = race(alike, 3, smallest=0.1, budget=100)
    assert found.survivors == (0, 1, 2) and found.decided and found.blocks == 20
    open_ = race(Track([0.0, 0.0], 4), 2, smallest=0.01, budget=60)
    assert (open_.decided, open_.blocks, open_.survivors) == (False, 60, (0, 1))
    with pytest.raises(ValueError, match="needs 20 blocks"):
        race(alike, 2, 0.1, budget=19)
