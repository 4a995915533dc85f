"""`sim schema`: the JSON Schema of experiment files, for editors."""

from __future__ import annotations

import json

import click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of experiment files.

    A file that opens with "# yaml-language-server: $schema=experiment.schema.json" is checked and
    completed by editors that know the YAML language server.
    """
    from sim.schema import schema

    click.echo(json.dumps(schema(), ensure_ascii=False, indent=2))
