"""`python -m tests.fuzz`, or `make fuzz`: play, compare, and tell what was found."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator

import click
from joblib import Parallel, delayed

from sim.cards import show
from sim.kernel.compile import compiled
from sim.settings import overrides
from sim.strategy import catalogue
from tests.differential import MismatchError, recorded
from tests.fuzz.block import Played, play_block
from tests.fuzz.found import keep
from tests.fuzz.shrink import smallest, told_by_kernel, told_by_twin

BLOCK = 50_000
"""Turns of a block."""
REPORT = 20
"""Blocks between two lines of progress."""


@click.command(help="Fuzz the kernel against the twin.")
@click.option("--turns", type=click.IntRange(1), default=10_000_000, help="turns in the kernel")
@click.option("--seed", type=click.IntRange(0), help="repeats a run; drawn when not given")
@click.option("--jobs", type=click.IntRange(1), default=2, help="processes")
def main(turns: int, seed: int | None, jobs: int) -> None:
    """Play blocks until `turns` are played or the engines disagree; then exit with 1."""
    seed = secrets.randbelow(2**32) if seed is None else seed
    _say(f"seed {seed}: {turns:,} turns of random rules and line-ups")
    for strategy in catalogue().values():
        compiled(strategy)
        compiled(recorded(strategy))
    played = checked = 0
    for number, block in enumerate(_blocks(seed, turns, jobs), 1):
        played += block.turns
        checked += block.checked
        if number % REPORT == 0:
            _say(f"{played:,} turns, {checked:,} checked by the twin")
        if block.case is not None:
            print(f"{played:,} turns, {checked:,} checked by the twin, 1 mismatch")
            print(account(smallest(block.case, block.difference), seed))
            sys.exit(1)
    print(f"{played:,} turns, {checked:,} checked by the twin, 0 mismatches")


def _blocks(seed: int, turns: int, jobs: int) -> Iterator[Played]:
    sizes = [BLOCK] * (turns // BLOCK) + [turns % BLOCK] * (turns % BLOCK > 0)
    tasks = (delayed(play_block)(seed, number, size) for number, size in enumerate(sizes))
    yield from Parallel(n_jobs=jobs, return_as="generator")(tasks)


def account(mismatch: MismatchError, seed: int) -> str:
    """Keep a mismatch and say what it is, which command repeats it, and what to do."""
    path = keep(mismatch)
    position = mismatch.position
    if position is None:
        told = [
            "The engines disagree on a game, shrunk to:",
            f"  {mismatch.case}",
            f"  {mismatch.difference}",
        ]
    else:
        told = [
            "The engines disagree on the moves of a position, shrunk to:",
            f"  rules    {overrides(position.rules) or 'all default'}",
            f"  hand     {show(position.hand)}",
            f"  table    {show(position.table)}",
            *(f"  pile     {show(pile)}" for pile in position.piles),
            *(f"  kernel   {move}" for move in told_by_kernel(position)),
            *(f"  twin     {move}" for move in told_by_twin(position)),
        ]
    told += [
        f"It is the last line of tests/data/{path.name}, and repeats with:",
        "  .venv/bin/python -m pytest tests/test_found.py",
        "Read it against RULES.md. If the twin is wrong, correct the line's moves as well.",
        f"The whole run repeats with: make fuzz SEED={seed}",
    ]
    return "\n".join(told)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
