"""docs/strategies.md and examples/ are true: every field and function is there, the code plays."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sim import foresight, sight
from sim.cli import cli
from sim.experiment import load
from sim.runner import run
from sim.schema import FIRST_LINE
from sim.view import VIEW

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
WORKED = ["magpie", "scribe"]
PAGE = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")


def named(heading):
    """Return the words in code spans in the first column of the table under a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (.*?) \|", section, re.M)[1:]
    return [re.split(r"[(\[]", span)[0] for cell in cells for span in re.findall(r"`(.*?)`", cell)]


def test_every_field_of_the_view_is_told_once():
    assert sorted(named("The View")) == sorted(VIEW.names)


def test_every_function_of_sight_is_told_once():
    kinds = {"TRAIL", "CAPTURE", "BUILD"}
    answers = {*sight.__all__, *foresight.__all__} - kinds
    assert sorted({*named("What `sim.sight` answers")} - {"function"}) == sorted(answers)


def test_the_code_of_the_page_is_that_of_an_example():
    sources = [path.read_text() for path in EXAMPLES.glob("*.py")]
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert blocks
    assert all(any(block in source for source in sources) for block in blocks)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", PAGE))
def test_links_lead_somewhere(link):
    assert (ROOT / "docs" / link).exists()


@pytest.mark.parametrize("name", WORKED)
def test_the_worked_strategies_are_fit_to_play(name):
    args = ["check-strategy", f"{EXAMPLES / name}.py:{name}", "--allow-code", "--games", "1"]
    result = CliRunner().invoke(cli, args, standalone_mode=False)
    assert result.exception is None, result.output


@pytest.mark.parametrize("name", WORKED)
def test_a_worked_strategy_uses_sight_and_strategy_alone(name):
    source = (EXAMPLES / f"{name}.py").read_text()
    imported = re.findall(r"^(?:from|import) (\S+)", source, re.M)
    assert imported == ["sim.sight", "sim.strategy"]


def test_the_worked_experiment_plays(tmp_path):
    path = EXAMPLES / "magpie_and_scribe.yaml"
    schema = FIRST_LINE.partition("$schema=")[2]
    assert path.read_text().startswith(FIRST_LINE.replace(schema, f"../experiments/{schema}\n"))
    experiment = load(path, ["games=4"], allow_code=True)
    compiled = {one.name: one.compiled for one in experiment.strategies}
    assert compiled == {"magpie.py:magpie": True, "scribe.py:scribe": False}
    assert run(experiment, tmp_path / "run", jobs=2).played == 8
