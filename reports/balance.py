"""Variant balance, the headline: how fair and how lively each rule set is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from reports import alone, pictures
from reports.material import Material
from reports.section import (
    ADDRESS,
    Cell,
    Column,
    Figure,
    Section,
    Table,
    address,
    column,
)
from sim.answers.findings import Finding
from sim.stats.estimates import LEVEL
from sim.stats.metrics import BY_NAME
from sim.stats.metrics.fairness import fair_within, unfairness
from sim.stats.verdict import Verdict

KEY = "balance"

UNFAIRNESS = replace(
    BY_NAME["dealer_advantage_wins"],
    name=unfairness.name,
    title=unfairness.title,
    definition="how far the seats' win shares are from an even share, root of the mean square",
    signed=False,
    parts=lambda n: (),
)

FAIRNESS = tuple(BY_NAME[n] for n in ("dealer_advantage_wins", "dealer_advantage_cards"))
COURSE = tuple(
    BY_NAME[name]
    for name in (
        "tie_rate",
        "margin",
        "cards_left",
        "capture_rate",
        "lead_changes",
        "comeback",
        "turns",
    )
)
MEASURED = (*FAIRNESS, *COURSE)
"""What makes the balance of a variant, and what `reports.effects` tells the changes of."""

SEATS = "Advantage of each seat in wins"

SAID = {
    Verdict.EQUAL: "fair",
    Verdict.LARGER: "unfair",
    Verdict.DIFFERENT: "not yet known",
    Verdict.UNKNOWN: "not yet known",
}


def build(material: Material) -> Section | None:
    """Return the section, or None for a run without data."""
    if not material.cells:
        return None
    seats = _by_seat(material)
    return Section(
        KEY,
        "Variant balance",
        "How fair each rule set is to the dealer and to every seat, and how its games go.",
        (
            *(pictures.level(material, metric, "Fairness") for metric in FAIRNESS),
            *_seat_pictures(seats),
            _fairness(material),
            _seats(seats),
            _course(material),
        ),
    )


def _seat_pictures(found: list[list[Finding]]) -> Iterator[Figure]:
    for players in sorted({len(seats) for seats in found}):
        own = [seats for seats in found if len(seats) == players]
        yield from pictures.by_seat(own, players, SEATS)


def _fairness(material: Material) -> Table:
    margin = material.findings.smallest(BY_NAME["dealer_advantage_wins"])
    rows: list[tuple[Cell, ...]] = []
    for cell in material.cells:
        blocks = material.blocks(cell)
        spread = replace(
            material.measured(UNFAIRNESS, cell, material.findings.unfairness(cell)), smallest=margin
        )
        levels = [material.findings.level(metric, cell) for metric in FAIRNESS]
        fair = SAID[fair_within(blocks, margin).verdict]
        rows.append((*address(cell), *levels, spread, fair))
    margin_pp = f"{margin * 100:g} pp"
    columns = (
        *ADDRESS,
        *(column(metric, judged=True) for metric in FAIRNESS),
        column(UNFAIRNESS, judged=True),
        Column(
            f"fair within {margin_pp}",
            "Whether every seat's win share is within this of an even share, by intervals that "
            "hold for all seats together.",
        ),
    )
    note = (
        "An advantage is over an even share: 0 is none, minus is a loss. Unfairness is a size: "
        "its interval need not lie evenly about it."
    )
    return Table("fairness", "Fairness", columns, tuple(rows), note)


def _by_seat(material: Material) -> list[list[Finding]]:
    """Each seat's advantage, with intervals that hold for the seats of a game together."""
    metric = BY_NAME["seat_advantage_wins"]
    return [
        [material.findings.level(metric, cell, s) for s in range(cell.players)]
        for cell in material.cells
    ]


def _seats(found: list[list[Finding]]) -> Table:
    most = max(map(len, found))
    rows: list[tuple[Cell, ...]] = [
        (*address(seats[0].cell), *seats, *[None] * (most - len(seats))) for seats in found
    ]
    names = [f"seat {s}{', leads' if s == 0 else ''}, pp" for s in range(most)]
    columns = (*ADDRESS, *(Column(name, "Win share less an even share.", True) for name in names))
    return Table(
        "seat_advantage",
        SEATS,
        columns,
        tuple(rows),
        "Seat 0 leads the first round, the last seat deals it. The intervals of a row hold for all "
        f"its seats together, {LEVEL:.0%} of the time.",
    )


def _course(material: Material) -> Table:
    rows = tuple(
        (*address(cell), *(material.findings.level(metric, cell) for metric in COURSE))
        for cell in material.cells
    )
    columns = (*ADDRESS, *map(column, COURSE))
    return Table("course", "How games go", columns, rows)


if __name__ == "__main__":
    sys.exit(alone.main(build))
