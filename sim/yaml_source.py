"""The one module that knows YAML: strict text to plain data, with the place of every key.

Source: YAML 1.2 through ruamel.yaml's event parser. Refused, each with its place: files over
64 KiB, deep or huge structures, anchors, aliases, tags, merge keys, duplicate or odd keys, several
documents, directives, and numbers written in ways that programs read differently (``1e6``, ``010``,
``1_000``, ``0x10``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from sim.errors import UsageFault

MAX_BYTES = 64 * 1024
MAX_DEPTH = 12
MAX_NODES = 10_000
SHOWN = 10

KeyPath = tuple[str | int, ...]

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
_LIKE_A_NUMBER = re.compile(
    r"[-+]?(\.?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|0[xob][0-9a-fA-F_]+|\.(inf|nan))", re.I
)
MAX_DIGITS = 18


@dataclass(frozen=True)
class Problem:
    """Something wrong at a place: what was found, what is allowed, what to do.

    Attributes:
        path: keys and positions that lead there.
        message: the rest of the sentence.
        at_key: the place is the key, not its value.
    """

    path: KeyPath
    message: str
    at_key: bool = False


def path_text(path: KeyPath) -> str:
    """Write a key path as a person would: ``lineups.mixed[1]``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


@dataclass
class Source:
    """A YAML text, read: its plain data, and where each key and value stands.

    Attributes:
        name: the file, or the option, that it came from.
        lines: the text.
        data: dicts, lists, str, int, float, bool, None.
        values, keys: 0-based (line, column) of each value and key, by path.
        overridden: paths whose value is from the command line, and the key given there.
    """

    name: str
    lines: list[str]
    data: Any = None
    values: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)
    keys: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)
    overridden: dict[KeyPath, str] = field(default_factory=dict)

    def fault(self, problems: Sequence[Problem]) -> UsageFault:
        """Return the fault that tells all `problems`, each with its place and line."""
        told = list(dict.fromkeys(self._tell(problem) for problem in problems))
        if (more := len(told) - SHOWN) > 0:
            told[SHOWN:] = [f"and {more} more"]
        return UsageFault("\n".join(told))

    def _tell(self, problem: Problem) -> str:
        path = problem.path
        for length in range(1, len(path) + 1):
            if path[:length] in self.overridden:
                return f"--set {self.overridden[path[:length]]}: {problem.message}"
        known = self.keys if problem.at_key else self.values
        while path and path not in known:
            path = path[:-1]
        where = known.get(path)
        label = path_text(problem.path)
        message = f"{label}: {problem.message}" if label else problem.message
        if where is None:
            return f"{self.name}: {message}"
        return self.point(where, message)

    def point(self, where: tuple[int, int], message: str) -> str:
        """Return a message with its place, the line it is on, and a caret under it."""
        line, column = where
        text = f"{self.name}:{line + 1}:{column + 1}: {message}"
        if line < len(self.lines):
            shown = self.lines[line].replace("\t", " ")[:200]
            text += f"\n  {line + 1:4} | {shown}\n       | {' ' * min(column, 200)}^"
        return text


def read_file(path: Path) -> Source:
    """Read a YAML file.

    Raises:
        UsageFault: it cannot be read, or is not acceptable YAML; see the module.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise UsageFault(f"{path}: cannot be read: {fault.strerror}") from fault
    if len(raw) > MAX_BYTES:
        raise UsageFault(
            f"{path}: is larger than {MAX_BYTES // 1024} KiB; an experiment is a page of text, "
            "and a factor grid says much in few lines"
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise UsageFault(f"{path}: is not UTF-8 text (byte {fault.start + 1})") from fault
    return read_text(text, str(path))


def read_text(text: str, name: str) -> Source:
    """Read a YAML text; `name` stands for it in messages.

    Raises:
        UsageFault: it is not acceptable YAML; see the module.
    """
    source = Source(name, text.splitlines())
    for number, line in enumerate(source.lines):
        if odd := re.search(r"[\x00-\x08\x0b-\x1f\x7f\ufeff]", line):
            code = f"U+{ord(odd[0]):04X}"
            raise UsageFault(source.point((number, odd.start()), f"the character {code} is here"))
        if line.startswith("%"):
            raise UsageFault(source.point((number, 0), "directives are not allowed; delete it"))
    try:
        _Reader(source, text).read()
    except MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        where = (mark.line, mark.column) if mark else (0, 0)
        message = f"this is not YAML: {fault.problem or fault.context}"
        raise UsageFault(source.point(where, message)) from fault
    except (YAMLError, ValueError, RecursionError) as fault:
        raise UsageFault(f"{name}: this is not YAML: {fault}") from fault
    return source


class _Reader:
    """Builds plain data from parser events, and refuses on the way what is not acceptable."""

    def __init__(self, source: Source, text: str) -> None:
        self.source = source
        self.events = iter(YAML(typ="safe", pure=True).parse(text))
        self.nodes = 0
        self.path: KeyPath = ()

    def read(self) -> None:
        documents = 0
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.refuse(event, "a second document begins here; a file holds one")
                self.source.data = self.node(next(self.events), ())
                self.path = ()

    def refusal(self, event: Any, message: str) -> UsageFault:
        mark = event.start_mark
        label = path_text(self.path)
        told = f"{label}: {message}" if label else message
        return UsageFault(self.source.point((mark.line, mark.column), told))

    def refuse(self, event: Any, message: str) -> None:
        raise self.refusal(event, message)

    def node(self, event: Any, path: KeyPath) -> Any:
        self.nodes += 1
        self.path = path
        if self.nodes > MAX_NODES:
            self.refuse(event, f"there are more than {MAX_NODES:,} values")
        if len(path) > MAX_DEPTH:
            self.refuse(event, f"this is nested more than {MAX_DEPTH} deep")
        if isinstance(event, AliasEvent):
            self.refuse(event, f"aliases are not allowed; write out what *{event.anchor} means")
        if event.anchor is not None:
            self.refuse(event, "anchors are not allowed; write values where they are used")
        if getattr(event, "tag", None) is not None:
            self.refuse(event, f"tags are not allowed; delete {event.tag}")
        self.source.values[path] = (event.start_mark.line, event.start_mark.column)
        if isinstance(event, MappingStartEvent):
            return self.mapping(path)
        if isinstance(event, SequenceStartEvent):
            return self.sequence(path)
        return self.scalar(event)

    def mapping(self, path: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(self.events), MappingEndEvent):
            self.path = path
            if not isinstance(event, ScalarEvent):
                self.refuse(event, "a key must be a word")
            key = self.scalar(event) if event.anchor is None and event.tag is None else None
            if event.value == "<<" and event.style is None:
                self.refuse(event, "merge keys (<<) are not allowed; write values where they go")
            if not isinstance(key, str):
                raise self.refusal(event, f"the key {event.value!r} is no word; put it in quotes")
            if key in found:
                first = self.source.keys[(*path, key)][0] + 1
                self.refuse(event, f"{key!r} is here twice, first in line {first}; keep one")
            self.source.keys[(*path, key)] = (event.start_mark.line, event.start_mark.column)
            found[key] = self.node(next(self.events), (*path, key))
        return found

    def sequence(self, path: KeyPath) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := next(self.events), SequenceEndEvent):
            found.append(self.node(event, (*path, len(found))))
        return found

    def scalar(self, event: Any) -> Any:
        text = event.value
        if event.style is not None:
            return text
        if text in ("true", "false"):
            return text == "true"
        if text in ("null", "~", ""):
            return None
        if _INTEGER.fullmatch(text) and text != "-0":
            if len(text) > MAX_DIGITS:
                self.refuse(event, f"a number of {len(text)} digits is too large")
            return int(text)
        if _DECIMAL.fullmatch(text):
            return float(text)
        if _LIKE_A_NUMBER.fullmatch(text):
            self.refuse(
                event,
                f"found {text}; write numbers with digits only, such as 1000000 or 0.005 "
                "(or put it in quotes if it is a name)",
            )
        return text
