"""The JSON Schema of experiment files, for editors: made from the models that read them.

`sim.document` and `sim.experiment` check more than a schema can say, such as a line-up that fits
no number of players.
"""

from __future__ import annotations

from typing import Any

from sim.conduct import MEANINGS, PERFECT
from sim.document import Document
from sim.rulebook import CLAUSES
from sim.stats.metrics import NAMES
from sim.strategy import Parameter, Strategy, catalogue
from sim.strategy_file import PATTERN

PATH = "experiments/experiment.schema.json"
FIRST_LINE = "# yaml-language-server: $schema=experiment.schema.json"
"""Opens every experiment file, so that editors find the schema."""

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The draft that editors for YAML know best."""

OF_PLAYERS = r"^lineups\..+\..+$"
"""The factors that are of players."""

Schema = dict[str, Any]


def schema() -> Schema:
    """Return the schema of an experiment file."""
    made: Schema = tidied(Document.model_json_schema())
    properties, parts = made["properties"], made["$defs"]
    options, penalties = parts["RulesPart"]["properties"], parts["PenaltyPart"]["properties"]
    _describe(options, penalties)
    one_count = properties["players"]["items"]
    properties["players"] = {
        **{k: v for k, v in properties["players"].items() if k in ("default", "description")},
        "anyOf": [
            one_count,
            {"type": "array", "items": one_count, "minItems": 1, "uniqueItems": True},
        ],
    }
    properties["factors"] = {
        "description": properties["factors"]["description"],
        "type": "object",
        "minProperties": 1,
        "properties": factor_values(options, penalties),
        "patternProperties": {OF_PLAYERS: _factor_of_players()},
        "additionalProperties": False,
    }
    parts["Player"] = {
        "description": "who plays: a strategy's name, or its name and parameters",
        "anyOf": [
            *(one for entry in catalogue().values() for one in _player_forms(entry)),
            *_forms_of_files(),
        ],
    }
    parts["With"] = _conduct()
    player = {"$ref": "#/$defs/Player"}
    properties["lineups"] = {
        "description": properties["lineups"]["description"],
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "anyOf": [player, {"type": "array", "items": player, "minItems": 1}]
        },
    }
    properties["primary"]["enum"] = list(NAMES)
    parts["StopAtHalfWidth"]["properties"]["metric"]["enum"] = [*NAMES, None]
    parts["StopAtDecision"]["properties"]["decide"]["enum"] = list(NAMES)
    return {"$schema": DRAFT, **made, "title": "An Elewenjewe experiment"}


def tidied(node: Any) -> Any:
    """Drop the titles, and the empty defaults of keys that may be left out.

    ``end: {}`` fits both of its forms, so a choice of forms is of any and not of exactly one.
    """
    if isinstance(node, list):
        return [tidied(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {
        {"oneOf": "anyOf"}.get(key, key): tidied(value)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
        and not (key == "default" and value is None)
    }


def _describe(options: Schema, penalties: Schema) -> None:
    """Add to each option its clause of RULES.md and what each of its values means."""
    for clause in CLAUSES:
        if not clause.option:
            continue
        top, _, inner = clause.option.partition(".")
        described = penalties[inner] if inner else options[top]
        described["description"] += f" (RULES.md, {clause.number})"
        if isinstance(clause.says, dict):
            for value, sentence in clause.says.items():
                word = str(value).lower() if isinstance(value, bool) else value
                described["description"] += f"\n{word}: {sentence}"


def factor_values(options: Schema, penalties: Schema) -> Schema:
    """Return the schema of the values of each option, as a grid lists them."""
    values = {key: one for key, one in options.items() if key not in ("preset", "penalty")}
    values |= {f"penalty.{key}": one for key, one in penalties.items()}
    return {
        key: {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}
        for key, one in values.items()
    }


def _factor_of_players() -> Schema:
    return {
        "description": "lineups.NAME.KEY: values of a key of every player of the line-up NAME, "
        "such as with.recall, a parameter, or strategy; lineups.NAME.PLACE.KEY: of one player, "
        "places counted from 0",
        "type": "array",
        "items": {"type": ["number", "string"]},
        "minItems": 1,
        "uniqueItems": True,
    }


def _player_forms(entry: Strategy) -> list[Schema]:
    """Return the two ways to write a player of a strategy."""
    name = {"const": entry.name, "description": entry.says}
    written = {parameter.name: _parameter(parameter) for parameter in entry.parameters}
    return [
        name,
        {
            "type": "object",
            "properties": {"strategy": name, **written, "with": {"$ref": "#/$defs/With"}},
            "required": ["strategy"],
            "additionalProperties": False,
        },
    ]


def _forms_of_files() -> list[Schema]:
    """Return the two ways to write a player of a user's strategy; its parameters are its own."""
    name = {
        "type": "string",
        "pattern": PATTERN,
        "description": "your own: FILE.py:NAME, relative to this file; see sim check-strategy",
    }
    return [
        name,
        {
            "type": "object",
            "properties": {"strategy": name, "with": {"$ref": "#/$defs/With"}},
            "required": ["strategy"],
            "additionalProperties": {"type": "number"},
        },
    ]


def _conduct() -> Schema:
    """Return the schema of the rates of a player."""
    return {
        "description": "memory and conduct of whoever plays",
        "type": "object",
        "properties": {
            name: {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": getattr(PERFECT, name),
                "description": meaning,
            }
            for name, meaning in MEANINGS.items()
        },
        "additionalProperties": False,
    }


def _parameter(parameter: Parameter) -> Schema:
    return {
        "type": "integer" if parameter.whole else "number",
        "minimum": parameter.low,
        "maximum": parameter.high,
        "default": parameter.default,
        "description": parameter.meaning,
    }
