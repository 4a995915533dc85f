"""When to stop: after so many blocks, when an interval is narrow enough, or at a decision.

A rule looks at what the first t blocks say, in order of block id: a block that is ready early waits
for those before it, so that the end cannot depend on workers. An ordinary interval tells how large
something is and may be looked at until it is narrow; it must never be looked at until it excludes
0. What decides is a confidence sequence, an interval that holds at all looks together: Robbins'
normal mixture with the variance plugged in, from the 20th block on.
Source: docs/statistics.md, "Stopping"; Chow and Robbins 1965; Robbins 1970; Waudby-Smith et al.
2024.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from sim.stats.estimates import LEVEL, Estimate, Method, State
from sim.stats.verdict import Verdict, judge

FIRST_WIDTH_LOOK = 50
FIRST_DECISION_LOOK = 20


class Reason(Enum):
    """Why a run stopped; the value is the text for people."""

    GAMES = "all games that were asked for are played"
    NARROW = "every interval is as narrow as was asked"
    DECIDED = "every question is decided"
    BUDGET = "the budget is spent"


@dataclass(frozen=True)
class Stop:
    """The end of a run, as a report must tell it.

    Attributes:
        rule: which rule stopped it: ``games``, ``width`` or ``decision``.
        reason: whether it got what it wanted.
        blocks: blocks played in each cell.
        looks: how often intervals were looked at.
    """

    rule: str
    reason: Reason
    blocks: int
    looks: int

    @property
    def text(self) -> str:
        """What a person reads."""
        looks = f"after {self.looks} look{'' if self.looks == 1 else 's'}"
        return f"stopped by {self.rule} {looks}, {self.blocks} blocks: {self.reason.value}"


class Rule(Protocol):
    """A stopping rule over the estimates of an experiment's primary metric."""

    @property
    def name(self) -> str:
        """What experiments call it."""

    @property
    def budget(self) -> int:
        """Blocks in each cell at which it ends in any case."""

    @property
    def first_look(self) -> int:
        """Blocks before which it does not look."""

    def satisfied(self, found: Sequence[Estimate]) -> Reason | None:
        """Say why `found`, after one number of blocks, are all that is needed, or None."""


@dataclass(frozen=True)
class FixedGames:
    """Stop after a number of blocks."""

    budget: int
    name = "games"

    @property
    def first_look(self) -> int:
        """It looks once, at the end."""
        return self.budget

    def satisfied(self, found: Sequence[Estimate]) -> Reason | None:
        """It is content with what it gets."""
        return Reason.GAMES


@dataclass(frozen=True)
class HalfWidth:
    """Stop when all ordinary intervals are narrow enough, or the budget is spent.

    An interval that has no width yet, because nothing varied so far, is not narrow.
    """

    half_width: float
    budget: int
    first_look: int = FIRST_WIDTH_LOOK
    name = "width"

    def satisfied(self, found: Sequence[Estimate]) -> Reason | None:
        """Compare every half-width."""
        narrow = all(
            each.state is State.EXACT
            or (each.half_width is not None and each.half_width <= self.half_width)
            for each in found
        )
        return Reason.NARROW if narrow else None


@dataclass(frozen=True)
class Decision:
    """Stop when all effects are larger than `smallest`, or practically equal, or at the budget.

    Attributes:
        smallest: the smallest effect of interest; 0: until all differ from 0.
        budget: blocks; the sequence is narrowest at half of them.
        level: with which all the decisions are right together.
    """

    smallest: float
    budget: int
    level: float = LEVEL
    first_look: int = FIRST_DECISION_LOOK
    name = "decision"

    def satisfied(self, found: Sequence[Estimate]) -> Reason | None:
        """Judge every confidence sequence; the level is shared among them."""
        decided = all(
            self.verdict(each, len(found)) in (Verdict.LARGER, Verdict.EQUAL) for each in found
        )
        return Reason.DECIDED if decided else None

    def sequence(self, found: Estimate, comparisons: int = 1) -> Estimate:
        """Return `found` with the confidence sequence in place of its interval.

        It must be an estimate by Student's t; one without standard error stays as it is.
        """
        if not found.se:
            return replace(found, low=None, high=None) if found.state is State.INTERVAL else found
        half = self.half_width(found.blocks, found.se * math.sqrt(found.blocks), comparisons)
        method = Method.CONFIDENCE_SEQUENCE
        found = found.within(found.value - half, found.value + half, method)
        return replace(found, level=1 - (1 - self.level) / comparisons)

    def half_width(self, blocks: int, sd: float, comparisons: int = 1) -> float:
        """Return the half-width of the sequence of one of so many effects."""
        alpha = (1 - self.level) / comparisons
        return sequence_half_width(blocks, sd, alpha, best_at=max(1, self.budget // 2))

    def verdict(self, found: Estimate, comparisons: int = 1) -> Verdict:
        """Judge the confidence sequence of one effect."""
        if found.state is State.EXACT:
            return Verdict.EQUAL
        own = self.sequence(found, comparisons)
        if own.low is None or own.high is None or found.blocks < self.first_look:
            return Verdict.UNKNOWN
        return judge(own.low, own.high, self.smallest)


def mixture_precision(best_at: int, alpha: float) -> float:
    """Return rho, with which a confidence sequence is narrowest after about `best_at` blocks."""
    evidence = 2 * math.log(1 / alpha)
    return best_at / (evidence + math.log(1 + evidence))


def sequence_half_width(blocks: int, sd: float, alpha: float, best_at: int) -> float:
    """Return the half-width of the asymptotic confidence sequence after so many blocks.

    Args:
        blocks: how many.
        sd: standard deviation between them.
        alpha: chance that the sequence ever, at any look, misses the truth.
        best_at: blocks after which it is to be narrowest.
    """
    rho = mixture_precision(best_at, alpha)
    spread = blocks + rho
    return sd * math.sqrt(spread * math.log(spread / (rho * alpha**2))) / blocks


def look(rule: Rule, found: Sequence[Estimate], blocks: int, looks: int) -> Stop | None:
    """Look at the estimates after `blocks` blocks, for the `looks`-th time; say whether to stop.

    Args:
        rule: the rule.
        found: each comparison that the question is about, from the first `blocks` blocks.
        blocks, looks: how many, this look counted.
    """
    reason = rule.satisfied(found) if blocks >= rule.first_look else None
    if reason is None and blocks >= rule.budget:
        reason = Reason.BUDGET
    return None if reason is None else Stop(rule.name, reason, blocks, looks)
