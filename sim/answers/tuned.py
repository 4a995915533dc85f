"""What a tune says: of every rule set whether it meets the goals, and of the chosen ones the proof.

A rule set that was chosen is told twice: by the exploration, in which it looked good, and by fresh
deals, on which it was not chosen. The fresh numbers are the answer.
Source: docs/statistics.md, "Goals".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sim.answers.findings import setting_name
from sim.contest import Contender, Contest, mean_of
from sim.goals import (
    Constraint,
    FairWithin,
    Goal,
    Objective,
    StopAtGoals,
    in_words,
    metric_name,
    sign,
    tolerance,
)
from sim.stats.blocks import by_cell
from sim.stats.goals import Held, Met, Place, all_met, front_share, half_width
from sim.stats.metrics import BY_NAME

if TYPE_CHECKING:
    from sim.design import Cell
    from sim.rules import Rules
    from sim.store import Run

MOST_CHOSEN = 5
"""Rule sets that are proved on fresh deals at most: a handful."""
NEAREST = 3
"""Rule sets that are looked at again where none meets the goals."""


@dataclass(frozen=True)
class Number:
    """A number of a rule set that a goal is about.

    Attributes:
        goal: the goal.
        cell: whose number; None for a mean over all numbers of players and line-ups.
        index: the seat, of a goal about seats.
        value, low, high: the number and its interval, which holds together with all others of its
            stage.
        met: what that says of the goal's limit; of a goal without limit, open.
        beyond: how far the value is beyond the limit, in units of what matters; below 0: within.
    """

    goal: Goal
    cell: Cell | None
    index: int
    value: float
    low: float
    high: float
    met: Met = Met.OPEN
    beyond: float = -math.inf

    @classmethod
    def of(cls, goal: Constraint, cell: Cell, held: Held) -> Number:
        """Return a number that was held to a limit; one that is undefined is beyond it."""
        beyond = held.limit.beyond(held.value) / tolerance(goal)
        beyond = math.inf if math.isnan(beyond) else beyond
        index = held.limit.index
        return cls(goal, cell, index, held.value, held.low, held.high, held.met, beyond)

    @property
    def gravity(self) -> tuple[bool, float]:
        """What it is sorted by: what is surely beyond its limit comes before what only looks so."""
        return self.met is Met.NO, self.beyond

    @property
    def where(self) -> str:
        """Where it was found, as a person says it."""
        if self.cell is None:
            return "mean over all players and line-ups"
        seat = f", seat {self.index}" if isinstance(self.goal, FairWithin) else ""
        return setting_name(self.cell.players, self.cell.lineup) + seat

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; what is undefined or without end is None."""
        cell = self.cell
        return {
            "goal": in_words(self.goal),
            "players": None if cell is None else cell.players,
            "lineup": None if cell is None else cell.lineup,
            **({"seat": self.index} if isinstance(self.goal, FairWithin) else {}),
            "value": _finite(self.value),
            "low": _finite(self.low),
            "high": _finite(self.high),
            "met": self.met.value,
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


@dataclass(frozen=True)
class Judged:
    """A rule set in one stage of a tune.

    Attributes:
        variant, rules: its name, and what it is.
        met: of each limit that the goals set, whether it is kept everywhere.
        place: whether it is among the best of those that keep all limits.
        numbers: of each limit and each number of players and line-up, the number that comes nearest
            to breaking it, or breaks it most.
        means: of each goal without limit, its mean over all players and line-ups.
        games: that its cells looked at.
    """

    variant: str
    rules: Rules
    met: tuple[Met, ...]
    place: Place
    numbers: tuple[tuple[Number, ...], ...]
    means: tuple[Number, ...]
    games: int

    @property
    def keeps(self) -> Met:
        """Whether it keeps all limits."""
        return all_met(self.met)

    @property
    def worst(self) -> list[Number]:
        """Of each limit the number that breaks it most, or comes nearest to that, anywhere."""
        return [max(own, key=lambda number: number.gravity) for own in self.numbers]

    @property
    def beyond(self) -> float:
        """How far it is from keeping all limits, in units of what matters; below 0: within."""
        each = (number.beyond for own in self.numbers for number in own)
        return max(each, default=-math.inf)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "variant": self.variant,
            "limits": self.keeps.value,
            "place": self.place.value,
            "games": self.games,
            "numbers": [number.as_json() for own in self.numbers for number in own],
            "means": [number.as_json() for number in self.means],
        }


class Stage:
    """The exploration of a tune, or its fresh deals: every rule set judged.

    Args:
        run: a complete run of the stage.
    """

    def __init__(self, run: Run) -> None:
        stop = run.experiment.stop
        assert isinstance(stop, StopAtGoals) and run.ending is not None
        self.run = run
        self.contest = Contest(stop, run.planned)
        self.contest.restore(run.ending.facts)
        self.blocks = by_cell(run.blocks(), run.cells)

    @cached_property
    def judged(self) -> list[Judged]:
        """Every rule set, in the order of the space."""
        return [self._judge(one) for one in self.contest.contenders]

    @property
    def objectives(self) -> list[Objective]:
        """The goals without limit."""
        return self.contest.objectives

    def _judge(self, one: Contender) -> Judged:
        played = list(zip(one.cells, one.blocks, strict=True))
        held = [self.contest.held(cell, self.blocks[cell.id], count) for cell, count in played]
        numbers = [
            tuple(
                max(
                    (Number.of(goal, cell, each) for each in own[i]),
                    key=lambda number: number.gravity,
                )
                for cell, own in zip(one.cells, held, strict=True)
            )
            for i, goal in enumerate(self.contest.constraints)
        ]
        return Judged(
            variant=one.variant,
            rules=one.cells[0].rules,
            met=tuple(all_met(own) for own in one.met),
            place=one.place,
            numbers=tuple(numbers),
            means=tuple(self._mean(one, goal) for goal in self.objectives),
            games=sum(count * c.block_deals * c.games_per_deal for c, count in played),
        )

    def _mean(self, one: Contender, goal: Objective) -> Number:
        sample = mean_of(one, goal, self.blocks, min(one.blocks))
        half = half_width(BY_NAME[metric_name(goal)], sample, self.contest.width_apart)
        return Number(goal, None, 0, sample.value, sample.value - half, sample.value + half)

    @cached_property
    def front(self) -> dict[str, float]:
        """In which share of bootstrap samples each rule set that may be among the best is so."""
        if not self.objectives:
            return {}
        may = [one for one in self.contest.contenders if one.place in (Place.IN, Place.OPEN)]
        if not may:
            return {}
        shares = front_share(self.contest.values(may, self.blocks))
        return {one.variant: float(share) for one, share in zip(may, shares, strict=True)}

    @cached_property
    def chosen(self) -> list[Judged]:
        """The rule sets to be proved on fresh deals, the one to recommend first.

        Those that surely keep all limits, and of them those that are surely among the best before
        those that may be; by the first goal without limit, or else those with the most room; where
        the goal is undefined they are last. Where there is none, those that may still keep them,
        then those that surely do not, the nearest first. Of those that play alike only one.
        """
        apart: dict[tuple[int, ...], Judged] = {}
        for one, own in zip(self.contest.contenders, self.judged, strict=True):
            apart.setdefault(one.games, own)
        good = [
            own for own in apart.values() if own.keeps is Met.YES and own.place is not Place.OUT
        ]
        if not good:
            return sorted(apart.values(), key=_nearness)[:NEAREST]
        return sorted(good, key=self._rank)[:MOST_CHOSEN]

    def _rank(self, own: Judged) -> tuple[bool, float]:
        if not self.objectives:
            return own.place is not Place.IN, own.beyond
        value = -sign(self.objectives[0]) * own.means[0].value
        return own.place is not Place.IN, math.inf if math.isnan(value) else value


def _nearness(own: Judged) -> tuple[bool, float]:
    """Return what rule sets are sorted by where none surely keeps all limits."""
    return own.keeps is Met.NO, own.beyond


class Tuned:
    """The answer of a tune, from its two stages.

    Args:
        explore, fresh: the runs of its stages, both complete.
    """

    def __init__(self, explore: Run, fresh: Run) -> None:
        self.explore = Stage(explore)
        self.fresh = Stage(fresh)
        self.question = explore.experiment.question

    @cached_property
    def proved(self) -> list[tuple[Judged, Judged]]:
        """Each rule set that was chosen, as the exploration saw it and on fresh deals."""
        fresh = {own.variant: own for own in self.fresh.judged}
        return [(own, fresh[own.variant]) for own in self.explore.chosen if own.variant in fresh]

    @property
    def found(self) -> bool:
        """Whether some rule set keeps all limits, on fresh deals."""
        return any(fresh.keeps is Met.YES for _, fresh in self.proved)

    @cached_property
    def recommended(self) -> tuple[Judged, Judged]:
        """The first that was chosen and that fresh deals do not speak against; else the first.

        They speak against one that is not known to keep all limits there, or that is surely worse
        than another of the chosen; their intervals hold for all of them together.
        """
        kept = [pair for pair in self.proved if pair[1].keeps is Met.YES]
        best = [pair for pair in kept if pair[1].place is not Place.OUT]
        return (best or kept or self.proved)[0]

    def count(self, met: Met) -> int:
        """Return of how many rule sets the exploration says so."""
        return sum(own.keeps is met for own in self.explore.judged)

    def as_json(self) -> dict[str, Any]:
        """Every number with its interval, as plain data."""
        best = self.recommended
        return {
            "question": self.question,
            "goals": [in_words(goal) for goal in self.explore.contest.rule.goals],
            "method": self.explore.contest.rule.method,
            "stopped": self.explore.run.stopped,
            "rule_sets": [own.as_json() for own in self.explore.judged],
            "front": self.explore.front,
            "met": self.found,
            "recommended": best[1].variant,
            "proved": [
                {"variant": own.variant, "explored": own.as_json(), "fresh": fresh.as_json()}
                for own, fresh in self.proved
            ],
            "data": {
                name: (stage.run.done or {}).get("data_hash")
                for name, stage in (("explore", self.explore), ("fresh", self.fresh))
            },
        }
