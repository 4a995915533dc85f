"""The stored form of an experiment: what `run.json` may say, checked before any of it is used.

A run directory may come from somebody else, so everything is held to the limits of the experiment
file that it was made from, and to nothing less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, model_validator

from sim.document import clean
from sim.goals import StopAtGoals, Stopping
from sim.rules import Rules
from sim.sampling import CYCLIC, MOST_GAMES, Design, Part
from sim.stats.metrics import NAMES

MAX_CELLS = 4096
"""Combinations of rules, numbers of players and line-ups in an experiment."""

_Text = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(clean)]
"""Names of a grid are longer than those that people write."""


class StoredVariant(Part):
    """A rule set and its name."""

    name: _Text
    rules: Rules


class StoredLineup(Part):
    """A line-up and its name; players as `sim.players.stored` writes them."""

    name: _Text
    players: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=5)]


class StoredExperiment(Part):
    """What `Experiment.to_dict` writes."""

    name: _Text
    question: _Text
    seed: int = Field(ge=0, lt=2**63)
    players: Annotated[list[Annotated[int, Field(ge=2, le=5)]], Field(min_length=1)]
    variants: Annotated[list[StoredVariant], Field(min_length=1)]
    lineups: Annotated[list[StoredLineup], Field(min_length=1)]
    games: int = Field(ge=1, le=MOST_GAMES)
    primary: str
    smallest: float = Field(gt=0, allow_inf_nan=False)
    keep_games: int = Field(ge=0, le=MOST_GAMES)
    design: Design = CYCLIC
    stop: Stopping | None = None
    first_deal: int = Field(0, ge=0, lt=2**40, multiple_of=256)
    ended_at: list[Annotated[int, Field(ge=1, le=MOST_GAMES)]] = Field(default_factory=list)
    strategies: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> StoredExperiment:
        _unlike("players", self.players)
        _unlike("variants", _names(self.variants))
        _unlike("lineups", _names(self.lineups))
        cells = len(self.players) * len(self.variants) * len(self.lineups)
        if cells > MAX_CELLS and not isinstance(self.stop, StopAtGoals):
            raise ValueError(f"more than {MAX_CELLS:,} cells")
        if self.primary not in NAMES:
            raise ValueError(f"no metric {self.primary!r}")
        return self


def _names(entries: Sequence[BaseModel]) -> list[str]:
    return [getattr(entry, "name", "") for entry in entries]


def _unlike(what: str, found: Sequence[object]) -> None:
    if len(set(found)) < len(found):
        raise ValueError(f"{what}: one is there twice")
