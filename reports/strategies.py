"""Strategies against each other: who beats whom, with intervals."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from reports import alone
from reports.material import Material
from reports.section import ADDRESS, Cell, Column, Section, Table, Words, address
from reports.skill import mixed
from sim.design import Cell as DesignCell
from sim.stats.metrics import BY_NAME
from sim.stats.metrics.skill import beats

KEY = "strategies"

MOST_MATRICES = 12

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
            *_tables(material, cells),
            Words(tuple(f"{one.name}: {one.says}" for one in who), bullets=True),
        ),
    )


def _tables(material: Material, cells: list[DesignCell]) -> Iterator[Table]:
    """Yield a matrix for each cell, or where that were too many one table of all pairs."""
    if len(cells) <= MOST_MATRICES:
        yield from (_matrix(material, cell, i) for i, cell in enumerate(cells))
        return
    rows: list[tuple[Cell, ...]] = []
    for cell in cells:
        names = _names(cell)
        for a, b in combinations(range(cell.players), 2):
            found = material.measured(BEATS, cell, beats(material.blocks(cell), a, b))
            rows.append((*address(cell), names[a], names[b], found))
    columns = (
        *ADDRESS,
        Column("one"),
        Column("other"),
        Column("win share of one minus other, pp", "Above 0: the first wins more.", True),
    )
    yield Table("pairs", "Who beats whom", columns, tuple(rows))


def _names(cell: DesignCell) -> list[str]:
    """The players' names, told apart by their places where one plays twice."""
    players = [str(player) for player in cell.seatings[0]]
    return [
        name if players.count(name) == 1 else f"{name} ({place})"
        for place, name in enumerate(players)
    ]


def _matrix(material: Material, cell: DesignCell, number: int) -> Table:
    names = _names(cell)
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
