"""`sim check`: what an experiment says, resolved, without playing."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sim.commands.options import allow_code
from sim.output import say


@click.command("check")
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Override a key.")
@allow_code
@click.option("--json", "as_json", is_flag=True, help="The resolved experiment as JSON.")
def command(experiment: Path, settings: tuple[str, ...], allow_code: bool, as_json: bool) -> None:
    """Check an experiment file and print what it says, resolved."""
    from sim.experiment import load

    loaded = load(experiment, settings, allow_code=allow_code)
    if as_json:
        click.echo(json.dumps(loaded.to_dict(), indent=2))
        return
    from sim.summary import summary

    for line in summary(loaded):
        say(line)
