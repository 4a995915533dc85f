"""How much of an outcome is who plays and how much is cards, among the line-ups of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.columns import SIXTIETHS
from sim.stats.metrics.skill import VarianceShares, variance_shares
from sim.stats.samples import Floats
from sim.store.scanning import game_parts
from sim.view import SEATS

if TYPE_CHECKING:
    from sim.design import Cell
    from sim.store import Run

MOST_ROWS = 400_000
"""Games of a line-up that the shares of variance rest on, at most: the first deals."""


@dataclass(frozen=True)
class Luck:
    """Where the outcome of seat 0 comes from, of one rule set and number of players.

    Attributes:
        cells: one for each line-up of the population.
        deals: how many it rests on.
        shares: of the variance.
    """

    cells: tuple[Cell, ...]
    deals: int
    shares: VarianceShares


def luck(run: Run, cells: Sequence[Cell]) -> Iterator[Luck]:
    """Yield it for each rule set and number of players with several line-ups and kept games.

    Raises:
        DataDamaged: a part is not what was published.
    """
    for own in _crossed(cells):
        outcomes = [_outcomes(run, cell) for cell in own]
        deals = min(len(each) for each in outcomes)
        deals -= deals % own[0].block_deals
        if deals >= 2 * own[0].block_deals:
            stacked = np.stack([each[:deals, None] for each in outcomes])
            population = ", ".join(cell.lineup for cell in own)
            shares = variance_shares(stacked, own[0].block_deals, population)
            yield Luck(tuple(own), deals, shares)


def _crossed(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Yield the cells that differ in nothing but the line-up, two at least."""
    groups: dict[tuple[int, int], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.variant_index, cell.players), []).append(cell)
    for own in groups.values():
        own = [cell for cell in own if cell.block_deals == own[0].block_deals]
        if len(own) > 1:
            yield own


def _outcomes(run: Run, cell: Cell) -> Floats:
    """Return the win share of seat 0 in each kept deal, as the line-up is written."""
    found: list[Floats] = []
    rows = 0
    masks = np.arange(1 << SEATS)
    winners = ((masks[:, None] >> np.arange(SEATS)) & 1).sum(axis=1)
    share = np.where(masks & 1, SIXTIETHS / np.maximum(winners, 1), 0) / SIXTIETHS
    for part in game_parts(run, cell, ["rotation", "hand_rotation", "winners"]):
        own = part.filter((part["rotation"] == 0) & (part["hand_rotation"] == 0))
        found.append(share[own["winners"].to_numpy()])
        rows += len(part)
        if rows >= MOST_ROWS:
            break
    return np.concatenate(found) if found else np.zeros(0)
