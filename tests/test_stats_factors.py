"""Factors of a full factorial: closed forms against their definitions by brute force."""

from __future__ import annotations

from itertools import permutations, product
from math import factorial as fact

import numpy as np
import pytest
import scipy.stats

from sim.stats.estimates import Estimate, State, contrast, critical_value
from sim.stats.factors import (
    Factorial,
    FactorShares,
    component,
    components,
    effects,
    factor_shares,
)
from sim.stats.metrics import BY_NAME
from sim.stats.samples import Floats, Sample
from tests.test_stats_coverage import holds
from tests.test_stats_estimates import blocks

FACTORS = {"jokers": 3, "yoruba": 2, "rest": 2}
TRIALS = 400
LESS = tuple(int(scipy.stats.binom.ppf(p, TRIALS, 0.95)) for p in (0.0005, 0.9995))
"""Where the hits of fewer trials lie, as in tests/test_stats_coverage.py."""


def measured(means: Floats, noise: Floats) -> Factorial:
    """A factorial of these cell means; noise of shape (blocks, *levels) is what each block adds."""
    values = (means + noise).reshape(len(noise), -1)
    centre = values.mean(axis=0)
    ids, deals = np.arange(len(values)), np.full(len(values), 8)
    samples = tuple(Sample(float(m), values[:, i] - m, ids, deals) for i, m in enumerate(centre))
    names = dict(zip(FACTORS, means.shape, strict=False))
    return Factorial(names, samples, "cards")


def still(means: Floats) -> Factorial:
    """A factorial that is known exactly."""
    return measured(means, np.zeros((4, *means.shape)))


def conditional_variance(means: Floats, axes: tuple[int, ...]) -> float:
    """Var(E[T | the factors in `axes`]), by definition."""
    others = tuple(axis for axis in range(means.ndim) if axis not in axes)
    return float(means.mean(axis=others).var()) if axes else 0.0


MEANS = np.random.default_rng(1).normal(0, 1, (3, 2, 2))


def test_sobol_shares_are_those_of_the_definition() -> None:
    """S_i = Var E[T | x_i] / Var T; ST_i = 1 - Var E[T | all but x_i] / Var T."""
    found = factor_shares(still(MEANS))
    assert found.variance.value == pytest.approx(MEANS.var())
    for i, name in enumerate(FACTORS):
        rest = tuple(axis for axis in range(3) if axis != i)
        first = conditional_variance(MEANS, (i,)) / MEANS.var()
        total = 1 - conditional_variance(MEANS, rest) / MEANS.var()
        assert found.first[name].value == pytest.approx(first)
        assert found.total[name].value == pytest.approx(total)


def test_shapley_shares_are_those_of_the_definition() -> None:
    """The mean over all orders of what a factor adds to Var E[T | those before it]."""
    found = factor_shares(still(MEANS))
    for i, name in enumerate(FACTORS):
        added = 0.0
        for order in permutations(range(3)):
            before = tuple(sorted(order[: order.index(i)]))
            with_it = tuple(sorted((*before, i)))
            added += conditional_variance(MEANS, with_it) - conditional_variance(MEANS, before)
        assert found.shapley[name].value == pytest.approx(added / fact(3) / MEANS.var())
    assert sum(share.value for share in found.shapley.values()) == pytest.approx(1)


def test_components_add_up_and_each_has_mean_zero_over_its_factors() -> None:
    factorial, names = still(MEANS), list(FACTORS)
    parts = {g: component(MEANS[None], names, g)[0] for g in factorial.groups()}
    together = dict(components(MEANS[None], names))
    assert all(np.allclose(part, together[group][0]) for group, part in parts.items())
    assert np.allclose(sum(parts.values()) + MEANS.mean(), MEANS)
    for group, part in parts.items():
        for name in group:
            assert np.allclose(part.mean(axis=names.index(name)), 0)
    assert sum((part**2).mean() for part in parts.values()) == pytest.approx(MEANS.var())


def test_an_additive_truth_has_no_interactions_and_a_product_has() -> None:
    additive = np.add.outer(np.add.outer([0.0, 1, 3], [0.0, 2]), [0.0, 5])
    assert all(abs(e.estimate.value) < 1e-12 for e in effects(still(additive), 2))
    signs = np.array([-1.0, 1.0])
    product_ = np.multiply.outer(np.ones(3), np.multiply.outer(signs, signs))
    by_levels = {tuple(e.levels.items()): e.estimate.value for e in effects(still(product_), 2)}
    assert by_levels[("yoruba", 1), ("rest", 1)] == pytest.approx(1)
    assert by_levels[("yoruba", 0), ("rest", 1)] == pytest.approx(-1)
    assert by_levels[("jokers", 2), ("rest", 1)] == pytest.approx(0)
    shares = factor_shares(still(product_))
    assert shares.first["yoruba"].value == pytest.approx(0)
    assert shares.total["yoruba"].value == pytest.approx(1)
    assert shares.shapley["yoruba"].value == pytest.approx(0.5)


def test_the_effect_of_a_factor_of_two_levels_is_the_paired_contrast() -> None:
    """Catches levels taken in another order than the cells, and intervals that are not paired."""
    generator = np.random.default_rng(2)
    shared = generator.integers(0, 90, 40)
    cells = [
        blocks(
            margin=shared + generator.integers(k, 9 + 3 * k, 40), left=generator.integers(0, 9, 40)
        )
        for k in range(4)
    ]
    factorial = Factorial.of({"a": 2, "b": 2}, cells, BY_NAME["margin"])
    main = {tuple(e.levels.items()): e.estimate for e in effects(factorial, 1)}
    halves = [contrast(cells[2 + i], cells[i], BY_NAME["margin"]).value for i in (0, 1)]
    assert 2 * main[(("a", 1),)].value == pytest.approx(np.mean(halves))
    halves = [contrast(cells[1 + i], cells[i], BY_NAME["margin"]).value for i in (0, 2)]
    assert 2 * main[(("b", 1),)].value == pytest.approx(np.mean(halves))
    with pytest.raises(ValueError, match="4 cells are no full factorial of 6"):
        Factorial.of({"a": 2, "b": 3}, cells, BY_NAME["margin"])


def test_an_inert_factor_has_exactly_no_effect() -> None:
    """Catches float dust told as an effect: the mean of three equals need not be the number."""
    three = np.ones((3, 1, 1))
    noise = np.random.default_rng(3).normal(0, 1, (30, 1, 2, 2))
    factorial = measured(MEANS[:1] * three, noise * three)
    shares = factor_shares(factorial)
    for kind in (shares.first, shares.total, shares.shapley):
        assert (kind["jokers"].value, kind["jokers"].state) == (0.0, State.EXACT)
    assert sum(share.value for share in shares.shapley.values()) == pytest.approx(1)
    for size in (1, 2):
        for effect in effects(factorial, size):
            if "jokers" in effect.levels:
                assert (effect.estimate.value, effect.estimate.se) == (0.0, 0.0)
                assert effect.estimate.state is State.EXACT
            else:
                assert effect.estimate.state is State.INTERVAL


def test_cross_fitting_takes_the_noise_out() -> None:
    """Catches plug-in squares: pure noise would then show a spread between rule sets."""
    generator = np.random.default_rng(4)
    ours, plug_in = [], []
    for _ in range(TRIALS):
        factorial = measured(np.zeros((3, 2, 2)), generator.normal(0, 1, (20, 3, 2, 2)))
        ours.append(factor_shares(factorial).variance.value)
        plug_in.append(np.var([sample.value for sample in factorial.samples]))
    assert abs(np.mean(ours)) < 4 * np.std(ours) / np.sqrt(TRIALS)
    assert np.mean(plug_in) > 10 * np.std(plug_in) / np.sqrt(TRIALS)


def test_cross_fitting_is_the_mean_product_of_two_different_blocks() -> None:
    noise = np.random.default_rng(5).normal(0, 1, (5, 3, 2, 2))
    factorial = measured(MEANS, noise)
    values = factorial.values()
    centred = values - values.mean(axis=(1, 2, 3), keepdims=True)
    pairs = [(centred[a] * centred[b]).mean() for a, b in product(range(5), range(5)) if a != b]
    assert factor_shares(factorial).variance.value == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize("count", [1, 2])
def test_of_fewer_than_three_blocks_no_share_is_known(count: int) -> None:
    """Catches a share told as exact: with one of two blocks left out, no two are left."""
    noise = np.random.default_rng(3).normal(0, 0.5, (count, *MEANS.shape))
    found = factor_shares(measured(MEANS, noise))
    assert not found.known
    assert {own.state for own in (found.variance, *shares_of(found))} == {State.UNDEFINED}


def test_intervals_of_all_shares_hold_at_once() -> None:
    """Catches a jackknife without its factor, or alone: `rest` has a share of next to nothing.

    It leaves out what pairs of blocks add there, and all hold in 84 trials of 100.
    """
    generator = np.random.default_rng(6)
    truth = shares_of(factor_shares(still(MEANS)))
    hits = alone = 0
    for _ in range(TRIALS):
        noise = generator.normal(0, 0.35, (100, 3, 2, 2))
        found = shares_of(factor_shares(measured(MEANS, noise)))
        hits += all(holds(own, real.value) for own, real in zip(found, truth, strict=True))
        alone += all(
            abs(own.value - real.value) <= critical_value(0.95, 99) * (own.se or 0)
            for own, real in zip(found, truth, strict=True)
        )
    assert LESS[0] <= hits <= LESS[1]
    assert alone < LESS[0]


def shares_of(found: FactorShares) -> list[Estimate]:
    return [own for kind in (found.first, found.total, found.shapley) for own in kind.values()]


def test_rule_sets_that_do_not_differ_have_no_known_shares() -> None:
    """Pure noise: whether the variance is above 0 is wrong in 2.5% of trials at most."""
    generator = np.random.default_rng(8)
    known = sum(
        factor_shares(measured(np.zeros((2, 2)), generator.normal(0, 1, (20, 2, 2)))).known
        for _ in range(TRIALS)
    )
    assert known <= scipy.stats.binom.ppf(0.9995, TRIALS, 0.025)
    assert factor_shares(measured(MEANS, generator.normal(0, 1, (50, 3, 2, 2)))).known
    assert factor_shares(still(MEANS)).known and not factor_shares(still(0 * MEANS)).known


def test_intervals_of_interactions_hold_all_at_once() -> None:
    generator = np.random.default_rng(7)
    truth = [e.estimate.value for e in effects(still(MEANS), 2)]
    hits = 0
    for _ in range(TRIALS):
        shared = generator.normal(0, 3, (50, 1, 1, 1))
        noise = shared + generator.normal(0, 1, (50, 3, 2, 2))
        found = [e.estimate for e in effects(measured(MEANS, noise), 2)]
        hits += all(
            e.low is not None and e.high is not None and e.low <= real <= e.high
            for e, real in zip(found, truth, strict=True)
        )
    assert LESS[0] <= hits <= LESS[1]
