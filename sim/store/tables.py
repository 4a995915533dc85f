"""The small tables of a run directory that explain its rows, for whoever reads them elsewhere."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from sim.design import Cell, cells
from sim.experiment import Experiment
from sim.rules import Rules
from sim.store.files import sha256

CELLS = "cells.parquet"
TABLES = (CELLS, "configs.parquet", "lineups.parquet", "strategies.parquet")
CELL_TABLE: dict[str, str] = {
    "cell": "id of the cell, as in the rows of games and blocks",
    "variant": "name of its rule set; configs.parquet has the options",
    "players": "how many play",
    "lineup": "name of its line-up; lineups.parquet has the players",
    "config": "row of its rule set in configs.parquet",
    "lineup_id": "the line-up in lineups.parquet, there called lineup",
    "stored": "the cell under whose id its rows are stored; cells that play alike share them",
    "rotations": "games of a deal",
    "block_deals": "deals of a block",
}
"""The columns of ``cells.parquet``, and what they say."""


def encoded_tables(experiment: Experiment) -> dict[str, bytes]:
    """Return the bytes of every table, by file name in order of `TABLES`."""
    frames = (
        cell_table(cells(experiment)),
        _configs(experiment),
        _lineups(experiment),
        _strategies(experiment),
    )
    return {name: _encoded(frame) for name, frame in zip(TABLES, frames, strict=True)}


def damaged(path: Path, hashes: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each table in the run directory `path` that has not its hash."""
    for name, expected in hashes.items():
        try:
            sound = sha256((path / name).read_bytes()) == expected
        except OSError:
            sound = False
        if not sound:
            yield f"{name}: it is not what was written"


def _encoded(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def stored_id(cell: Cell) -> int:
    """Return the id under which the rows of a cell are stored."""
    return cell.id if cell.shares is None else cell.shares


def cell_table(cells: Iterable[Cell]) -> pl.DataFrame:
    """Return a row for each cell; see `CELL_TABLE`."""
    rows = [
        (
            cell.id,
            cell.variant,
            cell.players,
            cell.lineup,
            cell.variant_index,
            cell.lineup_index,
            stored_id(cell),
            cell.games_per_deal,
            cell.block_deals,
        )
        for cell in cells
    ]
    integer = pl.Int32()
    types = dict.fromkeys(CELL_TABLE, integer) | {"variant": pl.String(), "lineup": pl.String()}
    return pl.DataFrame(rows, schema=types, orient="row")


def _configs(experiment: Experiment) -> pl.DataFrame:
    configs = [
        {"config": i, "name": variant.name, **flat_rules(variant.rules)}
        for i, variant in enumerate(experiment.variants)
    ]
    return pl.DataFrame(configs, infer_schema_length=None)


def _lineups(experiment: Experiment) -> pl.DataFrame:
    lineups = [
        {"lineup": i, "name": lineup.name, "position": at, "player": str(player)}
        for i, lineup in enumerate(experiment.lineups)
        for at, player in enumerate(lineup.entries)
    ]
    return pl.DataFrame(lineups, infer_schema_length=None)


def _strategies(experiment: Experiment) -> pl.DataFrame:
    strategies = [
        {
            "strategy": one.name,
            "says": one.says,
            "parameters": ", ".join(parameter.name for parameter in one.parameters),
        }
        for one in experiment.strategies
    ]
    return pl.DataFrame(strategies, infer_schema_length=None)


def flat_rules(rules: Rules) -> dict[str, Any]:
    """Return every option of a rule set by its dotted key; keys of the other end are None."""
    found: dict[str, Any] = dict.fromkeys(
        ("end.rounds", "end.first_to", "end.unit", "end.max_rounds")
    )
    for key, value in rules.model_dump().items():
        if isinstance(value, dict):
            found |= {f"{key}.{inner}": what for inner, what in value.items()}
        else:
            found[key] = value
    return found
