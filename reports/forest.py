"""Picture: a forest plot of findings, a row each, with value and interval written beside it.

The zero line is no effect, or an even share; the grey band holds what is too small to matter. It is
narrow enough to be read on a telephone, and tall as it has rows.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from reports import theme, words
from reports.section import is_change, shown
from sim.answers.findings import Finding
from sim.stats.estimates import State

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, MARGIN, ROW, AXIS, GAP = 5.0, 0.06, 0.225, 0.56, 0.12
LEAST_PLOT = 1.7
MOST_ROWS = 24
LONGEST_NAME = 36
"""Inches, rows, and letters of a line of a name."""

Row = tuple[str, bool, Finding | None]
"""The text of a row, whether it is a heading, and what it shows."""


def most_telling(found: Sequence[Finding]) -> list[Finding]:
    """Return what a picture has room for: the lowest and the highest, in the order given."""
    if len(found) <= MOST_ROWS:
        return list(found)
    order = sorted(range(len(found)), key=lambda i: found[i].estimate.value)
    ends = order[: MOST_ROWS // 2] + order[-MOST_ROWS // 2 :]
    return [found[i] for i in sorted(ends)]


def rows_of(found: Sequence[Finding]) -> list[Row]:
    """Group findings by setting; with one for each setting the setting is the row."""
    variants = {each.cell.variant for each in found}
    if len(variants) == 1:
        return [(short(each.setting), False, each) for each in found]
    rows: list[Row] = []
    for setting in dict.fromkeys(each.setting for each in found):
        rows.append((words.visible(setting), True, None))
        rows += [
            (short(each.cell.variant), False, each) for each in found if each.setting == setting
        ]
    return rows


def short(name: str) -> str:
    """Fold a long name in two lines, and cut what is longer."""
    lines = textwrap.wrap(words.visible(name), LONGEST_NAME, max_lines=2, placeholder="…")
    return "\n".join(lines)


def row_height(names: Iterable[str]) -> float:
    """Return the height of a row in which each of these names has room, in inches."""
    return ROW * (1.5 if any("\n" in name for name in names) else 1)


def forest(found: Sequence[Finding]) -> Figure:
    """Draw findings of one metric, those that there is room for."""
    few = most_telling(found)
    cut = "" if len(few) == len(found) else f"the {len(few)} most extreme of {len(found)}"
    return draw(rows_of(few), note=cut)


def draw(rows: Sequence[Row], alike: bool = False, note: str = "") -> Figure:
    """Draw rows, all of one metric; unless they look `alike`, variants differ in their marks.

    A `note` is written behind the unit.
    """
    found = [each for _, _, each in rows if each is not None]
    digits = words.digits_for(found)
    labels = {r: shown(each, digits) for r, (_, _, each) in enumerate(rows) if each is not None}
    with theme.style():
        left = (
            MARGIN + GAP + max(theme.text_width(text) for text, heading, _ in rows if not heading)
        )
        right = MARGIN + GAP + max(theme.text_width(label) for label in labels.values())
        width = max(WIDTH, left + LEAST_PLOT + right)
        plot = width - left - right
        row = row_height(text for text, _, _ in rows)
        height = MARGIN + row * len(rows) + AXIS
        figure = theme.figure(width, height)
        axes = figure.add_axes(
            (left / width, AXIS / height, plot / width, row * len(rows) / height)
        )
        _frame(axes, rows, found[0])
        for r, (_, _, each) in enumerate(rows):
            if each is not None:
                _mark(axes, r, each, theme.mark(0 if alike else each.cell.variant_index))
        _write_headings(axes, rows, plot, left, width)
        write_labels(axes, labels, plot)
        ticks(axes, plot, is_change(found[0]))
        unit = "percentage points" if found[0].metric.percent else found[0].metric.unit
        if found[0].metric.percent and not is_change(found[0]):
            unit = f"% {found[0].metric.unit.removeprefix('share ')}"
        place = (left + plot / 2) / width
        told = "; ".join(filter(None, (unit, note)))
        figure.text(place, 0.08 / height, told, ha="center", va="bottom", fontsize=9)
    return figure


def _frame(axes: Axes, rows: Sequence[Row], first: Finding) -> None:
    axes.grid(axis="x", color=theme.RULE, linewidth=0.5, alpha=0.6)
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), ["" if heading else text for text, heading, _ in rows])
    if is_change(first):
        size = first.smallest * (100 if first.metric.percent else 1)
        axes.axvspan(-size, size, color=theme.BAND, linewidth=0, zorder=0)
        axes.axvline(0, color=theme.INK, linewidth=0.8, zorder=1)


def _mark(axes: Axes, row: int, found: Finding, look: theme.Mark) -> None:
    own, scale = found.estimate, 100 if found.metric.percent else 1
    if math.isnan(own.value):
        return
    if own.low is not None and own.high is not None:
        ends = (own.low * scale, own.high * scale)
        axes.plot(ends, (row, row), "|-", color=look.colour, linewidth=1.5, markersize=4.5)
    axes.plot(
        own.value * scale,
        row,
        "x" if own.state is State.EXACT else look.marker,
        color=look.colour,
        markerfacecolor=look.colour if look.filled else "white",
        markersize=6,
    )


def _write_headings(
    axes: Axes, rows: Sequence[Row], plot: float, left: float, width: float
) -> None:
    """Write the settings over the whole width, on ground of their own."""
    for r, (text, heading, _) in enumerate(rows):
        if heading:
            while theme.text_width(text, bold=True) > width - 2 * MARGIN:
                text = f"{text[:-2]}…"
            axes.text(
                (MARGIN - left) / plot,
                r,
                text,
                transform=axes.get_yaxis_transform(),
                va="center",
                fontsize=8.5,
                fontweight="bold",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            )


def write_labels(axes: Axes, labels: dict[int, str], plot: float) -> None:
    """Write a label to the right of each row; `plot` is the width of the axes, in inches."""
    for row, label in labels.items():
        axes.text(
            1 + GAP / plot,
            row,
            label,
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=8.5,
        )


def ticks(axes: Axes, plot: float, signed: bool) -> None:
    """Choose as many round ticks as have room in `plot` inches."""
    from matplotlib.ticker import MaxNLocator

    low, high = axes.get_xlim()
    write = words.tick if signed else (lambda value: f"{value:g}")
    for most in (6, 5, 4, 3, 2):
        ticks = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        inside = [float(tick) for tick in ticks if low <= tick <= high]
        names = [write(tick) for tick in inside]
        if sum(theme.text_width(name) + 0.14 for name in names) <= plot:
            break
    axes.set_xticks(inside, names)
    axes.set_xlim(low, high)
