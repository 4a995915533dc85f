"""A page of text for a console of any kind: a terminal, a pipe, one that knows only ASCII."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reports import words

WIDTH = 100
"""Columns of a page; a narrower terminal gets a narrower page."""

MIN_NAME, MAX_NAME, MAX_CELL, GAP = 10, 24, 16, 1
INDENT = "  "
GLUE = "\ue000"
"""Stands for a space at which no line ends; no name has it, for it is not printable."""

Row = tuple[str, Sequence[Text]]
"""The name of a row, and its cells."""


@dataclass(frozen=True)
class Group:
    """Rows of a table that belong together, under the name of the group."""

    name: str
    rows: Sequence[Row]


class Page:
    """Prints to a console of any kind; a pipe gets plain text of the full width."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
        self.ascii = console.options.ascii_only

    def text(self, text: str, style: str = "") -> Text:
        """Make text that this console can show, with no markup or control character in it."""
        shown = "\n".join(map(words.visible, text.split("\n")))
        if self.ascii:
            for sign, plain in (
                ("±", "+/-"),
                (words.MINUS, "-"),
                ("×", "x"),
                ("–", "-"),
                ("→", "->"),
            ):
                shown = shown.replace(sign, plain)
            shown = shown.encode("ascii", "backslashreplace").decode()
        sign = "+/-" if self.ascii else "±"
        return Text(shown.replace(f" {sign} ", f"{GLUE}{sign}{GLUE}"), style)

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """Print a paragraph; an empty one is an empty line."""
        if not text:
            self.console.print()
            return
        self._print(Padding(self.text(text, style), (0, 0, 0, indent), expand=False))

    def table(self, title: str, headings: Sequence[str], groups: Sequence[Group]) -> None:
        """Print a table: each group is a heading with its rows below, all in the same columns."""
        widths = self._widths(headings, [row for group in groups for row in group.rows])

        def grid(rows: Iterable[Row], vertical: Literal["top", "bottom"]) -> Table:
            table = Table.grid(padding=(0, GAP, 0, 0))
            table.add_column(width=widths[0], min_width=widths[0], vertical=vertical)
            for width in widths[1:]:
                table.add_column(width=width, vertical=vertical, justify="right", overflow="fold")
            for name, cells in rows:
                table.add_row(self._name(name, widths[0]), *cells)
            return table

        self.line()
        self.line(title, "bold")
        over = [self.text(heading, "dim") for heading in headings[1:]]
        self._print(grid([(headings[0], over)], "bottom"))
        across = min(self.width, sum(widths) + GAP * (len(widths) - 1))
        self.line(("-" if self.ascii else "─") * across, "dim")
        for group in groups:
            if group.rows:
                self.line(group.name, "italic")
                self._print(grid([(INDENT + name, cells) for name, cells in group.rows], "top"))

    def texts(self, title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Print a table that holds no numbers: its columns share the width of the page."""
        table = Table.grid(padding=(0, 2 * GAP, 0, 0))
        for _ in headings:
            table.add_column(overflow="fold")
        table.add_row(*(self.text(heading, "dim") for heading in headings))
        for row in rows:
            table.add_row(*map(self.text, row))
        self.line()
        self.line(title, "bold")
        self._print(table)

    def fitting(self, headings: Sequence[str], groups: Sequence[Group]) -> list[slice]:
        """Cut the columns behind the names into pieces that each fit the page; one at least."""
        rows = [row for group in groups for row in group.rows]
        needed = self._needed(headings, rows)
        room = self.width - self._first(headings, rows, self.width)
        pieces, start, used = [], 0, 0
        for i, width in enumerate(needed):
            if i > start and used + width + GAP > room:
                pieces.append(slice(start, i))
                start, used = i, 0
            used += width + GAP
        return [*pieces, slice(start, len(needed))]

    def _widths(self, headings: Sequence[str], rows: Sequence[Row]) -> list[int]:
        """Choose widths: first every number in one line, then names, then headings.

        Where not even the numbers fit, they are folded when they are printed.
        """
        needed = self._needed(headings, rows)
        room = self.width - sum(needed) - GAP * len(needed)
        first = self._first(headings, rows, room)
        room -= first
        for i, heading in enumerate(headings[1:]):
            more = max(0, min(room // (len(needed) - i), MAX_CELL - needed[i], len(heading)))
            needed[i] += more
            room -= more
        return [first, *needed]

    def _needed(self, headings: Sequence[str], rows: Sequence[Row]) -> list[int]:
        """The least width of each column behind the names: no number and no word is folded."""
        longest = [max(map(len, heading.split())) for heading in headings[1:]]
        return [
            max(
                [
                    least,
                    *(cell_len(line) for _, cells in rows for line in str(cells[i]).split("\n")),
                ]
            )
            for i, least in enumerate(longest)
        ]

    def _first(self, headings: Sequence[str], rows: Sequence[Row], room: int) -> int:
        """The width of the names, where there is `room` for them."""
        names = [len(INDENT) + cell_len(name) for name, _ in rows]
        return max(MIN_NAME, min(MAX_NAME, room, max([len(headings[0]), *names])))

    def _name(self, name: str, width: int) -> Text:
        """A row's name, folded with its indent kept."""
        indent = name[: len(name) - len(name.lstrip())]
        lines = textwrap.wrap(name.strip(), max(1, width - len(indent)))
        return self.text("\n".join(indent + line for line in lines))

    def _print(self, what: RenderableType) -> None:
        lines = self.console.render_lines(
            what, self.console.options.update(width=self.width), pad=False
        )
        for line in lines:
            text = Text.assemble(
                *((part.text.replace(GLUE, " "), part.style or "") for part in line)
            )
            text.rstrip()
            self.console.print(text, soft_wrap=True)
