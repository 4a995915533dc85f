"""Looking: up to which block each setting is played, and why it ends there.

A run is played from look to look. The looks are at numbers of blocks that depend on nothing but the
experiment, and a look sees exactly the blocks below its own number: so where a run ends depends on
the data alone, never on workers, chunks, time or an interruption.
Source: docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.contest import Contest
from sim.design import Cell, Setting, own_games, settings_of
from sim.experiment import Experiment
from sim.goals import StopAtGoals
from sim.sampling import StopAtDecision, StopAtHalfWidth
from sim.seen import Seen
from sim.stats.blocks import Blocks
from sim.stats.estimates import LEVEL, Estimate, contrast, estimate
from sim.stats.metrics import BY_NAME
from sim.stats.stopping import Decision, FixedGames, HalfWidth, Rule, Stop, look

if TYPE_CHECKING:
    from sim.store import Run

GROWTH = 8
"""Between two looks the blocks grow by one in so many, so that little is played beyond need."""


def rule_of(experiment: Experiment, setting: Setting, settings: int) -> Rule:
    """Return the rule by which a setting stops, one of so many in the experiment."""
    budget = setting.cells[0].blocks
    match experiment.stop:
        case StopAtHalfWidth(half_width=half_width):
            return HalfWidth(half_width, budget)
        case StopAtDecision(smallest=smallest):
            return Decision(smallest or 0.0, budget, level=1 - (1 - LEVEL) / settings)
    return FixedGames(budget)


def deciding(experiment: Experiment, planned: list[Cell]) -> dict[int, tuple[Decision, int]]:
    """Return by which rule each cell's difference is decided, and among how many; or nothing.

    Whoever shows such a difference must show its confidence sequence (`Decision.sequence`): an
    ordinary interval that was looked at until something was decided does not hold what it says.

    Args:
        experiment: what is asked.
        planned: its cells, with the most blocks there can be.
    """
    found: dict[int, tuple[Decision, int]] = {}
    settings = settings_of(planned)
    for setting in settings:
        rule = rule_of(experiment, setting, len(settings))
        if isinstance(rule, Decision):
            comparisons = max(1, len(setting.cells) - 1)
            found |= {cell.id: (rule, comparisons) for cell in setting.cells}
    return found


def boundaries(rule: Rule) -> Iterator[int]:
    """Yield the numbers of blocks at which `rule` looks, the last of them its budget."""
    at = rule.first_look
    while at < rule.budget:
        yield at
        at += -(-at // GROWTH)
    yield rule.budget


def comparisons(
    experiment: Experiment, setting: Setting, blocks: dict[int, Blocks]
) -> list[Estimate]:
    """Return what the experiment's rule looks at: every level of its metric, or every difference.

    Of a single variant, what is decided is the metric itself, whose 0 means no advantage.
    """
    cells = setting.cells
    match experiment.stop:
        case StopAtHalfWidth(metric=str(name)):
            return [estimate(blocks[cell.id], BY_NAME[name]) for cell in cells]
        case StopAtDecision(decide=name) if len(cells) == 1:
            return [estimate(blocks[cells[0].id], BY_NAME[name])]
        case StopAtDecision(decide=name):
            first = blocks[cells[0].id]
            return [contrast(blocks[cell.id], first, BY_NAME[name]) for cell in cells[1:]]
    return []


@dataclass
class Course:
    """How far one setting has come.

    Attributes:
        setting: which.
        rule: by which it stops.
        blocks: to be played in each of its cells before the next look.
        looks: how often it was looked at; each time it had ended before counts as one.
        stop: its end, or None.
    """

    setting: Setting
    rule: Rule
    blocks: int = 0
    looks: int = 0
    stop: Stop | None = None
    _ahead: Iterator[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._ahead = boundaries(self.rule)
        self.blocks = next(self._ahead)

    @property
    def end(self) -> int:
        """The block before which it looks."""
        return self.setting.cells[0].first_block + self.blocks

    def look(self, found: list[Estimate]) -> None:
        """Look at the estimates from its blocks."""
        self.looks += 1
        self.stop = look(self.rule, found, self.blocks, self.looks)
        if self.stop is None:
            self.blocks = next(self._ahead)

    def as_json(self) -> dict[str, Any]:
        """Return its end, or how far it is, as plain data."""
        return {
            "players": self.setting.players,
            "lineup": self.setting.lineup,
            "rule": self.rule.name,
            "reason": None if self.stop is None else self.stop.reason.name.lower(),
            "blocks": self.blocks,
            "looks": self.looks,
        }


class Looks:
    """The looks of a run, made while it is played.

    Args:
        experiment: what is asked.
        planned: its cells, with the most blocks there can be.
    """

    def __init__(self, experiment: Experiment, planned: list[Cell]) -> None:
        self.experiment = experiment
        self.planned = planned
        settings = settings_of(planned)
        self.courses = [
            Course(
                setting,
                rule_of(experiment, setting, len(settings)),
                looks=len(experiment.ended_at),
            )
            for setting in settings
        ]
        self._seen = Seen(planned)

    @property
    def most_games(self) -> int:
        """Games that are played at most."""
        return sum(cell.games for cell in own_games(self.planned))

    @property
    def open(self) -> list[Course]:
        """The settings that have not ended."""
        return [course for course in self.courses if course.stop is None]

    def wanted(self) -> list[Cell]:
        """Return the cells that play before the next look, with the blocks it needs."""
        return [
            replace(cell, blocks=course.blocks)
            for course in self.open
            for cell in own_games(course.setting.cells)
        ]

    def look(self, run: Run) -> None:
        """Look at every setting that has not ended; `run` is complete up to there.

        Raises:
            DataDamaged: a stored part is not what was published.
        """
        judges = isinstance(self.experiment.stop, StopAtHalfWidth | StopAtDecision)
        blocks = self._seen.blocks(run) if judges else {}
        for course in self.open:
            below = {
                number: own.take(np.flatnonzero(own.block < course.end))
                for number, own in blocks.items()
            }
            course.look(comparisons(self.experiment, course.setting, below))

    def as_json(self) -> dict[str, Any]:
        """Return how every setting ended, or how far it is, as plain data."""
        return {"stops": [course.as_json() for course in self.courses]}


def looks_of(experiment: Experiment, planned: list[Cell]) -> Looks | Contest:
    """Return the looks of a run; of a tune's exploration the contest of its rule sets."""
    if isinstance(experiment.stop, StopAtGoals):
        return Contest(experiment.stop, planned)
    return Looks(experiment, planned)
