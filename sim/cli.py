"""The command line: thin, and lazy, so that help is quick.

Each command is a module of `sim.commands` with one click command called `command`.
"""

from __future__ import annotations

import importlib
import os
import sys

import click

from sim import __version__
from sim.endings import code_of

COMMANDS: tuple[str, ...] = (
    "run",
    "plan",
    "tune",
    "show",
    "report",
    "compare",
    "check",
    "check-strategy",
    "rules",
    "list",
    "moves",
    "replay",
    "verify",
    "schema",
)


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, importing its module, or None."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"sim.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is asked for; one that is misspelled is refused with a guess."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from sim.settings import did_you_mean

            ctx.fail(f"No such command {args[0]!r}{did_you_mean(args[0], COMMANDS)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with the whole first sentence of its help."""
        found = ((name, self.get_command(ctx, name)) for name in COMMANDS)
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, one.get_short_help_str(limit=200)) for name, one in found if one]
            )


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sim")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Play Elewenjewe by the million, and learn what its house rules do."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        ctx.color = False


def main() -> None:
    """Run the command line; `sim.endings` tells how it can end."""
    sys.exit(code_of("sim", lambda: cli.main(prog_name="sim", standalone_mode=False)))
