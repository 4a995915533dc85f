"""Seats and roles: who wins where, and what each place in a round earns."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from reports import alone, score_picture
from reports.forest import MOST_ROWS
from reports.grid import Grid
from reports.material import Material
from reports.scores import collect, columns
from reports.section import ADDRESS, Cell, Column, Figure, Section, Table, address, column
from sim.rules import Rounds
from sim.stats.estimates import State
from sim.stats.metrics import BY_NAME
from sim.stats.metrics.fairness import dealer_balance, extra_deal_advantage

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

KEY = "seats"

EXTRA = replace(
    BY_NAME["dealer_advantage_wins"],
    name=extra_deal_advantage.name,
    title="advantage of dealing once more",
    definition="mean win share of the seats that deal one round more, minus that of the others",
    parts=lambda n: (),
)


def build(material: Material) -> Section | None:
    """Return the section, or None for a run without data."""
    if not material.cells:
        return None
    parts: tuple[Figure | Table, ...] = (
        *_scores(material),
        _places(material, "win_share", "wins", "Share of wins by seat, %", "seat"),
        _places(material, "seat_points", "points", "Points in a game by seat", "seat"),
        _places(material, "role_cards", "roles", "Points in a round by role", "role"),
        *_extra(material),
    )
    return Section(
        KEY,
        "Seats and roles",
        "A seat is a fixed place at the table: seat 0 leads the first round and the last seat "
        "deals it. A role is the place in a round: role 0 leads, the last role deals.",
        parts,
    )


def _scores(material: Material) -> Iterator[Figure]:
    """How points are distributed; nothing where no game rows are kept, or cells are too many."""
    if not material.run.entries("games"):
        return
    for players in sorted({cell.players for cell in material.cells}):
        cells = [cell for cell in material.cells if cell.players == players]
        if Grid(cells).rows <= MOST_ROWS:
            title = f"{score_picture.TITLE}, {players} players"
            alt = (
                f"{title}: for every rule set and line-up the share of games in which a seat has "
                "so many points. The means are in the table “Points in a game by seat”."
            )
            draw = partial(_drawn_scores, material, players)
            yield Figure(f"{score_picture.NAME}_{players}", title, alt, draw)


def _drawn_scores(material: Material, players: int) -> Drawing:
    stored = [c for c in material.cells if c.players == players and c.shares is None]
    games = (part for c in stored for part in material.game_parts(c, columns(players)))
    return score_picture.picture(material.findings, collect(material.findings, games))


def _places(material: Material, name: str, key: str, title: str, place: str) -> Table:
    metric = BY_NAME[name]
    most = max(cell.players for cell in material.cells)
    rows: list[tuple[Cell, ...]] = []
    for cell in material.cells:
        found = [material.findings.level(metric, cell, i) for i in range(cell.players)]
        rows.append((*address(cell), *found, *[None] * (most - cell.players)))
    places = [f"{place} {i}{', leads' if i == 0 else ''}" for i in range(most)]
    explain = column(metric).explain
    columns = (*ADDRESS, *(Column(each, explain) for each in places))
    return Table(key, title, columns, tuple(rows))


def _extra(material: Material) -> tuple[Table, ...]:
    """What it is worth to deal once more, where the rounds do not go round evenly."""
    rows: list[tuple[Cell, ...]] = []
    for cell in material.cells:
        end = cell.rules.end
        if isinstance(end, Rounds) and (over := dealer_balance(end.rounds, cell.players)):
            found = extra_deal_advantage(material.blocks(cell), end.rounds)
            if found.state is not State.UNDEFINED:
                seats = f"{over} of {cell.players} seats deal once more"
                rows.append((*address(cell), seats, material.measured(EXTRA, cell, found)))
    if not rows:
        return ()
    columns = (*ADDRESS, Column("rounds do not go round evenly"), column(EXTRA, judged=True))
    return (Table("extra", "Dealing once more than others", columns, tuple(rows)),)


if __name__ == "__main__":
    sys.exit(alone.main(build))
