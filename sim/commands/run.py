"""`sim run`: play an experiment and answer its question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sim.commands.options import allow_code, played_with
from sim.output import counted, say

if TYPE_CHECKING:
    from sim.experiment import Experiment
    from sim.runner import Backend, Progress

MOST_GAMES = 10**12


@click.command("run")
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The run directory.")
@played_with
@click.option("--resume", is_flag=True, help="Go on with an unfinished or damaged run.")
@click.option(
    "--extend",
    type=click.IntRange(1, MOST_GAMES),
    metavar="N",
    help="Add N games to each cell of a finished run.",
)
@click.option("--ignore-space", is_flag=True, help="Begin even if the disk seems too small.")
@allow_code
def command(
    experiment: Path,
    settings: tuple[str, ...],
    out: Path | None,
    jobs: int | None,
    backend: Backend,
    chunk: int | None,
    resume: bool,
    extend: int | None,
    ignore_space: bool,
    allow_code: bool,
) -> None:
    """Play the experiment file EXPERIMENT and print the answer to its question."""
    from sim.experiment import load

    loaded = load(experiment, settings, allow_code=allow_code)
    from rich.console import Console

    from reports import answers
    from sim.progress import Display, say_if_compiling, say_speed
    from sim.runner import available_cores, run
    from sim.store import directory_name

    path = out or Path("runs") / directory_name(loaded)
    for line in _header(loaded):
        say(line)
    if extend:
        say(f"{extend:,} games a cell are added to the run in {path}")
    with Display() as display:

        def begin(total: int, there: int) -> Progress:
            say_if_compiling()
            return display.begin(total, there, loaded.games_are_fixed)

        outcome = run(
            loaded,
            path,
            jobs=jobs or available_cores(),
            chunk_games=chunk,
            resume=resume,
            extend=extend or 0,
            ignore_space=ignore_space,
            backend=backend,
            begin=begin,
        )
    for what in outcome.mended:
        say(f"It was damaged, and is mended: {what}")
    if not outcome.seconds:
        say("This experiment was played before; here is its answer.")
    click.echo()
    answers.write(outcome.run, Console())
    say(f"Data: {path}")
    if outcome.run.done is None:
        say("The run is partial: its time was over. Go on with the same command and --resume")
    else:
        say(f"Data hash: {outcome.run.done['data_hash']}")
    say_speed(outcome.played, outcome.seconds, outcome.kernel_seconds)


def _header(experiment: Experiment) -> list[str]:
    from sim.design import cells, own_games
    from sim.summary import stops_when

    planned = own_games(cells(experiment))
    games = sum(cell.games for cell in planned)
    most = "" if experiment.games_are_fixed else "at most "
    lines = [
        experiment.question,
        f"seed {experiment.seed}, {counted(len(planned), 'cell')}, {most}{games:,} games in all",
        *stops_when(experiment),
    ]
    if any(cell.games != experiment.games for cell in planned):
        lines.append(f"({experiment.games:,} a cell, rounded up to whole blocks of deals)")
    if games > experiment.keep_games:
        lines.append(
            f"rows of single games are kept for the first {experiment.keep_games:,} games, shared "
            "between the cells; block sums for all"
        )
    if slow := [one.name for one in experiment.strategies if not one.compiled]:
        lines.append(
            f"{', '.join(slow)}: plain Python, some thousand times slower than compiled; "
            "--backend loky spreads it over processes"
        )
    return lines
