"""Rule sets with planted truths, as blocks of invented deals, for tests of goals and contests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl

from sim.columns import SIXTIETHS
from sim.contest import Contest
from sim.design import Cell
from sim.goals import Goal, StopAtGoals
from sim.rules import Rules
from sim.stats.blocks import Blocks

DEALS = 64


@dataclass(frozen=True)
class Truth:
    """What a rule set truly is: means per game, win shares of the seats, whether means exist."""

    margin: float = 10.0
    lead_changes: float = 5.0
    wins: Sequence[float] = (0.5, 0.5)
    defined: bool = True


def cells(truths: Sequence[Truth], settings: int = 1) -> list[Cell]:
    """Return a cell for each rule set and line-up."""
    return [
        Cell(
            v * settings + i, f"rules {v}", v, len(truth.wins), f"lineup {i}", i, Rules(), ((),),
            (tuple(range(len(truth.wins))),), 1, DEALS, 10**6,
        )
        for v, truth in enumerate(truths)
        for i in range(settings)
    ]  # fmt: skip


def blocks(truth: Truth, cell: Cell, count: int, seed: int) -> Blocks:
    """Draw `count` blocks; those of a seed share the luck of their deals."""
    own = np.random.default_rng([seed, cell.id + 1])
    luck = np.random.default_rng([seed, 0]).normal(0, 3, (2, count))

    def sums(mean: float, shared: np.ndarray) -> np.ndarray:
        noise = own.normal(0, 3, count) + shared
        return np.rint(DEALS * mean + np.sqrt(DEALS) * noise).astype(np.int64)

    wins = own.multinomial(DEALS, truth.wins, count)
    columns = {
        "games": np.full(count, DEALS * truth.defined),
        "margin.sum": sums(truth.margin, luck[0]),
        "lead_changes.sum": sums(truth.lead_changes, luck[1]),
        "ties.sum": np.zeros(count, np.int64),
        **{f"wins_{s}.sum": SIXTIETHS * wins[:, s] for s in range(len(truth.wins))},
    }
    return Blocks(cell.id, cell.players, np.arange(count), np.full(count, DEALS), columns)


def contest(
    goals: Sequence[Goal],
    truths: Sequence[Truth],
    *,
    seed: int,
    settings: int = 1,
    most: int = 400,
    method: str = "race",
) -> Contest:
    """Hold a contest of rule sets to its end."""
    planned = cells(truths, settings)
    drawn: Mapping[int, Blocks] = {
        cell.id: blocks(truths[cell.variant_index], cell, most, seed) for cell in planned
    }
    stop = StopAtGoals(
        goals=tuple(goals), method=method, budget=10**9, block_deals=DEALS, blocks=most, best_at=60
    )
    held = Contest(stop, planned)
    while held.ended is None:
        held.judge({cell.id: drawn[cell.id] for cell in held.wanted()})
    return held


def run(held: Contest, truths: Sequence[Truth], most: int, seed: int, name: str) -> Any:
    """Return what answers read of a run, for a contest that came to its end."""
    told = held.as_json()
    ended = [replace(c, blocks=n) for c, n in zip(held.planned, told["cells"], strict=True)]
    rows = []
    for cell in ended:
        own = blocks(truths[cell.variant_index], cell, most, seed)
        whole = {"cell": np.full(most, cell.id), "block": own.block, "deals": own.deals}
        rows.append(pl.DataFrame({**whole, **own.columns})[: cell.blocks])
    variants = [SimpleNamespace(name=one.variant, rules=Rules()) for one in held.contenders]
    experiment = SimpleNamespace(
        stop=held.rule, question="Which?", variants=variants, players=(2,), seed=seed, name="which"
    )
    return SimpleNamespace(
        experiment=experiment, planned=held.planned, cells=ended,
        ending=SimpleNamespace(facts=told),
        blocks=lambda: pl.concat(rows), done={"data_hash": name, "seconds": 1.0},
        stopped="Stopped by goals.", path=None,
    )  # fmt: skip
