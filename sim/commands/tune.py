"""`sim tune`: the house rules that meet a person's goals, proved on fresh deals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sim.commands.options import allow_code, played_with
from sim.errors import UsageFault
from sim.output import counted, say

if TYPE_CHECKING:
    from sim.runner import Backend, Progress
    from sim.tuning.plan import Plan
    from sim.tuning.tune import Tune


@click.command("tune")
@click.argument("tune", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The directory of the tune.")
@played_with
@click.option("--resume", is_flag=True, help="Go on with an unfinished tune.")
@click.option("--yes", is_flag=True, help="Play even a space of more than 4,096 cells.")
@allow_code
def command(
    tune: Path,
    settings: tuple[str, ...],
    out: Path | None,
    jobs: int | None,
    backend: Backend,
    chunk: int | None,
    resume: bool,
    yes: bool,
    allow_code: bool,
) -> None:
    """Find the rules that meet the goals of the file TUNE, and prove it on fresh deals."""
    from sim.tuning.tune import load_tune

    loaded = load_tune(tune, settings, allow_code=allow_code)
    from sim.progress import Display, say_if_compiling, say_speed
    from sim.runner import available_cores
    from sim.tuning import directory
    from sim.tuning.plan import plan
    from sim.tuning.play import Players, play

    workers = jobs or available_cores()
    path = out or Path("runs") / directory.name_of(loaded)
    there = directory.begun(path, loaded, resume)
    if there is None:
        say_if_compiling()
    found = there or plan(loaded, workers)
    if not directory.finished(path):
        for line in forecast(loaded, found, workers):
            say(line)
        if there is None:
            _refuse_too_large(found, yes)
        for line in cannot_act(loaded, found):
            say(line)

    display = Display()

    def begin(total: int, there: int) -> Progress:
        nonlocal display
        display.close()
        display = Display().begin(total, there, False)
        return display

    try:
        played = play(loaded, found, path, resume, Players(workers, chunk, backend, begin))
    finally:
        display.close()
    if not played.played:
        say("This was tuned before; here is its answer.")
    from rich.console import Console

    from reports import tuned

    tuned.show(played.answer, Console())
    say(f"Data: {path}")
    say_speed(played.played, played.seconds, played.kernel_seconds)


def forecast(tune: Tune, plan: Plan, workers: int) -> Iterator[str]:
    """Yield what will be played, and what it takes."""
    from sim.goals import in_words

    yield tune.base.question
    yield f"goals: {'; '.join(in_words(goal) for goal in tune.goals)}"
    yield (
        f"{counted(plan.rule_sets, 'rule set')}, {_listed(tune.base.players)} players, "
        f"{counted(len(tune.base.lineups), 'line-up')}: {counted(plan.cells, 'cell')}; "
        f"seed {tune.base.seed}"
    )
    if plan.method == "factorial":
        yield "method: full factorial; all rule sets play the same deals to the end"
    else:
        yield (
            "method: race; all rule sets play the same deals, and whatever is decided for good "
            "plays no more"
        )
    yield (
        f"at most {plan.games:,} games, of them at least {plan.fresh:,} kept for fresh deals; at "
        f"most about {plan.seconds / workers:,.0f} s with {counted(workers, 'worker')} on an idle "
        f"machine and {plan.bytes / 1e6:,.0f} MB"
    )


def cannot_act(tune: Tune, plan: Plan) -> Iterator[str]:
    """Yield what of the space changes no game, and why, and how many rule sets play alike."""
    from sim.design import cells
    from sim.notes import never_acting
    from sim.tuning.plan import exploration

    base, asked = tune.base, exploration(tune, plan)
    rule_sets = [variant.rules for variant in asked.variants]
    inert = never_acting(tune.space, rule_sets, base.players, base.lineups)
    for option, reasons in inert.items():
        yield f"{option} is inert: {'; '.join(reasons)}"
    games: dict[str, tuple[int, ...]] = {}
    for cell in cells(asked):
        games[cell.variant] = (*games.get(cell.variant, ()), cell.player)
    if same := len(games) - len(set(games.values())):
        share = "rule set shares" if same == 1 else "rule sets share"
        yield f"{same:,} {share} the games of another, from which nothing that acts differs"


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(str(number) for number in numbers)


def _refuse_too_large(plan: Plan, yes: bool) -> None:
    """Refuse what cannot be told with the budget, and what nobody may have meant.

    Raises:
        UsageFault: the budget does not reach the first look, or there are too many cells.
    """
    from sim.stored import MAX_CELLS

    if plan.cells > MAX_CELLS and not yes:
        raise UsageFault(
            f"this is more than {MAX_CELLS:,} cells; narrow the space, the players or the "
            "line-ups, or say --yes if it is meant"
        )
    if plan.too_small:
        raise UsageFault(
            f"budget: {plan.games:,} games do not reach the first look at every rule set, and at "
            f"one on fresh deals; allowed is about {plan.least:,} and more, or a smaller space"
        )
