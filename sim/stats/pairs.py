"""Two rule sets game by game: the same deal, seating and hands, joined by id and never by row.

Source: docs/statistics.md, "The deal is the unit".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.columns import flat_names
from sim.stats.blocks import Blocks
from sim.view import SEATS

if TYPE_CHECKING:
    import polars as pl

    from sim.design import Cell

ADDRESS = ("deal", "rotation", "hand_rotation")

PAIR_COLUMNS: dict[str, str] = {
    "changed": "1 if the two games differ in anything that is stored",
    "pivotal": "1 if they have different winners",
    "moved": "cards that other seats captured than before, each counted where it left and came",
}
"""What is summed of each pair of games: name -> what it counts (a whole number)."""


def pair_blocks(on: pl.DataFrame, off: pl.DataFrame, cell: Cell) -> Blocks:
    """Compare the game rows of two cells of one line-up; return sums by block of deals.

    Args:
        on, off: game rows as stored, of the rule set and of the one it is compared with. Only games
            that both have count.
        cell: that of `on`.

    Returns:
        ``games`` and, for each of `PAIR_COLUMNS`, ``NAME.sum`` and ``NAME.sumsq`` over deals.

    Raises:
        ValueError: an address is there twice, or the same deal has another pack: the cells are of
            different seeds.
    """
    both = on.join(off, on=ADDRESS, how="inner", suffix=".off", validate="1:1").sort(ADDRESS)
    if not both["deck_check"].equals(both["deck_check.off"]):
        raise ValueError("the same deal has another pack in the two cells; they cannot be paired")
    values = {
        "changed": _differ(both, [name for name in flat_names() if name not in ADDRESS]),
        "pivotal": _differ(both, ["winners"]),
        "moved": _moved(both),
    }
    deal = both["deal"].to_numpy()
    deals, of_deal = np.unique(deal, return_inverse=True)
    blocks, of_block = np.unique(deals // cell.block_deals, return_inverse=True)

    def by_block(counts: np.ndarray) -> np.ndarray:
        total = np.zeros(len(blocks), np.int64)
        np.add.at(total, of_block, counts)
        return total

    columns = {"games": by_block(np.bincount(of_deal, minlength=len(deals)))}
    for name, value in values.items():
        y = np.zeros(len(deals), np.int64)
        np.add.at(y, of_deal, value)
        columns[f"{name}.sum"], columns[f"{name}.sumsq"] = by_block(y), by_block(y * y)
    held = by_block(np.ones(len(deals), np.int64))
    return Blocks(cell.id, cell.players, blocks, held, columns)


def _differ(both: pl.DataFrame, names: list[str]) -> np.ndarray:
    differ = np.zeros(len(both), np.int64)
    for name in names:
        differ |= both[name].to_numpy() != both[f"{name}.off"].to_numpy()
    return differ


def _moved(both: pl.DataFrame) -> np.ndarray:
    """Cards by which the seats' captured piles differ, added up over the seats."""
    total = np.zeros(len(both), np.int64)
    for s in range(SEATS):
        total += np.abs(_captured(both, s) - _captured(both, s, ".off"))
    return total


def _captured(both: pl.DataFrame, seat: int, suffix: str = "") -> np.ndarray:
    """Cards won by a seat: its points before penalties."""
    won = np.zeros(len(both), np.int64)
    for name in ("points", "penalties"):
        won += both[f"{name}_{seat}{suffix}"].to_numpy()
    return won
