"""The numbers of a section as one CSV text: a line for each, as pandas and R like it.

A line has the number with its interval, and all that says what it is. Texts that a spreadsheet
would run as a formula begin with an apostrophe.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterator
from typing import Any

from reports import words
from reports.section import ADDRESS, Section, Table, record
from sim.answers.findings import Finding

FIELDS = (
    "table",
    "row",
    "players",
    "lineup",
    "variant",
    "against",
    "name",
    "column",
    "value",
    "low",
    "high",
    "text",
    "verdict",
    "level",
    "blocks",
    "deals",
    "unit",
    "state",
    "method",
    "metric",
)
"""The columns. `row` counts from 1 within a table; `name` is what else a row is called, such as a
player; `value`, `low` and `high` are unrounded, shares as fractions of 1. A whole number has a
value and no interval; a text among the numbers, such as "holds", has neither."""

FORMULA = ("=", "+", "-", "@")
"""What a spreadsheet takes for the beginning of a formula, after blanks and in wide letters too."""

_PLACES = dict(zip((column.heading for column in ADDRESS), FIELDS[2:5], strict=True))


def csv_of(section: Section | None) -> str:
    """Return the numbers of a section, under a line of headings; UTF-8 text."""
    out = io.StringIO()
    writer = csv.DictWriter(out, FIELDS, restval="", lineterminator="\n")
    writer.writeheader()
    for table in () if section is None else section.tables:
        for line in _lines(table):
            writer.writerow({name: _safe(value) for name, value in line.items()})
    return out.getvalue()


def _lines(table: Table) -> Iterator[dict[str, Any]]:
    headings = [column.heading for column in table.columns]
    for number, row in enumerate(table.rows, 1):
        names = dict(zip(headings[: table.named], row, strict=False))
        line: dict[str, Any] = {"table": table.key, "row": number}
        line |= {field: names.pop(name) for name, field in _PLACES.items() if name in names}
        line["name"] = ", ".join(str(text) for text in names.values() if text)
        for cell, column in list(zip(row, table.columns, strict=True))[table.named :]:
            if cell is None:
                continue
            own = line | {"column": column.heading}
            if isinstance(cell, Finding):
                known = record(cell, column.judged)
                yield own | {name: known[name] for name in FIELDS if name in known}
            else:
                yield own | {"text" if isinstance(cell, str) else "value": cell}


def _safe(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = words.visible(value)
    plain = unicodedata.normalize("NFKC", text).lstrip()
    return f"'{text}" if plain.startswith(FORMULA) else text
