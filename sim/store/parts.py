"""Parts: Parquet files with a declared schema, their identity in the footer, checked before use.

A games part has a row a game: ``cell`` (int32), then `sim.columns.flat_names` with the types of
`sim.columns.COLUMNS`. A blocks part has a row a block of deals: the columns of
`sim.stats.blocks.block_table`. Neither has nulls. Rows are in order of deal, rotation and hand
rotation, or of block.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from sim.columns import COLUMNS, flat_names
from sim.stats.blocks import KEYS, METRICS
from sim.store.files import sha256
from sim.store.ledger import Entry, Kind
from sim.view import SEATS

Columns = Mapping[str, np.ndarray]


class PartDamaged(Exception):
    """A part is missing, or is not what the ledger says; the message says in which way."""


@cache
def schema(kind: Kind) -> pl.Schema:
    """Return the columns of a part, in order."""
    if kind == "blocks":
        sums = [f"{name}.{what}" for name in METRICS for what in ("sum", "sumsq")]
        return pl.Schema({**dict.fromkeys(KEYS, pl.Int32()), **dict.fromkeys(sums, pl.Int64())})
    types = [np.dtype(c.dtype) for c in COLUMNS for _ in range(SEATS if c.per_seat else 1)]
    stored = [pl.Series(np.zeros(0, dtype)).dtype for dtype in types]
    return pl.Schema({"cell": pl.Int32(), **dict(zip(flat_names(), stored, strict=True))})


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


def encode(
    run_id: str, kind: Kind, cell: int, first_block: int, blocks: int, columns: Columns
) -> tuple[Entry, bytes]:
    """Make a part; return its entry in the ledger and its bytes.

    Args:
        run_id: whose part it is.
        kind: which.
        cell, first_block, blocks: what it holds.
        columns: those of `schema`, rows in order.
    """
    frame = pl.DataFrame({name: columns[name] for name in schema(kind)}, schema=schema(kind))
    label = _label(run_id, kind, cell, first_block, blocks, len(frame))
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=3, metadata=label)
    data = buffer.getvalue()
    entry = Entry(kind, cell, first_block, blocks, len(frame), len(data), sha256(data))
    return entry, data


def _label(
    run_id: str, kind: Kind, cell: int, first_block: int, blocks: int, rows: int
) -> dict[str, str]:
    """Return the identity of a part, as its footer tells it."""
    numbers = {"cell": cell, "first_block": first_block, "blocks": blocks, "rows": rows}
    return {"run": run_id, "kind": kind, **{name: str(n) for name, n in numbers.items()}}


def read(folder: Path, run_id: str, entry: Entry) -> pl.DataFrame:
    """Read a part; the bytes that are decoded are the bytes whose hash was checked.

    Raises:
        PartDamaged: it is not what was published.
        OSError: the disk fails.
    """
    data = check(folder, run_id, entry)
    with _decoding():
        frame = pl.read_parquet(io.BytesIO(data))
    if len(frame) != entry.rows or any(frame.null_count().row(0)):
        raise PartDamaged(f"it should have {entry.rows} rows without a gap")
    return frame


def check(folder: Path, run_id: str, entry: Entry) -> bytes:
    """Read the bytes of a part; check size, hash, and what its footer says; decode no row.

    Raises:
        PartDamaged: it is not what was published.
        OSError: the disk fails.
    """
    data = read_checked(folder, entry)
    with _decoding():
        label = pl.read_parquet_metadata(io.BytesIO(data))
        columns = pl.Schema(pl.read_parquet_schema(io.BytesIO(data)))
    expected = _label(run_id, entry.kind, entry.cell, entry.first_block, entry.blocks, entry.rows)
    for name, value in expected.items():
        if label.get(name) != value:
            raise PartDamaged(f"its footer says {name} {label.get(name)!r}, not {value!r}")
    if columns != schema(entry.kind):
        raise PartDamaged(_schema_difference(columns, schema(entry.kind)))
    return data


@contextmanager
def _decoding() -> Iterator[None]:
    try:
        yield
    except Exception as fault:  # polars raises what it pleases on bytes that are no Parquet
        raise PartDamaged("it is no Parquet file that can be read") from fault


def read_checked(folder: Path, entry: Entry) -> bytes:
    """Read the bytes of a part, and check size and hash.

    Raises:
        PartDamaged: they are not those that were published.
        OSError: the disk fails.
    """
    try:
        data = (folder / entry.part).read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise PartDamaged("it is missing") from None
    if len(data) != entry.bytes:
        raise PartDamaged(f"it has {len(data):,} bytes, not {entry.bytes:,}")
    if sha256(data) != entry.sha256:
        raise PartDamaged("its hash is not the one in the ledger")
    return data


def _schema_difference(found: pl.Schema, expected: pl.Schema) -> str:
    for name in (*expected, *found):
        if found.get(name) != expected.get(name):
            return f"column {name}: it has {found.get(name)}, not {expected.get(name)}"
    return "its columns are in another order"
