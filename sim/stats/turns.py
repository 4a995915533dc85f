"""Games told again, turn by turn: what no stored row holds, counted while the twin plays them.

The engines do not count these things, for the sake of speed; a game is a pure function of its
address, so the twin plays it again as it was, and is asked at every turn. Here a block is one deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sim.cards import FACES, JOKER, VALUE
from sim.columns import SIXTIETHS
from sim.reference.events import Challenge, Event, GameEnds, Rest, Turn, Unclaimed
from sim.stats.blocks import Blocks, Integers

if TYPE_CHECKING:
    from sim.design import Cell
    from sim.reference.moves import Move

TURNS = 20_000
"""Turns that the twin plays in about two seconds."""
FEWEST_DEALS = 20
"""Fewer say little about their own spread."""

COLUMNS: dict[str, str] = {
    "turns": "turns played",
    "behind": "sixtieths of points that the winners, on average, stood behind the best, every turn",
    "moves": "legal moves, every turn",
    "choices": "turns with more than one legal move",
    "at": "number of the turn in its round, from 0, every turn",
    "at_squared": "that number, squared",
    "at_times_moves": "that number times the legal moves",
    "captures": "captures that stood",
    "multi_group": "captures that stood and took two groups or more",
    "sums": "captures that stood and took a group of two cards or more",
    "forgone": "points by which the move brought less than the largest capture, every turn",
}
"""What is summed of each game: name -> what it counts (a whole number)."""


@dataclass(frozen=True)
class Replayed:
    """What games told again say.

    Attributes:
        sums: a block for each deal, with the sums of `COLUMNS` over its games.
        most: legal moves at the turn of each deal that had most, shape (deals,).
    """

    sums: Blocks
    most: Integers


@dataclass
class Course:
    """The course of one game; it is to be told every event.

    Attributes:
        turns: in order.
        standing: points by seat after each turn and all that followed from it.
        undone: numbers of the turns whose capture a challenge undid.
        winners: seats, once the game is over.
    """

    turns: list[Turn] = field(default_factory=list)
    standing: list[list[int]] = field(default_factory=list)
    undone: set[int] = field(default_factory=set)
    winners: tuple[int, ...] = ()

    def tell(self, event: Event) -> None:
        """Note what happens."""
        match event:
            case Turn():
                self.turns.append(event)
                self.standing.append(list(event.points))
            case Challenge():
                self.standing[-1] = list(event.points)
                if event.right:
                    self.undone.add(len(self.turns) - 1)
            case Unclaimed():
                self.standing[-1][event.builder] -= event.penalty
            case Rest(seat=int(seat)):
                self.standing[-1][seat] += len(event.cards)
            case GameEnds():
                self.winners = event.winners

    def counts(self) -> Counter[str]:
        """Return what is counted of the game, by the names of `COLUMNS`."""
        total: Counter[str] = Counter()
        for number, (turn, points) in enumerate(zip(self.turns, self.standing, strict=True)):
            moves = len(turn.legal)
            behind = sum(max(points) - points[seat] for seat in self.winners)
            stands = turn.move.kind == "capture" and number not in self.undone
            groups, with_sum = groups_of(turn) if stands else (0, False)
            total.update(
                turns=1,
                behind=behind * SIXTIETHS // len(self.winners),
                moves=moves,
                choices=moves > 1,
                at=turn.turn,
                at_squared=turn.turn**2,
                at_times_moves=turn.turn * moves,
                captures=stands,
                multi_group=groups > 1,
                sums=with_sum,
                forgone=max(map(brings, turn.legal)) - brings(turn.move),
            )
        return total


def brings(move: Move) -> int:
    """Return the points that a move brings at once: what it takes, and the played card."""
    return move.size + 1 if move.kind == "capture" else 0


def groups_of(turn: Turn) -> tuple[int, bool]:
    """Return how many groups a capture takes, and whether one of them is a sum of several cards.

    However the cards are split into groups of the played card's value, there are as many groups,
    and all of one card only if every card matches. Cards of piles count. Each card that a face
    takes is a group; jokers are in none, and a played joker takes no groups (RULES.md, 4.2 to 4.5).
    """
    move = turn.move
    piled = (card for place in move.piles for card in turn.piles[place])
    taken = [card for card in (*move.take, *piled) if card != JOKER]
    if move.card == JOKER:
        return 0, False
    if move.card in FACES:
        return len(taken), False
    groups = sum(VALUE[card] for card in taken) // VALUE[move.card]
    return groups, groups < len(taken)


def enough_deals(played: Blocks) -> int:
    """Return how many deals of a cell to tell again: about `TURNS` turns, `FEWEST_DEALS` at least.

    Never more than `played`, the stored sums of the cell, hold; 0 if it has none yet.
    """
    deals, turns = int(played.deals.sum()), int(played.weighted({"turns": 1}).sum())
    return min(deals, max(FEWEST_DEALS, TURNS * deals // turns)) if turns else 0


@lru_cache(maxsize=64)
def replayed(cell: Cell, seed: int, deals: int) -> Replayed:
    """Play the first `deals` deals of a cell again, in all rotations; what was told is kept.

    Raises:
        WorkerFailed: a strategy of a user's own fails, or chooses no move.
    """
    totals, most = [], []
    for deal in range(cell.first_deal, cell.first_deal + deals):
        courses = list(_courses(cell, seed, deal))
        totals.append(sum((course.counts() for course in courses), Counter()))
        most.append(max(len(turn.legal) for course in courses for turn in course.turns))
    return Replayed(_by_deal(cell, totals), np.array(most, np.int64))


def _courses(cell: Cell, seed: int, deal: int) -> Iterator[Course]:
    from sim.kernel import twin_choosers
    from sim.replay import replay

    for seating in cell.seatings:
        address, choosers = twin_choosers(seating)
        for hand_rotation in range(cell.hand_rotations):
            course = Course()
            for event in replay(cell.rules, seating, seed, deal, hand_rotation, address, choosers):
                course.tell(event)
            yield course


def _by_deal(cell: Cell, totals: Iterable[Counter[str]]) -> Blocks:
    totals = list(totals)
    columns = {"games": np.full(len(totals), cell.games_per_deal, np.int64)}
    for name in COLUMNS:
        sums = np.array([total[name] for total in totals], np.int64)
        columns[f"{name}.sum"], columns[f"{name}.sumsq"] = sums, sums * sums
    deals = np.arange(len(totals))
    return Blocks(cell.id, cell.players, deals, np.ones_like(deals), columns)
