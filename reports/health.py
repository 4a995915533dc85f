"""Precision and health: how narrow the intervals are, and checks that must hold exactly."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from reports import alone
from reports.material import Material
from reports.section import ADDRESS, Cell, Column, Section, Table, Words, address, column
from sim.columns import SIXTIETHS
from sim.rules import Rounds
from sim.stats.blocks import METRICS as SUMS
from sim.store.tables import stored_id

KEY = "health"

CARDS_WITHOUT_JOKERS = 52


def build(material: Material) -> Section | None:
    """Return the section, or None for a run without data."""
    if not material.cells:
        return None
    return Section(
        KEY,
        "Precision and health",
        "How much was played and how narrow the intervals are; and checks that must hold exactly, "
        "not nearly.",
        (_precision(material), _checks(material), *_unfinished(material)),
    )


def _precision(material: Material) -> Table:
    primary = material.findings.primary
    rows: list[tuple[Cell, ...]] = []
    for cell in material.cells:
        blocks = material.blocks(cell)
        counts = (int(blocks.columns["games"].sum()), int(blocks.deals.sum()), len(blocks))
        rows.append((*address(cell), *counts, material.findings.level(primary, cell)))
    columns = (
        *ADDRESS,
        Column("games"),
        Column("deals", "The unit: rotations of a deal are not independent games."),
        Column("blocks", "Blocks of deals, between which every standard error is."),
        column(primary),
    )
    return Table("precision", "What the numbers rest on", columns, tuple(rows))


def _checks(material: Material) -> Table:
    rows = tuple(
        (name, checked, failed, "holds" if failed == 0 else "FAILS")
        for name, checked, failed in (
            *_sums(material),
            *_decks(material),
            *_exact_zeros(material),
            ("stored parts are what was written", *_parts(material)),
        )
    )
    columns = (
        Column("check"),
        Column("checked", "How many blocks, deals, comparisons or parts."),
        Column("failed"),
        Column("result"),
    )
    return Table("checks", "Checks", columns, rows)


def _sums(material: Material) -> Iterator[tuple[str, int, int]]:
    """In every block: win shares add up to 1 a game, and every card is somewhere."""
    blocks = won = lost = rounds = 0
    for cell in material.cells:
        own = material.blocks(cell)
        games = own.columns["games"]
        shares = own.weighted({f"wins_{s}": 1 for s in range(cell.players)})
        won += int((shares != SIXTIETHS * games).sum())
        blocks += len(own)
        if isinstance(cell.rules.end, Rounds):
            where = {f"points_{s}": 1 for s in range(cell.players)}
            where |= dict.fromkeys(("penalties", "left", "out_of_play"), 1)
            pack = CARDS_WITHOUT_JOKERS + cell.rules.jokers
            lost += int((own.weighted(where) != own.weighted({"rounds": pack})).sum())
            rounds += len(own)
    yield "win shares of the seats add up to 1 in every game", blocks, won
    if rounds:
        yield "cards captured, left and out of play are the pack", rounds, lost


def _decks(material: Material) -> Iterator[tuple[str, int, int]]:
    """The same deal has the same pack in every cell that keeps its games."""
    most = max(cell.blocks * cell.block_deals for cell in material.cells)
    deck, known = np.zeros(most, np.uint32), np.zeros(most, bool)
    compared = differ = 0
    for cell in material.cells:
        for part in material.game_parts(cell, ["deal", "deck_check"]):
            deal, check = part["deal"].to_numpy() - cell.first_deal, part["deck_check"].to_numpy()
            there = known[deal]
            compared += int(there.sum())
            differ += int((deck[deal[there]] != check[there]).sum())
            deck[deal], known[deal] = check, True
    if compared:
        yield "a deal is the same shuffled pack in every game of it", compared, differ


def _exact_zeros(material: Material) -> Iterator[tuple[str, int, int]]:
    """Variants that play alike, and share their games, are equal in everything."""
    alike = [(a, b) for a, b in material.pairs if stored_id(a) == stored_id(b)]
    if alike:
        columns = [f"{name}.{kind}" for name in SUMS for kind in ("sum", "sumsq")]
        unequal = sum(
            any(
                not np.array_equal(
                    material.blocks(a).columns[name], material.blocks(b).columns[name]
                )
                for name in columns
            )
            for a, b in alike
        )
        yield "variants that play alike are exactly equal in everything", len(alike), unequal


def _parts(material: Material) -> tuple[int, int]:
    found = material.run.health()
    return found.parts + len(found.faults), len(found.faults)


def _unfinished(material: Material) -> tuple[Words, ...]:
    missing = material.run.missing_blocks
    if not missing:
        return ()
    return (
        Words((f"The run is not finished: {missing:,} blocks of deals are still to be played.",)),
    )


if __name__ == "__main__":
    sys.exit(alone.main(build))
