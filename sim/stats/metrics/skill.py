"""Skill and luck: what who plays is worth.

A player is a place in the line-up, wherever it sits. Shares of skill and luck are about the
line-ups that were played and about no other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.columns import SIXTIETHS
from sim.stats.blocks import Blocks
from sim.stats.estimates import (
    LEVEL,
    ONE_CELL,
    PAIRED,
    Estimate,
    contrast,
    interval,
)
from sim.stats.metric import (
    POINTS_PER_GAME,
    WIN_SHARE,
    AnyMeasure,
    Metric,
    Part,
    above_mean,
    each,
    measure,
)
from sim.stats.samples import Sample, combined, linearised, smooth

SOURCE = "Skill, luck"

METRICS: tuple[Metric, ...] = (
    Metric(
        "player_win_share",
        "win share by player",
        WIN_SHARE,
        "mean win share of a player of the line-up, wherever it sits",
        SOURCE,
        "player",
        each("player_wins", {"games": SIXTIETHS}),
        0.005,
        percent=True,
    ),
    Metric(
        "player_points",
        "points by player",
        POINTS_PER_GAME,
        "mean points of a player of the line-up, wherever it sits",
        SOURCE,
        "player",
        each("player_points", {"games": 1}),
        0.5,
    ),
    Metric(
        "first_named_advantage",
        "advantage of the first named",
        POINTS_PER_GAME,
        "mean points of the player that the line-up names first, minus the mean over all players",
        SOURCE,
        "game",
        lambda n: (above_mean("player_points", 0, n, "games"),),
        0.5,
        signed=True,
    ),
    Metric(
        "restricted_play",
        "cost of the player's restriction",
        WIN_SHARE,
        "1/n minus the win share of a player: what it loses against the others of its line-up by "
        "obeying a restriction",
        SOURCE,
        "player",
        lambda n: tuple(
            Part({"games": SIXTIETHS, f"player_wins_{p}": -n}, {"games": n * SIXTIETHS})
            for p in range(n)
        ),
        0.005,
        percent=True,
        signed=True,
    ),
)

_PLAYER_POINTS = METRICS[1]


@measure(SOURCE, unit=WIN_SHARE, needs="one cell of a line-up with both players")
def beats(blocks: Blocks, a: int, b: int, level: float = LEVEL) -> Estimate:
    """Win share of player a minus that of player b of a line-up, on the same deals and rotations.

    Counted by game, so it is paired within each deal.
    """
    own, other = (
        linearised(blocks, Part({f"player_wins_{player}": 1}, {"games": SIXTIETHS}))
        for player in (a, b)
    )
    return interval(combined([own, other], [1, -1]), WIN_SHARE, ONE_CELL, level)


@measure(SOURCE, unit=POINTS_PER_GAME, needs="two cells: with full recall or Isiwo, and without")
def price_of_information(
    informed: Blocks, uninformed: Blocks, player: int = 0, level: float = LEVEL
) -> Estimate:
    """Mean points of a player with full recall (or Isiwo) minus the same strategy without."""
    return contrast(informed, uninformed, _PLAYER_POINTS, player, level)


@dataclass(frozen=True)
class GamesToTell:
    """Games after which the better of two players leads with a chance of 90%.

    Attributes:
        better: which player, 0 or 1.
        games, low, high: how many, with their interval; `high` None: the interval of the players'
            difference holds 0, so they may be equal. All None: there is no interval at all.
        level: nominal coverage.
    """

    better: int
    games: float | None
    low: float | None
    high: float | None
    level: float


LEADS = 1.2815515655446004
"""The 90% quantile of the normal distribution."""


@measure(SOURCE, unit="games", needs="one cell of two players")
def games_to_tell(blocks: Blocks, level: float = LEVEL) -> GamesToTell:
    """Games for the better of two players to lead with 90%: 1.2816^2 Var(W) / (mean W - 1/2)^2.

    W is 1, 0, or 1/2 in a tie, so Var(W) = m - t/4 - m^2 for a mean m and a share t of ties. The
    interval is that of (m - 1/2) / sd(W), which is nearly normal, turned around.

    Raises:
        ValueError: there are not two players.
    """
    if blocks.players != 2:
        raise ValueError(f"games to tell are defined for two players, not {blocks.players}")
    mean = linearised(blocks, Part({"player_wins_0": 1}, {"games": SIXTIETHS}))
    ties = linearised(blocks, Part({"ties": 1}, {"games": 1}))
    m, variance = mean.value, mean.value - ties.value / 4 - mean.value**2
    better = 0 if m >= 0.5 else 1
    if not variance > 0:
        return GamesToTell(better, None, None, None, level)
    sd = math.sqrt(variance)
    slope = 1 / sd - (m - 0.5) * (1 - 2 * m) / (2 * sd**3)
    edge = interval(
        smooth([mean, ties], (m - 0.5) / sd, [slope, (m - 0.5) / (8 * sd**3)]), "", level=level
    )
    if edge.low is None or edge.high is None:
        return GamesToTell(better, None, None, None, level)
    widest, narrowest = max(-edge.low, edge.high), max(edge.low, -edge.high)
    return GamesToTell(
        better,
        (LEADS / edge.value) ** 2 if edge.value else None,
        (LEADS / widest) ** 2,
        (LEADS / narrowest) ** 2 if narrowest > 0 else None,
        level,
    )


@dataclass(frozen=True)
class VarianceShares:
    """Where the variance of a game's outcome comes from, in a population of line-ups.

    Attributes:
        skill: who plays. cards: the deal, whoever plays. both: skill x cards; None without decision
            replicates, when it is part of the rest. rest: chance in decisions.
        variance: all of it, in squared units of the outcome.
        population: the line-ups, in words: the shares are about them.
    """

    skill: Estimate
    cards: Estimate
    both: Estimate | None
    rest: Estimate
    variance: float
    population: str


@measure(
    SOURCE,
    unit="share of the variance",
    needs="kept games of two line-ups in equal blocks of deals",
)
def variance_shares(
    outcomes: npt.NDArray[np.float64], block_deals: int, population: str, level: float = LEVEL
) -> VarianceShares:
    """Shares of skill, cards, skill x cards and the rest in the variance of an outcome.

    Moment estimators of the crossed design line-up x deal x replicate; intervals by the jackknife
    over blocks of deals, for the line-ups as they are.

    Args:
        outcomes: such as the win share of seat 0; shape (line-ups, deals, replicates), at least 2
            line-ups and whole blocks of deals.
        block_deals: deals in a block.
        population: the line-ups, in words.
    """
    lineups, deals, replicates = outcomes.shape
    blocks = deals // block_deals
    sums = _block_sums((outcomes - outcomes.mean()).reshape(lineups, blocks, block_deals, -1))
    together = sums.sum(axis=0)
    whole = _components(together, lineups, deals, replicates)
    total = whole.sum()
    without = _components(together - sums, lineups, deals - block_deals, replicates)
    shares = without / without.sum(axis=1, keepdims=True)
    pseudo = (blocks - 1) * (shares.mean(axis=0) - shares)
    held = np.full(blocks, block_deals)

    def share(which: int) -> Estimate:
        sample = Sample(float(whole[which] / total), pseudo[:, which], np.arange(blocks), held)
        return interval(sample, "share of the variance", PAIRED, level)

    skill, cards, both, rest = (share(i) for i in range(4))
    shown = both if replicates > 1 else None
    return VarianceShares(skill, cards, shown, rest, float(total), population)


def _block_sums(y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return what the components are made of, added up over the deals of each block.

    Args:
        y: shape (line-ups, blocks, deals of a block, replicates), with mean 0.

    Returns:
        Shape (blocks, 3 + line-ups): squares within a line-up's deal, squares of its means, squares
        of the deal's means, then the means of each line-up.
    """
    cell = y.mean(axis=3)
    within = ((y - cell[..., None]) ** 2).sum(axis=(0, 2, 3))
    squares = (cell**2).sum(axis=(0, 2)), (cell.mean(axis=0) ** 2).sum(axis=1)
    return np.column_stack([within, *squares, cell.sum(axis=2).T])


def _components(
    sums: npt.NDArray[np.float64], lineups: int, deals: int, replicates: int
) -> npt.NDArray[np.float64]:
    """Return the variance components skill, cards, skill x cards, rest (Searle 1971).

    Args:
        sums: as of `_block_sums`, shape (..., 3 + line-ups).
        lineups, deals, replicates: that were added up.

    Returns:
        Shape (..., 4).
    """
    within, cells, by_deal = (sums[..., i] for i in range(3))
    means = sums[..., 3:] / deals
    mean = means.mean(axis=-1)
    lineup_squares = ((means - mean[..., None]) ** 2).sum(axis=-1)
    deal_squares = by_deal - deals * mean**2
    crossed = cells - lineups * by_deal - deals * lineup_squares
    ms_both = replicates * crossed / ((lineups - 1) * (deals - 1))
    ms_lineup = replicates * deals * lineup_squares / (lineups - 1)
    ms_deal = replicates * lineups * deal_squares / (deals - 1)
    rest, both = ms_both, np.zeros_like(ms_both)
    if replicates > 1:
        rest = within / (lineups * deals * (replicates - 1))
        both = (ms_both - rest) / replicates
    skill = (ms_lineup - ms_both) / (deals * replicates)
    cards = (ms_deal - ms_both) / (lineups * replicates)
    return np.stack([skill, cards, both, rest], axis=-1)


MEASURES: tuple[AnyMeasure, ...] = (beats, price_of_information, games_to_tell, variance_shares)
