"""Pictures that several sections show: a metric in every cell, a number for every seat."""

from __future__ import annotations

from collections.abc import Sequence

from reports import spread_picture, words
from reports.forest import MOST_ROWS, Row, draw
from reports.material import Material
from reports.section import Figure
from sim.answers.findings import Finding
from sim.stats.estimates import LEVEL
from sim.stats.metric import Metric


def level(material: Material, metric: Metric, table: str) -> Figure:
    """Return a forest plot of a metric in every cell; `table` is where the numbers are told."""
    title = f"{metric.title[0].upper()}{metric.title[1:]}"
    return Figure(
        metric.name,
        title,
        f"{title} of every rule set, number of players and line-up, with {LEVEL:.0%} intervals; "
        f"the same numbers are in the table “{table}”.",
        lambda: spread_picture.of(_by_setting(material, metric)),
    )


def _by_setting(material: Material, metric: Metric) -> list[Finding]:
    here = {cell.id for cell in material.cells}
    cells = [c for setting in material.findings.settings for c in setting.cells if c.id in here]
    return [material.findings.level(metric, cell) for cell in cells]


def by_seat(found: Sequence[Sequence[Finding]], players: int, table: str) -> list[Figure]:
    """Return a picture of the seats of games of `players`; none where there are too many rows.

    Args:
        found: each cell's finding by seat.
        players: how many play in each.
        table: where the numbers are told.
    """
    rows: list[Row] = []
    for seats in found:
        cell = seats[0].cell
        rows.append((words.visible(f"{cell.variant}, {cell.lineup}"), True, None))
        rows += [(_seat(s, players), False, each) for s, each in enumerate(seats)]
    if not rows or len(rows) > 2 * MOST_ROWS:
        return []
    title = f"Seats of {players} players: advantage in wins"
    alt = f"{title}, with intervals; the same numbers are in the table “{table}”."
    return [Figure(f"seats_{players}", title, alt, lambda: draw(rows))]


def _seat(seat: int, players: int) -> str:
    return f"seat {seat}{', leads' if seat == 0 else ', deals' if seat == players - 1 else ''}"
