"""Cells on the same deals, whatever the size of their blocks: made alike, then taken together.

Sums over deals add up, so that several small blocks are exactly one large block of the same deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sim.stats.blocks import Blocks
from sim.stats.estimates import LEVEL, Estimate, State, contrast, estimate, linear
from sim.stats.metric import Metric
from sim.stats.samples import Sample, combined, join_all, linearised

if TYPE_CHECKING:
    from sim.design import Cell


def coarsened(blocks: Blocks, deals: int) -> Blocks:
    """Return `blocks` added up to blocks of `deals` deals; those that are not whole are left out.

    Raises:
        ValueError: `deals` is no multiple of what a block holds.
    """
    held = int(blocks.deals[0]) if len(blocks) else deals
    if held == deals:
        return blocks
    if deals % held:
        raise ValueError(f"blocks of {held} deals do not add up to blocks of {deals}")
    ordered = blocks.take(np.argsort(blocks.block))
    ids, start, size = np.unique(
        ordered.block // (deals // held), return_index=True, return_counts=True
    )
    whole = size == deals // held
    columns = {
        name: np.add.reduceat(column, start)[whole] for name, column in ordered.columns.items()
    }
    return Blocks(blocks.cell, blocks.players, ids[whole], np.full(whole.sum(), deals), columns)


def aligned(cells: Sequence[Blocks]) -> list[Blocks]:
    """Return of each cell the blocks that all have, in blocks of the same deals.

    Raises:
        ValueError: the cells differ in the number of players.
    """
    deals = max((int(own.deals[0]) for own in cells if len(own)), default=1)
    return join_all([coarsened(own, deals) for own in cells])


def pooled(
    on: Sequence[Blocks],
    off: Sequence[Blocks],
    metric: Metric,
    index: int = 0,
    level: float = LEVEL,
) -> Estimate:
    """Estimate the mean of a metric over the cells `on`, minus its mean over the cells `off`.

    Each cell weighs alike. Several cells are paired on the deals that all have; `off` may be empty.

    Raises:
        ValueError: see `aligned`.
    """
    if len(on) == 1 and not off:
        return estimate(on[0], metric, index, level)
    cells = aligned([*on, *off])
    if len(on) == len(off) == 1:
        return contrast(cells[0], cells[1], metric, index, level)
    found = linear(cells, weights(on, off), metric, index, level)
    pairs = zip(cells[: len(on)], cells[len(on) :], strict=False)
    if (
        found.state is State.CONSTANT
        and len(on) == len(off)
        and all(contrast(a, b, metric, index).state is State.EXACT for a, b in pairs)
    ):
        return replace(found, se=0.0, state=State.EXACT)
    return found


def pooled_sample(
    on: Sequence[Blocks], off: Sequence[Blocks], metric: Metric, index: int = 0
) -> Sample:
    """Return what `pooled` estimates, with what each block adds to its error."""
    cells = aligned([*on, *off])
    samples = [linearised(own, metric.parts(own.players)[index]) for own in cells]
    return combined(samples, weights(on, off))


def weights(on: Sequence[Blocks], off: Sequence[Blocks]) -> list[float]:
    """Return the weight of each cell in a mean over `on` minus a mean over `off`."""
    return [1 / len(on)] * len(on) + [-1 / len(off) for _ in off]


def end_to_end(parts: Sequence[Blocks], cell: Cell) -> Blocks:
    """Return the blocks of `parts` of a cell, which follow each other, as one."""
    if not parts:
        none = np.zeros(0, np.int64)
        return Blocks(cell.id, cell.players, none, none, {})
    columns = {
        name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns
    }
    block, deals = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("block", "deals")
    )
    return Blocks(cell.id, cell.players, block, deals, columns)
