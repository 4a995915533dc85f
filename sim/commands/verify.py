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
    from sim.tuning import is_tune

    if is_tune(run):
        _verify_tune(run, as_json)
        return
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


def _verify_tune(path: Path, as_json: bool) -> None:
    """Check both stages of a tune, and that its answer is that of their data.

    Raises:
        DataDamaged: something is not what was written.
    """
    from sim.tuning.directory import ANSWER, open_tune, read_answer

    opened = open_tune(path)
    found = {run.path.name: run.health() for run in opened.stages}
    if faults := [f"{name}/{one}" for name, own in found.items() for one in own.faults]:
        told = "\n  ".join(faults)
        raise DataDamaged(f"{path}: damaged:\n  {told}\nplay these again: sim tune and --resume")
    hashes = {run.path.name: run.data_hash() for run in opened.stages}
    answered = (path / ANSWER).exists()
    if answered and (stored := read_answer(path)["data"]) != hashes:
        raise DataDamaged(f"{path / ANSWER}: rests on data {stored}, but there is {hashes}")
    parts = sum(own.parts for own in found.values())
    if as_json:
        click.echo(json.dumps({"parts": parts, "finished": answered, "data_hashes": hashes}))
        return
    say(f"{parts} parts are as they were written")
    say("the answer rests on them" if answered else "the tune is unfinished")
    for name, own in hashes.items():
        say(f"data hash of {name} {own}")
