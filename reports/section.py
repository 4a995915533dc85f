"""The nouns of a report: a section holds paragraphs, tables and figures.

Nothing here knows HTML, a terminal or JSON text; each of those shows the same records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reports import words
from sim.answers.findings import Finding
from sim.stats.estimates import State
from sim.stats.metric import Metric
from sim.stats.metrics import PAIR_METRICS

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Cell = Finding | str | int | None
"""A number with its interval, a text, an exact count, or nothing."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: what it is, with the unit.
        explain: the same in a sentence, for those who do not know the word.
        judged: its numbers are judged against the smallest effect of interest.
    """

    heading: str
    explain: str = ""
    judged: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns; `key` names it in the JSON."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def digits(self) -> list[int]:
        """Decimals of each column."""
        return [
            words.digits_for(cell for cell in cells if isinstance(cell, Finding))
            for cells in ([row[i] for row in self.rows] for i in range(len(self.columns)))
        ]

    @property
    def named(self) -> int:
        """How many of its first columns name a row: all before the first number but `players`."""
        first = 1 if self.columns[0] == ADDRESS[0] else 0
        named = next(
            (
                i
                for i in range(first, len(self.columns))
                if not all(isinstance(row[i], str) for row in self.rows)
            ),
            len(self.columns) - 1,
        )
        return max(1, named)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data: texts, whole numbers, or records with their intervals."""
        return {
            "title": self.title,
            "columns": [column.heading for column in self.columns],
            "rows": [
                [
                    record(cell, column.judged) if isinstance(cell, Finding) else cell
                    for cell, column in zip(row, self.columns, strict=True)
                ]
                for row in self.rows
            ],
        }


@dataclass(frozen=True)
class Figure:
    """A picture that is drawn when it is wanted.

    Attributes:
        key: its name as a file.
        title: what it shows.
        alt: the same for those who do not see it.
        draw: makes it.
    """

    key: str
    title: str
    alt: str
    draw: Callable[[], Drawing]


@dataclass(frozen=True)
class Words:
    """Paragraphs, or, with `bullets`, a list; `folded` is what it is called while it is shut."""

    lines: tuple[str, ...]
    bullets: bool = False
    folded: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the report.

    Attributes:
        key: its name in addresses and JSON.
        title: its heading.
        lead: what it says, in a sentence or two.
        parts: in reading order.
    """

    key: str
    title: str
    lead: str
    parts: Sequence[Table | Figure | Words] = field(default_factory=tuple)

    @property
    def tables(self) -> list[Table]:
        """Its tables."""
        return [part for part in self.parts if isinstance(part, Table)]

    @property
    def figures(self) -> list[Figure]:
        """Its pictures."""
        return [part for part in self.parts if isinstance(part, Figure)]

    def as_json(self) -> dict[str, Any]:
        """Return its numbers as plain data, by table."""
        return {"title": self.title, "tables": {t.key: t.as_json() for t in self.tables}}


def record(found: Finding, judged: bool = False) -> dict[str, Any]:
    """Return a number with all that is needed to trust it; undefined is null."""
    own = found.estimate
    known = own.low is not None or own.state is State.EXACT
    return {
        "metric": found.metric.name,
        **({} if found.metric.of == "game" else {found.metric.of: found.index}),
        **_rule_sets(found),
        "players": found.cell.players,
        "lineup": found.cell.lineup,
        "value": None if math.isnan(own.value) else own.value,
        "low": own.low,
        "high": own.high,
        "level": own.level,
        "blocks": own.blocks,
        "deals": own.deals,
        "unit": own.unit,
        "state": own.state.value,
        "method": None if own.method is None else own.method.value,
        **({"smallest": found.smallest, **found.judged.as_json()} if judged and known else {}),
    }


def _rule_sets(found: Finding) -> dict[str, Any]:
    """Name the rule set, and the one that is subtracted; of a mean over several, their number."""
    asked = found.asked
    if len(asked.on) > 1:
        return {"rule_sets": len({cell.id for cell in (*asked.on, *asked.off)})}
    against = {} if found.against is None else {"against": found.against.variant}
    return {"variant": found.cell.variant, **against}


def is_change(found: Finding) -> bool:
    """Whether it is a difference, so that its sign is the news."""
    return found.metric.signed or (found.against is not None and found.metric not in PAIR_METRICS)


def shown(found: Finding, digits: int) -> str:
    """Write a number with its interval, or with the reason why it has none."""
    return words.written(found.estimate, digits, found.metric.percent, is_change(found))


def column(metric: Metric, change: bool = False, judged: bool = False, title: str = "") -> Column:
    """Return the column of a metric, or of its changes."""
    heading = title or words.heading(metric, change=change)
    explain = metric.definition[0].upper() + metric.definition[1:] + "."
    return Column(heading, explain, judged)


def address(cell: Any) -> tuple[Cell, ...]:
    """Return the first three cells of a row about a cell."""
    return (cell.players, cell.lineup, cell.variant)


ADDRESS = (Column("players"), Column("line-up", "Who plays."), Column("variant", "The rule set."))
"""The columns of `address`."""
