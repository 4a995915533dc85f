"""A run's rows as lazy frames: every part is checked first, then scanned where it lies."""

from __future__ import annotations

import io
from collections.abc import Iterator

import polars as pl

from sim.design import Cell
from sim.errors import DataDamaged
from sim.store import parts
from sim.store.ledger import Kind
from sim.store.run import PARTS, REMEDY, Run
from sim.store.tables import cell_table, stored_id


def scan(run: Run, kind: Kind, cell: Cell | None = None) -> pl.LazyFrame:
    """Return the rows of a kind, of one cell or of all, as stored; their parts are checked now.

    Raises:
        DataDamaged: a part, or the ledger, is not what was published.
    """
    stored = None if cell is None else stored_id(cell)
    entries = [entry for entry in run.entries(kind) if stored in (None, entry.cell)]
    folder = run.path / PARTS
    for entry in entries:
        try:
            parts.read_checked(folder, entry)
        except parts.PartDamaged as fault:
            raise DataDamaged(f"{folder / entry.part}: {fault}{REMEDY}") from fault
    if not entries:
        return pl.LazyFrame(schema=parts.schema(kind))
    return pl.scan_parquet([folder / entry.part for entry in entries])


def game_parts(run: Run, cell: Cell, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
    """Yield the kept game rows of one cell, checked, in order of deal; all columns or some.

    Raises:
        DataDamaged: a part is not what was published.
    """
    folder = run.path / PARTS
    for entry in run.entries("games"):
        if entry.cell == stored_id(cell):
            try:
                data = parts.read_checked(folder, entry)
            except parts.PartDamaged as fault:
                raise DataDamaged(f"{folder / entry.part}: {fault}{REMEDY}") from fault
            yield pl.read_parquet(io.BytesIO(data), columns=columns)


def named(run: Run, kind: Kind) -> pl.LazyFrame:
    """Return the rows of every cell with its names in front: ``variant players lineup``.

    Rows that several cells share come once for each.

    Raises:
        DataDamaged: see `scan`.
    """
    names = ["variant", "players", "lineup"]
    cells = cell_table(run.cells).lazy().select("cell", "stored", *names)
    rows = scan(run, kind).rename({"cell": "stored"})
    columns = [name for name in parts.schema(kind) if name != "cell"]
    joined = cells.join(rows, on="stored", how="inner", maintain_order="left_right")
    return joined.select("cell", *names, *columns)
