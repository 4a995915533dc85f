"""`sim schema`: the JSON Schemas of experiment and tune files, for editors."""

from __future__ import annotations

import json

import click


@click.command("schema")
@click.option("--tune", is_flag=True, help="That of tune files.")
def command(tune: bool) -> None:
    """Print the JSON Schema of experiment files, or with --tune that of tune files.

    A file that opens with "# yaml-language-server: $schema=experiment.schema.json" is checked and
    completed by editors that know the YAML language server.
    """
    if tune:
        from sim.tuning.schema import schema
    else:
        from sim.schema import schema

    click.echo(json.dumps(schema(), ensure_ascii=False, indent=2))
