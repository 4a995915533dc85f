"""What happens in a game, as an observer is told. Seats, rounds, deals and turns count from 0."""

from __future__ import annotations

from dataclasses import dataclass

from sim.reference.captures import Cards
from sim.reference.moves import Move


@dataclass(frozen=True)
class RoundBegins:
    """A round is set up; `table` is what was set out."""

    round: int
    leader: int
    table: Cards


@dataclass(frozen=True)
class Dealt:
    """Every seat has got its hand; leftover cards may have gone to the table."""

    deal: int
    hands: tuple[Cards, ...]
    to_table: Cards


@dataclass(frozen=True)
class Turn:
    """A turn. `hand`, `loose`, `piles` and `builders` are before the move, `points` after it.

    `legal` lists every legal move in canonical order, whichever of them the strategy was offered.
    `slip` is the loose card that the player took beside its `move`, one too many. A challenge is
    told after the turn; a miscapture that it undoes has brought no points.
    """

    round: int
    deal: int
    turn: int
    seat: int
    hand: Cards
    loose: Cards
    piles: tuple[Cards, ...]
    builders: tuple[int, ...]
    legal: tuple[Move, ...]
    move: Move
    points: tuple[int, ...]
    slip: str | None = None


@dataclass(frozen=True)
class Challenge:
    """The turn just told was challenged. Loose cards, piles and points are those after it.

    `right`: it was a miscapture, and is undone; `payer` pays the penalty.
    """

    by: int
    right: bool
    payer: int
    penalty: int
    loose: Cards
    piles: tuple[Cards, ...]
    points: tuple[int, ...]


@dataclass(frozen=True)
class Look:
    """Before its turn `seat` looked through the captured pile of `of`: its own, or another's."""

    seat: int
    of: int
    noticed: bool
    penalty: int


@dataclass(frozen=True)
class Unclaimed:
    """A pile that nobody captured before its deal ended; it turns ``loose``, or is ``out``."""

    pile: Cards
    builder: int
    penalty: int
    becomes: str


@dataclass(frozen=True)
class Rest:
    """What lies loose when a round is over goes to a seat, or to nobody."""

    cards: Cards
    seat: int | None


@dataclass(frozen=True)
class RoundEnds:
    """A round was played to its end; `points` are those of the game so far."""

    points: tuple[int, ...]


@dataclass(frozen=True)
class GameEnds:
    """The game is over; `unfinished`: it had a target that nobody reached."""

    points: tuple[int, ...]
    winners: tuple[int, ...]
    unfinished: bool


Event = RoundBegins | Dealt | Look | Turn | Challenge | Unclaimed | Rest | RoundEnds | GameEnds
