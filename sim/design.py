"""The design: which games an experiment plays, cut into blocks and chunks.

A *cell* is one rule set with one number of players and one line-up. Deals are numbered from 0 and
are the same in every cell. Rotations of a deal are the distinct cyclic seatings of the line-up.
Source: docs/statistics.md, "The deal is the unit".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.experiment import Experiment, Lineup
from sim.rules import Rules
from sim.strategy import Player

LARGEST_BLOCK = 256
FEWEST_BLOCKS = 50


@dataclass(frozen=True)
class Cell:
    """One rule set, number of players and line-up.

    Attributes:
        id: its position among the cells.
        seatings: each distinct seating once; rotation r seats line-up position i at seat i + r.
        hand_rotations: how many ways the packets go round the seats: 1 or the players.
        block_deals: deals in a block.
        blocks: blocks played.
    """

    id: int
    variant: str
    variant_index: int
    players: int
    lineup: str
    lineup_index: int
    rules: Rules
    seatings: tuple[tuple[Player, ...], ...]
    hand_rotations: int
    block_deals: int
    blocks: int

    @property
    def compiled(self) -> bool:
        """Whether the kernel plays it; the twin does if any strategy is plain Python."""
        return all(player.strategy.compiled for player in self.seatings[0])

    @property
    def games_per_deal(self) -> int:
        """Rotations of a deal, each a game."""
        return len(self.seatings) * self.hand_rotations

    @property
    def games(self) -> int:
        """Games played in the cell."""
        return self.blocks * self.block_deals * self.games_per_deal


@dataclass(frozen=True)
class Chunk:
    """Some consecutive blocks of a cell: what a worker plays and a part stores."""

    cell: Cell
    first_block: int
    blocks: int

    @property
    def first_deal(self) -> int:
        """Its first deal."""
        return self.first_block * self.cell.block_deals

    @property
    def deals(self) -> int:
        """Its deals."""
        return self.blocks * self.cell.block_deals

    @property
    def games(self) -> int:
        """Its games."""
        return self.deals * self.cell.games_per_deal


def seatings(lineup: Lineup, players: int) -> tuple[tuple[Player, ...], ...]:
    """Return the distinct cyclic seatings of a line-up, the given one first."""
    given = lineup.players(players)
    turned = [tuple(given[(s - r) % players] for s in range(players)) for r in range(players)]
    return tuple(dict.fromkeys(turned))


def block_size(deals: int) -> int:
    """Return the largest power of two up to 256 that cuts `deals` into at least 50 blocks."""
    size = LARGEST_BLOCK
    while size > 1 and -(-deals // size) < FEWEST_BLOCKS:
        size //= 2
    return size


def cells(experiment: Experiment) -> list[Cell]:
    """Return the cells of an experiment: by variant, players, line-up; those that can be seated."""
    found: list[Cell] = []
    for v, variant in enumerate(experiment.variants):
        for players in experiment.players:
            for position, lineup in enumerate(experiment.lineups):
                if not lineup.fits(players):
                    continue
                seated = seatings(lineup, players)
                deals = -(-experiment.games // len(seated))
                size = block_size(deals)
                found.append(
                    Cell(
                        id=len(found),
                        variant=variant.name,
                        variant_index=v,
                        players=players,
                        lineup=lineup.name,
                        lineup_index=position,
                        rules=variant.rules,
                        seatings=seated,
                        hand_rotations=1,
                        block_deals=size,
                        blocks=-(-deals // size),
                    )
                )
    return found


def chunks(cell: Cell, chunk_games: int) -> Iterator[Chunk]:
    """Cut a cell into chunks of whole blocks, each of about `chunk_games` games at least."""
    per_block = cell.block_deals * cell.games_per_deal
    size = max(1, -(-chunk_games // per_block))
    for first in range(0, cell.blocks, size):
        yield Chunk(cell, first, min(size, cell.blocks - first))
