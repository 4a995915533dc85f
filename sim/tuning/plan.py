"""What a tune will take, and how it is played: all rule sets to the end, or a race.

A pilot of a few rule sets says how much their numbers vary between deals and what a game costs. Its
deals are the first of the exploration. All rule sets are played to the end where that is within the
budget at a precision that tells whatever the truth is; otherwise they race.
Source: docs/statistics.md, "Goals".
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import polars as pl

from sim.contest import Contest, boundaries, mean_of
from sim.design import block_size, cells, own_games
from sim.engines import engine_of
from sim.experiment import Experiment
from sim.goals import Method, StopAtGoals, tolerance
from sim.pilot import Bytes, bytes_of
from sim.runner import chunk_games_of
from sim.stats.blocks import Blocks, block_table, by_cell
from sim.stats.goals import Width
from sim.stats.planning import fewest_blocks
from sim.stats.samples import linearised
from sim.stats.stopping import FIRST_DECISION_LOOK
from sim.tuning.document import BudgetOfSeconds
from sim.tuning.tune import Tune

PILOT_RULE_SETS = 12
PILOT_BLOCKS = 50
PILOT_DEALS, PLAIN_PILOT_DEALS = 16, 1
FRESH_SHARE = 5
"""One game in so many is kept for fresh deals; they get also what the exploration leaves over."""
FRESH_DEAL = 1 << 30
"""The first of the fresh deals; no exploration gets there."""
FEWEST_BLOCKS = 50
FEWEST_BLOCK_DEALS = 8
"""Of fewer, 20 blocks are too few deals for a mean of wins to be anywhere near normal."""


@dataclass(frozen=True)
class Plan:
    """How a tune is played.

    Attributes:
        method: ``factorial``, all rule sets to the end, or ``race``.
        rule_sets, cells: how many.
        games: in all, at most; of them `fresh` on fresh deals.
        block_deals: deals in a block.
        blocks: of each cell in the exploration, at most.
        needed: blocks that would tell of every number what it is, whatever it is; about.
        per_deal: games of a deal in all numbers of players and line-ups together.
        seconds: in the engine, all workers together, at most; about.
        bytes: on the disk at most; about.
    """

    method: Method
    rule_sets: int
    cells: int
    games: int
    fresh: int
    block_deals: int
    blocks: int
    needed: int
    per_deal: int
    seconds: float
    bytes: int

    @property
    def explored(self) -> int:
        """Games of the exploration at most."""
        return self.games - self.fresh

    @property
    def least(self) -> int:
        """Games that reach the first look at every rule set, and one on fresh deals; about."""
        one = self.per_deal * self.block_deals * FIRST_DECISION_LOOK
        explored = self.rule_sets * one
        return max(-(-explored * FRESH_SHARE // (FRESH_SHARE - 1)), FRESH_SHARE * one)

    @property
    def too_small(self) -> bool:
        """Whether the budget does not reach the first look."""
        return self.least > self.games

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class _Pilot:
    """What the pilot saw: a contest of some rule sets, their blocks, and what a game costs."""

    contest: Contest
    blocks: dict[int, Blocks]
    seconds: float
    bytes: Bytes
    chunk_games: int


def plan(tune: Tune, workers: int) -> Plan:
    """Play the pilot of a tune and say how it will be played.

    Args:
        tune: what is asked.
        workers: how many play; only a budget of seconds depends on it.

    Raises:
        SimError: a game cannot be played.
    """
    rule_sets = sum(1 for _ in tune.chosen())
    pilot = _play(tune, rule_sets)
    settings = pilot.contest.settings
    per_deal = sum(setting.cells[0].games_per_deal for setting in settings)
    budget = tune.budget
    if isinstance(budget, BudgetOfSeconds):
        games = max(1, round(budget.seconds * workers / pilot.seconds))
    else:
        games = budget.games
    fresh = games // FRESH_SHARE
    deals = max(1, (games - fresh) // (rule_sets * per_deal))
    fresh_deals = fresh // per_deal * (FEWEST_BLOCKS - 1) // FIRST_DECISION_LOOK
    whole_blocks = block_size(max(1, min(deals, fresh_deals)))  # fresh ones get 20 blocks too
    block_deals = max(FEWEST_BLOCK_DEALS, whole_blocks)
    needed = _needed_deals(pilot, rule_sets)
    blocks = max(FEWEST_BLOCKS, -(-needed // block_deals))
    whole = blocks * block_deals <= min(deals, FRESH_DEAL)
    alone = max(FIRST_DECISION_LOOK, (games - fresh) // (per_deal * block_deals))
    found = Plan(
        method="factorial" if whole else "race",
        rule_sets=rule_sets,
        cells=rule_sets * len(settings),
        games=games,
        fresh=fresh,
        block_deals=block_deals,
        blocks=blocks if whole else min(alone, FRESH_DEAL // block_deals),
        needed=blocks,
        per_deal=per_deal,
        seconds=games * pilot.seconds,
        bytes=0,
    )
    rows = games // (block_deals * per_deal) * len(settings)
    parts = _most_parts(tune, found) + games // pilot.chunk_games
    return replace(found, bytes=math.ceil(pilot.bytes.of(parts, rows)))


def _most_parts(tune: Tune, plan: Plan) -> int:
    """Return in how many parts its blocks lie at most: if no rule set is dropped while games last.

    Each cell that plays on from one look to the next has a part of its own for that.
    """
    left, before, parts = plan.games, 0, 0
    for at in boundaries(_stop(tune, plan)):
        games = (at - before) * plan.block_deals * plan.per_deal * plan.rule_sets
        parts += math.ceil(plan.cells * min(1, left / games))
        left, before = max(0, left - games), at
    return parts


def exploration(tune: Tune, plan: Plan) -> Experiment:
    """Return the experiment in which all rule sets play."""
    games = plan.blocks * plan.block_deals * plan.per_deal
    variants = tuple(tune.rule_sets())
    return replace(tune.base, variants=variants, games=games, keep_games=0, stop=_stop(tune, plan))


def _stop(tune: Tune, plan: Plan) -> StopAtGoals:
    """Return what ends the exploration."""
    return StopAtGoals(
        goals=tune.goals,
        method=plan.method,
        budget=plan.explored,
        block_deals=plan.block_deals,
        blocks=plan.blocks,
        best_at=max(FIRST_DECISION_LOOK, round(math.sqrt(FIRST_DECISION_LOOK * plan.needed))),
    )


def proof(explored: Experiment, plan: Plan, names: Sequence[str], played: int) -> Experiment:
    """Return the experiment in which the first of some rule sets play on fresh deals.

    Args:
        explored: the exploration.
        plan: how the tune is played.
        names: the rule sets, those that matter most first: as many as the games are enough for.
        played: games that the exploration took.
    """
    block_games = plan.per_deal * plan.block_deals
    room = (plan.games - played) // block_games
    names = names[: max(1, room // FIRST_DECISION_LOOK)]
    chosen = tuple(one for one in explored.variants if one.name in names)
    blocks = max(FIRST_DECISION_LOOK, min(plan.needed, room // len(chosen)))
    assert isinstance(explored.stop, StopAtGoals)
    stop = explored.stop.model_copy(
        update={
            "method": "factorial",
            "blocks": blocks,
            "budget": blocks * block_games * len(chosen),
        }
    )
    games = blocks * block_games
    return replace(explored, variants=chosen, games=games, stop=stop, first_deal=FRESH_DEAL)


def _play(tune: Tune, rule_sets: int) -> _Pilot:
    """Play some deals of some rule sets, spread evenly over the space."""
    step = max(1, rule_sets // PILOT_RULE_SETS)
    some = tuple(tune.rule_sets(step))[:PILOT_RULE_SETS]
    compiled = all(one.compiled for one in tune.base.strategies)
    deals = PILOT_DEALS if compiled else PLAIN_PILOT_DEALS
    stop = StopAtGoals(
        goals=tune.goals, method="factorial", budget=1, block_deals=deals, blocks=PILOT_BLOCKS,
        best_at=1,
    )  # fmt: skip
    planned = cells(replace(tune.base, variants=some, stop=stop))
    tables: list[pl.DataFrame] = []
    games, seconds = 0, 0.0
    for cell in own_games(planned):
        engine = engine_of(cell, tune.base.seed)
        start = time.perf_counter()
        rows = engine.play(0, cell.blocks * cell.block_deals)
        seconds += time.perf_counter() - start
        games += len(rows)
        table = block_table(rows, cell, 0)
        tables.append(pl.DataFrame(table))
    size = bytes_of("blocks", table)
    blocks = by_cell(pl.concat(tables), planned)
    return _Pilot(Contest(stop, planned), blocks, seconds / games, size, chunk_games_of(planned))


def _needed_deals(pilot: _Pilot, rule_sets: int) -> int:
    """Return how many deals tell of every number what it is, whatever it is; about.

    An interval of half the smallest size that matters tells in any case.
    """
    contest = pilot.contest
    more = rule_sets / len(contest.contenders)
    width = Width(contest.width.alpha / more, None)
    apart = Width(contest.width_apart.alpha / more**2, None)
    most = 0
    for cell in contest.planned:
        own = zip(contest.constraints, contest.limits[cell.players], strict=True)
        for limit, size in ((one, tolerance(goal)) for goal, all_ in own for one in all_):
            part = limit.metric.parts(cell.players)[limit.index]
            sd = linearised(pilot.blocks[cell.id], part).sd
            most = max(most, _blocks_for(size / 2, sd, width))
    for goal in contest.objectives:
        for one in contest.contenders:
            sd = math.sqrt(2) * mean_of(one, goal, pilot.blocks, PILOT_BLOCKS).sd
            most = max(most, _blocks_for(tolerance(goal) / 2, sd, apart))
    return most * contest.rule.block_deals


def _blocks_for(half_width: float, sd: float, width: Width) -> int:
    return fewest_blocks(lambda blocks: width.per_sd(blocks) * sd, half_width)
