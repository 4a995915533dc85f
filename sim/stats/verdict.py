"""Four verdicts, from an interval and the smallest effect of interest.

Source: DESIGN.md, "Statistics". A verdict is about the size of an effect, never about a p-value:
with millions of games every difference is significant and few of them matter.
"""

from __future__ import annotations

from enum import Enum

from sim.stats.estimates import Estimate, State


class Verdict(Enum):
    """What an interval says about an effect; the value is the verdict in words."""

    LARGER = "larger than the smallest effect that matters"
    DIFFERENT = "different, but it may be negligible"
    EQUAL = "practically equal"
    UNKNOWN = "not yet known"

    @property
    def brief(self) -> str:
        """The verdict in a word, for tables."""
        return {"LARGER": "larger", "DIFFERENT": "different", "EQUAL": "equal"}.get(
            self.name, "unknown"
        )


def judge(low: float, high: float, smallest: float) -> Verdict:
    """Judge an effect with interval [`low`, `high`] against `smallest` >= 0.

    * larger: the whole interval lies beyond `smallest`, on one side;
    * practically equal: the whole interval lies within plus or minus `smallest`, ends included
      (a difference may well be there, but it does not matter);
    * different: 0 lies outside the interval, yet values that do not matter lie inside;
    * not yet known: the interval holds 0 and values that matter.
    """
    if low > smallest or high < -smallest:
        return Verdict.LARGER
    if -smallest <= low and high <= smallest:
        return Verdict.EQUAL
    if low > 0 or high < 0:
        return Verdict.DIFFERENT
    return Verdict.UNKNOWN


def judge_estimate(estimate: Estimate, smallest: float) -> Verdict:
    """Judge an estimated effect: an exact 0 is equal, and without an interval nothing is known."""
    if estimate.state is State.EXACT:
        return Verdict.EQUAL
    if estimate.low is None or estimate.high is None:
        return Verdict.UNKNOWN
    return judge(estimate.low, estimate.high, smallest)
