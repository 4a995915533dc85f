"""`sim check-strategy`: whether a strategy file is fit to play."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sim.commands.options import allow_code
from sim.errors import UsageFault, WorkerFailed
from sim.output import say

COMPILED_GAMES, PLAIN_GAMES = 20, 1


@click.command("check-strategy")
@click.argument("reference", metavar="FILE.py:NAME")
@click.option(
    "--games",
    type=click.IntRange(1, 10_000),
    help="Games for each rule set, number of players and setting of the parameters "
    f"(default: {COMPILED_GAMES}, or {PLAIN_GAMES} in plain Python).",
)
@allow_code
def command(reference: str, games: int | None, allow_code: bool) -> None:
    """Try out the strategy NAME of a Python file, and say whether it is fit to play.

    It is fit if it plays legally under every option with 2 to 5 players, chooses by its View
    alone, and plays the same game at the same address.
    """
    from sim import watch
    from sim.strategy_file import FORM, REFUSAL, read, strategy_of

    path, _, function = reference.rpartition(":")
    if not path.endswith(".py") or not function.isidentifier():
        raise UsageFault(f"{reference}: name a strategy as {FORM}, such as mine.py:careful")
    if not allow_code:
        raise UsageFault(f"{path} {REFUSAL}")
    strategy = strategy_of(read(Path(), path), function)
    from sim.battery import battery

    say(f"{strategy.name}: {strategy.says or 'it has no docstring to say how it plays'}")

    def give_up(message: str) -> None:
        say(_line(False, "ends", message))
        os._exit(WorkerFailed.exit_code)

    bad = 0
    with watch.Watch(give_up, watch.LIMIT_SECONDS) as looking:
        number = games or (COMPILED_GAMES if strategy.compiled else PLAIN_GAMES)
        for finding in battery(strategy, number, looking):
            say(_line(finding.good, finding.check, finding.told))
            bad += not finding.good
    if bad:
        raise WorkerFailed(f"{strategy.name} is not fit to play; mend what is marked FAIL")
    say(f"{strategy.name} is fit to play.")


def _line(good: bool, check: str, told: str) -> str:
    return f"  {'ok' if good else 'FAIL':<6}{check:<14}{told}".rstrip()
