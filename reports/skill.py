"""Skill and luck: how much of a win is play and how much is cards, among a run's line-ups."""

from __future__ import annotations

import sys
from dataclasses import replace

from reports import alone
from reports.material import Material
from reports.section import ADDRESS, Cell, Column, Section, Table, address, column
from sim.answers.luck import luck
from sim.design import Cell as DesignCell
from sim.stats.estimates import Estimate, Method, State
from sim.stats.metrics import BY_NAME
from sim.stats.metrics.skill import games_to_tell

KEY = "skill"

SHARE = replace(
    BY_NAME["tie_rate"],
    name="variance_share",
    title="share of the variance",
    unit="share of the variance",
    counts_games=False,
    parts=lambda n: (),
)
TELL = replace(
    BY_NAME["turns"],
    name=games_to_tell.name,
    title="games to tell",
    unit="games",
    definition="games for the better player to lead with 90%",
    parts=lambda n: (),
)


def mixed(cell: DesignCell) -> bool:
    """Whether different players sit at the table."""
    return len(set(cell.seatings[0])) > 1


def build(material: Material) -> Section | None:
    """Return the section, or None where nobody differs from anybody."""
    tables = (*_players(material), *_tell(material), *_variance(material))
    if not tables:
        return None
    names = dict.fromkeys(str(p) for c in material.cells for p in c.seatings[0])
    return Section(
        KEY,
        "Skill and luck",
        f"All of this is about these players and no others: {', '.join(names)}.",
        tables,
    )


def _players(material: Material) -> tuple[Table, ...]:
    cells = [cell for cell in material.cells if mixed(cell)]
    if not cells:
        return ()
    metrics = [BY_NAME[name] for name in ("player_win_share", "player_points", "restricted_play")]
    rows: list[tuple[Cell, ...]] = [
        (
            *address(cell),
            str(player),
            *(material.findings.level(metric, cell, p) for metric in metrics),
        )
        for cell in cells
        for p, player in enumerate(cell.seatings[0])
    ]
    columns = (
        *ADDRESS,
        Column("player", "Wherever it sits: its seat goes round."),
        *(column(metric, judged=metric.signed) for metric in metrics),
    )
    return (Table("players", "Players of one table", columns, tuple(rows)),)


def _tell(material: Material) -> tuple[Table, ...]:
    rows: list[tuple[Cell, ...]] = []
    for cell in material.cells:
        if cell.players == 2 and mixed(cell):
            found = games_to_tell(material.blocks(cell))
            if found.games is None or found.low is None:
                continue
            better = str(cell.seatings[0][found.better])
            if found.high is None:
                rows.append((*address(cell), better, "they may be equal"))
                continue
            blocks = material.blocks(cell)
            own = Estimate(
                found.games, None, found.low, found.high, found.level, len(blocks),
                int(blocks.deals.sum()), "games", "one cell", State.INTERVAL, None, Method.STUDENT,
            )  # fmt: skip
            rows.append((*address(cell), better, material.measured(TELL, cell, own)))
    if not rows:
        return ()
    columns = (*ADDRESS, Column("better player"), column(TELL, title="games to tell"))
    return (Table("tell", "Games until the better player leads with 90%", columns, tuple(rows)),)


def _variance(material: Material) -> tuple[Table, ...]:
    rows: list[tuple[Cell, ...]] = []
    for own in luck(material.run, material.cells):
        first, shares = own.cells[0], own.shares
        told = [
            material.measured(SHARE, first, e) for e in (shares.skill, shares.cards, shares.rest)
        ]
        rows.append((first.players, first.variant, shares.population, own.deals, *told))
    if not rows:
        return ()
    columns = (
        ADDRESS[0],
        ADDRESS[2],
        Column("population", "The line-ups that the shares are about."),
        Column("deals"),
        Column("skill, %", "Share of the variance of seat 0's wins that follows from who plays."),
        Column("cards, %", "Share that follows from the deal, whoever plays."),
        Column("rest, %", "Skill with these cards, and chance in decisions."),
    )
    note = "Estimates of variance can fall below 0 where there is next to none."
    return (
        Table("variance", "Where the outcome of seat 0 comes from", columns, tuple(rows), note),
    )


if __name__ == "__main__":
    sys.exit(alone.main(build))
