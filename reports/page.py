"""A page of text for a console of any kind: a terminal, a pipe, one that knows only ASCII."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reports import words

WIDTH = 100
"""Columns of a page; a narrower terminal gets a narrower page."""

MAX_NAME, MIN_CELL, MAX_CELL, GAP = 24, 8, 17, 1


@dataclass(frozen=True)
class Group:
    """Rows of a table that belong together, under the name of the group."""

    name: str
    rows: Sequence[Sequence[Text]]


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
            for sign, plain in (("±", "+/-"), (words.MINUS, "-"), ("×", "x")):
                shown = shown.replace(sign, plain)
            shown = shown.encode("ascii", "backslashreplace").decode()
        return Text(shown, style)

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """Print a paragraph; an empty one is an empty line."""
        if not text:
            self.console.print()
            return
        self._print(Padding(self.text(text, style), (0, 0, 0, indent), expand=False))

    def table(self, title: str, headings: Sequence[str], groups: Sequence[Group]) -> None:
        """Print a table: each group is a heading with its rows below, all in the same columns."""
        names = [row[0].cell_len for group in groups for row in group.rows]
        first = min(MAX_NAME, max([len(headings[0]), *names]))
        fair = (self.width - first) // (len(headings) - 1) - GAP
        other = max(MIN_CELL, min(MAX_CELL, fair))

        def grid(rows: Iterable[Sequence[Text]]) -> Table:
            table = Table.grid(padding=(0, GAP, 0, 0))
            table.add_column(width=first, overflow="fold")
            for _ in headings[1:]:
                table.add_column(width=other, justify="right", vertical="bottom", overflow="fold")
            for row in rows:
                table.add_row(*row)
            return table

        self.line()
        self.line(title, "bold")
        self._print(grid([[self.text(heading, "dim") for heading in headings]]))
        width = first + (len(headings) - 1) * (GAP + other)
        self.line(("-" if self.ascii else "─") * width, "dim")
        for group in groups:
            if group.rows:
                self.line(group.name, "italic")
                self._print(grid(group.rows))

    def _print(self, what: RenderableType) -> None:
        lines = self.console.render_lines(
            what, self.console.options.update(width=self.width), pad=False
        )
        for line in lines:
            text = Text.assemble(*((part.text, part.style or "") for part in line))
            text.rstrip()
            self.console.print(text, soft_wrap=True)
