"""The ledger: one line for each published part. What it does not list is not there.

A line is JSON: ``{"part", "kind", "cell", "first_block", "blocks", "rows", "bytes", "sha256"}``.
"""

from __future__ import annotations

import builtins
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

from sim.store.failpoints import reach
from sim.store.files import canonical, replace_whole

Kind = Literal["blocks", "games"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PART = re.compile(r"(blocks|games)-c\d{4,}-b\d{6,}-n\d{4,}\.parquet")
"""What the files of parts are called."""
_HASH = re.compile(r"[0-9a-f]{64}")


def part_name(kind: Kind, cell: int, first_block: int, blocks: int) -> str:
    """Return the file name of a part: a function of what it holds."""
    return f"{kind}-c{cell:04d}-b{first_block:06d}-n{blocks:04d}.parquet"


@dataclass(frozen=True, order=True)
class Entry:
    """A published part: `blocks` consecutive blocks of one cell, in order of cell and block.

    Attributes:
        kind: ``blocks`` (a row a block) or ``games`` (a row a game).
        cell, first_block, blocks: what it holds.
        rows: its rows.
        bytes: size of the file.
        sha256: hash of the file (hex).
    """

    kind: Kind
    cell: int
    first_block: int
    blocks: int
    rows: int
    bytes: int
    sha256: str

    @property
    def part(self) -> str:
        """The name of its file."""
        return part_name(self.kind, self.cell, self.first_block, self.blocks)

    @property
    def end_block(self) -> int:
        """The block after its last."""
        return self.first_block + self.blocks

    def line(self) -> builtins.bytes:
        """Return its line in the ledger."""
        return canonical({"part": self.part, **asdict(self)}) + b"\n"


@dataclass(frozen=True)
class Ledger:
    """What a ledger file says.

    Attributes:
        entries: the parts, by kind, cell and block; a part listed twice counts once.
        faults: what is wrong with the file, in words. A last line that was never finished is
            none: its part was never published.
        tidy: the file holds these entries and nothing else.
    """

    entries: tuple[Entry, ...]
    faults: tuple[str, ...]
    tidy: bool


def read(path: Path) -> Ledger:
    """Read a ledger; a missing file is a fault."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Ledger((), (f"{path.name} is missing",), False)
    *lines, torn = data.split(b"\n")
    entries: set[Entry] = set()
    faults: list[str] = []
    for number, line in enumerate(lines, 1):
        entry = _parse(line)
        if entry is None:
            faults.append(f"{path.name}, line {number}: it is not what was written")
        else:
            entries.add(entry)
    ordered = sorted(entries)
    faults += [f"{path.name}: {told}" for told in _overlaps(ordered)]
    return Ledger(tuple(ordered), tuple(faults), not torn and len(entries) == len(lines))


def _parse(line: bytes) -> Entry | None:
    """Return the entry of a line, or None if it is not exactly a line that we write."""
    try:
        found = json.loads(line)
        entry = Entry(**{field.name: found[field.name] for field in fields(Entry)})
        good = entry.kind in KINDS and _HASH.fullmatch(entry.sha256) is not None
        numbers = (entry.cell, entry.first_block, entry.blocks - 1, entry.rows, entry.bytes)
        good = good and all(type(number) is int and number >= 0 for number in numbers)
        return entry if good and entry.line() == line + b"\n" else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _overlaps(ordered: Sequence[Entry]) -> list[str]:
    return [
        f"{second.part} holds blocks that {first.part} holds too"
        for first, second in pairwise(ordered)
        if (first.kind, first.cell) == (second.kind, second.cell)
        and second.first_block < first.end_block
    ]


def append(path: Path, entries: Iterable[Entry]) -> None:
    """Add lines and wait until they are on the disk; all of them, or none.

    Raises:
        OSError: it cannot be written; the file is as it was.
    """
    data = b"".join(entry.line() for entry in entries)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        size = os.fstat(descriptor).st_size
        try:
            reach("the ledger is open")
            written = 0
            while written < len(data):
                written += os.write(descriptor, data[written:])
            reach("the ledger is written")
            os.fsync(descriptor)
            reach("the ledger is synced")
        except BaseException:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


def rewrite(path: Path, entries: Iterable[Entry], scratch: Path) -> None:
    """Put a ledger of `entries` in the place of the file, at once.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    replace_whole(path, b"".join(entry.line() for entry in sorted(entries)), scratch)
