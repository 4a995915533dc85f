"""The one module that knows YAML: strict text to plain data, with the place of every key.

Source: YAML 1.2 through ruamel.yaml's event parser. Refused, each with its place: files over
64 KiB, deep or huge structures, anchors, aliases, tags, merge keys, duplicate or odd keys, several
documents, directives, control characters, and numbers written in ways that programs read
differently (``1e6``, ``010``, ``1_000``, ``0x10``).
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
MAX_DIGITS = 19
"""Of a whole number; seeds, which are below 2^63, have as many."""

MAX_DECIMAL = 40

_HINTS = {
    "mapping values are not allowed here": "; put a text that has a colon in quotes",
    "'\\t'": "; indent with spaces, not with tabs",
}
"""What to do about what a person writes by mistake, by what the parser says of it."""

_LINE_END = re.compile(r"\r\n|\n")
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""Characters that nobody sees and programs read differently, ends of lines among them."""


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
        refused: paths whose value is not as written, and why, told with its place.
    """

    name: str
    lines: list[str]
    data: Any = None
    values: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)
    keys: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)
    overridden: dict[KeyPath, str] = field(default_factory=dict)
    refused: list[tuple[KeyPath, str]] = field(default_factory=list)

    def fault(self, problems: Sequence[Problem] = ()) -> UsageFault:
        """Return the fault that tells what was refused and all `problems`, each with its place.

        Problems with a value that was refused are left out: they may come from that.
        """
        known = {path for path, _ in self.refused}
        own = [one for one in problems if not any(one.path[:n] in known for n in _lengths(one))]
        told = list(dict.fromkeys([*(told for _, told in self.refused), *map(self._tell, own)]))
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


def _lengths(problem: Problem) -> range:
    return range(len(problem.path) + 1)


def read_file(path: Path) -> Source:
    """Read a YAML file. What it `refused` is for the caller to tell, with what else is wrong.

    Raises:
        UsageFault: it cannot be read, or is no YAML to its end; see the module.
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
    return _parse(text.removeprefix("\ufeff"), str(path))


def read_text(text: str, name: str) -> Source:
    """Read a YAML text; `name` stands for it in messages.

    Raises:
        UsageFault: it is not acceptable YAML; see the module.
    """
    source = _parse(text, name)
    if source.refused:
        raise source.fault()
    return source


def _parse(text: str, name: str) -> Source:
    source = Source(name, _LINE_END.split(text))
    for number, line in enumerate(source.lines):
        if odd := _ODD.search(line):
            code = f"U+{ord(odd[0]):04X}"
            told = f"the character {code} is here, which a page of text cannot have; delete it"
            raise UsageFault(source.point((number, odd.start()), told))
        if line.startswith("%"):
            raise UsageFault(source.point((number, 0), "directives are not allowed; delete it"))
    try:
        _Reader(source, text).read()
    except MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        where = (mark.line, mark.column) if mark else (0, 0)
        told = str(fault.problem or fault.context)
        hint = next((hint for sign, hint in _HINTS.items() if sign in told), "")
        message = f"this is not YAML: {told}{hint}"
        raise UsageFault(source.point(where, message)) from fault
    except (YAMLError, ValueError, RecursionError) as fault:
        raise UsageFault(f"{name}: this is not YAML: {fault}") from fault
    return source


class _Reader:
    """Builds plain data from parser events, and refuses on the way what is not acceptable.

    It goes on after a value that it refuses, so that all are told at once; what makes the rest
    unreadable, or too much, ends it.
    """

    def __init__(self, source: Source, text: str) -> None:
        self.source = source
        self.events = iter(YAML(typ="safe", pure=True).parse(text))
        self.nodes = 0

    def read(self) -> None:
        documents = 0
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    told = "a second document begins here; a file holds one"
                    raise UsageFault(self.told(event, (), told))
                self.source.data = self.node(next(self.events), ())

    def told(self, event: Any, path: KeyPath, message: str) -> str:
        mark = event.start_mark
        label = path_text(path)
        message = f"{label}: {message}" if label else message
        return self.source.point((mark.line, mark.column), message)

    def refuse(self, event: Any, path: KeyPath, message: str, label: KeyPath | None = None) -> None:
        """Note that the value at `path` is not as written; `label` names it in the message."""
        told = self.told(event, path if label is None else label, message)
        self.source.refused.append((path, told))

    def node(self, event: Any, path: KeyPath) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise UsageFault(self.told(event, path, f"there are more than {MAX_NODES:,} values"))
        if len(path) > MAX_DEPTH:
            told = f"this is nested more than {MAX_DEPTH} deep"
            raise UsageFault(self.told(event, path, told))
        self.source.values[path] = (event.start_mark.line, event.start_mark.column)
        if isinstance(event, AliasEvent):
            told = f"aliases are not allowed; write out what *{event.anchor} means"
            self.refuse(event, path, told)
            return None
        if event.anchor is not None:
            self.refuse(event, path, "anchors are not allowed; write values where they are used")
        if event.tag is not None:
            self.refuse(event, path, f"tags are not allowed; delete {event.tag}")
        if isinstance(event, MappingStartEvent):
            return self.mapping(path)
        if isinstance(event, SequenceStartEvent):
            return self.sequence(path)
        return self.scalar(event, path)

    def mapping(self, path: KeyPath) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(self.events), MappingEndEvent):
            key = self.key(event, path)
            at: KeyPath = (*path, "?" if key is None else key)
            if key is None:
                self.node(next(self.events), at)
            elif key in found:
                first = self.source.keys[at][0] + 1
                told = f"{key!r} is here twice, first in line {first}; keep one"
                self.refuse(event, at, told, path)
                self.node(next(self.events), at)
            else:
                self.source.keys[at] = (event.start_mark.line, event.start_mark.column)
                found[key] = self.node(next(self.events), at)
        return found

    def key(self, event: Any, path: KeyPath) -> str | None:
        """Return a key, or None if it is none and was refused."""
        at: KeyPath = (*path, "?")
        if not isinstance(event, ScalarEvent):
            self.refuse(event, at, "a key must be a word", path)
            if not isinstance(event, AliasEvent):
                self.node(event, at)
            return None
        if event.value == "<<" and event.style is None:
            told = "merge keys (<<) are not allowed; write values where they go"
            self.refuse(event, at, told, path)
            return None
        if event.anchor is not None or event.tag is not None:
            told = "anchors and tags are not allowed; write the key alone"
            self.refuse(event, at, told, path)
            return None
        key = _plain(event)
        if not isinstance(key, str):
            self.refuse(event, at, f"the key {event.value!r} is no word; put it in quotes", path)
            return None
        return key

    def sequence(self, path: KeyPath) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := next(self.events), SequenceEndEvent):
            found.append(self.node(event, (*path, len(found))))
        return found

    def scalar(self, event: Any, path: KeyPath) -> Any:
        value = _plain(event)
        if isinstance(value, _Unclear):
            self.refuse(event, path, value.why)
            return event.value
        return value


@dataclass(frozen=True)
class _Unclear:
    """A number that programs read differently; `why` says what to write instead."""

    why: str


def _plain(event: Any) -> str | int | float | bool | _Unclear | None:
    """Return what a scalar means."""
    text = event.value
    if event.style is not None:
        return str(text)
    if text in ("true", "false"):
        return bool(text == "true")
    if text in ("null", "~", ""):
        return None
    if _INTEGER.fullmatch(text) and text != "-0":
        if len(text.lstrip("-")) > MAX_DIGITS:
            return _Unclear(f"a number of {len(text)} digits is too large")
        return int(text)
    if _DECIMAL.fullmatch(text):
        if len(text) > MAX_DECIMAL:
            return _Unclear(f"a number of {len(text)} characters is too long")
        return float(text)
    if _LIKE_A_NUMBER.fullmatch(text):
        return _Unclear(
            f"found {text[:MAX_DECIMAL]}; write numbers with digits only, such as 1000000 or 0.005 "
            "(or put it in quotes if it is a name)"
        )
    return str(text)
