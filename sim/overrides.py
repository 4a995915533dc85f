"""`--set KEY=VALUE`: values from the command line in the place of those in a file."""

from __future__ import annotations

from typing import Any

from sim.errors import UsageFault
from sim.settings import did_you_mean
from sim.yaml_source import Source, read_text


def override(source: Source, text: str) -> None:
    """Put the value of ``KEY=VALUE`` into the data of a source, which is a mapping.

    A rule holds in every variant: a variant that names a preset would else hide it.

    Raises:
        UsageFault: it is not of that form, or its key leads nowhere.
    """
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UsageFault(f"--set {text!r}: write KEY=VALUE, such as rules.jokers=2")
    parsed = read_text(value, f"--set {key}").data
    path = key.split(".")
    if path[0] == "factors":
        path = ["factors", ".".join(path[1:])]
    variants = source.data.get("variants")
    written = variants.items() if isinstance(variants, dict) else ()
    names = [name for name, rules in written if isinstance(rules, dict)]
    if path[0] == "variants" and len(path) > 2 and path[1] not in names:
        hint = did_you_mean(path[1], names)
        listed = ", ".join(names) or "none"
        raise UsageFault(
            f"--set {key}: no variant is called {path[1]!r}{hint}; the file has {listed}"
        )
    places = [path]
    if path[0] == "rules" and path[1:] not in ([], ["preset"]):
        places += [["variants", name, *path[1:]] for name in names]
    for place in places:
        _put(source, key, place, parsed)


def _put(source: Source, key: str, path: list[str], value: Any) -> None:
    place = source.data
    for part in path[:-1]:
        place = place.setdefault(part, {})
        if not isinstance(place, dict):
            raise UsageFault(f"--set {key}: {part} holds no keys of its own")
    place[path[-1]] = value
    source.overridden[tuple(path)] = key
