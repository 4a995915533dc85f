"""The design: which games an experiment plays, cut into blocks and chunks.

A *cell* is one rule set with one number of players and one line-up. Deals are numbered from 0, or
from where the experiment says, and are the same in every cell. Rotations of a deal are the distinct
seatings of the line-up, in the order of its design. Cells that differ only in options that cannot
act have the same games: the first of them plays and stores them, the others share them.
Source: docs/statistics.md, "The deal is the unit"; RULES.md, 2.4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations

from sim.experiment import Experiment, Lineup
from sim.goals import StopAtGoals
from sim.notes import what_occurs
from sim.rules import Rules, inert_options, without
from sim.sampling import Design
from sim.strategy import Player

LARGEST_BLOCK = 256
FEWEST_BLOCKS = 50


@dataclass(frozen=True)
class Cell:
    """One rule set, number of players and line-up.

    Attributes:
        id: its position among the cells.
        seatings: the players by seat, each distinct seating once, by rotation.
        seats: the seat of each player of the line-up, by rotation.
        hand_rotations: how many ways the packets go round the seats: 1 or the players.
        block_deals: deals in a block.
        blocks: blocks played.
        first_block: the first of them; a block is numbered by its first deal.
        shares: the cell whose games are its too; None if it plays its own.
    """

    id: int
    variant: str
    variant_index: int
    players: int
    lineup: str
    lineup_index: int
    rules: Rules
    seatings: tuple[tuple[Player, ...], ...]
    seats: tuple[tuple[int, ...], ...]
    hand_rotations: int
    block_deals: int
    blocks: int
    shares: int | None = None
    first_block: int = 0

    @property
    def player(self) -> int:
        """The cell that plays its games: itself, unless it shares those of another."""
        return self.id if self.shares is None else self.shares

    @property
    def compiled(self) -> bool:
        """Whether the kernel plays it; the twin does if any strategy is plain Python."""
        return all(player.strategy.compiled for player in self.seatings[0])

    @property
    def first_deal(self) -> int:
        """Its first deal."""
        return self.first_block * self.block_deals

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


@dataclass(frozen=True)
class Setting:
    """The cells of one number of players and one line-up: they are compared, and stop together."""

    cells: tuple[Cell, ...]

    @property
    def players(self) -> int:
        """Their number of players."""
        return self.cells[0].players

    @property
    def lineup(self) -> str:
        """The name of their line-up."""
        return self.cells[0].lineup


def settings_of(planned: Iterable[Cell]) -> list[Setting]:
    """Return the settings of cells, each with its cells in order of their variants."""
    found: dict[tuple[int, int], list[Cell]] = {}
    for cell in planned:
        found.setdefault((cell.players, cell.lineup_index), []).append(cell)
    return [Setting(tuple(own)) for own in found.values()]


def arrangements(players: int, design: Design) -> list[tuple[int, ...]]:
    """Return the seat of each player of a line-up, in every rotation of `design`, as given first.

    Turning everybody by one seat leaves neighbours neighbours. Among the balanced rotations each
    player has each other one at every distance equally often: player j sits at seat k j for every k
    where the players are 2, 3 or 5 in number; of 4, no fewer than all 24 seatings are balanced.
    """
    given = tuple(range(players))
    if design.lineups == "given":
        return [given]
    orders = [given]
    if design.lineups == "balanced" and players == 4:
        orders = [(0, *others) for others in permutations(given[1:])]
    elif design.lineups == "balanced":
        orders = [tuple(k * j % players for j in given) for k in range(1, players)]
    turned = [tuple((seat + r) % players for seat in order) for order in orders for r in given]
    return list(dict.fromkeys(turned))


def seatings(
    lineup: Lineup, players: int, design: Design
) -> dict[tuple[Player, ...], tuple[int, ...]]:
    """Return the distinct seatings of a line-up in order of rotation.

    A seating is the players by seat; with it comes the seat of each player of the line-up.
    """
    given = lineup.players(players)
    found: dict[tuple[Player, ...], tuple[int, ...]] = {}
    for seats in arrangements(players, design):
        found.setdefault(tuple(given[seats.index(seat)] for seat in range(players)), seats)
    return found


def acting(rules: Rules, players: int, lineup: Lineup) -> Rules:
    """Return `rules` with every option at its default that cannot change what a game's row says.

    A user's strategy can see options that do not act, and might play by them; and whoever forgets
    what it does not use still counts turns that Isiwo would help.
    """
    if any(player.strategy.file is not None for player in lineup.entries):
        return rules
    occurs = what_occurs([lineup])
    occurs = replace(occurs, forgets=any(one.conduct.recall < 1 for one in lineup.entries))
    return without(rules, [option.key for option in inert_options(rules, players, occurs)])


def block_size(deals: int) -> int:
    """Return the largest power of two up to 256 that cuts `deals` into at least 50 blocks."""
    size = LARGEST_BLOCK
    while size > 1 and -(-deals // size) < FEWEST_BLOCKS:
        size //= 2
    return size


def _cut(experiment: Experiment, per_deal: int) -> tuple[int, int]:
    """Return how many deals, each of so many games, are in a block, and how many blocks are asked.

    A run that was extended keeps the size of its blocks.
    """
    if isinstance(experiment.stop, StopAtGoals):
        return experiment.stop.block_deals, experiment.stop.blocks
    first_games = (*experiment.ended_at, experiment.games)[0]
    size = block_size(-(-first_games // per_deal))
    return size, -(-experiment.games // (per_deal * size))


def cells(experiment: Experiment) -> list[Cell]:
    """Return the cells of an experiment: by variant, players, line-up; those that can be seated."""
    found: list[Cell] = []
    first: dict[tuple[int, int, Rules], int] = {}
    for v, variant in enumerate(experiment.variants):
        for players in experiment.players:
            for position, lineup in enumerate(experiment.lineups):
                if not lineup.fits(players):
                    continue
                seated = seatings(lineup, players, experiment.design)
                hands = players if experiment.design.hands == "rotated" else 1
                per_deal = len(seated) * hands
                size, blocks = _cut(experiment, per_deal)
                played = (players, position, acting(variant.rules, players, lineup))
                found.append(
                    Cell(
                        id=len(found),
                        variant=variant.name,
                        variant_index=v,
                        players=players,
                        lineup=lineup.name,
                        lineup_index=position,
                        rules=variant.rules,
                        seatings=tuple(seated),
                        seats=tuple(seated.values()),
                        hand_rotations=hands,
                        block_deals=size,
                        blocks=blocks,
                        shares=first.get(played),
                        first_block=experiment.first_deal // size,
                    )
                )
                first.setdefault(played, found[-1].id)
    return found


def own_games(planned: Iterable[Cell]) -> list[Cell]:
    """Return the cells that play games of their own, and do not share those of another."""
    return [cell for cell in planned if cell.shares is None]
