"""Esun, Isiwo and conduct: piles, what is known of captured cards, offences and what they cost."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from reports import alone, words
from reports.material import Material
from reports.section import ADDRESS, Cell, Section, Table, Words, address, column
from sim.answers.pooling import end_to_end
from sim.design import Cell as DesignCell
from sim.stats.blocks import Blocks
from sim.stats.estimates import estimate
from sim.stats.metric import POINTS_PER_GAME, Metric, single
from sim.stats.metrics import BY_NAME
from sim.view import SEATS

if TYPE_CHECKING:
    import polars as pl

KEY = "conduct"


def _metric(name: str, title: str, unit: str, definition: str) -> Metric:
    parts = single({name: 1}, {"games": 1})
    return Metric(name, title, unit, definition, "House rules", "game", parts, 0.5)


PILES = (
    _metric("built", "piles built", "piles per game", "piles built, all seats"),
    _metric("piles_own", "own piles captured", "piles per game", "piles their builder captured"),
    _metric(
        "piles_others", "piles taken from others", "piles per game", "piles of others captured"
    ),
    _metric("unclaimed", "unclaimed piles", "piles per game", "piles nobody had captured in time"),
    _metric("penalties_esun", "penalties", POINTS_PER_GAME, "points lost for unclaimed piles"),
)
CONDUCT = (
    _metric("miscaptures", "miscaptures", "turns per game", "captures of a card too many"),
    _metric("caught", "caught", "turns per game", "miscaptures that were challenged"),
    _metric("false_challenges", "false challenges", "turns per game", "right captures challenged"),
    _metric("peeks", "peeks", "turns per game", "turns that began with a look at the own pile"),
    _metric("spyings", "spyings", "turns per game", "turns that began with a look at another's"),
    _metric("noticed", "noticed", "looks per game", "peeks and spyings that somebody noticed"),
    _metric(
        "penalties_miscapture", "paid for miscaptures", POINTS_PER_GAME, "points lost for them"
    ),
    _metric(
        "penalties_challenge", "paid for false challenges", POINTS_PER_GAME, "points lost for them"
    ),
    _metric("penalties_peek", "paid for looking", POINTS_PER_GAME, "points lost for looking"),
)
ISIWO = tuple(BY_NAME[name] for name in ("isiwo_games", "isiwo_turns"))


def build(material: Material) -> Section | None:
    """Return the section, or None where piles, Isiwo and conduct play no part."""
    esun = [cell for cell in material.cells if cell.rules.esun]
    errs = [c for c in material.cells if any(p.conduct.changed() for p in c.seatings[0])]
    isiwo = [cell for cell in material.cells if cell.rules.isiwo and _acts(material, cell)]
    if not (esun or errs or isiwo):
        return None
    rows = tuple((*address(c), *(material.findings.level(m, c) for m in ISIWO)) for c in isiwo)
    tables = (
        *_table(material, esun, PILES, "piles", "Esun: piles in a game"),
        *([Table("isiwo", "Isiwo", (*ADDRESS, *map(column, ISIWO)), rows)] if rows else []),
        *_table(material, errs, CONDUCT, "offences", "Conduct in a game"),
    )
    return Section(
        KEY,
        "Esun, Isiwo and conduct",
        "What became of piles, how often a look at the own captured cards told something new, and "
        "what offences cost. All seats together.",
        (*tables, *_rates(errs)),
    )


def _acts(material: Material, cell: DesignCell) -> bool:
    return bool(material.blocks(cell).columns["isiwo_turns.sum"].any())


def _rates(cells: Iterable[DesignCell]) -> tuple[Words, ...]:
    """Who errs how often."""
    players = dict.fromkeys(
        player for cell in cells for player in cell.seatings[0] if player.conduct.changed()
    )
    lines = [
        f"{player.strategy.name}: "
        + ", ".join(f"{name} {rate:g}" for name, rate in player.conduct.changed().items())
        for player in players
    ]
    return (Words(tuple(map(words.visible, lines)), bullets=True),) if lines else ()


def _table(
    material: Material,
    cells: Iterable[DesignCell],
    metrics: tuple[Metric, ...],
    key: str,
    title: str,
) -> tuple[Table, ...]:
    """Count what only game rows have; nothing where none are kept, or nothing happened."""
    found = [(cell, _summed(material, cell, metrics)) for cell in cells]
    kept = [(cell, blocks) for cell, blocks in found if blocks is not None]
    seen = [m for m in metrics if any(b.columns[f"{m.name}.sum"].any() for _, b in kept)]
    if not seen:
        return ()
    rows: list[tuple[Cell, ...]] = [
        (
            *address(cell),
            *(material.measured(m, cell, estimate(blocks, m)) for m in seen),
        )
        for cell, blocks in kept
    ]
    return (Table(key, title, (*ADDRESS, *map(column, seen)), tuple(rows)),)


def _summed(material: Material, cell: DesignCell, metrics: tuple[Metric, ...]) -> Blocks | None:
    """Sum columns of the kept game rows, all seats, by block of deals."""
    names = [metric.name for metric in metrics]
    wanted = ["deal", *(f"{name}_{s}" for name in names for s in range(SEATS))]
    parts = [_blocks(part, cell, names) for part in material.game_parts(cell, wanted)]
    return end_to_end(parts, cell) if parts else None


def _blocks(part: pl.DataFrame, cell: DesignCell, names: list[str]) -> Blocks:
    deal = part["deal"].to_numpy()
    block, place = np.unique(deal // cell.block_deals, return_inverse=True)
    columns = {"games": np.bincount(place, minlength=len(block)).astype(np.int64)}
    for name in names:
        total = sum(part[f"{name}_{s}"].to_numpy().astype(np.int64) for s in range(SEATS))
        sums = np.zeros(len(block), np.int64)
        np.add.at(sums, place, total)
        columns[f"{name}.sum"] = sums
    deals = columns["games"] // cell.games_per_deal
    return Blocks(cell.id, cell.players, block, deals, columns)


if __name__ == "__main__":
    sys.exit(alone.main(build))
