"""Picture: what many variants, or rules, did in all settings: a row each, a mark a setting.

Numbers of players differ in their marks; the grey band holds what is too small to matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reports import theme, words
from reports.forest import (
    AXIS,
    GAP,
    LEAST_PLOT,
    MARGIN,
    MOST_ROWS,
    WIDTH,
    forest,
    row_height,
    short,
    ticks,
    write_labels,
)
from reports.spread import Spread, of_variants
from sim.answers.findings import Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEGEND, ROOMY = 0.3, 1.35
"""Inches; how much higher a row of several marks is than one of a single mark."""


def of(found: Sequence[Finding]) -> Figure:
    """Draw findings of one metric: a row each, or a row a variant where those are too many."""
    variants = of_variants(found)
    return draw(variants) if len(found) > MOST_ROWS and variants else forest(found)


def draw(every: Sequence[Spread]) -> Figure:
    """Draw rows in the order given, all of one metric; the first that there is room for."""
    found = every[:MOST_ROWS]
    names = [short(own.name) for own in found]
    labels = _labels(found)
    with theme.style():
        left = MARGIN + GAP + max(map(theme.text_width, names))
        right = MARGIN + GAP + max(map(theme.text_width, labels.values()))
        width = max(WIDTH, left + LEAST_PLOT + right)
        plot = width - left - right
        rows = ROOMY * row_height(names) * len(found)
        height = LEGEND + rows + AXIS
        figure = theme.figure(width, height)
        axes = figure.add_axes((left / width, AXIS / height, plot / width, rows / height))
        _frame(axes, names, found)
        _marks(axes, found)
        write_labels(axes, labels, plot)
        ticks(axes, plot, signed=True)
        metric = found[0].found[0].metric
        unit = "percentage points" if metric.percent else metric.unit
        place = (left + plot / 2) / width
        told = f"{unit}; a mark is one line-up"
        if len(found) < len(every):
            told += f"; the {len(found)} of {len(every)} that differ most"
        figure.text(place, 0.08 / height, told, ha="center", va="bottom", fontsize=9)
        figure.legend(
            loc="upper right",
            ncols=4,
            handletextpad=0.1,
            columnspacing=0.8,
            borderaxespad=0.1,
            fontsize=8,
        )
    return figure


def _labels(found: Sequence[Spread]) -> dict[int, str]:
    """Write from where to where each goes."""
    digits = words.digits_for(each for own in found for each in own.found)

    def end(value: float) -> str:
        return words.scaled(value, found[0].found[0].metric.percent, digits, signed=True)

    return {
        r: " to ".join(end(each.estimate.value) for each in own.ends) for r, own in enumerate(found)
    }


def _frame(axes: Axes, names: Sequence[str], found: Sequence[Spread]) -> None:
    first = found[0].found[0]
    size = first.smallest * (100 if first.metric.percent else 1)
    axes.grid(axis="x", color=theme.RULE, linewidth=0.5, alpha=0.6)
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    axes.axvspan(-size, size, color=theme.BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=theme.INK, linewidth=0.8, zorder=1)


def _marks(axes: Axes, found: Sequence[Spread]) -> None:
    """Put each number of players beside the others, so that marks do not hide one another."""
    players = sorted({each.cell.players for own in found for each in own.found})
    for i, number in enumerate(players):
        shift = 0.18 * (i - (len(players) - 1) / 2)
        here = [
            (each.estimate, row + shift)
            for row, own in enumerate(found)
            for each in own.found
            if each.cell.players == number
        ]
        scale = 100 if found[0].found[0].metric.percent else 1
        look = theme.mark(i)
        for own, row in here:
            if own.low is not None and own.high is not None:
                ends = (own.low * scale, own.high * scale)
                axes.plot(ends, (row, row), color=look.colour, linewidth=0.9, alpha=0.6)
        axes.plot(
            [own.value * scale for own, _ in here],
            [row for _, row in here],
            look.marker,
            color=look.colour,
            markersize=3.6,
            label=f"{number} players",
        )
