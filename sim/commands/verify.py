"""`sim verify`: whether a run's data are what was written."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sim.errors import DataDamaged
from sim.output import say


@click.command("verify")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The result as one JSON object.")
def command(run: Path, as_json: bool) -> None:
    """Check every part of the run directory RUN, and print the hash of its data."""
    from sim.store import open_run

    opened = open_run(run)
    health = opened.health()
    if health.faults:
        told = "\n  ".join(health.faults)
        raise DataDamaged(
            f"{run}: damaged:\n  {told}\nplay these again with sim run and --resume; "
            f"{health.parts} other parts are sound"
        )
    data_hash = opened.data_hash()
    if opened.done is not None and opened.done["data_hash"] != data_hash:
        raise DataDamaged(
            f"{run}: every part is as the ledger lists it, but together they are not what "
            "DONE.json says: somebody changed them. Play it again in another directory"
        )
    found = {
        "parts": health.parts,
        "rows": health.rows,
        "missing_blocks": health.missing_blocks,
        "data_hash": data_hash,
    }
    if as_json:
        click.echo(json.dumps(found))
        return
    say(f"{health.parts} parts with {health.rows:,} rows are as they were written")
    if health.missing_blocks:
        say(f"the run is unfinished: {health.missing_blocks:,} blocks are missing")
    say(f"data hash {found['data_hash']}")
