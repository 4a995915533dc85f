"""How many games: what the plan promises is what happens."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from sim.stats.estimates import Estimate, Method, contrast
from sim.stats.metrics import BY_NAME
from sim.stats.planning import FEWEST_BLOCKS, Pilot, more_blocks_to_tell
from sim.stats.rates import at_most
from sim.stats.verdict import Verdict, judge, judged
from tests.test_stats_estimates import blocks
from tests.test_stats_stopping import after

MARGIN = BY_NAME["margin"]


def test_the_blocks_for_a_half_width_are_the_fewest() -> None:
    """Catches z for Student's t, and one block too few or too many."""
    for half_width in (0.001, 0.02, 0.07, 0.2):
        found = Pilot(sd=1.0, games_per_block=32).blocks_for(half_width)

        def width(count: int) -> float:
            return float(scipy.stats.t.ppf(0.975, count - 1)) / math.sqrt(count)

        assert width(found) <= half_width < width(found - 1)
    assert Pilot(1.0, 32).blocks_for(5.0) == FEWEST_BLOCKS
    assert Pilot(1.0, 32).games_for(0.02) == 32 * Pilot(1.0, 32).blocks_for(0.02)
    with pytest.raises(ValueError, match="above 0"):
        Pilot(1.0, 32).blocks_for(0)


@pytest.mark.parametrize("level", [0.95, 0.999])
def test_a_half_width_is_that_of_students_t_with_one_degree_fewer_than_blocks(level: float) -> None:
    for count in (2, 3, 5, 50):
        half_width = float(scipy.stats.t.ppf((1 + level) / 2, count - 1)) * 2 / math.sqrt(count)
        assert Pilot(2.0, 32).half_width(count, level) == pytest.approx(half_width, rel=1e-9)


def test_the_smallest_visible_effect_is_seen_as_often_as_promised() -> None:
    """Catches a plan without power: an effect as large as the half-width is seen half the time.

    2,000 repetitions, promised 80%: the exact 99.9% band of a binomial.
    """
    blocks_, sd = 80, 3.0
    effect = Pilot(sd, 16).smallest_effect(games=80 * 16)
    values = np.random.default_rng(6).normal(effect, sd, (2000, blocks_))
    tested = scipy.stats.ttest_1samp(values, 0, axis=1)
    low, high = scipy.stats.binom.ppf([0.0005, 0.9995], 2000, 0.8)
    assert low <= (tested.pvalue < 0.05).sum() <= high
    assert (scipy.stats.ttest_1samp(values - effect + Pilot(sd, 16).half_width(80), 0, axis=1)
            .pvalue < 0.05).sum() < low  # fmt: skip
    with pytest.raises(ValueError, match="less than 2 blocks of 16"):
        Pilot(sd, 16).smallest_effect(games=31)


def test_pairing_saves_what_the_variance_ratio_says() -> None:
    """Catches a ratio of standard deviations: pairing saves the ratio of variances in games."""
    generator = np.random.default_rng(9)
    common = generator.integers(0, 90, 400)
    a, b = (common + generator.integers(0, 20, 400) for _ in range(2))
    paired = contrast(blocks(margin=a), blocks(margin=b), MARGIN)
    apart = math.sqrt(a.var(ddof=1) + b.var(ddof=1)) / 4
    assert paired.se is not None and paired.variance_ratio is not None
    width = 0.001  # thousands of blocks, where Student's t is normal to a part in a thousand
    needed = [Pilot(sd, 4).blocks_for(width) for sd in (apart, paired.se * math.sqrt(400))]
    assert needed[0] / needed[1] == pytest.approx(paired.variance_ratio, rel=1e-3)


def grown(found: Estimate, more: int) -> Estimate:
    """The same estimate after `more` blocks, its interval as much narrower as it will be."""
    assert found.half_width is not None
    half = found.half_width * math.sqrt(found.blocks / (found.blocks + more))
    return replace(found, low=found.value - half, high=found.value + half)


def test_so_many_more_games_would_tell_whatever_the_effect() -> None:
    """Catches too few: wherever the value may move, the interval then has a verdict."""
    found = after(60, 0.3, 4.0)
    more = more_blocks_to_tell(found, smallest=0.5)
    assert more is not None
    for value in np.linspace(-2, 2, 401):
        then = grown(replace(found, value=float(value)), more)
        assert then.low is not None and then.high is not None
        assert judge(then.low, then.high, 0.5) is not Verdict.UNKNOWN
        earlier = grown(replace(found, value=0.26), round(0.9 * more))
    assert earlier.low is not None and earlier.high is not None
    assert judge(earlier.low, earlier.high, 0.5) is Verdict.UNKNOWN


def test_where_no_deal_shows_a_change_so_many_more_would_tell_that_there_is_none() -> None:
    """In n deals it is at most 3.0 in n: the fewest blocks of 4 deals after which that is small."""
    a, b = (blocks(ties=[0, 1, 0, 2] * 5, margin=[margin] * 20) for margin in (9, 8))
    found = contrast(a, b, BY_NAME["tie_rate"])
    assert found.method is Method.NO_CHANGE_SEEN
    more = more_blocks_to_tell(found, 0.005)
    assert more is not None
    assert at_most(0.95, 4 * (20 + more)) <= 0.005 < at_most(0.95, 4 * (20 + more - 1))


def test_where_any_effect_matters_the_value_is_taken_as_it_is() -> None:
    found = after(60, 0.3, 4.0)
    more = more_blocks_to_tell(found, smallest=0)
    assert more is not None
    then = grown(found, more)
    assert then.low == pytest.approx(0, abs=0.01) and (then.low or -1) >= 0
    assert more_blocks_to_tell(replace(found, value=0.0), 0) is None


def test_a_verdict_not_known_says_how_many_more_games_would_tell() -> None:
    unknown = judged(after(60, 0.3, 4.0), 0.5, games_per_block=64)
    assert unknown.verdict is Verdict.UNKNOWN and unknown.more_games is not None
    blocks_ = more_blocks_to_tell(after(60, 0.3, 4.0), 0.5) or 0
    assert blocks_ * 64 <= unknown.more_games < 1.1 * blocks_ * 64  # rounded up to two figures
    assert unknown.text == (
        f"not yet known; about {unknown.more_games:,} more games in each cell would tell"
    )
    assert unknown.as_json() == {
        "verdict": "not yet known",
        "more_games": unknown.more_games,
    }
    known = judged(after(60, 9.0, 4.0), 0.5, 64)
    assert known.as_json() == {
        "verdict": "larger than the smallest effect that matters",
        "more_games": None,
    }
    same = blocks(margin=np.arange(30))
    assert judged(contrast(same, same, MARGIN), 0.5, 64).text == "exactly equal"
    one = judged(contrast(blocks(margin=[9]), blocks(margin=[1]), MARGIN), 0.5, 64)
    assert (one.text, one.more_games) == ("not yet known", None)
