"""An option switched, game by game: how often that acts, changes who wins, and moves cards.

Two rule sets that differ in one option alone are compared on the same deals, and so are others that
differ in it; the share is over all of these games.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

import polars as pl

from sim.stats.blocks import Blocks
from sim.stats.pairs import PAIR_COLUMNS, pair_blocks
from sim.stats.samples import join_all
from sim.store.scanning import game_parts
from sim.store.tables import stored_id

if TYPE_CHECKING:
    from sim.answers.factors import RuleEffects
    from sim.design import Cell
    from sim.store import Run

MOST_ROWS = 400_000
"""Games read in a setting, at most: the first deals of each rule set."""

MOST_PAIRS = 64
"""Pairs of rule sets that are compared for one option, at most; of more, a fixed random sample."""


def switched(run: Run, own: RuleEffects) -> dict[str, Blocks]:
    """Return the games in which each option was switched, its largest change; by option.

    The blocks have ``games`` and, for each of `sim.stats.pairs.PAIR_COLUMNS`, ``NAME.sum``; they
    are empty where no game rows are kept. An option that nothing can be told of is left out.

    Raises:
        DataDamaged: a part is not what was published.
    """
    kept = _Kept(run, MOST_ROWS // len(own.cells))
    found = {}
    for effect in own.ranking:
        found[effect.options[0]] = _added_up(
            [
                pair_blocks(kept.games(on), kept.games(off), on)
                for on, off in _sampled(effect.corners)
            ]
        )
    return found


def _sampled(pairs: Sequence[tuple[Cell, ...]]) -> Sequence[tuple[Cell, ...]]:
    return pairs if len(pairs) <= MOST_PAIRS else Random(MOST_PAIRS).sample(pairs, MOST_PAIRS)


class _Kept:
    """The first kept games of cells, in whole blocks, each read once."""

    def __init__(self, run: Run, rows: int) -> None:
        self._run, self._rows = run, rows
        self._read: dict[int, pl.DataFrame] = {}

    def games(self, cell: Cell) -> pl.DataFrame:
        if stored_id(cell) not in self._read:
            per_block = cell.block_deals * cell.games_per_deal
            room = max(1, self._rows // per_block) * per_block
            parts, rows = [], 0
            for part in game_parts(self._run, cell):
                parts.append(part)
                rows += len(part)
                if rows >= room:
                    break
            self._read[stored_id(cell)] = _end_to_end(parts).head(room)
        return self._read[stored_id(cell)]


def _end_to_end(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    from sim.store.parts import schema

    return pl.concat(parts) if parts else pl.DataFrame(schema=schema("games"))


def _added_up(pairs: Sequence[Blocks]) -> Blocks:
    """Return all pairs as one, deal by deal, on the deals that all have."""
    joined = join_all(pairs)
    first = joined[0]
    names = ["games", *(f"{name}.sum" for name in PAIR_COLUMNS)]
    columns = {
        name: sum((own.columns[name] for own in joined[1:]), first.columns[name]) for name in names
    }
    return Blocks(first.cell, first.players, first.block, first.deals, columns)
