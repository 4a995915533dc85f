"""Rare shares of games: Wilson with the design effect, and the rule of three."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from sim.stats.blocks import Blocks
from sim.stats.estimates import Method, estimate
from sim.stats.metrics import BY_NAME
from sim.stats.rates import RARE, at_most, design_effect, wilson
from tests.test_stats_coverage import BAND, REPETITIONS, blocks, holds, in_band

TIES = BY_NAME["tie_rate"]


def of(events: np.ndarray, deals: int, games: int) -> Blocks:
    return blocks(deals, games, {"ties": events})


@pytest.mark.parametrize(("events", "games"), [(1, 40), (3, 200), (49, 1000), (199, 200)])
def test_wilson_is_scipys_for_independent_games(events: int, games: int) -> None:
    """Catches a slip in any term of the formula."""
    z = scipy.stats.norm.ppf(0.975)
    theirs = scipy.stats.binomtest(events, games).proportion_ci(0.95, "wilson")
    assert wilson(events / games, games, z) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_nothing_seen_is_at_most_three_in_the_deals() -> None:
    """Catches an interval of width zero, and games of one deal counted as independent."""
    found = estimate(of(np.zeros(50, int), deals=8, games=32), TIES)
    assert (found.value, found.low, found.method) == (0.0, 0.0, Method.NOTHING_SEEN)
    assert found.high == pytest.approx(3 / 400, rel=0.002)  # 2.996, not 3
    exact = scipy.stats.beta.ppf(0.95, 1, 400)  # Clopper, Pearson: L/n - L^2/2n^2 ...
    assert found.high == pytest.approx(exact, rel=1.5 / 400, abs=0)  # L = ln 20 = 3.0
    always = estimate(of(np.full(50, 32), deals=8, games=32), TIES)
    assert (always.high, always.method) == (1.0, Method.ALWAYS_SEEN)
    assert always.low == 1 - (found.high or 0)
    assert at_most(0.95, 2) == 1.0


def test_the_design_effect_counts_games_that_come_together() -> None:
    """By hand: 5% in 800 games; independent games give a variance of .05 * .95 / 800."""
    independent = 0.05 * 0.95 / 800
    assert design_effect(0.05, np.sqrt(4 * independent), 800) == pytest.approx(4)
    assert design_effect(0.05, np.sqrt(independent / 9), 800) == 1  # never a gain


def test_many_events_keep_students_t() -> None:
    events = np.tile([RARE // 10, RARE // 10 + 2], 10)
    assert estimate(of(events, 8, 8 * 40), TIES).method is Method.STUDENT
    few = np.tile([0, 2], 10)
    assert estimate(of(few, 8, 8 * 40), TIES).method is Method.WILSON


def rare(rate: float, together: int) -> tuple[int, int]:
    """How often intervals of a rate hold it, and how often plain Student's t would.

    50 blocks of 4 deals of 4 games; `together` games of a deal have the event or not, as one.
    """
    generator = np.random.default_rng(round(1 / rate) + together)
    seen = generator.binomial(4 * 4 // together, rate, (REPETITIONS, 50)) * together
    plain = 0
    hits = 0
    for events in seen:
        hits += holds(estimate(of(events, 4, 16), TIES), rate)
        means = events / 16
        half = scipy.stats.t.ppf(0.975, 49) * means.std(ddof=1) / np.sqrt(50)
        plain += bool(abs(means.mean() - rate) <= half)
    return hits, plain


def lumps(rate: float, units: int) -> float:
    """Exact coverage of Wilson's interval and the rule of three for independent units."""
    k = np.arange(units + 1)
    z = scipy.stats.norm.ppf(0.975)
    ends = np.array([(0, at_most(0.95, units)), *(wilson(x / units, units, z) for x in k[1:])])
    held = (ends[:, 0] <= rate) & (rate <= ends[:, 1])
    return float(scipy.stats.binom.pmf(k, units, rate)[held].sum())


@pytest.mark.parametrize("rate", [0.002, 0.005, 0.02, 0.05, 0.5])
@pytest.mark.parametrize("together", [1, 4])
def test_intervals_of_rates_cover_on_both_sides_of_rare(rate: float, together: int) -> None:
    """Catches Student's t (or Wald) on rare events, and independent games assumed where none are.

    Rates are lumpy: Wilson's own coverage, exactly known for independent units, swings about 95%.
    Ours must not be below the 99.9% band of whichever of the two is lower.
    """
    hits, plain = rare(rate, together)
    promised = min(0.95, lumps(rate, 50 * 16 // together))
    assert hits >= scipy.stats.binom.ppf(0.0005, REPETITIONS, promised)
    if rate <= 0.005:
        assert plain < BAND[0]


def as_they_come(low: float, high: float, count: int, together: int) -> tuple[int, int, int]:
    """How often intervals hold a rate that is drawn anew each time, so that lumps average out.

    Between `low` and `high` events are expected in `count` blocks of a deal of 4 games, `together`
    of which have the event or not as one. Also: how often intervals that count games as the unit
    hold it, and ours made 10% narrower.
    """
    generator = np.random.default_rng(count + together)
    units = 4 // together
    rates = np.exp(generator.uniform(np.log(low), np.log(high), REPETITIONS)) / (4 * count)
    z = scipy.stats.norm.ppf(0.975)
    hits = by_games = narrower = 0
    for rate in rates:
        events = generator.binomial(units, rate, count) * together
        found = estimate(of(events, 1, 4), TIES)
        hits += holds(found, rate)
        ends = wilson(events.sum() / (4 * count), 4 * count, z)
        by_games += bool(ends[0] <= rate <= ends[1])
        assert found.low is not None and found.high is not None
        cut = 0.05 * (found.high - found.low)
        narrower += bool(found.low + cut <= rate <= found.high - cut)
    return hits, by_games, narrower


@pytest.mark.parametrize("together", [1, 4])
@pytest.mark.parametrize(("low", "high"), [(8, 40), (200, 600)])
def test_intervals_of_rates_cover_when_rates_are_as_they_come(
    together: int, low: float, high: float
) -> None:
    """Few events (Wilson) and many (Student's t), in 400 blocks.

    Catches intervals 10% too narrow, and games as the unit where those of a deal come together.
    """
    hits, by_games, narrower = as_they_come(low, high, 400, together)
    assert in_band(hits)
    assert narrower < BAND[0]
    assert in_band(by_games) == (together == 1)


@pytest.mark.parametrize("together", [1, 4])
def test_few_blocks_make_intervals_of_rare_rates_wider_not_narrower(together: int) -> None:
    """In 50 blocks the design effect, 1 at least, is a rough guess that can only widen them."""
    hits, _, _ = as_they_come(4 * together, 40, 50, together)
    assert hits >= BAND[0]


@pytest.mark.parametrize("together", [1, 4])
def test_seeing_nothing_excludes_as_little_as_it_says(together: int) -> None:
    """The truth is just above 3/n, in n = 200 deals: then nothing is seen 5% of the time at most.

    Only that error is counted, so the count of the others is near 95%. Catches 3 in the number of
    games, where the 4 games of a deal have the event or not as one.
    """
    generator = np.random.default_rng(30 + together)
    deals, games = 200, 800
    of_deal = 1.0001 * at_most(0.95, deals)
    one = of_deal if together == 4 else 1 - (1 - of_deal) ** (1 / 4)
    seen = generator.binomial(games // together, one, REPETITIONS)
    nothing = estimate(of(np.zeros(50, int), 4, 16), TIES)
    assert nothing.high is not None and 0.999 * of_deal < nothing.high < of_deal
    assert in_band(int((seen > 0).sum()))
    above = generator.binomial(games // together, 1.0001 * at_most(0.95, games), REPETITIONS)
    assert ((above > 0).sum() >= BAND[0]) == (together == 1)
