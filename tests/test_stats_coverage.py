"""Intervals hold the truth as often as they say: 2,000 repetitions on known truths.

Counts must lie in the exact two-sided 99.9% band of a binomial with 95%; by chance a right interval
fails with 1 seed in 1,000, and seeds are fixed. Each test has a control: the mistake it guards
against, made on purpose, falls outside the band on the same data.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.stats

from sim.stats.blocks import Blocks
from sim.stats.estimates import Estimate, contrast, estimate
from sim.stats.metrics import BY_NAME

REPETITIONS = 2000
BAND = tuple(int(scipy.stats.binom.ppf(p, REPETITIONS, 0.95)) for p in (0.0005, 0.9995))

Sums = npt.NDArray[np.int64]


def blocks(deals: int, games: int, columns: dict[str, Sums]) -> Blocks:
    size = len(next(iter(columns.values())))
    full = {f"{name}.{kind}": sums for name, sums in columns.items() for kind in ("sum", "sumsq")}
    full["games"] = np.full(size, games, np.int64)
    return Blocks(0, 2, np.arange(size), np.full(size, deals, np.int64), full)


def holds(found: Estimate, truth: float) -> bool:
    assert found.low is not None and found.high is not None
    return found.low <= truth <= found.high


def in_band(hits: int) -> bool:
    return BAND[0] <= hits <= BAND[1]


def games(
    generator: np.random.Generator, count: int, deals: int, mean: float
) -> npt.NDArray[np.int64]:
    """Margins of 2 rotations of each deal that share 80% of their variance, by block."""
    shape = (REPETITIONS, count, deals)
    deal = generator.normal(0, 20, (*shape, 1))
    return np.rint(mean + deal + generator.normal(0, 10, (*shape, 2))).astype(np.int64)


def test_mean_between_blocks_covers_and_games_as_the_unit_do_not() -> None:
    """Catches a standard error that is 6% too small: it covers 93.4%, the band's lower end."""
    y = games(np.random.default_rng(1), count=50, deals=4, mean=7)
    sums = y.sum(axis=(2, 3))
    metric = BY_NAME["margin"]
    ours = sum(holds(estimate(blocks(4, 8, {"margin": own}), metric), 7) for own in sums)
    assert in_band(ours)
    flat = y.reshape(REPETITIONS, -1)
    half = 1.96 * flat.std(axis=1, ddof=1) / np.sqrt(flat.shape[1])
    by_games = int((np.abs(flat.mean(axis=1) - 7) <= half).sum())
    assert by_games < 0.9 * REPETITIONS and not in_band(by_games)


def test_five_blocks_need_students_t() -> None:
    y = games(np.random.default_rng(2), count=5, deals=4, mean=-3)
    sums = y.sum(axis=(2, 3))
    found = [estimate(blocks(4, 8, {"margin": own}), BY_NAME["margin"]) for own in sums]
    assert in_band(sum(holds(each, -3) for each in found))
    normal = sum(abs(each.value + 3) <= 1.96 * (each.se or 0) for each in found)
    assert not in_band(normal)


def test_ratio_covers_and_a_fixed_denominator_does_not() -> None:
    """Cards left over rounds, where both grow with the length of a game."""
    generator = np.random.default_rng(3)
    rounds = generator.poisson(40, (REPETITIONS, 50)) + 1
    left = generator.poisson(3.25 * rounds)  # mean 3.25 a round, whatever the rounds
    metric = BY_NAME["cards_left"]
    hits = naive = 0
    for n, d in zip(left, rounds, strict=True):
        hits += holds(estimate(blocks(4, 4, {"left": n, "rounds": d}), metric), 3.25)
        fixed = n / d.mean()
        half = scipy.stats.t.ppf(0.975, 49) * fixed.std(ddof=1) / np.sqrt(50)
        naive += bool(abs(fixed.mean() - 3.25) <= half)
    assert in_band(hits)
    assert not in_band(naive)


def test_paired_contrast_covers_and_unpaired_does_not() -> None:
    generator = np.random.default_rng(4)
    shared = generator.normal(0, 40, (REPETITIONS, 50))
    a = np.rint(400 + shared + generator.normal(0, 12, shared.shape)).astype(np.int64)
    b = np.rint(380 + shared + generator.normal(0, 12, shared.shape)).astype(np.int64)
    hits = apart = 0
    ratios = []
    for own_a, own_b in zip(a, b, strict=True):
        first, second = (blocks(4, 8, {"margin": own}) for own in (own_a, own_b))
        found = contrast(first, second, BY_NAME["margin"])
        hits += holds(found, 20 / 8)
        ratios.append(found.variance_ratio or 0)
        half = 1.96 * np.sqrt((own_a.var(ddof=1) + own_b.var(ddof=1)) / 50) / 8
        apart += bool(abs(found.value - 2.5) <= half)
    assert in_band(hits)
    assert not in_band(apart)
    # true ratio (2 * (40^2 + 12^2)) / (2 * 12^2) = 12.1; the median of a sample's ratio is near it
    # with a standard error of about 1.25 * 12.1 * sqrt(4 / 49) / sqrt(2000) = 0.1
    assert abs(float(np.median(ratios)) - 12.1) < 0.4
