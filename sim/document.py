"""What an experiment file may say: pydantic models of the document, and its problems in words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
)

from sim.rules import End, FirstTo, Penalty, Rules
from sim.sampling import DEFAULT_GAMES, STOP_KEYS, STOPS, Design, Part, Stop
from sim.settings import did_you_mean
from sim.yaml_source import KeyPath, Problem

DEFAULT_SEED = 1960
DEFAULT_KEEP = 20_000_000
DEFAULT_PRIMARY = "dealer_advantage_wins"
MAX_NAME = 200
OF_LINEUP = "lineups."
"""Opens the name of a factor that is of a line-up."""


def clean(text: str) -> str:
    """Return `text`, which is a name.

    Raises:
        ValueError: it is empty, or has control characters or ends of lines.
    """
    for letter in text:
        if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp"):
            raise ValueError(f"found the character U+{ord(letter):04X}, which names cannot have")
    if not text.strip():
        raise ValueError("found an empty text")
    return text


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME), AfterValidator(clean)]
Question = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(clean)]


_end = TypeAdapter(End)
OPTION_MODELS: dict[str, Callable[[Any], Any]] = {"end": _end.validate_python}


def _partial(model: type[BaseModel], name: str, **more: Any) -> type[BaseModel]:
    """Return `model` with every key optional and none filled in."""
    fields: dict[str, Any] = {}
    for key, info in model.model_fields.items():
        limits: dict[str, Any] = _limits(info)
        fields[key] = (info.annotation, Field(None, description=info.description, **limits))
    return create_model(name, __base__=Part, **{**fields, **more})


def _limits(info: Any) -> dict[str, int]:
    found = {}
    for limit in info.metadata:
        for name in ("ge", "le"):
            if hasattr(limit, name):
                found[name] = getattr(limit, name)
    return found


_PenaltyPart = _partial(Penalty, "PenaltyPart")
_Preset = Literal["default", "casual", "yoruba", "professional"]
RulesPart = _partial(
    Rules,
    "RulesPart",
    penalty=(_PenaltyPart, Field(None, description="points lost for each offence")),
    end=(End, Field(None, description="when the game ends")),
    preset=(_Preset, Field(None, description="the rule set to start from")),
)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, int) and not isinstance(value, bool) else value


class Keep(Part):
    """What is stored beside the block sums."""

    games: int = Field(DEFAULT_KEEP, ge=0, le=10**12, description="rows of single games at most")


class Document(Part):
    """An experiment: one question to the game."""

    question: Question = Field(description="what it asks, in a sentence")
    name: Name | None = Field(None, description="called after the file unless given")
    seed: int = Field(DEFAULT_SEED, ge=0, lt=2**63, description="all chance follows from it")
    players: Annotated[
        list[Annotated[int, Field(ge=2, le=5)]], BeforeValidator(_as_list), Field(min_length=1)
    ] = Field([2], description="how many play: a number or a list, each 2 to 5")
    rules: RulesPart = Field(  # type: ignore[valid-type]
        default_factory=RulesPart, description="the rules of every variant, unless it says else"
    )
    variants: dict[Name, RulesPart] | None = Field(  # type: ignore[valid-type]
        None, min_length=1, description="rule sets to compare, by name; the first is the base"
    )
    factors: dict[str, list[Any]] | None = Field(
        None,
        min_length=1,
        description="values to combine in every way, by what they are of: an option of the rules, "
        "or a key of the players of a line-up, such as lineups.mixed.with.recall",
    )
    lineups: dict[Name, Any] | None = Field(
        None, min_length=1, description="who plays, by name: one strategy, or a list of them"
    )
    design: Design = Field(
        default_factory=Design, description="how players and hands go round the seats"
    )
    games: int = Field(DEFAULT_GAMES, ge=1, le=10**12, description="games in each cell")
    stop: Stop | None = Field(
        None, description="when to stop: at a number of games, a half_width, or a decision"
    )
    primary: str = Field(DEFAULT_PRIMARY, description="the metric that answers the question")
    smallest: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="the smallest difference that matters"
    )
    keep: Keep = Field(default_factory=Keep, description="what is stored beside block sums")


def read_document(data: dict[str, Any]) -> tuple[Document | None, list[Problem]]:
    """Return the document in `data`, its rules as plain mappings of what was written.

    If it does not have the form of an experiment, return None and all that is wrong with it.
    """
    problems = [*factor_problems(data), *_twins(data)]
    try:
        document = Document.model_validate(data)
    except ValidationError as fault:
        told = [problem_of(error) for error in fault.errors(include_url=False)]
        return None, [*told, *problems]
    if problems:
        return None, problems
    written = {"rules": _written(document.rules)}
    if document.variants:
        written["variants"] = {k: _written(v) for k, v in document.variants.items()}
    return document.model_copy(update=written), []


def _twins(data: dict[str, Any]) -> list[Problem]:
    """Find names that are written with other characters than an earlier one and look the same."""
    found = []
    for part in ("variants", "lineups"):
        names = data.get(part)
        seen: dict[str, str] = {}
        for name in names if isinstance(names, dict) else ():
            if seen.setdefault(unicodedata.normalize("NFC", name), name) != name:
                message = "looks the same as a name before it; choose another"
                found.append(Problem((part, name), message, at_key=True))
    return found


def _written(part: BaseModel) -> dict[str, Any]:
    return part.model_dump(exclude_unset=True)


def factor_problems(data: Any, of: str = "factors") -> list[Problem]:
    """Check the values of a factor grid, option by option.

    Args:
        data: the document.
        of: its key that holds the grid; only ``factors`` may vary players.
    """
    factors = data.get(of) if isinstance(data, dict) else None
    if not isinstance(factors, dict):
        return []
    known = {**RulesPart.model_fields}
    for name in ("penalty", "preset"):
        known.pop(name)
    names = [*known, *(f"penalty.{name}" for name in Penalty.model_fields)]
    found = []
    for key, values in factors.items():
        of_lineup = of == "factors" and key.startswith(OF_LINEUP)
        if key not in names and not of_lineup:
            told = _no_factor(key, names) if of == "factors" else _no_option(key, names)
            found.append(Problem((of, key), told, at_key=True))
        elif isinstance(values, list):
            if not values:
                found.append(Problem((of, key), "found no values; list at least one"))
            found += _twice((of, key), values)
            found += [] if of_lineup else _value_problems((of, key), values)
    return found


def _no_option(key: str, names: list[str]) -> str:
    return f"there is no such option{did_you_mean(key, names)}; options are {', '.join(names)}"


def _no_factor(key: str, names: list[str]) -> str:
    if key in ("players", "lineups"):
        return f"{key} are crossed with everything anyway; write {key}: beside factors:"
    return (
        f"{_no_option(key, names)}; "
        f"of players write {OF_LINEUP}NAME.KEY, such as lineups.mixed.with.recall"
    )


def _twice(path: KeyPath, values: list[Any]) -> list[Problem]:
    return [
        Problem((*path, i), f"found {value!r} twice; each value once")
        for i, value in enumerate(values)
        if value in values[:i]
    ]


def _value_problems(at: KeyPath, values: list[Any]) -> list[Problem]:
    found = []
    top, _, inner = str(at[-1]).partition(".")
    for i, value in enumerate(values):
        try:
            RulesPart.model_validate({top: {inner: value} if inner else value})
        except ValidationError as fault:
            for error in fault.errors(include_url=False):
                skip = 2 if inner else 1
                told = problem_of(error)
                path: KeyPath = (*at, i, *told.path[skip:])
                found.append(Problem(path, told.message, told.at_key))
    return found


_WORDS = {
    "int_type": "a whole number",
    "bool_type": "true or false",
    "string_type": "text",
    "string_unicode": "text of whole characters",
    "float_type": "a number",
    "list_type": "a list, such as [2, 3]",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "model_attributes_type": "keys and values",
}
_WRITTEN = {
    "rules": "{preset: casual, jokers: 1}",
    "variants": "{before: {}, after: {jokers: 2}}",
    "factors": "{jokers: [0, 2]}",
    "lineups": "{careful: cautious}",
    "design": "{hands: rotated}",
    "stop": "{half_width: 0.005}",
    "keep": "{games: 100000}",
    "end": "{rounds: 3}",
    "penalty": "{esun: 3}",
    "budget": "{games: 1000000}",
}
"""How keys are written whose values are keys and values again."""
_LIMITS = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
    "greater_than": ("gt", "more than"),
    "less_than": ("lt", "less than"),
}


def problem_of(
    error: Any, keys_at: Callable[[list[str | int]], list[str]] | None = None
) -> Problem:
    """Say in a sentence what pydantic found.

    Args:
        error: as pydantic tells it.
        keys_at: the keys allowed at a path; those of an experiment if not given.
    """
    tags = {"end": ("rounds", "first_to"), "stop": tuple(STOPS), "budget": ("games", "seconds")}
    loc = list(error["loc"])
    path: list[str | int] = []
    for i, part in enumerate(loc):
        if i and part in tags.get(str(loc[i - 1]), ()):
            continue
        if part == "[key]" or (i == 2 and loc[0] == "goals"):
            continue
        path.append(part)
    kind, context = error["type"], error.get("ctx", {})
    two_ends = path[-2:-1] == ["end"] and path[-1] in FirstTo.model_fields
    if kind == "extra_forbidden" and two_ends:
        message = f"rounds and {path[-1]} exclude each other; keep one of them"
        return Problem(tuple(path[:-1]), message)
    if kind == "extra_forbidden" and path[:-1] == ["stop"] and path[-1] in STOP_KEYS:
        return Problem(tuple(path), f"cannot go with {loc[1]}; keep one of them", True)
    if kind == "extra_forbidden":
        known = (keys_at or _keys_at)(path[:-1])
        if keys_at is not None and path[-1] in known:
            told = "cannot stand beside the other keys here; keep one of them"
            return Problem(tuple(path), told, True)
        hint = did_you_mean(str(path[-1]), known)
        if len(path) == 1 and path[0] in Rules.model_fields:
            told = f"is an option of the rules; write it there: rules: {{{path[0]}: ...}}"
            return Problem(tuple(path), told, True)
        return Problem(
            tuple(path), f"there is no such key{hint}; keys are {', '.join(known)}", True
        )
    if kind == "missing":
        hint = "; write it as a sentence, such as: Does Yoruba help?"
        return Problem(tuple(path), f"is missing{hint if path == ['question'] else ''}")
    found = f"found {_shown(error['input'])}"
    if kind == "too_short":
        return Problem(tuple(path), f"{found}; it needs one entry at least")
    if kind in _WORDS:
        hint = _how_to_write(kind, path, error["input"])
        return Problem(tuple(path), f"{found}; allowed is {_WORDS[kind]}{hint}")
    if kind == "literal_error":
        allowed = context["expected"].replace("'", "")
        hint = did_you_mean(str(error["input"]), allowed.replace(" or ", ", ").split(", "))
        return Problem(tuple(path), f"{found}{hint}; allowed is {allowed}")
    if kind in _LIMITS:
        key, words = _LIMITS[kind]
        return Problem(tuple(path), f"{found}; allowed is {words} {context[key]}")
    if kind == "value_error":
        return Problem(tuple(path), str(context["error"]))
    return Problem(tuple(path), f"{found}; {error['msg'][0].lower()}{error['msg'][1:]}")


def _how_to_write(kind: str, path: Sequence[str | int], given: Any) -> str:
    if kind == "bool_type":
        return _bool_hint(given)
    if "keys and values" in _WORDS[kind] and path and path[-1] in _WRITTEN:
        return f", such as {path[-1]}: {_WRITTEN[str(path[-1])]}"
    if kind == "float_type" and isinstance(given, str) and given.strip().endswith("%"):
        return "; a share is a fraction of 1: half a percent is 0.005"
    return ""


def _bool_hint(value: Any) -> str:
    return " (yes, no, on and off are words here)" if isinstance(value, str) else ""


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "nothing"}[value]
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _keys_at(path: list[str | int]) -> list[str]:
    """Return the keys allowed at a path of the document."""
    match path:
        case []:
            return list(Document.model_fields)
        case ["keep"]:
            return list(Keep.model_fields)
        case ["design"]:
            return list(Design.model_fields)
        case ["stop"]:
            return list(STOP_KEYS)
        case [*_, "penalty"]:
            return list(Penalty.model_fields)
        case [*_, "end"]:
            return ["rounds", "first_to", "unit", "max_rounds"]
        case _:
            return list(RulesPart.model_fields)
