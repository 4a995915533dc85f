"""Strategies against each other: who beats whom, with intervals."""

from __future__ import annotations

import sys
from dataclasses import replace

from reports import alone
from reports.material import Material
from reports.section import Cell, Column, Section, Table, Words
from reports.skill import mixed
from sim.design import Cell as DesignCell
from sim.stats.metrics import BY_NAME
from sim.stats.metrics.skill import beats

KEY = "strategies"

BEATS = replace(
    BY_NAME["dealer_advantage_wins"],
    name=beats.name,
    title="win share of one minus that of the other",
    definition=beats.definition,
    parts=lambda n: (),
)


def build(material: Material) -> Section | None:
    """Return the section, or None where every table has one strategy only."""
    cells = [cell for cell in material.cells if mixed(cell)]
    if not cells:
        return None
    who = dict.fromkeys(p.strategy for c in cells for p in c.seatings[0])
    return Section(
        KEY,
        "Strategies",
        "Who beats whom: win share of the row's player minus that of the column's, at one table "
        "and on the same deals, every seating.",
        (
            *(_matrix(material, cell, i) for i, cell in enumerate(cells)),
            Words(tuple(f"{one.name}: {one.says}" for one in who), bullets=True),
        ),
    )


def _matrix(material: Material, cell: DesignCell, number: int) -> Table:
    players = [str(player) for player in cell.seatings[0]]
    names = [
        name if players.count(name) == 1 else f"{name} ({place})"
        for place, name in enumerate(players)
    ]
    found = {
        (a, b): material.measured(BEATS, cell, beats(material.blocks(cell), a, b))
        for a in range(cell.players)
        for b in range(cell.players)
        if a != b
    }
    rows: list[tuple[Cell, ...]] = [
        (name, *(found.get((a, b)) for b in range(cell.players))) for a, name in enumerate(names)
    ]
    title = f"{cell.variant}, {cell.players} players, {cell.lineup}: win share, pp"
    columns = (
        Column("player", "The row's player."),
        *(Column(f"minus {name}", "Above 0: the row's player wins more.", True) for name in names),
    )
    return Table(f"matrix_{number}", title, columns, tuple(rows))


if __name__ == "__main__":
    sys.exit(alone.main(build))
