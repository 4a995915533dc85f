"""`sim list strategies`: what there is to choose from, told without compiling anything."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from sim.cli import cli
from sim.stats.metrics import REGISTERED
from sim.strategy import catalogue


def output(*args):
    result = CliRunner().invoke(cli, ["list", *args], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


@pytest.mark.parametrize("name", catalogue())
def test_every_strategy_is_told_with_its_sentence_and_parameters(name):
    entry = catalogue()[name]
    told = next(t for t in output("strategies").split("\n\n") if t.startswith(f"{name}\n"))
    assert entry.says in told
    assert ("the cards it has not seen" in told) == entry.uses_unseen
    assert ("every legal move" in told) == (entry.wants == "all")
    for parameter in entry.parameters:
        assert f"{parameter.name}: " in told
    assert len(told.strip().splitlines()) == 3 + len(entry.parameters)


def test_a_parameter_is_told_with_range_default_and_meaning():
    assert (
        "  table: a whole number from 1 to 20, 6 by default. "
        "A joker is kept until this many cards are on the table.\n"
    ) in output("strategies")


def test_every_metric_is_told_with_unit_definition_and_what_it_needs():
    listed = {told.splitlines()[0]: told for told in output("metrics").split("\n\n")}
    assert sorted(listed) == sorted(entry.name for entry in REGISTERED)
    for entry in REGISTERED:
        assert entry.definition[1:] in listed[entry.name]
        assert f"{entry.source}: {entry.unit}; needs " in listed[entry.name]
    assert listed["pivotality"] == (
        "pivotality\n"
        "  Share of games whose winners change when the rule is switched.\n"
        "  House rules: share of games; needs the games of two rule sets on the same deals."
    )


def test_metrics_come_by_family():
    told = [json.loads(line) for line in output("metrics", "--json").splitlines()]
    families = [entry["family"] for entry in told]
    assert families == sorted(families, key=families.index)
    (known,) = (entry for entry in told if entry["name"] == "player_points")
    assert known == {
        "name": "player_points",
        "title": "points by player",
        "unit": "points per game",
        "definition": "mean points of a player of the line-up, wherever it sits",
        "family": "Skill, luck",
        "needs": "one cell (a number for each player of the line-up)",
    }


def test_json_holds_the_same():
    told = [json.loads(line) for line in output("strategies", "--json").splitlines()]
    assert [entry["name"] for entry in told] == list(catalogue())
    (hoarder,) = (entry for entry in told if entry["name"] == "hoarder")
    assert (hoarder["moves"], hoarder["unseen"]) == ("best", False)
    assert hoarder["parameters"] == [
        {
            "name": "table",
            "default": 6,
            "low": 1,
            "high": 20,
            "whole": True,
            "meaning": "a joker is kept until this many cards are on the table",
        }
    ]


def test_listing_does_not_load_the_compiler():
    code = (
        "import sys\nfrom sim.cli import cli\n"
        "cli.main(['list', 'strategies'], standalone_mode=False)\n"
        "sys.exit('numba' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
