"""A section by itself, for ``sim show RUN SECTION`` and ``python -m reports.seats RUN``.

In the terminal as words and tables, or with ``--json`` or ``--csv`` as data.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.material import Material
from reports.section import ADDRESS, Cell, Section, Table, Words, shown
from sim.answers.findings import Finding
from sim.endings import code_of
from sim.errors import UsageFault

if TYPE_CHECKING:
    from reports.page import Group, Page, Row
    from sim.store import Run

Build = Callable[[Material], Section | None]


def main(build: Build) -> int:
    """Print the section of the run directory named on the command line; return an exit code."""

    @click.command()
    @click.argument("run", type=click.Path(path_type=Path))
    @click.option("--json", "as_json", is_flag=True, help="Its numbers as one JSON object.")
    @click.option("--csv", "as_csv", is_flag=True, help="Its numbers as CSV, a line for each.")
    def command(run: Path, as_json: bool, as_csv: bool) -> None:
        from sim.store import open_run

        tell(build, open_run(run), as_json, as_csv)

    return code_of(Path(sys.argv[0]).stem, lambda: command.main(standalone_mode=False))


def tell(build: Build, run: Run, as_json: bool = False, as_csv: bool = False) -> None:
    """Print a section of a run: for people, as a JSON object, or as CSV.

    A run without data for it says so; its data are an empty object, or a heading without lines.

    Raises:
        DataDamaged: a stored part is not what was written.
        UsageFault: both kinds of data are asked for.
    """
    if as_json and as_csv:
        raise UsageFault("--json and --csv are two ways to print the same numbers; choose one")
    section = build(Material(run))
    if as_json:
        data = {} if section is None else section.as_json()
        click.echo(json.dumps(data, indent=2, allow_nan=False))
    elif as_csv:
        from reports import tidy

        click.echo(tidy.csv_of(section), nl=False)
    elif section is None:
        click.echo("This run has no data for it.")
    else:
        show(section)


def show(section: Section) -> None:
    """Print a section's words and tables; its pictures belong to the page."""
    from rich.console import Console

    from reports.page import Page

    page = Page(Console())
    page.line(section.title, "bold")
    page.line(section.lead)
    for part in section.parts:
        if isinstance(part, Words):
            page.line()
            if part.folded:
                page.line(part.folded, "bold")
            for line in part.lines:
                page.line(("- " if part.bullets else "") + line)
        elif isinstance(part, Table):
            _table(page, part)
            if part.note:
                page.line(part.note, "dim")


def _table(page: Page, table: Table) -> None:
    """Print a table, in pieces where it is wider than the page; a setting's rows stand together."""
    from reports.page import Group

    if all(isinstance(cell, str) for row in table.rows for cell in row):
        headings = [column.heading for column in table.columns]
        page.texts(table.title, headings, [[*map(text, row)] for row in table.rows])
        return
    headings, groups = _grouped(page, table)
    for number, piece in enumerate(page.fitting(headings, groups)):
        own = [
            Group(group.name, [(name, cells[piece]) for name, cells in group.rows])
            for group in groups
        ]
        title = table.title if number == 0 else f"{table.title}, continued"
        page.table(title, [headings[0], *headings[1:][piece]], own)


def _grouped(page: Page, table: Table) -> tuple[list[str], list[Group]]:
    """Return headings, and the rows by what they share: the number of players and the line-up."""
    from reports.page import Group

    named, digits = table.named, table.digits()
    shared = 2 if named > 2 and table.columns[:2] == ADDRESS[:2] else 0
    rows: dict[str, list[Row]] = {}
    for row in table.rows:
        setting = f"{row[0]} players, {row[1]}" if shared else ""
        cells = [
            page.text(shown(cell, d) if isinstance(cell, Finding) else text(cell))
            for cell, d in zip(row[named:], digits[named:], strict=True)
        ]
        name = ", ".join(map(text, row[shared:named]))
        rows.setdefault(setting, []).append((name, cells))
    first = ", ".join(column.heading for column in table.columns[shared:named])
    headings = [first, *(column.heading for column in table.columns[named:])]
    return headings, [Group(setting, own) for setting, own in rows.items()]


def text(cell: Cell) -> str:
    """Write a cell that is no estimate."""
    return "" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell)
