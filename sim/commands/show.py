"""`sim show RUN`: the stored answer of a run, told again from its directory alone."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_data", is_flag=True, help="Print every number as one JSON object.")
def command(run: Path, as_data: bool) -> None:
    """Print the answer of the run directory RUN again."""
    from reports import answers
    from sim.store import open_run

    opened = open_run(run)
    if as_data:
        click.echo(json.dumps(answers.as_json(opened), indent=2, allow_nan=False))
        return
    from rich.console import Console

    answers.show(opened, Console())
