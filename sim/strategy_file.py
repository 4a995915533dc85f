"""Users' strategies: one Python file, read and run only by whoever asks for it.

An experiment names one as ``mine.py:name``, the path relative to the experiment file. What is
run is exactly the bytes that were hashed; nothing else of the file is looked at again.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from types import ModuleType

from sim.errors import UsageFault
from sim.settings import did_you_mean
from sim.strategy import Strategy, StrategyFile

MAX_BYTES = 256 * 1024
FORM = "FILE.py:NAME"
PATTERN = r"^[^/].*\.py:[A-Za-z_][A-Za-z0-9_]*$"
"""What a reference looks like (a regular expression that JSON Schema understands too)."""

REFUSAL = (
    "is a program, which would run with all your rights; read it first, and if you trust it, "
    "add --allow-code"
)


def parse_reference(text: str) -> tuple[str, str] | None:
    """Return path and function of ``mine.py:name``, or None if `text` is nothing of the kind."""
    if not re.match(PATTERN, text) or not text.isprintable():
        return None
    path, _, function = text.rpartition(":")
    return str(PurePosixPath(path)), function


def read(folder: Path, path: str) -> StrategyFile:
    """Read a strategy file without running it.

    Args:
        folder: where the experiment file lies.
        path: relative to it.

    Raises:
        UsageFault: it cannot be read, or is too large.
    """
    from hashlib import sha256

    place = folder / path
    try:
        with place.open("rb") as file:
            source = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise UsageFault(f"{place} cannot be read: {fault.strerror}") from fault
    if len(source) > MAX_BYTES:
        raise UsageFault(f"{place} is larger than {MAX_BYTES // 1024} KiB; a strategy is a page")
    return StrategyFile(path, sha256(source).hexdigest(), place, source)


def strategy_of(file: StrategyFile, function: str) -> Strategy:
    """Run a strategy file and return one of its strategies, named ``mine.py:name``.

    Raises:
        UsageFault: it fails as it is run, or has no such strategy; the message has file and line.
    """
    module = _run(file)
    found = vars(module).get(function)
    if isinstance(found, Strategy):
        return replace(found, name=f"{file.path}:{function}", file=file)
    if found is not None:
        raise UsageFault(
            f"{file.place}: {function} is no strategy; put @strategy(wants=...) of sim.strategy "
            "over its function"
        )
    there = [name for name, value in vars(module).items() if isinstance(value, Strategy)]
    raise UsageFault(
        f"{file.place} has no strategy {function!r}{did_you_mean(function, there)}; "
        f"it has {', '.join(there) or 'none'}"
    )


@cache
def _run(file: StrategyFile) -> ModuleType:
    module = ModuleType(f"strategy_file_{file.sha256[:16]}")
    module.__file__ = str(file.place)
    sys.modules[module.__name__] = module
    try:
        exec(compile(file.source, str(file.place), "exec", dont_inherit=True), vars(module))
    except (Exception, SystemExit) as fault:
        raise UsageFault(f"{describe(fault, file)}; mend the file") from fault
    return module


def describe(fault: BaseException, file: StrategyFile | None = None) -> str:
    """Say what went wrong and, if it did so in `file`, in which line: ``mine.py:3: ...``."""
    told = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
    if file is None:
        return told
    if isinstance(fault, SyntaxError) and fault.filename == str(file.place):
        return f"{file.place}:{fault.lineno}: {type(fault).__name__}: {fault.msg}"
    frames = traceback.extract_tb(fault.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file.place)]
    return f"{file.place}:{lines[-1]}: {told}" if lines else f"{file.place}: {told}"


def files_of(strategies: Iterable[Strategy]) -> list[StrategyFile]:
    """Return the files that `strategies` come from, each once, by path."""
    files = {one.file.path: one.file for one in strategies if one.file is not None}
    return [files[path] for path in sorted(files)]
