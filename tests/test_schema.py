"""The JSON Schema of experiment files: committed as generated, named by every file, complete."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sim.cli import cli
from sim.document import Document, Keep, RulesPart
from sim.rules import FirstTo, Penalty, Rounds
from sim.sampling import STOPS, Design
from sim.schema import FIRST_LINE, PATH, schema
from sim.strategy import Parameter, strategy
from sim.tuning import schema as tuning
from sim.yaml_source import read_file

ROOT = Path(__file__).parents[1]
FILES = sorted(ROOT.joinpath("experiments").glob("*.yaml"))
TUNES = [path for path in FILES if "\nspace:" in path.read_text(encoding="utf-8")]
EXPERIMENTS = [path for path in FILES if path not in TUNES]
MADE = schema()
PARTS = {**MADE["$defs"], **tuning.schema()["$defs"]}


@pytest.mark.parametrize(
    ("args", "path"), [(["schema"], PATH), (["schema", "--tune"], tuning.PATH)]
)
def test_the_committed_schema_is_the_generated_one(args, path):
    result = CliRunner().invoke(cli, args, standalone_mode=False)
    assert ROOT.joinpath(path).read_text(encoding="utf-8") == result.output, (
        f"the models changed; run: sim {' '.join(args)} > {path}"
    )


@pytest.mark.parametrize("path", TUNES, ids=lambda path: path.stem)
def test_every_tune_names_its_schema_and_then_its_question_and_fits(path):
    first, second, *_ = path.read_text(encoding="utf-8").splitlines()
    assert first == tuning.FIRST_LINE
    assert second.startswith("# ") and second.endswith("?")
    assert fits(read_file(path).data, tuning.schema())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("goals", [{"fair_within": "0.5%"}]),
        ("goals", [{"maximise": "fun"}]),
        ("space", {"joker": [0]}),
        ("space", {"jokers": [3]}),
        ("where", [{"never": {"joker": 0}}]),
        ("budget", {"hours": 1}),
        ("factors", {"jokers": [0, 1]}),
    ],
)
def test_the_schema_of_tunes_refuses_what_the_loader_refuses(key, value):
    whole = {"question": "x", "space": {"jokers": [0, 1]}, "goals": [{"fair_within": 0.1}]}
    assert fits(whole, tuning.schema())
    assert not fits({**whole, key: value}, tuning.schema())


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_experiment_names_the_schema_and_then_its_question(path):
    first, second, *_ = path.read_text(encoding="utf-8").splitlines()
    assert first == FIRST_LINE
    assert second.startswith("# ") and second.endswith("?")
    assert path.with_name(first.partition("$schema=")[2]).exists()


def test_every_key_of_the_models_is_there_and_no_other():
    parts = MADE["$defs"]
    models = {"Design": Design, **{one.__name__: one for one in STOPS.values()}}
    models |= {"Keep": Keep, "PenaltyPart": Penalty, "RulesPart": RulesPart, "Rounds": Rounds}
    for name, model in {**models, "FirstTo": FirstTo}.items():
        assert [*parts[name]["properties"]] == [*model.model_fields]
        assert parts[name]["additionalProperties"] is False
    assert [*MADE["properties"]] == [*Document.model_fields]
    assert MADE["additionalProperties"] is False
    assert MADE["required"] == ["question"]


def nodes(node):
    yield node
    for inner in node.values() if isinstance(node, dict) else node:
        if isinstance(inner, dict | list):
            yield from nodes(inner)


def test_every_reference_leads_somewhere():
    refs = {one["$ref"] for one in nodes(MADE) if isinstance(one, dict) and "$ref" in one}
    assert refs == {f"#/$defs/{name}" for name in MADE["$defs"]}


def test_every_key_of_a_file_is_described():
    described = [MADE["properties"], MADE["properties"]["factors"]["properties"]]
    described += [part["properties"] for part in MADE["$defs"].values() if "properties" in part]
    for properties in described:
        for key, one in properties.items():
            assert one.get("description") or one["items"].get("description"), key


def test_an_option_says_its_clause_and_what_its_values_mean():
    told = MADE["$defs"]["RulesPart"]["properties"]["must_capture"]["description"]
    assert "(RULES.md, 4.9)" in told
    assert "\nany: A player who can capture must capture.\n" in told


def test_factors_are_the_options_that_a_grid_takes():
    found = MADE["properties"]["factors"]["properties"]
    options = [key for key in RulesPart.model_fields if key not in ("penalty", "preset")]
    assert [*found] == options + [f"penalty.{name}" for name in Penalty.model_fields]
    assert found["jokers"]["items"]["maximum"] == 2


def fits(value, node):
    """Say whether a value fits a schema: the part of JSON Schema that ours uses."""
    if "$ref" in node:
        return fits(value, PARTS[node["$ref"].rpartition("/")[2]])
    if "anyOf" in node and not any(fits(value, one) for one in node["anyOf"]):
        return False
    if "const" in node and value != node["const"]:
        return False
    if "pattern" in node and not (isinstance(value, str) and re.search(node["pattern"], value)):
        return False
    if "enum" in node and value not in node["enum"]:
        return False
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    kinds |= {"integer": int, "number": (int, float)}
    kind = node.get("type", "any")
    if isinstance(kind, list):
        return any(fits(value, {**node, "type": one}) for one in kind)
    if kind != "any" and not isinstance(value, kinds[kind]):
        return False
    if kind in ("integer", "number"):
        if isinstance(value, bool) or not node.get("minimum", value) <= value:
            return False
        return value <= node.get("maximum", value)
    if kind == "array":
        fresh = not node.get("uniqueItems") or all(value.count(one) == 1 for one in value)
        enough = len(value) >= node.get("minItems", 0)
        return fresh and enough and all(fits(one, node.get("items", {})) for one in value)
    if kind == "object":
        known, other = dict(node.get("properties", {})), node.get("additionalProperties", True)
        for pattern, one in node.get("patternProperties", {}).items():
            known |= {key: one for key in value if re.search(pattern, key)}
        if not {*node.get("required", ())} <= {*value}:
            return False
        if other is False and not {*value} <= {*known}:
            return False
        rest = other if isinstance(other, dict) else {}
        return all(fits(one, known.get(key, rest)) for key, one in value.items())
    return True


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_shipped_experiment_fits(path):
    assert fits(read_file(path).data, MADE)


@pytest.mark.parametrize(
    ("more", "good"),
    [
        ({"players": 3}, True),
        ({"players": [2, 5]}, True),
        ({"players": 6}, False),
        ({"players": [2, 2]}, False),
        ({"rules": {"preset": "casual", "end": {"first_to": 9}}}, True),
        ({"rules": {"end": {}}}, True),
        ({"rules": {"end": {"rounds": 3, "first_to": 9}}}, False),
        ({"rules": {"jokers": None}}, False),
        ({"variants": {"a": {"rest": "last"}}}, False),
        ({"factors": {"penalty.esun": [0, 2], "end": [{"rounds": 3}]}}, True),
        ({"factors": {"penalty": [{}]}}, False),
        ({"factors": {"jokers": []}}, False),
        ({"lineups": {"a": "greedy", "b": ["greedy", {"strategy": "random"}]}}, True),
        ({"lineups": {"a": "gredy"}}, False),
        ({"lineups": {"a": {"strategy": "greedy", "depth": 2}}}, False),
        ({"lineups": {"a": "mine.py:careful"}}, True),
        ({"lineups": {"a": {"strategy": "mine.py:careful", "nerve": 0.3}}}, True),
        ({"lineups": {"a": "/mine.py:careful"}}, False),
        ({"lineups": {"a": "mine.py"}}, False),
        ({"lineups": {"a": {"strategy": "greedy", "with": {"noise": 0.05}}}}, True),
        ({"lineups": {"a": {"strategy": "mine.py:careful", "with": {"noise": 2}}}}, False),
        ({"lineups": {"a": {"strategy": "greedy", "with": {"nois": 0.05}}}}, False),
        (
            {"factors": {"lineups.a.with.recall": [0.5, 1], "lineups.a.0.strategy": ["greedy"]}},
            True,
        ),
        ({"factors": {"lineups.recall": [0.5]}}, False),
        ({"factors": {"lineups.a.with.recall": []}}, False),
        ({"factors": {"lineups.a.with": [{"recall": 1}]}}, False),
        ({"design": {"lineups": "balanced", "hands": "rotated"}}, True),
        ({"design": {"lineups": "random"}}, False),
        ({"stop": {"games": 10, "max_seconds": 3.5}}, True),
        ({"stop": {"half_width": 0.001, "metric": "tie_rate", "max_games": 10}}, True),
        ({"stop": {"half_width": 0.001, "metric": "fun"}}, False),
        ({"stop": {"decide": "margin", "smallest": 0.5, "max_seconds": 60}}, True),
        ({"stop": {"decide": "margin", "half_width": 0.5}}, False),
        ({"stop": {"max_games": 10}}, False),
        ({"primary": "fun"}, False),
        ({"gmaes": 5}, False),
    ],
)
def test_what_the_schema_accepts_and_refuses(more, good):
    assert fits({"question": "What happens?", **more}, MADE) == good
    assert not fits(more, MADE)


def test_parameters_of_a_strategy_are_offered_with_their_limits(monkeypatch):
    @strategy(wants="best", parameters=(Parameter("depth", 2, 1, 9, "how far", whole=True),))
    def deep(view):
        """Looks far."""

    monkeypatch.setattr("sim.schema.catalogue", lambda: {"deep": deep})
    named, written, *_ = schema()["$defs"]["Player"]["anyOf"]
    assert named == {"const": "deep", "description": "Looks far."}
    assert written["properties"]["depth"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
        "default": 2,
        "description": "how far",
    }


def test_the_schema_needs_no_compiler():
    code = (
        "import sys, sim.cli; sim.cli.cli.main(['schema'], standalone_mode=False);"
        "sys.exit(any(m in sys.modules for m in ('numba', 'pandas', 'polars', 'matplotlib')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert ran.returncode == 0
    assert json.loads(ran.stdout) == MADE
