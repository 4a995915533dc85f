"""`sim verify`: whether a run's data are what was written."""

from __future__ import annotations

import json
import math
from pathlib import Path

import click

from sim.errors import DataDamaged
from sim.output import counted, say


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
    rows = counted(health.rows, "row")
    say(f"{counted(health.parts, 'part')} with {rows}, all as they were written")
    if health.missing_blocks:
        say(f"the run is unfinished: {counted(health.missing_blocks, 'block')} missing")
    say(f"data hash {found['data_hash']}")


def _verify_tune(path: Path, as_json: bool) -> None:
    """Check both stages of a tune, and that its answer is that of their data.

    Raises:
        DataDamaged: something is not what was written.
    """
    from sim.tuning.directory import ANSWER, finished, open_tune, read_answer

    opened = open_tune(path)
    found = {run.path.name: run.health() for run in opened.stages}
    if faults := [f"{name}/{one}" for name, own in found.items() for one in own.faults]:
        told = "\n  ".join(faults)
        raise DataDamaged(f"{path}: damaged:\n  {told}\nplay these again: sim tune and --resume")
    hashes = {run.path.name: run.data_hash() for run in opened.stages}
    if answered := finished(path):
        stored = read_answer(path)
        if stored["data"] != hashes:
            raise DataDamaged(
                f"{path / ANSWER}: rests on data {stored['data']}, but there is {hashes}"
            )
        if not _alike(stored, json.loads(json.dumps(opened.answer().as_json()))):
            raise DataDamaged(
                f"{path / ANSWER}: it is not what follows from the data beside it; somebody "
                "changed it, or another version of the program wrote it. Remove it, and sim tune "
                "with --resume writes it again"
            )
    parts = sum(own.parts for own in found.values())
    if as_json:
        click.echo(json.dumps({"parts": parts, "finished": answered, "data_hashes": hashes}))
        return
    say(f"{counted(parts, 'part')}, all as they were written")
    say("the answer rests on them" if answered else "the tune is unfinished")
    for name, own in hashes.items():
        say(f"data hash of {name} {own}")


def _alike(one: object, other: object) -> bool:
    """Whether two JSON values are the same, but for the last bits of another processor's sums."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other
