"""`sim report RUN`: the variant-balance report of a run, one HTML file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sim.output import say


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--figures", is_flag=True, help="Also write every picture as PNG and PDF.")
@click.option("--json", "as_data", is_flag=True, help="Print every number of the page instead.")
def command(run: Path, figures: bool, as_data: bool) -> None:
    """Write the report of the run directory RUN: RUN/report/index.html, whole in itself."""
    from reports import report
    from sim.store import open_run
    from sim.tuning import is_tune

    if is_tune(run):
        _report_tune(run, figures, as_data)
        return
    opened = open_run(run)
    if as_data:
        click.echo(json.dumps(report.as_json(opened), indent=2, allow_nan=False))
        return
    say(str(report.write(opened, figures)))


def _report_tune(path: Path, figures: bool, as_data: bool) -> None:
    from reports import tune_report
    from sim.tuning.directory import open_tune

    opened = open_tune(path)
    if as_data:
        click.echo(json.dumps(opened.answer().as_json(), indent=2, allow_nan=False))
    else:
        say(str(tune_report.write(opened, figures)))
