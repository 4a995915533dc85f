"""Blocks of deals: exact integer sums, from which every estimate is made.

The deal is the unit. For a metric that is a whole number in each game, y is its sum over the games
(rotations) of one deal; a block keeps the sum of y and of y * y over its deals. Integers add up
to the same bytes in any order, so results cannot depend on chunks, workers or resumption.
Source: docs/statistics.md, "The deal is the unit".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sim.columns import SIXTIETHS
from sim.errors import DataDamaged
from sim.view import SEATS

if TYPE_CHECKING:
    import polars as pl

    from sim.design import Cell

Integers = npt.NDArray[np.int64]

METRICS: dict[str, str] = {
    **{f"wins_{s}": f"sixtieths of a win of seat {s}" for s in range(SEATS)},
    **{f"points_{s}": f"points of seat {s} at the end" for s in range(SEATS)},
    **{f"role_points_{r}": f"points earned in role {r}, all rounds" for r in range(SEATS)},
    **{f"player_wins_{p}": f"sixtieths of a win of the line-up's player {p}" for p in range(SEATS)},
    **{f"player_points_{p}": f"points of the line-up's player {p}" for p in range(SEATS)},
    "dealer_wins": "sixtieths of a win of the seat that deals the first round",
    "sole_leads": "1 if one seat alone leads after round 1",
    "sole_leader_wins": "sixtieths of a win of the seat that alone leads after round 1",
    "ties": "1 if the game has two or more winners",
    "margin": "points of the best seat minus points of the second best",
    "close": "1 if the margin is 2 points or less",
    "lead_changes": "turns at which the set of leaders changed",
    "decided": "turns after which the eventual winners lead for good",
    "comeback": "largest deficit in points that a winner overcame",
    "rounds": "rounds begun",
    "turns": "turns played",
    "turns_squared": "turns played, squared",
    "captures": "turns that captured",
    "taken": "cards taken by captures, the played cards not counted",
    "sweeps": "captures that left no card on the table",
    "joker_captures": "captures made by playing a joker",
    "joker_games": "1 if a joker was played to capture",
    "built": "turns that built a pile",
    "built_games": "1 if somebody built a pile",
    "yoruba_turns": "turns with a capture that only Yoruba rules forbade",
    "yoruba_games": "1 if there was such a turn",
    "must_capture_turns": "turns with a move that must_capture forbade",
    "must_capture_games": "1 if there was such a turn",
    "isiwo_turns": "turns with own cards known through Isiwo alone",
    "isiwo_games": "1 if there was such a turn",
    "rest": "cards received as the rest",
    "rest_games": "1 if somebody received a rest",
    "left": "cards that went to nobody at round ends",
    "out_of_play": "leftover and discarded cards that took no part",
    "penalties": "points lost to penalties",
    "penalty_games": "1 if somebody paid a penalty",
}
"""What is summed in a block: name -> what it counts in one game (a whole number)."""

CLOSE = 2
"""A game is close when the two best are at most this many points apart."""

KEYS: tuple[str, ...] = ("cell", "block", "deals", "games")

_MASKS = np.arange(1 << SEATS)
_IS_WINNER = (_MASKS[:, None] >> np.arange(SEATS)) & 1
_WINNERS = _IS_WINNER.sum(axis=1)
_WINS = (_IS_WINNER * (SIXTIETHS // np.maximum(_WINNERS, 1))[:, None]).astype(np.int64)


def game_values(
    games: np.ndarray, players: int, seats: Sequence[Sequence[int]]
) -> dict[str, Integers]:
    """Return each of `METRICS` for each of `games` (GAME records of a table of `players`).

    `seats` has the seat of each player of the line-up, by rotation.
    """
    wins, points = _WINS[games["winners"]], games["points"]
    standing = np.sort(points[:, :players], axis=1)
    margin = standing[:, -1] - standing[:, -2]
    leads = _IS_WINNER[games["first_leaders"]]
    alone = leads.sum(axis=1) == 1
    values: dict[str, npt.NDArray[Any]] = {
        "dealer_wins": wins[:, players - 1],
        "sole_leads": alone,
        "sole_leader_wins": (wins * leads).sum(axis=1) * alone,
        "ties": _WINNERS[games["winners"]] >= 2,
        "margin": margin,
        "close": margin <= CLOSE,
        "turns_squared": games["turns"].astype(np.int64) ** 2,
        "joker_games": np.sign(games["joker_captures"]),
        "built_games": np.any(games["built"], axis=1),
        "rest_games": np.any(games["rest"], axis=1),
        "out_of_play": games["unused"] + games["discarded"],
        "penalty_games": np.any(games["penalties"], axis=1),
    }
    row = np.arange(len(games))
    seat_of = np.array([(*own, *range(players, SEATS)) for own in seats])[games["rotation"]]
    for i in range(SEATS):
        seat = seat_of[:, i]
        values[f"wins_{i}"] = wins[:, i]
        values[f"points_{i}"] = points[:, i]
        values[f"role_points_{i}"] = games["role_points"][:, i]
        values[f"player_wins_{i}"] = wins[row, seat]
        values[f"player_points_{i}"] = points[row, seat]
    for name in ("captures", "taken", "sweeps", "built", "rest", "penalties"):
        values[name] = games[name].sum(axis=1)
    for name in ("rounds", "turns", "left", "lead_changes", "decided", "comeback"):
        values[name] = games[name]
    values["joker_captures"] = games["joker_captures"]
    for rule in ("yoruba", "must_capture", "isiwo"):
        values[f"{rule}_turns"] = games[f"{rule}_turns"]
        values[f"{rule}_games"] = np.sign(games[f"{rule}_turns"])
    return {name: values[name].astype(np.int64) for name in METRICS}


def block_table(games: np.ndarray, cell: Cell, first_block: int) -> dict[str, np.ndarray]:
    """Sum the games of whole consecutive blocks of `cell`, the first being `first_block`.

    Args:
        games: GAME records in order of deal; every deal of the blocks with all its rotations.

    Returns:
        Columns ``cell block deals games`` (int32) and, for each of `METRICS`, ``NAME.sum`` and
        ``NAME.sumsq`` (int64): sums over the block's deals of y and y * y.

    Raises:
        ValueError: `games` are not exactly the deals of whole blocks from `first_block` on.
    """
    shape = (-1, cell.block_deals, cell.games_per_deal)
    per_block = cell.block_deals * cell.games_per_deal
    if len(games) == 0 or len(games) % per_block:
        raise ValueError(
            f"cell {cell.id}: {len(games)} games are no whole number of blocks of {per_block}"
        )
    deals = games["deal"].reshape(-1, cell.games_per_deal)
    first = first_block * cell.block_deals
    if not np.array_equal(
        deals, np.broadcast_to(np.arange(len(deals))[:, None] + first, deals.shape)
    ):
        raise ValueError(
            f"cell {cell.id}: the games are not deals {first} to {first + len(deals) - 1} in "
            f"order, {cell.games_per_deal} each"
        )
    blocks = len(games) // per_block
    table: dict[str, np.ndarray] = {
        "cell": np.full(blocks, cell.id, np.int32),
        "block": np.arange(first_block, first_block + blocks, dtype=np.int32),
        "deals": np.full(blocks, cell.block_deals, np.int32),
        "games": np.full(blocks, per_block, np.int32),
    }
    for name, values in game_values(games, cell.players, cell.seats).items():
        y = values.reshape(shape).sum(axis=2)
        table[f"{name}.sum"] = y.sum(axis=1)
        table[f"{name}.sumsq"] = (y * y).sum(axis=1)
    return table


def merge(tables: Iterable[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Put block tables together, by cell and block: the same bytes in whatever order they come.

    Raises:
        ValueError: a block is there twice.
    """
    parts = list(tables)
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.lexsort((joined["block"], joined["cell"]))
    merged = {name: column[order] for name, column in joined.items()}
    again = (np.diff(merged["cell"]) == 0) & (np.diff(merged["block"]) == 0)
    if again.any():
        at = int(np.argmax(again))
        raise ValueError(f"cell {merged['cell'][at]} has block {merged['block'][at]} twice")
    return merged


@dataclass(frozen=True)
class Blocks:
    """The blocks of one cell, by ascending block id.

    Attributes:
        cell, players: whose they are.
        block: ids; block b holds the deals from b * (deals in a block) on, in every cell.
        deals: how many deals each holds.
        columns: ``games``, and ``NAME.sum`` and ``NAME.sumsq`` of each of `METRICS`.
    """

    cell: int
    players: int
    block: Integers
    deals: Integers
    columns: Mapping[str, Integers]

    def __len__(self) -> int:
        return len(self.block)

    def take(self, rows: Integers) -> Blocks:
        """Return the blocks at positions `rows`."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        return Blocks(self.cell, self.players, self.block[rows], self.deals[rows], columns)

    def weighted(self, weights: Mapping[str, int]) -> Integers:
        """Return, for each block, the sum of its columns times whole-number `weights`."""
        total = np.zeros(len(self), np.int64)
        for name, weight in weights.items():
            total += weight * self.columns["games" if name == "games" else f"{name}.sum"]
        return total


def by_cell(frame: pl.DataFrame, cells: Iterable[Cell]) -> dict[int, Blocks]:
    """Sort a run's stored blocks by cell; a cell without any has an empty `Blocks`.

    A cell that shares the games of another has that one's blocks.

    Raises:
        DataDamaged: a block is there twice.
    """
    ids = frame["cell"].to_numpy()
    order = np.lexsort((frame["block"].to_numpy(), ids))
    ids = ids[order]
    columns = {name: frame[name].to_numpy()[order].astype(np.int64) for name in frame.columns}
    found: dict[int, Blocks] = {}
    for cell in cells:
        stored = cell.id if cell.shares is None else cell.shares
        rows = slice(*np.searchsorted(ids, (stored, stored + 1)))
        own = {name: column[rows] for name, column in columns.items() if name not in KEYS[:3]}
        block = columns["block"][rows]
        if len(again := block[1:][np.diff(block) == 0]):
            raise DataDamaged(
                f"cell {cell.id} has block {again[0]} twice in the stored blocks; "
                "`sim verify` tells which part is wrong"
            )
        found[cell.id] = Blocks(cell.id, cell.players, block, columns["deals"][rows], own)
    return found
