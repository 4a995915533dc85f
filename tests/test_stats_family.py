"""Many numbers at once: intervals that all hold together, and no wider than need be."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from sim.stats.estimates import Method, State, critical_value, interval
from sim.stats.family import critical, radius, simultaneous
from sim.stats.samples import Floats, Sample
from tests.test_stats_coverage import BAND, REPETITIONS, in_band


def family(values: Floats, first: int = 0) -> list[Sample]:
    """Samples from block values of shape (blocks, members)."""
    ids, mean = np.arange(first, first + len(values)), values.mean(axis=0)
    deals = np.full(len(values), 8)
    return [Sample(float(m), values[:, i] - m, ids, deals) for i, m in enumerate(mean)]


def correlated(generator: np.random.Generator, blocks: int, members: int) -> Floats:
    """Members whose correlation is 0.7."""
    shared = generator.normal(0, np.sqrt(0.7), (blocks, 1))
    values: Floats = shared + generator.normal(0, np.sqrt(0.3), (blocks, members))
    return values


def test_all_hold_together_as_often_as_they_say_and_each_alone_does_not() -> None:
    """Catches each interval for itself in a family of 12, and Bonferroni for the bootstrap."""
    generator = np.random.default_rng(3)
    together = alone = 0
    widths = []
    for _ in range(REPETITIONS):
        own = family(correlated(generator, 50, 12))
        width = critical(own)
        widths.append(width)
        t = [abs(sample.value) / sample.se for sample in own]
        together += max(t) <= width
        alone += max(t) <= critical_value(0.95, 49)
    assert in_band(together)
    assert alone < BAND[0]
    bonferroni = critical_value(1 - 0.05 / 12, 49)
    assert max(widths) < bonferroni


def test_a_family_of_one_is_students_t() -> None:
    (own,) = family(correlated(np.random.default_rng(1), 30, 1))
    (found,) = simultaneous([own], "points")
    plain = interval(own, "points")
    assert (found.low, found.high) == (plain.low, plain.high)


def test_members_on_other_deals_are_independent() -> None:
    """Catches the same multipliers for other deals: then a copy would widen nothing."""
    values = correlated(np.random.default_rng(2), 60, 1)
    same = family(np.hstack([values, values]))
    other = family(values) + family(values, first=60)
    assert critical(same) == pytest.approx(critical_value(0.95, 59), rel=0.02)
    sidak = scipy.stats.t.ppf((1 + np.sqrt(0.95)) / 2, 59)
    assert critical(other) == pytest.approx(sidak, rel=0.02)


def test_the_same_family_has_the_same_intervals() -> None:
    own = family(correlated(np.random.default_rng(4), 2100, 5))
    assert simultaneous(own, "points") == simultaneous(own, "points")


def test_what_does_not_vary_stays_without_interval() -> None:
    varying, other = family(correlated(np.random.default_rng(4), 30, 2))
    still = Sample(1.0, np.zeros(30), varying.block, varying.deals)
    found = simultaneous([varying, still, other], "points")
    assert [one.state for one in found] == [State.INTERVAL, State.CONSTANT, State.INTERVAL]
    assert found[1].low is None and found[0].method is Method.SIMULTANEOUS


def test_the_truth_is_within_the_radius_as_often_as_it_says() -> None:
    """Catches a radius 15% too small, and one so large that it always holds."""
    generator = np.random.default_rng(5)
    hits = too_small = 0
    for _ in range(REPETITIONS):
        own = family(correlated(generator, 50, 4))
        distance = np.linalg.norm([sample.value for sample in own])
        reach = radius(own)
        hits += bool(distance <= reach)
        too_small += bool(distance <= 0.85 * reach)
    assert in_band(hits)
    assert too_small < BAND[0]
