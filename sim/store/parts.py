"""Parts: Parquet files with a declared schema, their identity in the footer, checked before use.

A games part has a row a game: ``cell`` (int32), then `sim.columns.flat_names` with the types of
`sim.columns.COLUMNS`. A blocks part has a row a block of deals: the columns of
`sim.stats.blocks.block_table`. Neither has nulls.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import polars as pl

from sim.columns import COLUMNS, flat_names
from sim.stats.blocks import KEYS, METRICS
from sim.store.ledger import Entry, Kind
from sim.view import SEATS

Columns = Mapping[str, np.ndarray]


class PartDamaged(Exception):
    """A part is missing, or is not what the ledger says; the message says how, not where."""


@cache
def schema(kind: Kind) -> pl.Schema:
    """Return the columns of a part, in order."""
    if kind == "blocks":
        sums = [f"{name}.{what}" for name in METRICS for what in ("sum", "sumsq")]
        return pl.Schema({**dict.fromkeys(KEYS, pl.Int32()), **dict.fromkeys(sums, pl.Int64())})
    types = [np.dtype(c.dtype) for c in COLUMNS for _ in range(SEATS if c.per_seat else 1)]
    polars = [pl.Series(np.zeros(0, dtype)).dtype for dtype in types]
    return pl.Schema({"cell": pl.Int32(), **dict(zip(flat_names(), polars, strict=True))})


def game_columns(games: np.ndarray, cell: int) -> dict[str, np.ndarray]:
    """Return the columns of a games part for GAME records of a cell."""
    found: dict[str, np.ndarray] = {"cell": np.full(len(games), cell, np.int32)}
    for column in COLUMNS:
        values = games[column.name]
        if column.per_seat:
            names = [f"{column.name}_{s}" for s in range(SEATS)]
            found |= dict(zip(names, np.ascontiguousarray(values.T), strict=True))
        else:
            found[column.name] = np.ascontiguousarray(values)
    return found


def encode(run_id: str, kind: Kind, blocks: int, columns: Columns) -> tuple[Entry, bytes]:
    """Make a part of the rows of `blocks` consecutive blocks; return its entry and its bytes.

    Args:
        run_id: whose part it is.
        kind: which.
        blocks: how many blocks the rows are.
        columns: those of `schema`, in order of deal or block, all of one cell.
    """
    frame = pl.DataFrame({name: columns[name] for name in schema(kind)}, schema=schema(kind))
    cell = int(columns["cell"][0])
    first = int(columns["block"][0]) if kind == "blocks" else int(columns["deal"][0])
    raise NotImplementedError(frame, cell, first, run_id, blocks)
