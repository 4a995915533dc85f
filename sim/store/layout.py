"""Where things lie in a run directory."""

from __future__ import annotations

from pathlib import Path

FORMAT = 1
"""Version of the layout, in run.json."""

RUN = "run.json"
LEDGER = "ledger.jsonl"
DONE = "DONE.json"
LOCK = "lock"
PARTS = "parts"
SCRATCH = "tmp"
TABLES: tuple[str, ...] = (
    "cells.parquet",
    "configs.parquet",
    "lineups.parquet",
    "strategies.parquet",
)


def remedy(path: Path) -> str:
    """Say how the parts of the run at `path` are computed again."""
    return f"`sim run EXPERIMENT --out {path} --resume` recomputes what is damaged"
