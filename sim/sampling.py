"""How a question is sampled: the seatings and hands of a deal, and when to stop playing.

What an experiment says of that under ``design`` and ``stop`` is also how runs store it.
Source: docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

DEFAULT_GAMES = 100_000
DEFAULT_MAX_GAMES = 10_000_000
MOST_GAMES = 10**12


class Part(BaseModel):
    """Some keys of an experiment, exactly those."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Design(Part):
    """How players and hands go round the seats; each way is a game of the deal."""

    lineups: Literal["cyclic", "balanced", "given"] = Field(
        "cyclic",
        description="how a line-up goes round the seats, each distinct seating once:\n"
        "cyclic: turned by one seat at a time, so that neighbours stay neighbours\n"
        "balanced: so that each player sits equally often behind each other one (6, 24 and 20 "
        "seatings of 3, 4 and 5 players)\n"
        "given: as written and no other way",
    )
    hands: Literal["fixed", "rotated"] = Field(
        "fixed",
        description="what cards the seats get:\n"
        "fixed: each seat its own packets\n"
        "rotated: also those of every other seat, a game for each, which cancels the luck of the "
        "cards when seats are compared",
    )


CYCLIC = Design()
"""The design of experiments that ask for none."""

_MAX_SECONDS = Field(
    None, gt=0, le=10**7, description="the run ends after so long, and is then called partial"
)
_MAX_GAMES = Field(DEFAULT_MAX_GAMES, ge=1, le=MOST_GAMES, description="games in each cell at most")


class StopAtGames(Part):
    """Stop when all games are played."""

    games: int = Field(DEFAULT_GAMES, ge=1, le=MOST_GAMES, description="games in each cell")
    max_seconds: float | None = _MAX_SECONDS


class StopAtHalfWidth(Part):
    """Stop when the interval of a metric is narrow enough in every cell."""

    half_width: float = Field(
        gt=0, allow_inf_nan=False, description="half the width of its interval, in its unit"
    )
    metric: str | None = Field(None, description="which; the primary one unless given")
    max_games: int = _MAX_GAMES
    max_seconds: float | None = _MAX_SECONDS


class StopAtDecision(Part):
    """Stop when the differences to the first variant are known to matter, or not to."""

    decide: str = Field(description="the metric whose differences are to be decided")
    smallest: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="the smallest difference that matters"
    )
    max_games: int = _MAX_GAMES
    max_seconds: float | None = _MAX_SECONDS


STOPS: dict[str, type[Part]] = {
    "games": StopAtGames,
    "half_width": StopAtHalfWidth,
    "decide": StopAtDecision,
}
"""The ways to stop, each by the key that tells it from the others."""

STOP_KEYS = tuple(dict.fromkeys(key for one in STOPS.values() for key in one.model_fields))


def which_stop(value: Any) -> str:
    """Return the key that tells how a stop, as written or as read, is one."""
    keys = value if isinstance(value, Mapping) else getattr(type(value), "model_fields", {})
    return next((name for name in ("half_width", "decide") if name in keys), "games")


Stop = Annotated[
    Annotated[StopAtGames, Tag("games")]
    | Annotated[StopAtHalfWidth, Tag("half_width")]
    | Annotated[StopAtDecision, Tag("decide")],
    Discriminator(which_stop),
]
