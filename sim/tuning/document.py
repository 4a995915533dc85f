"""What a tune file says besides what it has in common with experiments: space, goals, budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, ValidationError

from sim.document import factor_problems, problem_of
from sim.goals import GOALS, Goal
from sim.sampling import Part
from sim.yaml_source import KeyPath, Problem

COMMON = ("question", "name", "seed", "players", "rules", "lineups", "design")
"""Keys that mean what they mean in experiments."""

DEFAULT_GAMES = 20_000_000


class BudgetOfGames(Part):
    """How many games are played at most."""

    games: int = Field(DEFAULT_GAMES, ge=1, le=10**12, description="games in all, at most")


class BudgetOfSeconds(Part):
    """How long to play at most; turned into games beforehand, by what a pilot takes."""

    seconds: float = Field(gt=0, le=10**7, description="seconds of playing, about")


def _which_budget(value: Any) -> str:
    keys = value if isinstance(value, Mapping) else getattr(type(value), "model_fields", {})
    return "seconds" if "seconds" in keys else "games"


Budget = Annotated[
    Annotated[BudgetOfGames, Tag("games")] | Annotated[BudgetOfSeconds, Tag("seconds")],
    Discriminator(_which_budget),
]


class Never(Part):
    """Values that do not go together."""

    never: dict[str, Any] = Field(
        min_length=1,
        description="options with a value, or a list of values: rule sets that have all of them "
        "are left out",
    )


class Own(Part):
    """The keys that experiments do not have."""

    space: dict[str, list[Any]] = Field(
        min_length=1, description="options of the rules, each with the values to try"
    )
    where: list[Never] = Field([], description="what does not go together in a rule set")
    goals: list[Goal] = Field(min_length=1, description="what the rules are to achieve")
    budget: Budget = Field(
        default_factory=lambda: BudgetOfGames(games=DEFAULT_GAMES),
        description="how much may be played",
    )


def read_own(data: Mapping[str, Any]) -> tuple[Own | None, list[Problem]]:
    """Return what a tune file says of its own; None, and all that is wrong with its form."""
    own_keys = {key: value for key, value in data.items() if key not in COMMON}
    problems = factor_problems(own_keys, "space")
    try:
        own = Own.model_validate(own_keys)
    except ValidationError as fault:
        told = [problem_of(error, keys_at) for error in fault.errors(include_url=False)]
        return None, [*told, *problems]
    problems += [] if problems else _where_problems(own)
    return (None if problems else own), problems


def keys_at(path: list[str | int]) -> list[str]:
    """Return the keys allowed at a path of a tune."""
    match path:
        case []:
            return [*COMMON, *Own.model_fields]
        case ["budget"]:
            return ["games", "seconds"]
        case ["where", _]:
            return ["never"]
    return list(dict.fromkeys(key for goal in GOALS.values() for key in goal.model_fields))


def _where_problems(own: Own) -> list[Problem]:
    found = []
    for i, one in enumerate(own.where):
        for option, value in one.never.items():
            path: KeyPath = ("where", i, "never", option)
            if option not in own.space:
                listed = ", ".join(own.space)
                found.append(Problem(path, f"the space does not vary it; it has {listed}", True))
                continue
            for each in value if isinstance(value, list) else [value]:
                if each not in own.space[option]:
                    listed = ", ".join(map(str, own.space[option]))
                    found.append(Problem(path, f"found {each}; the space has {listed}"))
    return found


def left_out(chosen: Mapping[str, Any], where: list[Never]) -> bool:
    """Say whether a combination of values has all of what never goes together."""
    return any(
        all(
            chosen[option] in (value if isinstance(value, list) else [value])
            for option, value in one.never.items()
        )
        for one in where
    )
