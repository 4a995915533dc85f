"""The small tables beside the parts: what the numbers in the parts are about.

``cells.parquet`` says of each cell which variant, players and line-up it is; ``configs.parquet``
has every option of every variant; ``lineups.parquet`` who sits where; ``strategies.parquet`` what
each strategy is.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from sim.experiment import Experiment
from sim.rules import Rules
from sim.settings import options
from sim.store.identity import playing, strategy_hash
from sim.store.plan import Plan


def tables(experiment: Experiment, plan: Plan) -> dict[str, bytes]:
    """Return the Parquet files of a run, by name."""
    frames = {
        "cells.parquet": _cells(plan),
        "configs.parquet": _configs(experiment),
        "lineups.parquet": _lineups(plan),
        "strategies.parquet": _strategies(experiment),
    }
    return {name: _parquet(frame) for name, frame in frames.items()}


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=3)
    return buffer.getvalue()


def _cells(plan: Plan) -> pl.DataFrame:
    rows = [
        {
            "cell": cell.id,
            "config": cell.variant_index,
            "variant": cell.variant,
            "players": cell.players,
            "lineup": cell.lineup_index,
            "lineup_name": cell.lineup,
            "seatings": len(cell.seatings),
            "hand_rotations": cell.hand_rotations,
            "games_per_deal": cell.games_per_deal,
            "block_deals": cell.block_deals,
            "blocks": cell.blocks,
            "kept_blocks": kept,
        }
        for cell, kept in zip(plan.cells, plan.kept_blocks, strict=True)
    ]
    text = ("variant", "lineup_name")
    schema = {name: pl.String() if name in text else pl.Int32() for name in rows[0]}
    return pl.DataFrame(rows, schema=schema)


def _configs(experiment: Experiment) -> pl.DataFrame:
    """One row for each variant, every option a column; null where an option has no meaning."""
    columns: dict[str, pl.DataType] = {"config": pl.Int32(), "variant": pl.String()}
    for key, field in options().items():
        numbers = {bool: pl.Boolean(), int: pl.Int32()}
        columns[key] = numbers.get(field.annotation, pl.String())  # type: ignore[arg-type]
    rows = [
        {"config": index, "variant": variant.name, **_flat(variant.rules)}
        for index, variant in enumerate(experiment.variants)
    ]
    return pl.DataFrame([{key: row.get(key) for key in columns} for row in rows], schema=columns)


def _flat(rules: Rules) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in rules.model_dump().items():
        inner = {f"{key}.{name}": v for name, v in value.items()} if isinstance(value, Mapping) else {}
        found |= inner or {key: value}
    return found


def _lineups(plan: Plan) -> pl.DataFrame:
    """One row for each position of each line-up at each number of players."""
    first = {(cell.lineup_index, cell.players): cell for cell in reversed(plan.cells)}
    rows = [
        {
            "lineup": lineup,
            "lineup_name": cell.lineup,
            "players": players,
            "position": position,
            "strategy": player.strategy.name,
            "parameters": json.dumps(
                dict(zip([p.name for p in player.strategy.parameters], player.values, strict=True))
            ),
        }
        for (lineup, players), cell in sorted(first.items(), key=lambda item: item[0])
        for position, player in enumerate(cell.seatings[0])
    ]
    numbers = ("lineup", "players", "position")
    schema = {name: pl.Int32() if name in numbers else pl.String() for name in rows[0]}
    return pl.DataFrame(rows, schema=schema)


def _strategies(experiment: Experiment) -> pl.DataFrame:
    schema = {
        "strategy": pl.String(),
        "says": pl.String(),
        "wants": pl.String(),
        "uses_unseen": pl.Boolean(),
        "sha256": pl.String(),
    }
    rows = [
        {
            "strategy": strategy.name,
            "says": strategy.says,
            "wants": strategy.wants,
            "uses_unseen": strategy.uses_unseen,
            "sha256": strategy_hash(strategy),
        }
        for strategy in playing(experiment)
    ]
    return pl.DataFrame(rows, schema=schema)
