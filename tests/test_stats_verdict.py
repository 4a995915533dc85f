"""The four verdicts as a truth table."""

from __future__ import annotations

import numpy as np
import pytest

from sim.stats.estimates import contrast
from sim.stats.metrics import BY_NAME
from sim.stats.verdict import Verdict, judge, judge_estimate
from tests.test_stats_estimates import blocks

LARGER, DIFFERENT, EQUAL, UNKNOWN = Verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.1, 2.0, LARGER),
        (-9.0, -1.1, LARGER),
        (1.0, 2.0, DIFFERENT),  # the end itself does not matter yet
        (0.2, 2.0, DIFFERENT),
        (-2.0, -0.2, DIFFERENT),
        (-1.0, 1.0, EQUAL),  # ends included
        (-0.5, 0.4, EQUAL),
        (0.2, 0.8, EQUAL),  # surely not 0, and surely negligible
        (-0.8, -0.2, EQUAL),
        (-0.2, 1.5, UNKNOWN),
        (-1.5, 0.2, UNKNOWN),
        (-3.0, 3.0, UNKNOWN),
        (0.0, 1.5, UNKNOWN),  # an end at 0 does not exclude it
        (-1.5, 0.0, UNKNOWN),
    ],
)
def test_truth_table(low: float, high: float, verdict: Verdict) -> None:
    assert judge(low, high, 1.0) is verdict


def test_without_a_smallest_effect_only_the_sign_counts() -> None:
    assert judge(0.1, 0.2, 0) is LARGER
    assert judge(-0.1, 0.2, 0) is UNKNOWN


def test_every_verdict_has_its_own_words() -> None:
    assert len({verdict.value for verdict in Verdict}) == 4
    assert [v.brief for v in Verdict] == ["larger", "different", "equal", "unknown"]


def test_exact_zero_is_equal_and_no_interval_is_unknown() -> None:
    metric = BY_NAME["margin"]
    same = blocks(margin=np.arange(30))
    assert judge_estimate(contrast(same, same, metric), 0.5) is EQUAL
    one = contrast(blocks(margin=[90]), blocks(margin=[2]), metric)
    assert judge_estimate(one, 0.5) is UNKNOWN
    far = contrast(blocks(margin=[90, 91]), blocks(margin=[2, 2]), metric)
    assert judge_estimate(far, 0.5) is LARGER
