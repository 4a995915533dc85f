"""Goals as people write them, and as the exploration of a tune stores them.

A goal is a limit that a rule set has to keep, with every number of players and every line-up, or a
metric that is to be as large, or as small, as can be; that one counts by its mean over them all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from sim.sampling import Part, Stop
from sim.stats.goals import Limit
from sim.stats.metrics import BY_NAME
from sim.stats.stopping import FIRST_DECISION_LOOK

_SMALLEST = Field(
    None, gt=0, allow_inf_nan=False, description="the smallest difference in it that matters"
)


class FairWithin(Part):
    """Every seat wins its even share, within so much."""

    fair_within: float = Field(
        gt=0, lt=1, description="how far a seat's win share may be from 1/n, as a fraction of 1"
    )


class AtLeast(Part):
    """A metric is not below a floor."""

    metric: str = Field(description="which (sim list metrics)")
    at_least: float = Field(allow_inf_nan=False, description="its floor, in its unit")


class AtMost(Part):
    """A metric is not above a ceiling."""

    metric: str = Field(description="which (sim list metrics)")
    at_most: float = Field(allow_inf_nan=False, description="its ceiling, in its unit")


class Maximise(Part):
    """A metric is as large as can be."""

    maximise: str = Field(description="the metric that is to be large (sim list metrics)")
    smallest: float | None = _SMALLEST


class Minimise(Part):
    """A metric is as small as can be."""

    minimise: str = Field(description="the metric that is to be small (sim list metrics)")
    smallest: float | None = _SMALLEST


Constraint = FairWithin | AtLeast | AtMost
Objective = Maximise | Minimise

GOALS: dict[str, type[Part]] = {
    "fair_within": FairWithin,
    "at_least": AtLeast,
    "at_most": AtMost,
    "maximise": Maximise,
    "minimise": Minimise,
}
"""The kinds of goals, each by the key that tells it from the others."""


def _which_goal(value: Any) -> str | None:
    keys = value if isinstance(value, Mapping) else getattr(type(value), "model_fields", {})
    return next((name for name in GOALS if name in keys), None)


Goal = Annotated[
    Annotated[FairWithin, Tag("fair_within")]
    | Annotated[AtLeast, Tag("at_least")]
    | Annotated[AtMost, Tag("at_most")]
    | Annotated[Maximise, Tag("maximise")]
    | Annotated[Minimise, Tag("minimise")],
    Discriminator(
        _which_goal,
        custom_error_type="goal",
        custom_error_message="A goal is one of fair_within: NUMBER; metric: NAME with at_least: "
        "NUMBER or at_most: NUMBER; maximise: NAME; minimise: NAME",
    ),
]


Method = Literal["factorial", "race"]
"""All rule sets are played to the end, or those of which something is open play on."""


class StopAtGoals(Part):
    """Stop when it is known of every rule set whether it meets the goals, or at the budget.

    No experiment file says this: the exploration of a tune does.
    """

    goals: Annotated[tuple[Goal, ...], Field(strict=False)]
    method: Method
    budget: int = Field(ge=1, description="games in all cells together")
    block_deals: int = Field(ge=1)
    blocks: int = Field(ge=1, description="of each cell, at most")
    best_at: int = Field(ge=1, description="blocks at which confidence sequences are narrowest")

    @property
    def max_seconds(self) -> None:
        """Time never ends it."""
        return None

    @property
    def first_look(self) -> int:
        """Blocks of every cell at the first look; until then nothing depends on the data."""
        return self.blocks if self.method == "factorial" else min(FIRST_DECISION_LOOK, self.blocks)


Stopping = Stop | StopAtGoals
"""What may end a run before all games are played."""


def metric_name(goal: Constraint | Objective) -> str:
    """Return the metric that a goal is about."""
    match goal:
        case FairWithin():
            return "seat_advantage_wins"
        case AtLeast(metric=name) | AtMost(metric=name):
            return name
        case Maximise(maximise=name) | Minimise(minimise=name):
            return name


def limits(goal: Constraint, players: int) -> list[Limit]:
    """Return the limits that a goal sets to a game of so many players: one for each number."""
    metric = BY_NAME[metric_name(goal)]
    match goal:
        case FairWithin(fair_within=margin):
            return [Limit(metric, seat, -margin, margin) for seat in range(players)]
        case AtLeast(at_least=floor):
            return [Limit(metric, 0, floor, math.inf)]
        case AtMost(at_most=ceiling):
            return [Limit(metric, 0, -math.inf, ceiling)]


def tolerance(goal: Constraint | Objective) -> float:
    """Return the smallest difference that matters to a goal, in the unit of its metric."""
    match goal:
        case FairWithin(fair_within=margin):
            return margin
        case Maximise(smallest=float(smallest)) | Minimise(smallest=float(smallest)):
            return smallest
    return BY_NAME[metric_name(goal)].smallest


def sign(goal: Objective) -> int:
    """Return 1 where more is better, -1 where less is."""
    return 1 if isinstance(goal, Maximise) else -1


def in_words(goal: Constraint | Objective) -> str:
    """Say a goal as a person does."""
    metric = BY_NAME[metric_name(goal)]
    match goal:
        case FairWithin(fair_within=margin):
            return f"fair within {100 * margin:g} percentage points"
        case AtLeast(at_least=floor):
            return f"{metric.title} at least {amount(goal, floor)}"
        case AtMost(at_most=ceiling):
            return f"{metric.title} at most {amount(goal, ceiling)}"
        case Maximise():
            return f"{metric.title} as large as can be"
        case Minimise():
            return f"{metric.title} as small as can be"


def amount(goal: Constraint | Objective, value: float) -> str:
    """Write a value of a goal's metric with its unit."""
    metric = BY_NAME[metric_name(goal)]
    return f"{100 * value:g}%" if metric.percent else f"{value:g} {metric.unit}"
