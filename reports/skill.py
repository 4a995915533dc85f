"""Skill and luck: how much of a win is play and how much is cards, among a run's line-ups."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from reports import alone
from reports.material import Material
from reports.section import ADDRESS, Cell, Column, Section, Table, address, column
from sim.columns import SIXTIETHS
from sim.design import Cell as DesignCell
from sim.stats.estimates import Estimate, Method, State
from sim.stats.metrics import BY_NAME
from sim.stats.metrics.skill import games_to_tell, variance_shares
from sim.view import SEATS

KEY = "skill"

MOST_ROWS = 400_000
"""Games of a line-up that the shares of variance rest on, at most: the first deals."""

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
    for cells in _crossed(material.cells):
        outcomes = [_outcomes(material, cell) for cell in cells]
        deals = min(len(each) for each in outcomes)
        deals -= deals % cells[0].block_deals
        if deals < 2 * cells[0].block_deals:
            continue
        population = ", ".join(cell.lineup for cell in cells)
        shares = variance_shares(
            np.stack([each[:deals, None] for each in outcomes]), cells[0].block_deals, population
        )
        first = cells[0]
        told = [
            material.measured(SHARE, first, e) for e in (shares.skill, shares.cards, shares.rest)
        ]
        rows.append((first.players, first.variant, population, deals, *told))
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


def _crossed(cells: Sequence[DesignCell]) -> Iterator[list[DesignCell]]:
    """Yield the cells that differ in nothing but the line-up, two at least."""
    groups: dict[tuple[int, int], list[DesignCell]] = {}
    for cell in cells:
        groups.setdefault((cell.variant_index, cell.players), []).append(cell)
    for own in groups.values():
        own = [cell for cell in own if cell.block_deals == own[0].block_deals]
        if len(own) > 1:
            yield own


def _outcomes(material: Material, cell: DesignCell) -> npt.NDArray[np.float64]:
    """Return the win share of seat 0 in each kept deal, as the line-up is written."""
    found: list[npt.NDArray[np.float64]] = []
    rows = 0
    masks = np.arange(1 << SEATS)
    winners = ((masks[:, None] >> np.arange(SEATS)) & 1).sum(axis=1)
    share = np.where(masks & 1, SIXTIETHS / np.maximum(winners, 1), 0) / SIXTIETHS
    for part in material.game_parts(cell, ["rotation", "hand_rotation", "winners"]):
        own = part.filter((part["rotation"] == 0) & (part["hand_rotation"] == 0))
        found.append(share[own["winners"].to_numpy()])
        rows += len(part)
        if rows >= MOST_ROWS:
            break
    return np.concatenate(found) if found else np.zeros(0)


if __name__ == "__main__":
    sys.exit(alone.main(build))
