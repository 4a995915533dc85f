"""Factor grids: every combination of some values, as rule sets and as line-ups.

A factor is an option of the rules, or a key of players: ``lineups.NAME.KEY`` for every player of
the line-up NAME, ``lineups.NAME.PLACE.KEY`` for one of them, places counted from 0. KEY is written
as it would be for the player: ``with.recall``, a parameter, ``strategy``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sim.document import OF_LINEUP
from sim.yaml_source import KeyPath, Problem

Values = Mapping[str, Sequence[Any]]
"""Factor -> its values."""


@dataclass(frozen=True)
class Place:
    """Where in a line-up the values of a factor go.

    Attributes:
        lineup: the line-up's name.
        position: of the player, from 0; None for all of them.
        keys: where in the player.
    """

    lineup: str
    position: int | None
    keys: tuple[str, ...]

    def put(self, entries: Sequence[Any], value: Any) -> list[Any]:
        """Return the players as written in `entries`, with `value` at this place."""
        return [
            _with(entry, self.keys, value) if self.position in (None, i) else entry
            for i, entry in enumerate(entries)
        ]


def _with(entry: Any, keys: tuple[str, ...], value: Any) -> Any:
    if not keys:
        return value
    holder = dict(entry) if isinstance(entry, Mapping) else {}
    if isinstance(entry, str):
        holder = {"strategy": entry}
    holder[keys[0]] = _with(holder.get(keys[0]), keys[1:], value)
    return holder


def place(factor: str, lineups: Mapping[str, Sequence[Any]]) -> Place | str:
    """Return where a factor of players leads, or what is wrong with it.

    Args:
        factor: its name, which begins with ``lineups.``.
        lineups: line-ups as written, by name, each a list of players.
    """
    path = factor.removeprefix(OF_LINEUP)
    names = [name for name in lineups if path.startswith(f"{name}.")]
    if not names:
        return (
            f"there is no such line-up; write {OF_LINEUP}NAME.KEY, such as "
            f"{OF_LINEUP}{next(iter(lineups))}.with.recall; line-ups are {', '.join(lineups)}"
        )
    name = max(names, key=len)
    first, *others = path.removeprefix(f"{name}.").split(".")
    if not first.isdecimal():
        return Place(name, None, (first, *others))
    if int(first) >= len(lineups[name]):
        last = len(lineups[name]) - 1
        return f"found place {first}; the players of {name} are counted from 0 to {last}"
    if not others:
        return "names no key of the player; write one, such as with.recall, or strategy"
    return Place(name, int(first), tuple(others))


def combinations(factors: Values) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every combination of values, as a name and by factor; the last factor turns fastest."""
    for values in product(*factors.values()):
        chosen = dict(zip(factors, values, strict=True))
        yield ", ".join(f"{_brief(key)}={_short(value)}" for key, value in chosen.items()), chosen


def _brief(factor: str) -> str:
    return factor.removeprefix("with.")


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return " ".join(f"{k} {v}" for k, v in value.items())
    return str(value)


def settings(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of rule options as a variant would be written."""
    nested: dict[str, Any] = {}
    for key, value in chosen.items():
        if key.startswith("penalty."):
            nested.setdefault("penalty", {})[key.partition(".")[2]] = value
        else:
            nested[key] = value
    return nested


def written_too(rules: Mapping[str, Any], varied: Collection[str], by: str) -> list[Problem]:
    """Find the options that `rules` sets, though `by` varies them: the values there would be lost.

    A preset sets every option, so that any can be varied from there.
    """
    penalties = [("penalty", name) for name in rules.get("penalty", {})]
    paths: list[KeyPath] = [(name,) for name in rules]
    return [
        Problem(("rules", *path), f"{by} varies it too; keep one of them", at_key=True)
        for path in (*paths, *penalties)
        if ".".join(map(str, path)) in varied
    ]
