"""Picture: the dealer's advantage, by number of players, variants side by side.

A forest plot in wins and in cards: a row for each line-up and variant, a column for each number of
players, intervals between blocks of deals. The zero line is an even share; the band holds what is
too small to matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reports import theme, words
from reports.grid import Grid, Sheet
from sim.answers.findings import Finding, Findings
from sim.stats.estimates import LEVEL
from sim.stats.metrics import BY_NAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "dealer_advantage"

PANELS = (
    (
        BY_NAME["dealer_advantage_wins"],
        "Wins: win share of the first round's dealer, less an even share",
        "percentage points of win share",
    ),
    (
        BY_NAME["dealer_advantage_cards"],
        "Cards: what the dealer's role earns in a round, less the mean of all roles",
        "cards per round",
    ),
)


def draw(findings: Findings, folder: Path) -> list[Path]:
    """Draw the picture into `folder` as SVG and PNG; return the paths."""
    grid = Grid(findings.cells)
    with theme.style():
        sheet = Sheet(grid, row_height=0.21, lines=len(PANELS), captions=1)
        sheet.title("Dealer advantage", findings.complete)
        sizes = ", ".join(
            words.smallest_of(findings.smallest(metric), metric) for metric, _, _ in PANELS
        )
        sheet.caption(
            f"Lines: {LEVEL:.0%} intervals between blocks of deals. "
            f"Grey band: too small to matter (within {sizes})."
        )
        for metric, subtitle, unit in PANELS:
            panels = sheet.panels(subtitle, unit)
            for players, axes in zip(grid.players, panels, strict=True):
                own = [cell for cell in findings.cells if cell.players == players]
                _panel(axes, [findings.level(metric, cell) for cell in own], grid)
            _share_x(panels)
            sheet.finish(panels, words.tick)
        return theme.save(sheet.figure, folder, NAME)


def _share_x(panels: Sequence[Axes]) -> None:
    ends = [end for axes in panels for end in axes.get_xlim()]
    for axes in panels:
        axes.set_xlim(min(ends), max(ends))


def _panel(axes: Axes, found: list[Finding], grid: Grid) -> None:
    scale = 100 if found[0].metric.percent else 1
    size = found[0].smallest * scale
    axes.axvspan(-size, size, color=theme.BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=theme.INK, linewidth=0.8, zorder=1)
    for finding in found:
        estimate = finding.estimate
        if math.isnan(estimate.value):
            continue
        mark = theme.mark(finding.cell.variant_index)
        row = grid.row(finding.cell)
        if estimate.low is not None and estimate.high is not None:
            ends = (estimate.low * scale, estimate.high * scale)
            axes.plot(ends, (row, row), "|-", color=mark.colour, linewidth=1.5, markersize=6)
        axes.plot(
            estimate.value * scale,
            row,
            mark.marker,
            color=mark.colour,
            markerfacecolor=mark.colour if mark.filled else "white",
            markersize=5,
        )
