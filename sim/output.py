"""Standard output that survives its reader: what cannot be written any more is dropped."""

from __future__ import annotations

import io
import sys


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
