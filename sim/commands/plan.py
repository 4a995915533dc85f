"""`sim plan`: what an experiment will take, from a pilot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sim.commands.options import allow_code
from sim.output import counted, say

if TYPE_CHECKING:
    from sim.pilot import Need, Plan


@click.command("plan")
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Override a key.")
@click.option("--json", "as_json", is_flag=True, help="The plan as one JSON object.")
@allow_code
def command(experiment: Path, settings: tuple[str, ...], as_json: bool, allow_code: bool) -> None:
    """Play a pilot of EXPERIMENT; say what games, time and disk its precision takes."""
    from sim.experiment import load

    loaded = load(experiment, settings, allow_code=allow_code)
    from sim.pilot import plan
    from sim.progress import say_if_compiling
    from sim.runner import available_cores

    say_if_compiling()
    found = plan(loaded)
    if as_json:
        click.echo(json.dumps(told(found, available_cores()), indent=2, allow_nan=False))
        return
    for line in lines(found, available_cores(), loaded.variants[0].name):
        say(line)


def told(plan: Plan, workers: int) -> dict[str, Any]:
    """Return a plan as plain data."""
    return {
        "metric": plan.metric.name,
        "unit": plan.metric.unit,
        "games": plan.games,
        "most_games": plan.most_games,
        "seconds": plan.seconds / workers,
        "workers": workers,
        "bytes": plan.bytes,
        "pilot_games": plan.pilot_games,
        "needs": [
            {
                "variant": need.cell.variant,
                "players": need.cell.players,
                "lineup": need.cell.lineup,
                "of": "difference" if need.difference else "level",
                "half_width": need.half_width,
                "games": need.games,
                "budget": need.cell.games,
                "smallest_effect": need.smallest_effect,
                "variance_ratio": need.variance_ratio,
            }
            for need in plan.needs
        ],
    }


def lines(plan: Plan, workers: int, base: str) -> Iterator[str]:
    """Yield a plan in lines of text; `base` is the variant that is subtracted."""
    yield f"{plan.metric.name}, in {plan.metric.unit}; from a pilot of {plan.pilot_games:,} games"
    of_setting = groupby(plan.needs, lambda need: (need.cell.players, need.cell.lineup))
    for (players, lineup), needs in of_setting:
        yield ""
        yield f"{players} players, {lineup}"
        for need in needs:
            yield f"  {need.cell.variant}{f' minus {base}' if need.difference else ''}"
            yield from (f"    {line}" for line in _need(need))
    yield ""
    most = "" if plan.games == plan.most_games else f" (at most {plan.most_games:,})"
    yield f"about {plan.games:,} games in all{most}"
    yield (
        f"about {plan.seconds / workers:,.0f} s with {counted(workers, 'worker')} on an idle "
        f"machine, and {plan.bytes / 1e6:,.1f} MB"
    )


def _need(need: Need) -> Iterator[str]:
    if need.games == 0:
        yield "exactly 0 without playing: the games are the same"
        return
    if need.games is None or need.smallest_effect is None:
        yield "the pilot saw nothing vary, so it cannot say"
    else:
        beyond = ", more than there are" if need.games > need.cell.games else ""
        yield f"to ±{need.half_width:g}: about {need.games:,} games{beyond}"
        yield f"visible with {need.cell.games:,} games: {need.smallest_effect:.2g} and more"
    if need.variance_ratio is not None:
        yield f"pairing: without it the difference to the first takes {need.variance_ratio:.1f}×"
