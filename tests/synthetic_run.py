"""A run of invented games, for tests of statistics and reports that should not play any.

Games are drawn from a seeded generator with an effect of the deal that all variants share, and
rows are consistent: winners follow from points, roles add up to points. Only what `sim.stats` and
`reports` read of a run is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from sim.columns import COLUMNS, GAME
from sim.rules import Rules
from sim.stats.blocks import block_table, merge


@dataclass(frozen=True)
class Variant:
    """A variant; `points` and `dealer` are its made-up effects on a seat's points."""

    name: str
    points: float = 0.0
    dealer: float = 0.0
    rules: Rules = field(default_factory=Rules)


@dataclass(frozen=True)
class Lineup:
    name: str
    hand_rotations: bool = False


@dataclass(frozen=True)
class Experiment:
    name: str
    question: str
    seed: int
    players: tuple[int, ...]
    variants: tuple[Variant, ...]
    lineups: tuple[Lineup, ...]
    primary: str = "dealer_advantage_wins"
    smallest: float = 0.005
    stop: None = None


@dataclass(frozen=True)
class Cell:
    id: int
    variant: str
    variant_index: int
    players: int
    lineup: str
    lineup_index: int
    rules: Rules
    hand_rotations: int
    games_per_deal: int
    block_deals: int
    blocks: int
    shares: int | None = None
    first_deal: int = 0

    @property
    def seats(self) -> tuple[tuple[int, ...], ...]:
        return (tuple(range(self.players)),)


def cells(experiment: Experiment, blocks: int, block_deals: int) -> list[Cell]:
    """List the cells of an experiment, each with the same blocks."""
    found: list[Cell] = []
    for v, variant in enumerate(experiment.variants):
        for players in experiment.players:
            for position, lineup in enumerate(experiment.lineups):
                rotations = players if lineup.hand_rotations else 1
                found.append(
                    Cell(
                        len(found),
                        variant.name,
                        v,
                        players,
                        lineup.name,
                        position,
                        variant.rules,
                        rotations,
                        rotations,
                        block_deals,
                        blocks,
                    )
                )
    return found


def games(experiment: Experiment, cell: Cell) -> np.ndarray:
    """Draw all games of a cell, as an engine would return them."""
    n, per_deal = cell.players, cell.games_per_deal
    deals = cell.blocks * cell.block_deals
    rows = np.zeros(deals * per_deal, GAME)
    rows["deal"] = np.repeat(np.arange(deals), per_deal)
    rows["hand_rotation"] = np.tile(np.arange(per_deal), deals)
    variant = experiment.variants[cell.variant_index]
    shared = np.random.default_rng([experiment.seed, n])
    packets = shared.normal(0, 6, (deals, n))
    rows["deck_check"] = np.repeat(shared.integers(0, 2**32, deals, np.uint32), per_deal)
    effects = [round(1000 * abs(variant.points)), round(1000 * abs(variant.dealer))]
    own = np.random.default_rng([experiment.seed, n, cell.lineup_index, *effects])
    seats = (np.arange(n) + rows["hand_rotation"][:, None]) % n
    luck = np.take_along_axis(packets[rows["deal"]], seats, axis=1)
    mean = 160 / n + variant.points + variant.dealer * (np.arange(n) == n - 1)
    points = np.maximum(np.rint(mean + luck + own.normal(0, 4, luck.shape)), 0).astype(int)
    rows["points"][:, :n] = points
    best = points == points.max(axis=1, keepdims=True)
    rows["winners"] = (best << np.arange(n)).sum(axis=1)
    rows["rounds"] = 4
    spread = own.multinomial(points.sum(axis=1), np.full(n, 1 / n))
    shift = own.poisson(max(0.0, 1 + variant.dealer), len(rows))
    spread[:, -1] += np.minimum(shift, spread[:, 0])
    spread[:, 0] -= np.minimum(shift, spread[:, 0])
    rows["role_points"][:, :n] = spread
    rows["turns"] = 192
    captures = own.binomial(192 // n, 0.4 + variant.points / 200, (len(rows), n))
    rows["captures"][:, :n] = captures
    rows["taken"][:, :n] = captures + own.poisson(8, captures.shape)
    rows["sweeps"][:, :n] = own.binomial(captures, 0.1)
    rows["left"] = own.poisson(12 - variant.points / 4, len(rows))
    rows["first_leaders"] = own.integers(1, 1 << n, len(rows))
    rows["lead_changes"] = own.poisson(5, len(rows))
    rows["decided"] = own.integers(0, 193, len(rows))
    rows["comeback"] = own.poisson(8, len(rows))
    rows["joker_captures"] = own.poisson(0.5, len(rows))
    rows["penalties"][:, 0] = own.binomial(2, 0.01, len(rows))
    rows["unused"] = n
    rows["built"][:, :n] = own.poisson(1, (len(rows), n))
    for rule in ("yoruba", "must_capture", "isiwo"):
        rows[f"{rule}_turns"] = own.poisson(0.3, len(rows))
    return rows


@dataclass
class Run:
    """What `sim.stats` and `reports` read of a run: see `sim.store.Run`."""

    experiment: Experiment
    cells: list[Cell]
    path: Path
    rows: dict[int, np.ndarray]
    done: bool = True
    parts_per_cell: int = 3
    stopped: str = "Stopped by games after 1 look at the data."

    @property
    def planned(self) -> list[Cell]:
        return self.cells

    def blocks(self) -> pl.DataFrame:
        return pl.DataFrame(merge(block_table(self.rows[c.id], c, 0) for c in self.cells))

    def games(self) -> Iterator[pl.DataFrame]:
        for cell in self.cells:
            whole = np.array_split(np.arange(cell.blocks), min(self.parts_per_cell, cell.blocks))
            size = cell.block_deals * cell.games_per_deal
            for part in whole:
                yield frame(self.rows[cell.id][part[0] * size : (part[-1] + 1) * size], cell)


def frame(rows: np.ndarray, cell: Cell) -> pl.DataFrame:
    """Return game rows as they are stored: arrays by seat flattened, and the cell's id."""
    flat: dict[str, np.ndarray] = {"cell": np.full(len(rows), cell.id, np.int32)}
    for column in COLUMNS:
        if column.per_seat:
            flat |= {f"{column.name}_{s}": rows[column.name][:, s].copy() for s in range(5)}
        else:
            flat[column.name] = rows[column.name].copy()
    return pl.DataFrame(flat)


def make(
    path: Path,
    variants: tuple[Variant, ...],
    players: tuple[int, ...] = (2, 3),
    lineups: tuple[Lineup, ...] = (Lineup("greedy"),),
    *,
    blocks: int = 50,
    block_deals: int = 8,
    primary: str = "dealer_advantage_wins",
    seed: int = 20,
) -> Run:
    """Invent a whole run."""
    experiment = Experiment(
        "yoruba_vs_casual",
        "Does the Yoruba rule help the dealer?",
        seed,
        players,
        variants,
        lineups,
        primary,
    )
    own = cells(experiment, blocks, block_deals)
    return Run(experiment, own, path, {cell.id: games(experiment, cell) for cell in own})
