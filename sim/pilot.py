"""Planning: what an experiment will take, from a pilot of a few deals of every cell.

The pilot's deals are the experiment's first, played in memory and kept nowhere. Its blocks are
smaller than the run's; a standard deviation between blocks goes with one over the root of their
deals. Source: docs/statistics.md.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from itertools import accumulate

import polars as pl

from sim.design import Cell, Setting, cells, own_games, settings_of
from sim.engines import engine_of
from sim.experiment import Experiment
from sim.looks import boundaries, rule_of
from sim.runner import chunk_games_of
from sim.sampling import StopAtDecision, StopAtHalfWidth
from sim.stats.blocks import Blocks, block_table, by_cell
from sim.stats.estimates import Estimate, State, contrast, estimate
from sim.stats.metrics import BY_NAME, Metric
from sim.stats.planning import Pilot, fewest_blocks
from sim.stats.stopping import Decision, Rule
from sim.store import parts
from sim.store.coverage import kept_blocks
from sim.store.ledger import Kind

PILOT_BLOCKS = 100
PILOT_DEALS, PLAIN_PILOT_DEALS = 32, 2
"""Deals in a block of the pilot: where the kernel plays, and where the twin does."""


@dataclass(frozen=True)
class Need:
    """What one number takes: the metric in a cell, or its difference to the first variant.

    Attributes:
        cell: whose.
        difference: it is the difference to the first variant on the same deals.
        half_width: the precision that is asked for, in the metric's unit.
        games: games of the cell that give it, about; 0 if it is exactly known without, None where
            the pilot saw nothing vary.
        smallest_effect: the smallest that the games of the experiment would show with chance 0.8;
            None where nothing varied.
        variance_ratio: how many times more games the difference to the first variant would take
            without pairing; None for that variant itself, or where nothing varied.
    """

    cell: Cell
    difference: bool
    half_width: float
    games: int | None
    smallest_effect: float | None
    variance_ratio: float | None


@dataclass(frozen=True)
class Plan:
    """What an experiment will take.

    Attributes:
        metric: what it is planned for.
        needs: for each number that decides when it stops or what it answers.
        games: that the run will play in all cells, about.
        most_games: that it may play at most.
        seconds: in the engine, all workers together, for `games`; about.
        bytes: on the disk, for `games`; about.
        pilot_games: games that the pilot played.
    """

    metric: Metric
    needs: tuple[Need, ...]
    games: int
    most_games: int
    seconds: float
    bytes: int
    pilot_games: int


@dataclass(frozen=True)
class Bytes:
    """What parts of one kind take on the disk: so much for each part, and so much for each row."""

    part: float
    row: float

    def of(self, parts: int, rows: int) -> float:
        """Return the bytes of so many parts and rows."""
        return parts * self.part + rows * self.row


@dataclass(frozen=True)
class _Played:
    """The pilot of one cell: its sums, the seconds of a game, and the bytes of parts."""

    table: pl.DataFrame
    games: int
    seconds: float
    of_blocks: Bytes
    of_games: Bytes


def plan(experiment: Experiment) -> Plan:
    """Play the pilot of an experiment and say what the whole will take.

    Raises:
        SimError: a game cannot be played.
    """
    planned = cells(experiment)
    playing = own_games(planned)
    played = {cell.id: _play(cell, experiment.seed) for cell in playing}
    blocks = by_cell(pl.concat([one.table for one in played.values()]), planned)
    needs: list[Need] = []
    spans: dict[int, list[int]] = {}
    settings = settings_of(planned)
    for setting in settings:
        rule = rule_of(experiment, setting, len(settings))
        own = _needs(experiment, setting, rule, blocks)
        needs += own
        spans |= {cell.id: _spans(own, rule) for cell in setting.cells}
    kept = kept_blocks(planned, experiment.keep_games)
    size = sum(_bytes(cell, played[cell.id], spans[cell.id], kept[cell.id]) for cell in playing)
    games = {cell.id: sum(spans[cell.id]) * _per_block(cell) for cell in playing}
    return Plan(
        metric=_metric(experiment),
        needs=tuple(needs),
        games=sum(games.values()),
        most_games=sum(cell.games for cell in playing),
        seconds=sum(played[number].seconds * of_cell for number, of_cell in games.items()),
        bytes=math.ceil(size),
        pilot_games=sum(one.games for one in played.values()),
    )


def _per_block(cell: Cell) -> int:
    return cell.block_deals * cell.games_per_deal


def _metric(experiment: Experiment) -> Metric:
    match experiment.stop:
        case StopAtHalfWidth(metric=str(name)) | StopAtDecision(decide=name):
            return BY_NAME[name]
    return BY_NAME[experiment.primary]


def _half_width(experiment: Experiment) -> float:
    """The precision that is asked for; half of the smallest effect tells in any case."""
    match experiment.stop:
        case StopAtHalfWidth(half_width=half_width):
            return half_width
        case StopAtDecision(smallest=float(smallest)):
            return smallest / 2
    return experiment.smallest / 2


def _small(cell: Cell) -> Cell:
    deals = PILOT_DEALS if cell.compiled else PLAIN_PILOT_DEALS
    first = cell.first_deal // deals
    return replace(cell, block_deals=deals, blocks=PILOT_BLOCKS, first_block=first)


def _play(cell: Cell, seed: int) -> _Played:
    small = _small(cell)
    engine = engine_of(small, seed)
    start = time.perf_counter()
    games = engine.play(small.first_deal, small.blocks * small.block_deals)
    seconds = time.perf_counter() - start
    columns = block_table(games, small, small.first_block)
    rows = parts.game_columns(games, cell.id)
    return _Played(
        table=pl.DataFrame(columns),
        games=len(games),
        seconds=seconds / len(games),
        of_blocks=bytes_of("blocks", columns),
        of_games=bytes_of("games", rows),
    )


def bytes_of(kind: Kind, columns: parts.Columns) -> Bytes:
    """Return what parts of these rows take, from a part of all and one of the first."""
    rows = len(columns["cell"])
    one, _ = parts.encode("", kind, 0, 0, 1, {name: own[:1] for name, own in columns.items()})
    whole, _ = parts.encode("", kind, 0, 0, 1, columns)
    row = (whole.bytes - one.bytes) / (rows - 1)
    return Bytes(one.bytes - row, row)


def _bytes(cell: Cell, played: _Played, spans: list[int], kept: int) -> float:
    """Return what a cell takes on the disk when it is played in these spans of blocks."""
    size = -(-chunk_games_of([cell]) // _per_block(cell))
    blocks = played.of_blocks.of(sum(-(-span // size) for span in spans), sum(spans))
    rows = min(kept, sum(spans)) * _per_block(cell)
    within = [end for end in accumulate(spans) if end <= kept]
    return blocks + played.of_games.of(len(within) or bool(rows), rows)


def _needs(
    experiment: Experiment, setting: Setting, rule: Rule, blocks: dict[int, Blocks]
) -> list[Need]:
    """Return what the numbers take that stop a setting, or answer the question in it."""
    metric, half_width = _metric(experiment), _half_width(experiment)
    first, *others = setting.cells
    levels = {cell.id: estimate(blocks[cell.id], metric) for cell in setting.cells}
    pairs = {cell.id: contrast(blocks[cell.id], blocks[first.id], metric) for cell in others}
    difference = bool(pairs) and not isinstance(experiment.stop, StopAtHalfWidth)
    asked = pairs if difference else levels
    found = []
    for cell in setting.cells:
        if cell.id in asked:
            pair = pairs.get(cell.id)
            games, effect = _takes(cell, asked[cell.id], rule, half_width, len(asked))
            ratio = None if pair is None else pair.variance_ratio
            found.append(Need(cell, difference, half_width, games, effect, ratio))
    return found


def _takes(
    cell: Cell, found: Estimate, rule: Rule, half_width: float, comparisons: int
) -> tuple[int | None, float | None]:
    """Return the games that a number takes, and the smallest effect its experiment can see."""
    if found.state is State.EXACT:
        return 0, 0.0
    if not found.se:
        return None, None
    scale = _small(cell).block_deals / cell.block_deals
    sd = found.se * math.sqrt(found.blocks * scale)
    pilot = Pilot(sd, _per_block(cell))
    if isinstance(rule, Decision):
        blocks = fewest_blocks(lambda n: rule.half_width(n, sd, comparisons), half_width)
    else:
        blocks = pilot.blocks_for(half_width)
    effect = pilot.smallest_effect(cell.games) if cell.blocks > 1 else None
    return blocks * _per_block(cell), effect


def _spans(needs: list[Need], rule: Rule) -> list[int]:
    """Return the blocks between the looks until a setting stops, about."""
    needed = max(
        rule.budget if need.games is None else need.games // _per_block(need.cell) for need in needs
    )
    found: list[int] = []
    for at in boundaries(rule):
        found.append(at - sum(found))
        if at >= needed:
            break
    return found
