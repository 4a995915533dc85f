"""`sim check`: what an experiment says, resolved, without playing."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command("check")
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Override a key.")
@click.option("--json", "as_json", is_flag=True, help="The resolved experiment as JSON.")
def command(experiment: Path, settings: tuple[str, ...], as_json: bool) -> None:
    """Check an experiment file and print what it says, resolved."""
    from sim.experiment import load

    loaded = load(experiment, settings)
    if as_json:
        click.echo(json.dumps(loaded.to_dict(), ensure_ascii=False, indent=2))
        return
    from sim.summary import summary

    for line in summary(loaded):
        click.echo(line)
