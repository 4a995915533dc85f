"""A section by itself, in the terminal: ``python -m reports.seats RUN``; ``--json`` for data."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.material import Material
from reports.section import Cell, Section, Table, Words, shown
from sim.endings import code_of

if TYPE_CHECKING:
    from reports.page import Page, Row

Build = Callable[[Material], Section | None]


def main(build: Build) -> int:
    """Print the section of the run directory named on the command line; return an exit code."""

    @click.command()
    @click.argument("run", type=click.Path(path_type=Path))
    @click.option("--json", "as_json", is_flag=True, help="Its numbers as one JSON object.")
    def command(run: Path, as_json: bool) -> None:
        from sim.store import open_run

        section = build(Material(open_run(run)))
        if as_json:
            data = {} if section is None else section.as_json()
            click.echo(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
        elif section is None:
            click.echo("This run has no data for it.")
        else:
            show(section)

    return code_of(Path(sys.argv[0]).stem, lambda: command.main(standalone_mode=False))


def show(section: Section) -> None:
    """Print a section's words and tables; its pictures belong to the page."""
    from rich.console import Console

    from reports.page import Page

    page = Page(Console())
    page.line(section.title, "bold")
    page.line(section.lead)
    for part in section.parts:
        if isinstance(part, Words):
            for line in part.lines:
                page.line(("- " if part.bullets else "") + line)
        elif isinstance(part, Table):
            _table(page, part)


def _table(page: Page, table: Table) -> None:
    """Print a table; what stands before its first number names its rows."""
    from reports.page import Group

    digits = table.digits()
    named = max(1, sum(all(isinstance(r[i], str) for r in table.rows) for i in range(3)))
    named = next((i for i, c in enumerate(table.columns) if c.heading == "variant"), named - 1) + 1
    rows: list[Row] = [
        (
            ", ".join(map(text, row[:named])),
            [
                page.text(shown(cell, d) if not isinstance(cell, str | int | None) else text(cell))
                for cell, d in zip(row[named:], digits[named:], strict=True)
            ],
        )
        for row in table.rows
    ]
    headings = [", ".join(c.heading for c in table.columns[:named])]
    page.table(
        table.title, [*headings, *(c.heading for c in table.columns[named:])], [Group("", rows)]
    )
    if table.note:
        page.line(table.note, "dim")


def text(cell: Cell) -> str:
    """Write a cell that is no estimate."""
    return "" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell)
