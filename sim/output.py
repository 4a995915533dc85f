"""What goes to a terminal: text that does nothing there, to streams that survive their readers."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from typing import TextIO

import click


def visible(text: str) -> str:
    """Replace what no terminal, page or picture should act on: control and format characters."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def visible_lines(text: str) -> str:
    """Do the same to lines of text."""
    return "\n".join(map(visible, text.split("\n")))


def counted(number: int, noun: str) -> str:
    """Say how many of something there are, such as ``1 cell`` or ``2,000 cells``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def say(text: str, err: bool = False) -> None:
    """Print lines for a person; whatever names are in them, they are only letters there."""
    click.echo(visible_lines(text), err=err)


def say_usage(fault: click.ClickException) -> None:
    """Print what click has to say of a command line, to stderr."""
    told = io.StringIO()
    fault.show(told)
    say(told.getvalue().expandtabs(2).rstrip("\n"), err=True)


class _Drain(io.FileIO):
    """A file that takes everything; what cannot be written is dropped, and the reason noted."""

    fault: OSError | None = None

    def write(self, data: object) -> int:
        view = memoryview(data)  # type: ignore[arg-type]
        try:
            written: int | None = super().write(view)
        except OSError as fault:
            self.fault = fault
            return len(view)
        if written is None:  # it does not block, and is full
            self.fault = BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            return len(view)
        return written


def drop_what_cannot_be_written() -> Callable[[], OSError | None]:
    """Let a command go on when its output cannot be written, as with ``sim run X | head -1``.

    Letters that the terminal's encoding lacks are replaced, never an error.

    Returns:
        A function that flushes standard output and says what, if anything, kept a reader who was
        still there from getting all of it.
    """
    _open_what_is_closed()
    drain, sys.stdout = _drained(1, sys.stdout, "replace")
    _, sys.stderr = _drained(2, sys.stderr, "backslashreplace")

    def lost() -> OSError | None:
        sys.stdout.flush()
        gone = drain.fault is None or drain.fault.errno == errno.EPIPE
        return None if gone else drain.fault

    return lost


def _open_what_is_closed() -> None:
    """Open a standard stream that was closed to nowhere, or the next file would be taken for it."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


def _drained(descriptor: int, stream: TextIO | None, errors: str) -> tuple[_Drain, TextIO]:
    """Return a stream in place of one; what somebody put there that is no file of the system stays.

    Returns:
        What drains it, and the stream.
    """
    drain = _Drain(descriptor, "w", closefd=False)
    encoding = "utf-8"
    if stream is not None:
        stream.flush()
        encoding = stream.encoding
        try:
            stream.fileno()
        except OSError:
            return drain, stream
    return drain, io.TextIOWrapper(io.BufferedWriter(drain), encoding, errors, line_buffering=True)
