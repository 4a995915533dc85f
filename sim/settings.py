"""Rule sets from what a person writes: ``yoruba=true`` on a command line, or keys and values.

Every refusal names the key, what was found, and what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from sim.errors import UsageFault
from sim.rules import PRESETS, FirstTo, Penalty, Rounds, Rules

NESTED = ("penalty", "end")

Settings = dict[str, Any]
"""Values by dotted key, such as ``{"yoruba": True, "penalty.esun": 3}``."""


def options() -> dict[str, FieldInfo]:
    """Return every option by its dotted key, in the order of `Rules`."""
    found: dict[str, FieldInfo] = {}
    for key, field in Rules.model_fields.items():
        if key == "penalty":
            found |= {f"penalty.{name}": inner for name, inner in Penalty.model_fields.items()}
        elif key == "end":
            parts = Rounds.model_fields | FirstTo.model_fields
            found |= {f"end.{name}": inner for name, inner in parts.items()}
        else:
            found[key] = field
    return found


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question with the likeliest known word in brackets, or nothing."""
    close = get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def preset(name: str) -> Rules:
    """Return a preset by its name.

    Raises:
        UsageFault: there is no such preset.
    """
    if name not in PRESETS:
        raise UsageFault(
            f"no preset is called {name!r}{did_you_mean(name, PRESETS)}; "
            f"presets are {', '.join(PRESETS)}"
        )
    return PRESETS[name]


def parse_settings(texts: Iterable[str]) -> Settings:
    """Read texts such as ``yoruba=true``.

    Raises:
        UsageFault: a text has no ``=``, its key is no option, its value is not allowed, or a key
            comes twice.
    """
    settings: Settings = {}
    for text in texts:
        key, equals, word = text.partition("=")
        if not equals:
            raise UsageFault(f"--set {text!r}: write OPTION=VALUE, such as yoruba=true")
        field = _option(key, "--set ")
        if key in settings:
            raise UsageFault(f"--set {key}: it is set twice")
        settings[key] = _value_of(field, word)
        _check(key, settings[key], word, field, "--set ")
    return settings


def flatten(mapping: Mapping[str, Any], place: str) -> Settings:
    """Check rules written as nested keys and values, as in a case file; return them by dotted key.

    Args:
        mapping: the keys and values.
        place: where they stand, for messages.

    Raises:
        UsageFault: a key is no option, or a value is not allowed.
    """
    settings = dict(_leaves(mapping, place))
    for key, value in settings.items():
        _check(key, value, value, _option(key, place), place)
    return settings


def _leaves(mapping: Mapping[str, Any], place: str) -> Iterator[tuple[str, Any]]:
    for key, value in mapping.items():
        if key not in NESTED:
            if "." in key:
                raise _no_option(key, place)
            yield key, value
        elif isinstance(value, Mapping):
            yield from ((f"{key}.{name}", inner) for name, inner in value.items())
        else:
            raise UsageFault(f"{place}{key}: found {value!r}; it holds keys and values of its own")


def apply(rules: Rules, settings: Settings, place: str = "") -> Rules:
    """Return `rules` with checked settings in place of their own.

    Raises:
        UsageFault: the settings of ``end`` contradict each other.
    """
    top = {key: value for key, value in settings.items() if "." not in key}
    penalty = _part(settings, "penalty")
    end = _part(settings, "end")
    if penalty:
        top["penalty"] = rules.penalty.model_copy(update=penalty)
    if end:
        top["end"] = _end(rules.end, end, place)
    return rules.model_copy(update=top)


def overrides(rules: Rules) -> dict[str, Any]:
    """Return what `rules` sets otherwise than the defaults, as `flatten` reads it."""
    default = Rules().model_dump()
    found = {key: value for key, value in rules.model_dump().items() if value != default[key]}
    if "penalty" in found:
        usual = default["penalty"]
        found["penalty"] = {k: v for k, v in found["penalty"].items() if v != usual[k]}
    return found


def _part(settings: Settings, name: str) -> Settings:
    prefix = f"{name}."
    return {key.removeprefix(prefix): v for key, v in settings.items() if key.startswith(prefix)}


def _end(old: Rounds | FirstTo, new: Settings, place: str) -> Rounds | FirstTo:
    if "rounds" in new:
        if others := [key for key in new if key != "rounds"]:
            raise UsageFault(
                f"{place}end.rounds and end.{others[0]} contradict each other: a game is a number "
                "of rounds, or ends when somebody is first to a target"
            )
        return Rounds(**new)
    if isinstance(old, FirstTo):
        return old.model_copy(update=new)
    if "first_to" not in new:
        key = next(iter(new))
        raise UsageFault(f"{place}end.{key} needs end.first_to, the target that ends the game")
    return FirstTo(**new)


def _option(key: str, place: str) -> FieldInfo:
    known = options()
    if key not in known:
        raise _no_option(key, place)
    return known[key]


def _no_option(key: str, place: str) -> UsageFault:
    known = options()
    hint = "" if key in known else did_you_mean(key, known)
    return UsageFault(
        f"{place}{key}: there is no such option{hint}; options are {', '.join(known)}"
    )


def _value_of(field: FieldInfo, word: str) -> Any:
    if field.annotation is bool:
        return {"true": True, "false": False}.get(word, word)
    if field.annotation is int and word.isascii() and word.isdigit():
        return int(word) if word == str(int(word)) else word
    return word


def _check(key: str, value: Any, found: Any, field: FieldInfo, place: str) -> None:
    if not _fits(value, field):
        raise UsageFault(f"{place}{key}: found {found!r}; allowed is {allowed(field)}")


def _fits(value: Any, field: FieldInfo) -> bool:
    if get_origin(field.annotation) is Literal:
        return value in get_args(field.annotation)
    if field.annotation is bool:
        return isinstance(value, bool)
    low, high = _limits(field)
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _limits(field: FieldInfo) -> tuple[int, int]:
    low = next(m.ge for m in field.metadata if isinstance(m, annotated_types.Ge))
    high = next(m.le for m in field.metadata if isinstance(m, annotated_types.Le))
    return int(str(low)), int(str(high))


def allowed(field: FieldInfo) -> str:
    """Say which values an option takes."""
    if get_origin(field.annotation) is Literal:
        return " or ".join(get_args(field.annotation))
    if field.annotation is bool:
        return "true or false"
    return "a whole number from {} to {}".format(*_limits(field))
