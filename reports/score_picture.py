"""Picture: how final scores are distributed, by seat, for each variant and number of players.

A ridge for each line-up and variant, a column for each number of players. Within a column heights
have one scale, so ridges can be compared. The seat that leads the first round and the seat that
deals it are set apart; below each ridge stand their means.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reports import theme
from reports.grid import Grid, Sheet
from reports.scores import Scores, collect
from sim.answers.findings import Findings
from sim.stats.estimates import LEVEL
from sim.stats.metrics import BY_NAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sim.design import Cell
    from sim.store import Run

NAME = "score_distribution"
TITLE = "Scores at the end of the game"

LOOK = ("color", "linestyle", "marker")

CAPTION = (
    "Height: share of games, one scale in each column.",
    f"Dot and square: means. Bands and bars: {LEVEL:.0%} intervals.",
)

NARROW = 3.2
"""Inches of the panel of a picture for the page."""

BASE, TOP = 0.24, 0.7
"""A ridge stands this far below the middle of its row and is at most this high, in rows."""

TAIL = 0.0005
"""Share of games that a column may leave outside on either side."""


def draw(findings: Findings, run: Run, folder: Path) -> list[Path]:
    """Draw the picture into `folder` as SVG and PNG; return the paths, none without games."""
    scores = collect(findings, run.games())
    if not scores:
        return []
    with theme.style():
        return theme.save(picture(findings, scores, TITLE), folder, NAME)


def picture(findings: Findings, scores: Mapping[int, Scores], title: str = "") -> Figure:
    """Return the picture of the cells that have scores, one at least; by the id of the cell.

    Without a title it is for the page, which has its own: narrow, to be read on a telephone.
    """
    cells = [cell for cell in findings.cells if cell.id in scores]
    grid = Grid(cells)
    with theme.style():
        if title:
            sheet = Sheet(grid, row_height=0.5, lines=1, captions=2)
            sheet.title(title, findings.complete)
        else:
            sheet = Sheet(grid, row_height=0.5, lines=1, captions=3, titled=False, width=NARROW)
        sheet.legend(
            [
                ("leads the first round", dict(zip(LOOK, _looks(2)[0][1:], strict=True))),
                ("deals it", dict(zip(LOOK, _looks(2)[1][1:], strict=True))),
                ("other seats", {"color": theme.DIM}),
            ]
        )
        for line in [" ".join(CAPTION)] if title else CAPTION:
            sheet.caption(line)
        panels = sheet.panels("", "points of a seat in a game")
        for players, axes in zip(grid.players, panels, strict=True):
            own = {cell.id: cell for cell in cells if cell.players == players}
            tallest = max(float(scores[i].shares()[0].max()) for i in own)
            for cell in own.values():
                _ridge(axes, grid.row(cell) + BASE, scores[cell.id], TOP / tallest)
                _means(axes, grid.row(cell) + BASE, findings, cell)
            axes.set_xlim(*_span([scores[i] for i in own]))
        sheet.finish(panels, "{:g}".format)
    return sheet.figure


def _looks(players: int) -> list[tuple[int, str, str, str]]:
    """Seats in drawing order, each with colour, style of line and marker."""
    others = [(seat, theme.DIM, "-", "") for seat in range(1, players - 1)]
    return [*others, (0, theme.BLUE, "-", "o"), (players - 1, theme.ORANGE, "--", "s")]


def _ridge(axes: Axes, base: float, scores: Scores, scale: float) -> None:
    shares, halves = scores.shares()
    x = scores.middles
    axes.plot(x, np.full(len(x), base), color=theme.RULE, linewidth=0.6)
    for seat, colour, line, _ in _looks(len(shares)):
        low, high = shares[seat] - halves[seat], shares[seat] + halves[seat]
        axes.fill_between(
            x,
            base - scale * np.maximum(low, 0),
            base - scale * high,
            color=colour,
            alpha=0.25,
            linewidth=0,
        )
        axes.plot(x, base - scale * shares[seat], line, color=colour, linewidth=1.2)


def _means(axes: Axes, base: float, findings: Findings, cell: Cell) -> None:
    looks = _looks(cell.players)[-2:]
    for place, (seat, colour, _, marker) in zip((0.08, 0.19), looks, strict=True):
        found = findings.level(BY_NAME["seat_points"], cell, seat).estimate
        y = base + place
        if found.low is not None and found.high is not None:
            axes.plot((found.low, found.high), (y, y), "-", color=colour, linewidth=1.5)
        axes.plot(found.value, y, marker, color=colour, markersize=3)


def _span(scores: list[Scores]) -> tuple[float, float]:
    """Return the points between which nearly all games of a column lie."""
    lows, highs = [], []
    for own in scores:
        for seat in own.counts:
            below = np.cumsum(seat) / own.games
            lows.append(own.middles[int(np.searchsorted(below, TAIL))])
            highs.append(own.middles[int(np.searchsorted(below, 1 - TAIL))])
    room = scores[0].width
    return float(min(lows) - room), float(max(highs) + room)
