"""What goes to a terminal: text that does nothing there, to a stream that survives its reader."""

from __future__ import annotations

import io
import sys

import click


def visible(text: str) -> str:
    """Replace what no terminal, page or picture should act on: control and format characters."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def say(text: str, err: bool = False) -> None:
    """Print lines for a person; whatever names are in them, they are only letters there."""
    click.echo("\n".join(map(visible, text.split("\n"))), err=err)


def say_usage(fault: click.ClickException) -> None:
    """Print what click has to say of a command line, to stderr."""
    told = io.StringIO()
    fault.show(told)
    say(told.getvalue().rstrip("\n"), err=True)


class _Pipe(io.FileIO):
    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            return len(memoryview(data))  # type: ignore[arg-type]


def survive_closed_pipe() -> None:
    """Let a run go on when whoever reads its output has gone, as with ``sim run X | head -1``.

    Letters that the terminal's encoding lacks are replaced, never an error.
    """
    stream = sys.stdout
    if stream is None:
        return
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError, AttributeError):
        return
    stream.flush()
    raw = io.BufferedWriter(_Pipe(descriptor, "w", closefd=False))
    sys.stdout = io.TextIOWrapper(raw, stream.encoding, "replace", line_buffering=True)
