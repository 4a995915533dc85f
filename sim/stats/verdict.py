"""Four verdicts, from an interval and the smallest effect of interest.

A verdict is about the size of an effect, never about a p-value: with millions of games every
difference is significant and few of them matter. Source: docs/statistics.md, "Verdicts".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from sim.stats.estimates import Estimate, State
from sim.stats.planning import more_blocks_to_tell


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


@dataclass(frozen=True)
class Judged:
    """A verdict with what it would take to have one.

    Attributes:
        verdict: one of the four.
        exact: the effect is exactly 0: the cells played alike.
        more_games: in each cell, if the verdict is not yet known: about so many more would tell.
            None where that cannot be said.
    """

    verdict: Verdict
    exact: bool
    more_games: int | None

    @property
    def text(self) -> str:
        """What a person reads."""
        if self.exact:
            return "exactly equal"
        if self.more_games is None:
            return self.verdict.value
        return f"{self.verdict.value}; about {self.more_games:,} more games in each cell would tell"

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"verdict": self.verdict.value, "more_games": self.more_games}


def judged(estimate: Estimate, smallest: float, games_per_block: int) -> Judged:
    """Judge an effect; where that is not yet known, say how many more games would tell."""
    verdict = judge_estimate(estimate, smallest)
    more = more_blocks_to_tell(estimate, smallest) if verdict is Verdict.UNKNOWN else None
    return Judged(
        verdict,
        estimate.state is State.EXACT,
        None if more is None else _two_figures(more * games_per_block),
    )


def _two_figures(games: int) -> int:
    """Round up to two figures: the variance is not known better."""
    unit: int = 10 ** max(0, len(str(games)) - 2)
    return -(-games // unit) * unit
