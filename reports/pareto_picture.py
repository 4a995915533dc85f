"""Picture: the rule sets by their first two goals, and which of them no other surely beats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports import theme
from sim.answers.tuned import Judged, Tuned
from sim.goals import Objective, metric_name, sign
from sim.stats.goals import Place
from sim.stats.metrics import BY_NAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 6.4, 4.4
LOOKS = {
    Place.OUT: (theme.DIM, "x"),
    Place.OPEN: (theme.ORANGE, "s"),
    Place.IN: (theme.BLUE, "o"),
}
"""Colour and shape, so that either tells."""


def pareto(tuned: Tuned) -> Figure:
    """Draw the mean of each goal of each rule set, with intervals for those that may be best."""
    first, second = tuned.explore.objectives[:2]
    with theme.style():
        figure = theme.figure(WIDTH, HEIGHT)
        axes = figure.add_axes((0.12, 0.13, 0.84, 0.78))
        axes.grid(color=theme.RULE, linewidth=0.5, alpha=0.6)
        for place, (colour, marker) in LOOKS.items():
            own = [one for one in tuned.explore.judged if one.place is place]
            _points(axes, own, place, colour, marker, (first, second))
        _chosen(axes, tuned, (first, second))
        axes.set_xlabel(_axis(first))
        axes.set_ylabel(_axis(second))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.11), ncol=4, handletextpad=0.3)
    return figure


def _scale(goal: Objective) -> int:
    return 100 if BY_NAME[metric_name(goal)].percent else 1


def _axis(goal: Objective) -> str:
    metric = BY_NAME[metric_name(goal)]
    better = "more is better" if sign(goal) == 1 else "less is better"
    unit = "percentage points" if metric.percent else metric.unit
    return f"{metric.title}, {unit} ({better})"


def _points(
    axes: Axes,
    own: list[Judged],
    place: Place,
    colour: str,
    marker: str,
    goals: tuple[Objective, Objective],
) -> None:
    if not own:
        return
    x, y = ([_scale(g) * one.means[i].value for one in own] for i, g in enumerate(goals))
    if place is not Place.OUT:
        halves = [
            [_scale(g) * (one.means[i].high - one.means[i].low) / 2 for one in own]
            for i, g in enumerate(goals)
        ]
        axes.errorbar(x, y, halves[1], halves[0], fmt="none", ecolor=colour, elinewidth=1)
    axes.plot(x, y, marker, color=colour, markersize=5, label=f"{place.value} ({len(own)})")


def _chosen(axes: Axes, tuned: Tuned, goals: tuple[Objective, Objective]) -> None:
    """Ring what is recommended, where fresh deals say it is."""
    _, fresh = tuned.recommended
    x, y = (_scale(goal) * fresh.means[i].value for i, goal in enumerate(goals))
    axes.plot(x, y, "o", markersize=12, color=theme.INK, fillstyle="none", label="recommended")
