"""`sim compare RUN_A RUN_B`: what changed between two runs that played the same deals."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sim.errors import UsageFault


@click.command()
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
@click.option("--metric", metavar="NAME", help="What to compare (default: RUN_A's primary metric).")
@click.option("--json", "as_data", is_flag=True, help="Print every number as one JSON object.")
def command(run_a: Path, run_b: Path, metric: str | None, as_data: bool) -> None:
    """Print a metric of RUN_A minus that of RUN_B, on the deals that both played.

    Both must have the same seed, and players, line-ups and variants in common.
    """
    from sim.answers.comparison import compare
    from sim.answers.questions import registered
    from sim.stats.metrics import BY_NAME
    from sim.store import open_run

    entry = None if metric is None else registered(metric)
    if entry is not None and entry.name not in BY_NAME:
        raise UsageFault(f"{entry.name} is not told of single cells, so runs have no difference")
    chosen = None if entry is None else BY_NAME[entry.name]
    compared = compare(open_run(run_a), open_run(run_b), chosen)
    if as_data:
        click.echo(json.dumps(compared.as_json(), indent=2, allow_nan=False))
        return
    from rich.console import Console

    from reports import listing

    listing.show_comparison(compared, Console())
