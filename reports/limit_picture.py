"""Picture: the rule sets that come nearest to a limit, each by the number that tests it most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reports import theme, words
from sim.answers.tuned import Number, Tuned
from sim.goals import limits, metric_name
from sim.stats.goals import Met
from sim.stats.metrics import BY_NAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 24
ROW, TOP, FOOT, PLOT, MARGIN, LONGEST = 0.225, 0.3, 0.5, 3.4, 0.1, 80
LOOKS = {Met.YES: (theme.BLUE, "o"), Met.OPEN: (theme.ORANGE, "s"), Met.NO: (theme.DIM, "x")}
"""Colour and shape, so that either tells."""


def draw(tuned: Tuned) -> Figure:
    """Draw the first limit: what is allowed as a band, and each rule set's worst number."""
    nearest = sorted(tuned.explore.judged, key=lambda own: own.beyond)[:MOST]
    names = [_short(own.variant) for own in nearest]
    with theme.style():
        left = MARGIN + max(theme.text_width(name) for name in names) + 0.1
        width, height = left + PLOT + MARGIN, TOP + ROW * len(nearest) + FOOT
        figure = theme.figure(width, height)
        place = (left / width, FOOT / height, PLOT / width, ROW * len(nearest) / height)
        axes = figure.add_axes(place)
        axes.grid(axis="x", color=theme.RULE, linewidth=0.5, alpha=0.6)
        axes.tick_params(length=0)
        axes.spines["left"].set_visible(False)
        axes.set_ylim(len(nearest) - 0.5, -0.5)
        axes.set_yticks(range(len(nearest)), names)
        _allowed(axes, tuned)
        for row, own in enumerate(nearest):
            _mark(axes, row, own.worst[0], own.met[0])
        _words(axes, tuned)
    return figure


def _short(name: str) -> str:
    name = words.visible(name)
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def _scale(tuned: Tuned) -> int:
    return 100 if BY_NAME[metric_name(tuned.explore.contest.constraints[0])].percent else 1


def _allowed(axes: Axes, tuned: Tuned) -> None:
    scale, goal = _scale(tuned), tuned.explore.contest.constraints[0]
    limit = limits(goal, 2)[0]
    worst = [own.worst[0].value for own in tuned.explore.judged]
    known = [value for value in worst if math.isfinite(value)] or [0.0]
    low = limit.low if math.isfinite(limit.low) else min(*known, limit.high)
    high = limit.high if math.isfinite(limit.high) else max(*known, limit.low)
    axes.axvspan(scale * low, scale * high, color=theme.BAND, linewidth=0, zorder=0)


def _mark(axes: Axes, row: int, number: Number, met: Met) -> None:
    colour, marker = LOOKS[met]
    scale = 100 if BY_NAME[metric_name(number.goal)].percent else 1
    if math.isfinite(number.low) and math.isfinite(number.high):
        ends = (scale * number.low, scale * number.high)
        axes.plot(ends, (row, row), "|-", color=colour, linewidth=1.2, markersize=4)
    if math.isfinite(number.value):
        axes.plot(scale * number.value, row, marker, color=colour, markersize=5)


def _words(axes: Axes, tuned: Tuned) -> None:
    goal = tuned.explore.contest.constraints[0]
    metric = BY_NAME[metric_name(goal)]
    unit = "percentage points" if metric.percent else metric.unit
    axes.set_xlabel(f"{metric.title}, {unit}; grey: allowed")
    for met, (colour, marker) in LOOKS.items():
        axes.plot([], [], marker, color=colour, markersize=5, linestyle="none", label=met.value)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, handletextpad=0.3)
