"""`sim show RUN`: the stored answer of a run, told again from its directory alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sim.commands.options import allow_code
from sim.errors import UsageFault


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--metric", metavar="NAME", help="Tell of one metric; sim list metrics has all.")
@click.option("--by", metavar="LIST", help="Of variant,players,lineup; the rest is averaged over.")
@allow_code
@click.option("--json", "as_data", is_flag=True, help="Print every number as one JSON object.")
def command(run: Path, metric: str | None, by: str | None, allow_code: bool, as_data: bool) -> None:
    """Print the answer of the run directory RUN again, or what it says of one metric."""
    if by is not None and metric is None:
        raise UsageFault("--by goes with --metric NAME")
    if allow_code and metric is None:
        raise UsageFault("--allow-code goes with --metric NAME: the answer itself runs no file")
    from sim.store import open_run
    from sim.tuning import is_tune

    if is_tune(run):
        if metric is not None:
            raise UsageFault(f"{run} is a tune; ask for metrics of {run}/explore or {run}/fresh")
        _show_tune(run, as_data)
        return
    if metric is None:
        from reports import answers

        opened = open_run(run)
        if as_data:
            _dump(answers.as_json(opened))
        else:
            answers.show(opened, _console())
        return
    from reports import listing
    from sim.answers.questions import parse_by, registered
    from sim.stats.metrics import BY_NAME

    entry = registered(metric)
    if by is not None and entry.name not in BY_NAME:
        raise UsageFault(f"{entry.name} is told of each cell by itself; leave out --by")
    names = parse_by(by.split(",") if by else [])
    opened = open_run(run, allow_code)
    if as_data:
        _dump(listing.metric_json(opened, entry, names))
    else:
        listing.show_metric(opened, entry, names, _console())


def _show_tune(path: Path, as_data: bool) -> None:
    from reports import tuned
    from sim.tuning.directory import open_tune

    answer = open_tune(path).answer()
    if as_data:
        _dump(answer.as_json())
    else:
        tuned.show(answer, _console())


def _dump(data: dict[str, Any]) -> None:
    click.echo(json.dumps(data, indent=2, allow_nan=False))


def _console() -> Any:
    from rich.console import Console

    return Console()
