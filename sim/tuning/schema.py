"""The JSON Schema of tune files, for editors: what they share with experiments, and their own."""

from __future__ import annotations

from typing import Any

from sim.goals import GOALS
from sim.schema import DRAFT, Schema, factor_values, tidied
from sim.schema import schema as of_experiments
from sim.stats.metrics import NAMES
from sim.tuning.document import COMMON, Own

PATH = "experiments/tune.schema.json"
FIRST_LINE = "# yaml-language-server: $schema=tune.schema.json"
"""Opens every tune file, so that editors find the schema."""


def schema() -> Schema:
    """Return the schema of a tune file."""
    shared, own = of_experiments(), tidied(Own.model_json_schema())
    options = factor_values(
        shared["$defs"]["RulesPart"]["properties"], shared["$defs"]["PenaltyPart"]["properties"]
    )
    properties = {key: shared["properties"][key] for key in COMMON} | own["properties"]
    properties["space"] = {
        "description": own["properties"]["space"]["description"],
        "type": "object",
        "minProperties": 1,
        "properties": options,
        "additionalProperties": False,
    }
    own["$defs"]["Never"]["properties"]["never"] |= {
        "properties": {key: _one_or_several(values) for key, values in options.items()},
        "additionalProperties": False,
    }
    for model in GOALS.values():
        for key in ("metric", "maximise", "minimise"):
            if key in model.model_fields:
                own["$defs"][model.__name__]["properties"][key]["enum"] = list(NAMES)
    return {
        "$schema": DRAFT,
        "$defs": {**shared["$defs"], **own["$defs"]},
        "description": "A tune: which house rules meet some goals.",
        "title": "An Elewenjewe tune",
        "type": "object",
        "properties": properties,
        "required": ["question", "space", "goals"],
        "additionalProperties": False,
    }


def _one_or_several(values: Any) -> Schema:
    return {"anyOf": [values["items"], values]}
