"""A contest of rule sets under goals: who plays on, who is dropped, and when all is decided.

Rule sets that play on play the same new blocks of deals. At each look the numbers of every cell are
held to their limits, and the rule sets are compared on the deals that they share. Who surely misses
a goal, or is surely worse than another that keeps all limits, is dropped. Where no goal asks for
the most or the least of something, a cell whose limits are all kept has nothing left to show and
plays no more. What was decided once stays decided: the intervals hold at all looks together. Only
who is in may later be out: worse than another, surely, but by less than what matters. A rule set
with which a goal is undefined is compared with none, and keeps no race going.

The looks are at numbers of blocks that follow from the experiment alone, so where it ends depends
on the data alone. A full factorial is the same with one look, at its end.
Source: docs/statistics.md, "Goals"; Maron and Moore 1994.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.design import Cell, settings_of
from sim.goals import (
    Constraint,
    Maximise,
    Minimise,
    Objective,
    StopAtGoals,
    limits,
    metric_name,
    sign,
    tolerance,
)
from sim.seen import Seen
from sim.stats.blocks import Blocks
from sim.stats.estimates import LEVEL
from sim.stats.goals import Held, Limit, Met, Place, Width, all_met, held, places, unseen
from sim.stats.metrics import BY_NAME
from sim.stats.samples import Floats, Sample, combined, linearised
from sim.stats.stopping import Reason

if TYPE_CHECKING:
    from sim.store import Run

GROWTH = 4
"""Between two looks the blocks grow by one in so many: each look costs time of its own."""


def boundaries(rule: StopAtGoals) -> Iterator[int]:
    """Yield the blocks of each cell at which a contest is looked at, the last of them its most."""
    at = rule.first_look
    while at < rule.blocks:
        yield at
        at += -(-at // GROWTH)
    yield rule.blocks


@dataclass
class Contender:
    """A rule set in a contest.

    Attributes:
        variant: its name.
        cells: its cells, by number of players and line-up.
        met: of each constraint and each cell whether it is met.
        place: whether it is among the best of those that meet them all.
        blocks: of each cell, how many blocks were looked at when it was last looked at.
    """

    variant: str
    cells: tuple[Cell, ...]
    met: list[list[Met]]
    place: Place = Place.OPEN
    blocks: list[int] = field(default_factory=list)

    @property
    def games(self) -> tuple[int, ...]:
        """The cells that play its games; rule sets with the same ones play alike."""
        return tuple(cell.player for cell in self.cells)

    @property
    def keeps(self) -> Met:
        """Whether it meets all constraints in all cells."""
        return all_met([one for own in self.met for one in own])

    def as_json(self) -> dict[str, Any]:
        """Return what was decided as plain data."""
        return {
            "variant": self.variant,
            "met": [[one.name.lower() for one in own] for own in self.met],
            "place": self.place.name.lower(),
            "blocks": self.blocks,
        }


class Contest:
    """The looks of a contest, made while its games are played.

    Args:
        stop: its goals, and how it is played.
        planned: its cells, with the most blocks there can be.
    """

    def __init__(self, stop: StopAtGoals, planned: Sequence[Cell]) -> None:
        self.rule = stop
        self.planned = planned
        self.settings = settings_of(planned)
        self.constraints: list[Constraint] = [
            goal for goal in stop.goals if not isinstance(goal, Maximise | Minimise)
        ]
        self.objectives: list[Objective] = [
            goal for goal in stop.goals if isinstance(goal, Maximise | Minimise)
        ]
        own: dict[int, list[Cell]] = {}
        for cell in planned:
            own.setdefault(cell.variant_index, []).append(cell)
        self.contenders = [
            Contender(
                cells[0].variant,
                tuple(cells),
                [[Met.OPEN] * len(cells) for _ in self.constraints],
                blocks=[0] * len(cells),
            )
            for cells in own.values()
        ]
        self.looks = 0
        self.played = 0
        self.ended: Reason | None = None
        self._seen = Seen(planned)
        self._ahead = boundaries(stop)
        self.blocks = 0
        self._advance()

    @cached_property
    def limits(self) -> dict[int, list[list[Limit]]]:
        """For each number of players, the limits that each constraint sets."""
        counts = {cell.players for cell in self.planned}
        return {n: [limits(goal, n) for goal in self.constraints] for n in counts}

    @cached_property
    def width(self) -> Width:
        """How wide intervals of limits are; all limits and comparisons share the error."""
        numbers = sum(len(own) for cell in self.planned for own in self.limits[cell.players])
        return self._width(numbers, bool(self.objectives))

    @cached_property
    def width_apart(self) -> Width:
        """How wide intervals of differences between rule sets are."""
        sets = len(self.contenders)
        numbers = max(1, sets * (sets - 1) // 2 * len(self.objectives))
        return self._width(numbers, bool(self.constraints))

    def _width(self, numbers: int, halved: bool) -> Width:
        alpha = (1 - LEVEL) / (2 if halved else 1) / max(1, numbers)
        return Width(alpha, None if self.rule.method == "factorial" else self.rule.best_at)

    @property
    def open(self) -> list[Contender]:
        """The rule sets of which something is not decided; none once it ended."""
        if self.ended is not None:
            return []
        return [one for one in self.contenders if one.place is Place.OPEN]

    @property
    def alive(self) -> list[Contender]:
        """The rule sets that play on: those that are open, and those they are compared with."""
        if not self.objectives or not self.open:
            return self.open
        return [one for one in self.contenders if one.place is not Place.OUT]

    @property
    def most_games(self) -> int:
        """Games that are played at most."""
        return self.rule.budget

    def wanted(self) -> list[Cell]:
        """Return the cells that play before the next look, with the blocks it needs."""
        return [replace(cell, blocks=self.blocks) for cell in self._playing()]

    def _playing(self) -> list[Cell]:
        """Return the cells whose games are wanted, each the one that plays them, once."""
        ids = {
            cell.player
            for one in self.alive
            for i, cell in enumerate(one.cells)
            if self.objectives or any(own[i] is Met.OPEN for own in one.met)
        }
        return [self.planned[i] for i in sorted(ids)]

    def _advance(self) -> None:
        """Go on to the next look, or end where the budget does not reach it."""
        before, self.blocks = self.blocks, next(self._ahead, self.blocks)
        step = (self.blocks - before) * self.rule.block_deals
        games = sum(cell.games_per_deal for cell in self._playing()) * step
        if self.blocks == before or (before and self.played + games > self.rule.budget):
            whole = self.rule.method == "factorial"
            self.blocks, self.ended = before, Reason.GAMES if whole else Reason.BUDGET
        self.played += games if self.ended is None else 0

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Take up what `as_json` told of the end of a contest of these rule sets."""
        for one, told in zip(self.contenders, facts["contenders"], strict=True):
            one.met = [[Met[name.upper()] for name in own] for own in told["met"]]
            one.place = Place[told["place"].upper()]
            one.blocks = list(told["blocks"])
        first = facts["stops"][0]
        self.ended, self.looks = Reason[first["reason"].upper()], first["looks"]

    def look(self, run: Run) -> None:
        """Look at a run that is complete up to the blocks that are wanted; see `judge`.

        Raises:
            DataDamaged: a stored part is not what was published.
        """
        self.judge(self._seen.blocks(run, {cell.id for cell in self._playing()}))

    def judge(self, blocks: Mapping[int, Blocks]) -> None:
        """Look at the blocks of every cell that plays; drop, settle, end, or go on.

        Args:
            blocks: by the number of the cell; those from the next look on are not looked at.
        """
        self.looks += 1
        alive = self.alive
        for one in alive:
            self._hold(one, blocks)
        left = [one for one in alive if one.place is not Place.OUT]
        if self.objectives and left:
            self._compare(left, blocks)
        if not self.open:
            self.ended = Reason.DECIDED
        else:
            self._advance()

    def _hold(self, one: Contender, blocks: Mapping[int, Blocks]) -> None:
        """Hold a rule set to its limits, in the cells where that is open."""
        for i, cell in enumerate(one.cells):
            if not self.objectives and all(own[i] is not Met.OPEN for own in one.met):
                continue
            one.blocks[i] = self.blocks
            numbers_of = self.held(cell, blocks[cell.id], self.blocks)
            for own, numbers in zip(one.met, numbers_of, strict=True):
                if own[i] is Met.OPEN:
                    own[i] = all_met([number.met for number in numbers])
        if one.keeps is Met.NO:
            one.place = Place.OUT
        elif one.keeps is Met.YES and not self.objectives:
            one.place = Place.IN

    def held(self, cell: Cell, blocks: Blocks, count: int) -> list[list[Held]]:
        """Return the numbers of a cell against the limits of each constraint.

        Args:
            cell: which.
            blocks: its blocks.
            count: how many of them are looked at.
        """
        own = first_blocks(blocks, cell, count)
        return [
            [held(_sample(own, limit), limit, self.width) for limit in of_goal]
            for of_goal in self.limits[cell.players]
        ]

    def _compare(self, alive: list[Contender], blocks: Mapping[int, Blocks]) -> None:
        apart = list({one.games: one for one in alive}.values())
        smallest = [tolerance(goal) for goal in self.objectives]
        least = [self._unseen(goal) for goal in self.objectives]
        keeps = [one.keeps for one in apart]
        told = places(self.values(apart, blocks), keeps, smallest, least, self.width_apart)
        found = dict(zip((one.games for one in apart), told, strict=True))
        for one in alive:
            if one.place is not Place.IN or found[one.games] is Place.OUT:
                one.place = found[one.games]

    def _unseen(self, goal: Objective) -> float:
        deals = self.blocks * self.rule.block_deals
        return unseen(BY_NAME[metric_name(goal)], deals, self.width_apart)

    def values(self, of: Sequence[Contender], blocks: Mapping[int, Blocks]) -> Floats:
        """Return each block's value of the goals to be optimised, more being better.

        Each is the mean over the numbers of players and line-ups, all weighing alike, on the
        blocks that all these rule sets have looked at.

        Returns:
            Values, float64, shape (rule sets, goals, blocks).
        """
        count = min(min(one.blocks) for one in of)
        return np.array(
            [
                [sign(goal) * _whole(mean_of(one, goal, blocks, count)) for goal in self.objectives]
                for one in of
            ]
        )

    def as_json(self) -> dict[str, Any]:
        """Return how it ended, or how far it is, and what was decided, as plain data."""
        reached = self.reached()
        reason = None if self.ended is None else self.ended.name.lower()
        stops = [
            {
                "players": setting.players,
                "lineup": setting.lineup,
                "rule": "goals",
                "reason": reason,
                "blocks": max(reached[cell.id] for cell in setting.cells),
                "looks": self.looks,
            }
            for setting in self.settings
        ]
        contenders = [one.as_json() for one in self.contenders]
        return {"stops": stops, "cells": reached, "contenders": contenders}

    def reached(self) -> list[int]:
        """Return how many blocks of each cell are played, shared games counted for all."""
        furthest: dict[int, int] = {}
        for one in self.contenders:
            for cell, count in zip(one.cells, one.blocks, strict=True):
                furthest[cell.player] = max(furthest.get(cell.player, 0), count)
        return [furthest[cell.player] for cell in self.planned]


def first_blocks(blocks: Blocks, cell: Cell, count: int) -> Blocks:
    """Return the first `count` blocks of a cell."""
    return blocks.take(np.flatnonzero(blocks.block < cell.first_block + count))


def mean_of(one: Contender, goal: Objective, blocks: Mapping[int, Blocks], count: int) -> Sample:
    """Return a metric's mean over the cells of a rule set, on their first `count` blocks."""
    metric = BY_NAME[metric_name(goal)]
    samples = [
        linearised(own, metric.parts(own.players)[0])
        for own in (first_blocks(blocks[cell.id], cell, count) for cell in one.cells)
    ]
    return combined(samples, [1 / len(samples)] * len(samples))


def _whole(sample: Sample) -> Floats:
    return sample.value + sample.z


def _sample(blocks: Blocks, limit: Limit) -> Sample:
    return linearised(blocks, limit.metric.parts(blocks.players)[limit.index])
