"""How final scores are distributed: counted from the stored games, a part at a time.

Memory does not grow with the number of games: for each cell and seat there is a count for each bin
of points, and its sum of squares over deals, so that a bin's share has an interval in which the
deal, not the game, is the unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sim.answers.findings import Findings
from sim.stats.estimates import LEVEL, critical_value
from sim.stats.metrics import BY_NAME

if TYPE_CHECKING:
    import polars as pl

    from sim.design import Cell

Floats = npt.NDArray[np.float64]

BINS_BELOW_MEAN = 40
DEALS_AT_ONCE = 256
"""So few that their counts stay in the processor's cache."""


class Scores:
    """Counts of final points by seat, in bins of `width` whole points.

    Attributes:
        width: points in a bin.
        first: number of the first bin; bin b holds the points from b * width on.
        deals, games: what was counted.
        counts: games by seat and bin.
        squares: by seat and bin, the sum over deals of the square of the deal's count.
    """

    def __init__(self, seats: int, width: int) -> None:
        self.width = width
        self.first = self.deals = self.games = 0
        self.counts = np.zeros((seats, 0), np.int64)
        self.squares = np.zeros((seats, 0), np.int64)

    def add(self, points: npt.NDArray[np.int64], deal: npt.NDArray[np.int64]) -> None:
        """Count games: `points` by game and seat, `deal` by game, ascending, no deal cut in two."""
        bins = points // self.width
        self._cover(int(bins.min()), int(bins.max()) + 1)
        bins -= self.first
        size = self.counts.shape[1]
        starts = np.flatnonzero(np.diff(deal, prepend=-1))
        index = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(deal)))
        for low in range(0, len(starts), DEALS_AT_ONCE):
            high = min(low + DEALS_AT_ONCE, len(starts))
            rows = slice(*np.searchsorted(index, (low, high)))
            for seat in range(points.shape[1]):
                cells = (index[rows] - low) * size + bins[rows, seat]
                own = np.bincount(cells, minlength=(high - low) * size).reshape(-1, size)
                self.counts[seat] += own.sum(axis=0)
                self.squares[seat] += (own * own).sum(axis=0)
        self.deals += len(starts)
        self.games += len(deal)

    def _cover(self, low: int, high: int) -> None:
        """Make room for bins `low` to `high` - 1."""
        if self.games == 0:
            self.first = low
        size = self.counts.shape[1]
        before = max(0, self.first - low)
        after = max(0, high - self.first - size)
        if before or after:
            room = ((0, 0), (before, after))
            self.counts, self.squares = np.pad(self.counts, room), np.pad(self.squares, room)
            self.first -= before

    @property
    def middles(self) -> Floats:
        """The middle of each bin, in points."""
        first = self.first * self.width + (self.width - 1) / 2
        return first + self.width * np.arange(self.counts.shape[1], dtype=np.float64)

    def shares(self) -> tuple[Floats, Floats]:
        """Return, by seat and bin, the share of games and half the width of its interval.

        The half-width is NaN for a single deal.
        """
        shares = self.counts / self.games
        if self.deals < 2:
            return shares, np.full(shares.shape, math.nan)
        mean = self.counts / self.deals
        variance = np.maximum(self.squares - self.counts * mean, 0) / (self.deals - 1)
        se = np.sqrt(variance / self.deals) * (self.deals / self.games)
        return shares, critical_value(LEVEL, self.deals - 1) * se


def columns(players: int) -> list[str]:
    """Return the columns of game rows that are counted."""
    return ["cell", "deal", *(f"points_{s}" for s in range(players))]


def collect(findings: Findings, games: Iterable[pl.DataFrame]) -> dict[int, Scores]:
    """Count the points of every cell; cells without stored games are left out.

    A cell that shares the games of another has that one's.

    Args:
        findings: the cells.
        games: game rows, `columns` at least, part by part: each of one cell, in order of deal.
    """
    cells = {cell.id: cell for cell in findings.cells}
    widths = _widths(findings)
    found: dict[int, Scores] = {}
    for part in games:
        if len(part):
            cell = cells[int(part["cell"][0])]
            scores = found.setdefault(cell.id, Scores(cell.players, widths[cell.players]))
            scores.add(_points(part, cell), part["deal"].to_numpy())
    sharing = {cell.id: cell.shares for cell in findings.cells if cell.shares in found}
    return {**found, **{own: found[of] for own, of in sharing.items() if of is not None}}


def _points(part: pl.DataFrame, cell: Cell) -> npt.NDArray[np.int64]:
    seats = [part[f"points_{s}"].to_numpy() for s in range(cell.players)]
    return np.stack(seats, axis=1).astype(np.int64)


def _widths(findings: Findings) -> dict[int, int]:
    """Choose bins for each number of players, the same in all of its cells."""
    widths: dict[int, int] = {}
    for cell in findings.cells:
        means = [
            findings.level(BY_NAME["seat_points"], cell, s).estimate.value
            for s in range(cell.players)
        ]
        width = max([1, *(math.ceil(mean / BINS_BELOW_MEAN) for mean in means if mean > 0)])
        widths[cell.players] = max(width, widths.get(cell.players, 1))
    return widths
