"""Options that several commands share."""

import click

allow_code = click.option(
    "--allow-code",
    is_flag=True,
    help="Run the strategy files that the experiment names; read them first.",
)
