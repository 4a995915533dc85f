"""The course of play: how close games are, when they are decided, how long they last."""

from __future__ import annotations

import sys
from dataclasses import replace

from reports import alone, pictures
from reports.material import Material
from reports.section import ADDRESS, Cell, Column, Section, Table, address, column
from sim.design import Cell as DesignCell
from sim.stats.metrics import BY_NAME
from sim.stats.metrics.course import turns_quantile, turns_sd

KEY = "course_of_play"

TENSION = tuple(
    BY_NAME[name]
    for name in (
        "margin",
        "close_games",
        "tie_rate",
        "lead_changes",
        "decided_at",
        "comeback",
        "runaway",
    )
)
PICTURED = ("margin", "lead_changes", "decided_at", "runaway")
LENGTH = tuple(BY_NAME[name] for name in ("turns", "rounds"))
SD = replace(
    BY_NAME["turns"],
    name=turns_sd.name,
    title="spread of turns",
    definition="standard deviation of the turns of a game",
    parts=lambda n: (),
)
QUANTILES = ((0.5, "median"), (0.95, "95th percentile"))


def build(material: Material) -> Section | None:
    """Return the section, or None for a run without data."""
    if not material.cells:
        return None
    rows = tuple(
        (*address(c), *(material.findings.level(m, c) for m in TENSION)) for c in material.cells
    )
    columns = (*ADDRESS, *(column(m, judged=m.signed) for m in TENSION))
    note = (
        "Decided: the share of all turns after which those who will win lead for good. Comeback: "
        "the largest deficit that a winner overcame. Runaway: how much more than an even share "
        "wins whoever alone leads after the first round."
    )
    return Section(
        KEY,
        "Course of play",
        "How close games are, how often the lead changes, when they are decided, how long they "
        "last.",
        (
            *(pictures.level(material, BY_NAME[name], "Tension") for name in PICTURED),
            Table("tension", "Tension", columns, rows, note),
            _length(material),
        ),
    )


def _length(material: Material) -> Table:
    rows: list[tuple[Cell, ...]] = []
    quantiles = {cell.id: _quantiles(material, cell) for cell in material.cells}
    kept = any(any(own) for own in quantiles.values())
    for cell in material.cells:
        levels = [material.findings.level(metric, cell) for metric in LENGTH]
        spread = material.measured(SD, cell, turns_sd(material.blocks(cell)))
        rows.append((*address(cell), *levels, spread, *(quantiles[cell.id] if kept else ())))
    columns = (*ADDRESS, *map(column, LENGTH), column(SD))
    if kept:
        columns += tuple(
            Column(f"turns, {name}", "Of the games that are kept row by row.")
            for _, name in QUANTILES
        )
    return Table("length", "Length", columns, tuple(rows))


def _quantiles(material: Material, cell: DesignCell) -> tuple[Cell, ...]:
    import polars as pl

    parts = list(material.game_parts(cell, ["deal", "turns"]))
    if not parts:
        return tuple(None for _ in QUANTILES)
    games = pl.concat(parts)
    return tuple(
        material.measured(
            replace(BY_NAME["turns"], name=f"turns_quantile_{share:g}", parts=lambda n: ()),
            cell,
            turns_quantile(games, cell.block_deals, share),
        )
        for share, _ in QUANTILES
    )


if __name__ == "__main__":
    sys.exit(alone.main(build))
