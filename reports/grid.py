"""How pictures of many cells are laid out: columns are numbers of players, rows are variants.

Variants are grouped by line-up, the first on top. With one line-up or twelve variants the picture
stays the same picture, only its height changes. Places are computed in inches: matplotlib's own
layout engines measure every text four times, which took longer than the drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from reports import theme, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sim.design import Cell

LONGEST_NAME = 30
"""Letters of a name that a picture shows; tables and data have all of it."""

MARGIN, GAP, TITLE, CAPTION, SUBTITLE, PANEL_TITLE, AXIS = 0.12, 0.22, 0.3, 0.24, 0.2, 0.27, 0.58
"""Inches around and between panels, and for each kind of text."""

TICK_GAP = 0.16
"""Inches between the labels of two ticks, at the least."""

PANEL_WIDTH, PANELS_WIDTH = 1.85, 5.8
"""Inches: the least width of one panel, and the usual one of all of them together."""


class Grid:
    """Rows and columns of a picture of `cells`; row 0 is on top."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.players = sorted({cell.players for cell in cells})
        self._lineups = sorted({(cell.lineup_index, cell.lineup) for cell in cells})
        self._variants = sorted({(cell.variant_index, cell.variant) for cell in cells})
        self._group = 1 + len(self._variants)
        self.rows = self._group * len(self._lineups)

    def row(self, cell: Cell) -> int:
        """Return the row of a cell; the row above each group is its heading."""
        lineup = self._lineups.index((cell.lineup_index, cell.lineup))
        return self._group * lineup + 1 + self._variants.index((cell.variant_index, cell.variant))

    def labels(self) -> dict[int, tuple[str, bool]]:
        """Return row -> its text, and whether it is the heading of a line-up."""
        found = {}
        for i, (_, lineup) in enumerate(self._lineups):
            found[self._group * i] = (_shown(lineup), True)
            for j, (_, variant) in enumerate(self._variants):
                found[self._group * i + 1 + j] = (_shown(variant), False)
        return found


class Sheet:
    """A figure that is filled from the top: title, captions, lines of panels.

    Args:
        grid: what the rows and columns are.
        row_height: inches for a row.
        lines: how many lines of panels follow one another.
        captions: lines of text below the title.
        titled: whether there is room for a title.
        width: inches of all panels of a line together, at the least.
    """

    def __init__(
        self,
        grid: Grid,
        row_height: float,
        lines: int,
        captions: int,
        titled: bool = True,
        width: float = PANELS_WIDTH,
    ) -> None:
        self.grid = grid
        self._labels = grid.labels()
        self._left = MARGIN + 0.1 + max(theme.text_width(*label) for label in self._labels.values())
        count = len(grid.players)
        self._panels = max(width, PANEL_WIDTH * count)
        self._panel = (self._panels - GAP * (count - 1)) / count
        self._rows = row_height * grid.rows
        self._width = self._left + self._panels + MARGIN
        line = SUBTITLE + PANEL_TITLE + self._rows + AXIS
        self._height = TITLE * titled + CAPTION * captions + lines * line + MARGIN
        self.figure: Figure = theme.figure(self._width, self._height)
        self._down = MARGIN

    def title(self, text: str, complete: bool) -> None:
        """Write what the picture shows, and whether of a run that is not complete."""
        self._write(text if complete else f"{text} (partial run)", TITLE, 12, weight="bold")

    def caption(self, text: str) -> None:
        """Write a line that says how to read it."""
        self._write(text, CAPTION, 8.5, color=theme.QUIET)

    def legend(self, entries: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Write a line that explains the lines of a picture, by samples."""
        from matplotlib.lines import Line2D

        self.figure.legend(
            [Line2D([], [], linewidth=1.4, markersize=4, **look) for _, look in entries],
            [text for text, _ in entries],
            loc="upper left",
            bbox_to_anchor=(MARGIN / self._width, 1 - (self._down - 0.04) / self._height),
            ncols=len(entries),
            borderpad=0,
            borderaxespad=0,
            handlelength=2.6,
        )
        self._down += CAPTION

    def panels(self, subtitle: str, unit: str) -> list[Axes]:
        """Add a panel for each number of players; the leftmost has the names of the rows.

        The y axis counts rows downwards: row r is centred on y = r.
        """
        if subtitle:
            self._write(subtitle, SUBTITLE, 9.5)
        self._down += PANEL_TITLE + self._rows
        panels: list[Axes] = []
        for i, players in enumerate(self.grid.players):
            left = self._left + i * (self._panel + GAP)
            place = (
                left / self._width,
                1 - self._down / self._height,
                self._panel / self._width,
                self._rows / self._height,
            )
            axes = self.figure.add_axes(place)
            axes.set_title(f"{players} players", loc="left")
            axes.grid(axis="x", color=theme.RULE, linewidth=0.5, alpha=0.6)
            axes.tick_params(length=0)
            axes.spines["left"].set_visible(False)
            axes.set_ylim(self.grid.rows - 0.5, -0.5)
            axes.set_yticks([])
            panels.append(axes)
        self._name_rows(panels[0])
        self._down += AXIS
        self.figure.text(
            (self._left + self._panels / 2) / self._width,
            1 - (self._down - 0.2) / self._height,
            unit,
            ha="center",
            va="bottom",
            fontsize=9,
        )
        return panels

    def finish(self, panels: Sequence[Axes], write: Callable[[float], str]) -> None:
        """Put ticks on the x axes, as many as have room for what `write` makes of them."""
        from matplotlib.ticker import MaxNLocator

        for axes in panels:
            low, high = axes.get_xlim()
            for most in (6, 5, 4, 3, 2):
                ticks = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
                shown = [float(tick) for tick in ticks if low <= tick <= high]
                labels = [write(tick) for tick in shown]
                if sum(theme.text_width(label) + TICK_GAP for label in labels) <= self._panel:
                    break
            axes.set_xticks(shown, labels)
            axes.set_xlim(low, high)

    def _name_rows(self, axes: Axes) -> None:
        axes.set_yticks(list(self._labels), [text for text, _ in self._labels.values()])
        for tick, (_, heading) in zip(axes.get_yticklabels(), self._labels.values(), strict=True):
            tick.set_fontweight("bold" if heading else "normal")

    def _write(self, text: str, height: float, size: float, **look: str) -> None:
        x, y = MARGIN / self._width, 1 - self._down / self._height
        self.figure.text(x, y, text, va="top", fontsize=size, **look)  # type: ignore[arg-type]
        self._down += height


def _shown(name: str) -> str:
    name = words.visible(name)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
