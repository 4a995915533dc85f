"""What a run stores in all, what is there, and what is still to be played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sim.design import Cell, Chunk, own_games
from sim.store.ledger import Entry, Kind


def kept_blocks(cells: Sequence[Cell], keep_games: int) -> dict[int, int]:
    """Return for each cell that plays how many of its first blocks keep their game rows.

    The limit is shared equally between cells and ends at whole blocks, so that it depends on
    nothing but the experiment.
    """
    playing = own_games(cells)
    if sum(cell.games for cell in playing) <= keep_games:
        return {cell.id: cell.blocks for cell in playing}
    share = keep_games // len(playing)
    return {
        cell.id: min(cell.blocks, share // (cell.block_deals * cell.games_per_deal))
        for cell in playing
    }


@dataclass(frozen=True)
class Task:
    """Blocks to play, and which kinds of parts to store of them."""

    chunk: Chunk
    kinds: tuple[Kind, ...]


def missing(
    cells: Sequence[Cell], kept: dict[int, int], entries: Iterable[Entry], chunk_games: int
) -> Iterator[Task]:
    """Yield what has to be played so that nothing is missing, in chunks of whole blocks."""
    there: dict[tuple[int, Kind], list[tuple[int, int]]] = {}
    for entry in entries:
        there.setdefault((entry.cell, entry.kind), []).append((entry.first_block, entry.end_block))
    for cell in own_games(cells):
        wanted: dict[Kind, int] = {
            "blocks": cell.first_block + cell.blocks,
            "games": cell.first_block + min(cell.blocks, kept[cell.id]),
        }
        edges = {cell.first_block, *wanted.values()}
        for kind in wanted:
            edges |= {edge for span in there.get((cell.id, kind), []) for edge in span}
        ordered = sorted(edges)
        for first, end in pairwise(ordered):
            kinds = tuple(
                kind
                for kind, limit in wanted.items()
                if end <= limit
                and not any(a <= first and end <= b for a, b in there.get((cell.id, kind), []))
            )
            if kinds:
                yield from _cut(cell, first, end, kinds, chunk_games)


def _cut(
    cell: Cell, first: int, end: int, kinds: tuple[Kind, ...], chunk_games: int
) -> Iterator[Task]:
    size = max(1, -(-chunk_games // (cell.block_deals * cell.games_per_deal)))
    for start in range(first, end, size):
        yield Task(Chunk(cell, start, min(size, end - start)), kinds)
