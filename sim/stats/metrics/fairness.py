"""Fairness: what a seat, a role, or the deal is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim.columns import SIXTIETHS
from sim.stats.blocks import Blocks
from sim.stats.estimates import LEVEL, ONE_CELL, Estimate, Method, State, interval
from sim.stats.family import radius, simultaneous
from sim.stats.metric import (
    CARDS_PER_GAME,
    CARDS_PER_ROUND,
    POINTS_PER_GAME,
    WIN_SHARE,
    AnyMeasure,
    Metric,
    Part,
    above_even_share,
    above_mean,
    each,
    measure,
)
from sim.stats.samples import Sample, linearised
from sim.stats.verdict import Verdict

METRICS: tuple[Metric, ...] = (
    Metric(
        "dealer_advantage_wins",
        "dealer advantage in wins",
        WIN_SHARE,
        "mean win share of the first round's dealer, minus 1/n",
        "Fairness",
        "game",
        lambda n: (above_even_share("wins", n - 1, n),),
        0.005,
        percent=True,
        signed=True,
    ),
    Metric(
        "dealer_advantage_cards",
        "dealer advantage in cards",
        CARDS_PER_ROUND,
        "points per round of the role that deals, minus the mean over all roles",
        "Fairness",
        "game",
        lambda n: (above_mean("role_points", n - 1, n, "rounds"),),
        0.5,
        signed=True,
    ),
    Metric(
        "win_share",
        "win share",
        WIN_SHARE,
        "mean win share of a seat; k tied winners get 1/k each",
        "Fairness",
        "seat",
        each("wins", {"games": SIXTIETHS}),
        0.005,
        percent=True,
    ),
    Metric(
        "seat_points",
        "points by seat",
        POINTS_PER_GAME,
        "mean points of a seat at the end of the game",
        "Fairness",
        "seat",
        each("points", {"games": 1}),
        0.5,
    ),
    Metric(
        "seat_advantage_wins",
        "seat advantage in wins",
        WIN_SHARE,
        "mean win share of a seat, minus 1/n",
        "Fairness",
        "seat",
        lambda n: tuple(above_even_share("wins", s, n) for s in range(n)),
        0.005,
        percent=True,
        signed=True,
    ),
    Metric(
        "seat_advantage_cards",
        "seat advantage in cards",
        CARDS_PER_GAME,
        "mean points of a seat, minus the mean over all seats",
        "Fairness",
        "seat",
        lambda n: tuple(above_mean("points", s, n, "games") for s in range(n)),
        0.5,
        signed=True,
    ),
    Metric(
        "role_cards",
        "cards by role",
        CARDS_PER_ROUND,
        "points per round earned in a role, penalties included",
        "Fairness",
        "role",
        each("role_points", {"rounds": 1}),
        0.5,
    ),
)


def seat_advantages(blocks: Blocks) -> list[Sample]:
    """Return each seat's win share above 1/n, with its blocks."""
    n = blocks.players
    return [linearised(blocks, above_even_share("wins", s, n)) for s in range(n)]


@measure("Fairness", unit=WIN_SHARE, needs="one cell")
def unfairness(blocks: Blocks, level: float = LEVEL) -> Estimate:
    """Root of the mean over seats of (win share - 1/n)^2, cross-fitted.

    A square, so noise looks like unfairness. The square of each seat's advantage is estimated by
    products of two halves of the blocks, averaged over all ways to halve them: that is the square
    of the mean less the square of its standard error. Negative squares are told as 0. The interval
    is the distance from the plug-in value within which the seats' true advantages lie.
    """
    seats = seat_advantages(blocks)
    worst = max(seats, key=lambda seat: seat.se)
    found = interval(worst, WIN_SHARE, ONE_CELL, level)
    n = blocks.players
    if found.state is not State.INTERVAL:
        plain = math.sqrt(sum(seat.value**2 for seat in seats) / n)
        return Estimate(
            plain, None, None, None, level, found.blocks, found.deals, WIN_SHARE, ONE_CELL,
            found.state,
        )  # fmt: skip
    square = sum(seat.value**2 - seat.se**2 for seat in seats) / n
    plug_in = math.sqrt(sum(seat.value**2 for seat in seats) / n)
    reach = radius(seats, level) / math.sqrt(n)
    return Estimate(
        math.sqrt(max(0.0, square)), None, max(0.0, plug_in - reach), plug_in + reach, level,
        found.blocks, found.deals, WIN_SHARE, ONE_CELL, State.INTERVAL, None, Method.SIMULTANEOUS,
    )  # fmt: skip


@dataclass(frozen=True)
class Fair:
    """Whether every seat's win share is within `margin` of 1/n.

    Attributes:
        verdict: EQUAL it is fair, LARGER it is not, UNKNOWN not yet known.
        seats: each seat's advantage with simultaneous intervals.
        shown: the smallest margin for which fairness is shown; None without intervals.
    """

    margin: float
    verdict: Verdict
    seats: tuple[Estimate, ...]
    shown: float | None


@measure("Fairness", unit=WIN_SHARE, needs="one cell and a margin")
def fair_within(blocks: Blocks, margin: float, level: float = LEVEL) -> Fair:
    """Whether every seat's win share is within the margin of 1/n, by simultaneous intervals.

    Equivalence: fairness is shown, not merely not refuted.
    """
    seats = tuple(simultaneous(seat_advantages(blocks), WIN_SHARE, ONE_CELL, level))
    ends = [(s.low, s.high) for s in seats if s.low is not None and s.high is not None]
    if len(ends) < len(seats):
        return Fair(margin, Verdict.UNKNOWN, seats, None)
    shown = max(max(-low, high) for low, high in ends)
    if shown <= margin:
        return Fair(margin, Verdict.EQUAL, seats, shown)
    unfair = any(low > margin or high < -margin for low, high in ends)
    return Fair(margin, Verdict.LARGER if unfair else Verdict.UNKNOWN, seats, shown)


@measure("Fairness", unit="rounds", needs="the number of rounds and of players")
def dealer_balance(rounds: int, players: int) -> int:
    """Rounds mod n: rotation cancels a bias of each round only when it is 0."""
    return rounds % players


@measure("Fairness", unit=WIN_SHARE, needs="one cell of a fixed number of rounds")
def extra_deal_advantage(blocks: Blocks, rounds: int, level: float = LEVEL) -> Estimate:
    """Mean win share of the seats that deal one round more, minus that of the others.

    Undefined where all seats deal equally often (`dealer_balance` 0).
    """
    n = blocks.players
    extra = rounds % n
    if extra == 0:
        part = Part({}, {})
    else:
        dealers = {(number - 1) % n for number in range(extra)}
        share = {s: n - extra if s in dealers else -extra for s in range(n)}
        weights = {f"wins_{s}": weight for s, weight in share.items()}
        part = Part(weights, {"games": extra * (n - extra) * SIXTIETHS})
    return interval(linearised(blocks, part), WIN_SHARE, ONE_CELL, level)


MEASURES: tuple[AnyMeasure, ...] = (
    unfairness,
    fair_within,
    dealer_balance,
    extra_deal_advantage,
)
