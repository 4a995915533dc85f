"""Intervals for how often something happens in a game, where it is rare, or almost certain.

A mean of few events is far from normal. Wilson's interval is right for independent games; games of
one deal are not, so their number is divided by the design effect: the variance of the rate between
blocks over the variance that independent games would have. It is taken as 1 at least, because few
events say little about it. Nothing seen in n deals: the rate is at most 3/n.
Source: docs/statistics.md, "Where Student's t is not enough"; Wilson 1927; Kish, Survey
Sampling, on the design effect; Hanley and Lippman-Hand 1983 on the rule of three.
"""

from __future__ import annotations

import math

RARE = 50
"""From this many events on, and as many games without, Student's t between blocks is as good:
`tests/test_stats_rates.py` measures the coverage on both sides."""


def wilson(rate: float, games: float, critical: float) -> tuple[float, float]:
    """Return the ends of Wilson's interval for `rate` in so many independent games."""
    square = critical * critical / games
    centre = (rate + square / 2) / (1 + square)
    half = critical / (1 + square) * math.sqrt(rate * (1 - rate) / games + square / (4 * games))
    return max(0.0, centre - half), min(1.0, centre + half)


def design_effect(rate: float, se: float, games: int) -> float:
    """Return how many dependent games say as much as an independent one; 1 at least."""
    independent = rate * (1 - rate) / games
    return max(1.0, se * se / independent)


def at_most(level: float, deals: int) -> float:
    """Return the largest rate per deal at which seeing nothing in `deals` is not too unlikely.

    It is 3.0/n at 95%; deals are independent, their games may not be.
    """
    return min(1.0, -math.log(1 - level) / deals)
