"""Which blocks a run needs, which of them keep their games, and what is still to be played."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sim.design import Cell, chunks
from sim.store.ledger import KINDS, Entry, Kind

Span = tuple[int, int]
"""Blocks, from the first to before the second."""


@dataclass(frozen=True)
class Plan:
    """What a complete run holds.

    Attributes:
        cells: all of them, in order of id.
        kept_blocks: by cell, of how many blocks (the first ones) the single games are stored.
    """

    cells: tuple[Cell, ...]
    kept_blocks: tuple[int, ...]

    @property
    def games(self) -> int:
        """Games played in all."""
        return sum(cell.games for cell in self.cells)

    @property
    def kept_games(self) -> int:
        """Games stored as single rows."""
        return sum(
            kept * games_per_block(c) for c, kept in zip(self.cells, self.kept_blocks, strict=True)
        )

    def blocks(self, kind: Kind, cell: int) -> int:
        """Return how many blocks of a cell are stored as `kind`, from the first on."""
        return self.cells[cell].blocks if kind == "blocks" else self.kept_blocks[cell]

    def rows(self, entry: Entry) -> int:
        """Return how many rows a part must have."""
        if entry.kind == "blocks":
            return entry.blocks
        return entry.blocks * games_per_block(self.cells[entry.cell])

    def belongs(self, entry: Entry) -> bool:
        """Say whether a part can be one of this run."""
        return (
            entry.cell < len(self.cells)
            and entry.end_block <= self.blocks(entry.kind, entry.cell)
            and entry.rows == self.rows(entry)
        )


def games_per_block(cell: Cell) -> int:
    """Return the games of one block of a cell."""
    return cell.block_deals * cell.games_per_deal


def plan(cells: Sequence[Cell], keep_games: int) -> Plan:
    """Plan a run that stores at most `keep_games` single games: the same first deals of each cell.

    Which games are kept depends on the cells alone, never on chunks or on who is first.
    """

    def kept(deals: int) -> tuple[int, ...]:
        return tuple(min(cell.blocks, deals // cell.block_deals) for cell in cells)

    def rows(deals: int) -> int:
        return Plan(tuple(cells), kept(deals)).kept_games

    most = max((cell.blocks * cell.block_deals for cell in cells), default=0)
    deals = bisect_right(range(most + 1), keep_games, key=rows) - 1
    return Plan(tuple(cells), kept(max(deals, 0)))


@dataclass(frozen=True)
class Task:
    """Consecutive blocks of a cell to play, and which parts to make of them."""

    cell: Cell
    first_block: int
    blocks: int
    kinds: tuple[Kind, ...]

    @property
    def games(self) -> int:
        """Its games."""
        return self.blocks * games_per_block(self.cell)


def missing(whole: Plan, entries: Iterable[Entry], chunk_games: int) -> Iterator[Task]:
    """Yield what is to be played so that, with `entries`, the run is whole.

    Tasks lie within the chunks of `chunk_games` that a fresh run would have, so that a resumed
    run makes the parts of the undisturbed one when its chunks are the same.
    """
    there: dict[tuple[Kind, int], list[Span]] = {}
    for entry in sorted(entries):
        spans = there.setdefault((entry.kind, entry.cell), [])
        spans.append((entry.first_block, entry.end_block))
    for cell in whole.cells:
        gaps = {
            kind: _gaps(there.get((kind, cell.id), []), whole.blocks(kind, cell.id))
            for kind in KINDS
        }
        segments = list(_segments(gaps))
        if not segments:
            continue
        for chunk in chunks(cell, chunk_games):
            for (first, end), kinds in segments:
                low = max(first, chunk.first_block)
                high = min(end, chunk.first_block + chunk.blocks)
                if low < high:
                    yield Task(cell, low, high - low, kinds)


def _gaps(covered: Iterable[Span], end: int) -> list[Span]:
    """Return what the `covered` spans, in order, leave of 0 .. `end`."""
    found: list[Span] = []
    reached = 0
    for first, after in covered:
        if first > reached:
            found.append((reached, first))
        reached = max(reached, after)
    if reached < end:
        found.append((reached, end))
    return found


def _segments(gaps: dict[Kind, list[Span]]) -> Iterator[tuple[Span, tuple[Kind, ...]]]:
    """Cut gaps into spans in which the same kinds are missing throughout."""
    cuts = sorted({block for spans in gaps.values() for span in spans for block in span})
    for first, end in zip(cuts, cuts[1:], strict=False):
        kinds = tuple(kind for kind in KINDS if any(a <= first and end <= b for a, b in gaps[kind]))
        if kinds:
            yield (first, end), kinds
