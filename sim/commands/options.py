"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., None])

MOST_JOBS = 256

allow_code = click.option(
    "--allow-code",
    is_flag=True,
    help="Run the strategy files that the experiment names; read them first.",
)

_PLAYED_WITH = (
    click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Override a key."),
    click.option("--jobs", type=click.IntRange(1, MOST_JOBS), help="Workers (default: all cores)."),
    click.option(
        "--backend",
        type=click.Choice(["threading", "loky"]),
        default="threading",
        show_default=True,
        help="Workers are threads, or processes: faster for strategies in plain Python.",
    ),
    click.option("--chunk", type=click.IntRange(1, 10**9), help="Games in a part of the data."),
)


def played_with(command: Command) -> Command:
    """Add what every command that plays takes, from ``--set`` to ``--chunk``."""
    for option in reversed(_PLAYED_WITH):
        command = option(command)
    return command
