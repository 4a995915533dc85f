"""docs/data.md, made from what the code says of its columns: ``python -m tests.data_page``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import polars as pl

from sim.columns import COLUMNS
from sim.stats.blocks import METRICS
from sim.store import parts
from sim.store.tables import CELL_TABLE, cell_table
from sim.view import SEATS

PATH = Path(__file__).parents[1] / "docs" / "data.md"

RECORD = {
    "value": "the estimate; null where it is undefined",
    "low, high": "ends of the interval; null where there is none",
    "se": "standard error between blocks of deals; null without one",
    "unit": "of the four; shares are fractions of 1, not percent",
    "level": "how often such an interval, or such a family of them, holds the truth",
    "family": "how many intervals hold at once with that level; 1: this one by itself",
    "blocks, deals": "what it rests on; for a contrast, what all its cells have",
    "pairing": "how the blocks were combined",
    "state": "whether there is an interval, or why not",
    "method": "how the interval was made",
    "variance_ratio": "of a contrast: how many times more deals unpaired play would have needed",
    "smallest": "of a contrast: the smallest difference that matters",
    "verdict": "of a contrast: one of four, from the interval and the smallest difference",
    "more_games": "where that is not yet known: in each cell, about so many more would tell",
}

TEXT = """\
# The data of a run

A run directory holds Parquet files, for polars, pandas, DuckDB or whatever you like:

    cells.parquet       a row for each rule set, number of players and line-up
    configs.parquet     the options of each rule set
    lineups.parquet     who plays, in the order written
    strategies.parquet  what the strategies are
    parts/games-*       a row a game, as many as were kept (keep: in the experiment)
    parts/blocks-*      a row a block of deals: sums over all games, kept or not
    ledger.jsonl        the parts that were published, each with its hash
    run.json            what was asked and what played it, with its own hash; `sources` is
                        the hash of both engines, the rules, strategies and statistics
    DONE.json           how it ended, with its own hash

Read the parts that `ledger.jsonl` lists, never what lies in the directory: a run that was
interrupted can leave a part that is not in it. `sim.open(run).games` and `.blocks` do so, check
each part's hash, and put `variant`, `players` and `lineup` in front; `examples/answer_in_pandas.py`
does it by hand. `sim verify RUN` checks every file and names what is damaged;
[reliability.md](reliability.md) says what becomes of that.

A run that was extended keeps its size of blocks: below 12,800 deals a cell, they can be smaller
than those of a run that was asked for as many games at once. Its games are the same.

Rows belong to cells by `cell`; where cells that play alike share their games, `cells.parquet` has
the id of the rows under `stored`. **The deal is the unit**: games of one deal are not independent.
Average over the games of a deal, take standard errors between deals or blocks of deals, and compare
cells on the same deals, joined by `deal`, or by `block` (block b of a cell holds the deals from
b * `block_deals` on), never by row position. The same deal is the same cards in every cell.

Shares are whole numbers of sixtieths, so that 1/2, 1/3, 1/4, 1/5 and their sums are exact.

This page is made by `python -m tests.data_page` from what the code says of its columns.
"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield ""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(row)} |"


def games() -> Iterator[Sequence[str]]:
    yield "cell", "Int32", "id", "whose game it is: see cells"
    for column in COLUMNS:
        name = f"{column.name}_0 .. _{SEATS - 1}" if column.per_seat else column.name
        stored = parts.schema("games")[f"{column.name}_0" if column.per_seat else column.name]
        yield name, str(stored), column.unit, column.meaning


def page() -> str:
    cells: pl.Schema = cell_table([]).schema
    lines = [TEXT, "## Games"]
    lines += [
        "",
        "Columns that end in _0 .. _4 are by seat; seats not in play hold 0. Seat 0 leads",
    ]
    lines += ["the first round, the last seat deals it. role_points are by role: 0 leads a round,"]
    lines += ["the last role deals it."]
    lines += table(("column", "type", "unit", "what it says"), games())
    lines += ["", "## Blocks of deals", ""]
    lines += ["`cell`, `block`, `deals`, `games` (Int32), and for each name below `NAME.sum` and"]
    lines += ["`NAME.sumsq` (Int64): with y the sum over the games of a deal, the sums of y and of"]
    lines += ["y * y over the deals of the block."]
    lines += table(("name", "what it counts in a game"), METRICS.items())
    lines += ["", "## Cells"]
    lines += table(
        ("column", "type", "what it says"), ((n, str(cells[n]), w) for n, w in CELL_TABLE.items())
    )
    lines += ["", "## An estimate", ""]
    lines += ["What `--json` prints, and the columns of `.estimate()` and `.contrast()`:"]
    lines += table(("field", "what it says"), RECORD.items())
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
