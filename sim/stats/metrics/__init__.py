"""The registered metrics, by family: each is one small record or function.

`METRICS` are told of every cell; `PAIR_METRICS` of two cells compared game by game; `MEASURES` are
functions of more than that.
"""

from __future__ import annotations

from sim.stats import factors
from sim.stats.metric import AnyMeasure, Metric, Part
from sim.stats.metrics import course, fairness, house_rules, replayed, skill

__all__ = [
    "BY_NAME",
    "MEASURES",
    "METRICS",
    "NAMES",
    "PAIR_METRICS",
    "REGISTERED",
    "Metric",
    "Part",
]

METRICS: tuple[Metric, ...] = (
    *fairness.METRICS,
    *course.METRICS,
    *skill.METRICS,
    *house_rules.METRICS,
)

PAIR_METRICS: tuple[Metric, ...] = house_rules.PAIR_METRICS

MEASURES: tuple[AnyMeasure, ...] = (
    *fairness.MEASURES,
    *skill.MEASURES,
    *course.MEASURES,
    *replayed.MEASURES,
    *house_rules.MEASURES,
    *factors.MEASURES,
)

REGISTERED: tuple[Metric | AnyMeasure, ...] = (*METRICS, *PAIR_METRICS, *MEASURES)

BY_NAME: dict[str, Metric] = {metric.name: metric for metric in METRICS}

NAMES: tuple[str, ...] = tuple(metric.name for metric in METRICS if metric.of == "game")
"""Metrics that are a single number, so that an experiment can be about them."""
