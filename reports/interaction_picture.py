"""Picture: how the effect of one option depends on another; lines that are not parallel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports import options, theme, words
from sim.answers.factors import Means
from sim.answers.findings import Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, LEFT, RIGHT, TOP, BOTTOM, PLOT, LINE = 5.0, 0.65, 0.1, 0.36, 0.55, 2.3, 0.22
"""Inches: of the picture, around the plot, the plot's height, a line of the legend."""

SAMPLE = 0.6
"""Inches of a legend's entry beside its text."""

NUDGE = 0.06
"""By how much lines are set apart, so that their intervals can be told from each other."""


def draw(means: Means) -> Figure:
    """Draw the means: a line for each value of the first option, over those of the second."""
    metric = means.findings[0][0].metric
    lines, places = ([words.visible(options.value(v)) for v in own] for own in means.values)
    columns = _columns(lines)
    over = TOP + LINE * -(-len(lines) // columns)
    height = over + PLOT + BOTTOM
    with theme.style():
        figure = theme.figure(WIDTH, height)
        place = (LEFT / WIDTH, BOTTOM / height, 1 - (LEFT + RIGHT) / WIDTH, PLOT / height)
        axes = figure.add_axes(place)
        axes.grid(axis="y", color=theme.RULE, linewidth=0.5, alpha=0.6)
        axes.tick_params(length=0)
        for i, (name, row) in enumerate(zip(lines, means.findings, strict=True)):
            _line(axes, row, name, i, NUDGE * (i - (len(lines) - 1) / 2))
        if metric.signed:
            axes.axhline(0, color=theme.INK, linewidth=0.8, zorder=1)
            axes.yaxis.set_major_formatter(lambda value, _: words.tick(value))
        axes.set_xlim(-0.4, len(places) - 0.6)
        axes.set_xticks(range(len(places)), places)
        axes.set_xlabel(means.options[1])
        text = f"{words.heading(metric)}; lines: {means.options[0]}"
        figure.text(0.1 / WIDTH, 1 - 0.1 / height, text, va="top", fontsize=9)
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=columns,
            borderaxespad=0.2,
            handlelength=1.8,
        )
        return figure


def _columns(lines: list[str]) -> int:
    """Return how many entries of the legend have room beside each other."""
    longest = max(theme.text_width(name) for name in lines) + SAMPLE
    return max(1, min(len(lines), int((WIDTH - LEFT - RIGHT) / longest)))


def _line(axes: Axes, row: list[Finding], name: str, index: int, nudge: float) -> None:
    look, scale = theme.mark(index), 100 if row[0].metric.percent else 1
    axes.errorbar(
        [x + nudge for x in range(len(row))],
        [found.estimate.value * scale for found in row],
        [(found.estimate.half_width or 0) * scale for found in row],
        color=look.colour,
        marker=look.marker,
        markerfacecolor=look.colour if look.filled else "white",
        markersize=6,
        linewidth=1.4,
        elinewidth=1.2,
        capsize=3,
        label=name,
    )
