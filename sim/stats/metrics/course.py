"""The course of play: how games go, whoever wins."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sim.columns import SIXTIETHS
from sim.stats.blocks import Blocks
from sim.stats.estimates import LEVEL, ONE_CELL, Estimate, Method, critical_value, interval
from sim.stats.metric import (
    CARDS_PER_ROUND,
    POINTS_PER_GAME,
    SHARE_OF_CAPTURES,
    SHARE_OF_GAMES,
    SHARE_OF_TURNS,
    TURNS_PER_GAME,
    WIN_SHARE,
    AnyMeasure,
    Metric,
    Part,
    measure,
    single,
)
from sim.stats.samples import Sample, linearised, smooth

if TYPE_CHECKING:
    import polars as pl

METRICS: tuple[Metric, ...] = (
    Metric(
        "tie_rate",
        "ties",
        SHARE_OF_GAMES,
        "share of games with two or more winners",
        "Course of play",
        "game",
        single({"ties": 1}, {"games": 1}),
        0.005,
        percent=True,
        counts_games=True,
    ),
    Metric(
        "margin",
        "margin",
        POINTS_PER_GAME,
        "points of the best seat minus points of the second best",
        "Course of play",
        "game",
        single({"margin": 1}, {"games": 1}),
        0.5,
    ),
    Metric(
        "close_games",
        "close games",
        SHARE_OF_GAMES,
        "share of games in which the two best are at most 2 points apart",
        "Course of play",
        "game",
        single({"close": 1}, {"games": 1}),
        0.005,
        percent=True,
        counts_games=True,
    ),
    Metric(
        "lead_changes",
        "lead changes",
        TURNS_PER_GAME,
        "turns after which the set of leaders by points differs from the one before",
        "Course of play",
        "game",
        single({"lead_changes": 1}, {"games": 1}),
        0.5,
    ),
    Metric(
        "decided_at",
        "decided",
        SHARE_OF_TURNS,
        "share of all turns after which the eventual winners lead for good",
        "Course of play",
        "game",
        single({"decided": 1}, {"turns": 1}),
        0.005,
        percent=True,
    ),
    Metric(
        "comeback",
        "comeback",
        POINTS_PER_GAME,
        "largest deficit in points that a winner overcame",
        "Course of play",
        "game",
        single({"comeback": 1}, {"games": 1}),
        0.5,
    ),
    Metric(
        "runaway",
        "runaway",
        WIN_SHARE,
        "mean win share of the seat that alone leads after round 1, minus 1/n",
        "Course of play",
        "game",
        lambda n: (
            Part({"sole_leader_wins": n, "sole_leads": -SIXTIETHS}, {"sole_leads": n * SIXTIETHS}),
        ),
        0.005,
        percent=True,
        signed=True,
    ),
    Metric(
        "cards_left",
        "cards left",
        CARDS_PER_ROUND,
        "loose cards at a round's end that go to nobody",
        "Course of play",
        "game",
        single({"left": 1}, {"rounds": 1}),
        0.5,
    ),
    Metric(
        "rest_cards",
        "cards given away as the rest",
        CARDS_PER_ROUND,
        "loose cards at a round's end that go to a player",
        "Course of play",
        "game",
        single({"rest": 1}, {"rounds": 1}),
        0.5,
    ),
    Metric(
        "capture_rate",
        "captures",
        SHARE_OF_TURNS,
        "share of turns that capture",
        "Course of play",
        "game",
        single({"captures": 1}, {"turns": 1}),
        0.005,
        percent=True,
    ),
    Metric(
        "cards_per_capture",
        "cards per capture",
        "cards per capture",
        "cards taken by a capture, the played card not counted",
        "Course of play",
        "game",
        single({"taken": 1}, {"captures": 1}),
        0.5,
    ),
    Metric(
        "sweep_share",
        "sweeps",
        SHARE_OF_CAPTURES,
        "share of captures that leave no card on the table",
        "Course of play",
        "game",
        single({"sweeps": 1}, {"captures": 1}),
        0.005,
        percent=True,
    ),
    Metric(
        "trail_rate",
        "trails",
        SHARE_OF_TURNS,
        "share of turns that neither capture nor build",
        "Course of play",
        "game",
        single({"turns": 1, "captures": -1, "built": -1}, {"turns": 1}),
        0.005,
        percent=True,
    ),
    Metric(
        "build_rate",
        "builds",
        SHARE_OF_TURNS,
        "share of turns that build a pile",
        "Course of play",
        "game",
        single({"built": 1}, {"turns": 1}),
        0.005,
        percent=True,
    ),
    Metric(
        "turns",
        "turns",
        TURNS_PER_GAME,
        "turns played in a game, all seats together",
        "Course of play",
        "game",
        single({"turns": 1}, {"games": 1}),
        0.5,
    ),
    Metric(
        "rounds",
        "rounds",
        "rounds per game",
        "rounds begun in a game",
        "Course of play",
        "game",
        single({"rounds": 1}, {"games": 1}),
        0.5,
    ),
)


@measure("Course of play", unit=TURNS_PER_GAME, needs="one cell")
def turns_sd(blocks: Blocks, level: float = LEVEL) -> Estimate:
    """Standard deviation of the turns of a game, between all games."""
    mean = linearised(blocks, Part({"turns": 1}, {"games": 1}))
    square = linearised(blocks, Part({"turns_squared": 1}, {"games": 1}))
    variance = square.value - mean.value**2
    if not mean.varies and not square.varies:  # undefined, or all games are equally long
        alike = Sample(variance * 0, mean.z, mean.block, mean.deals)
        return interval(alike, TURNS_PER_GAME, ONE_CELL, level)
    sd = math.sqrt(variance)
    sample = smooth([mean, square], sd, [-mean.value / sd, 0.5 / sd])
    return interval(sample, TURNS_PER_GAME, ONE_CELL, level)


@measure("Course of play", unit=TURNS_PER_GAME, needs="the games of one cell")
def turns_quantile(
    games: pl.DataFrame, block_deals: int, quantile: float, level: float = LEVEL
) -> Estimate:
    """Turns that a share `quantile` of the games does not exceed; 0.5 is the median.

    The interval turns around those of the shares of games of at most so many turns (Woodruff 1952):
    it holds every length at which that share may be the first to reach `quantile`. So it is in
    whole turns and need not be symmetrical.
    """
    turns = games["turns"].to_numpy()
    blocks, place = np.unique(games["deal"].to_numpy() // block_deals, return_inverse=True)
    deals, played = np.full(len(blocks), block_deals), np.bincount(place)
    lengths = np.unique(turns)

    def share(most: float) -> Sample:
        below = np.bincount(place, turns <= most, len(blocks))
        value = below.sum() / played.sum()
        z = (below - value * played) * (len(blocks) / played.sum())
        return Sample(value, z, blocks, deals)

    def reached(errors: float) -> float:
        """Return the first length whose share, so many standard errors up, reaches `quantile`."""

        def enough(most: float) -> bool:
            own = share(most)
            return own.value + (errors and errors * own.se) >= quantile

        return float(lengths[bisect_left(lengths, True, key=enough)])

    value = reached(0.0)
    found = interval(replace(share(value), value=value), TURNS_PER_GAME, ONE_CELL, level)
    if len(blocks) == 1 or len(lengths) == 1:
        return found
    width = critical_value(level, len(blocks) - 1)
    return replace(found.within(reached(width), reached(-width), Method.WOODRUFF), se=None)


MEASURES: tuple[AnyMeasure, ...] = (turns_sd, turns_quantile)
