"""Every command of the README is run, and every link leads somewhere."""

import re
import subprocess
from pathlib import Path

import pytest

from sim.experiment import load
from tests.runs import command

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.S)
YAML = re.findall(r"```yaml\n(.*?)```", README, re.S)[0]
LINES = [line for block in BLOCKS for line in block.splitlines()]


def test_the_readme_has_its_two_commands_first():
    assert LINES[:2] == ["make run", "sim run experiments/yoruba_vs_casual.yaml"]


def test_every_command_of_the_readme_runs(tmp_path):
    for folder in ("experiments", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "joker.yaml").write_text(YAML)
    for line in LINES:
        if line.startswith("make "):
            subprocess.run(["make", "-n", *line.split()[1:]], cwd=ROOT, check=True)
            continue
        quoted = re.findall(r'"[^"]*"|\S+', line)
        args = [word.strip('"') for word in quoted[1:]]
        small = ["--set", "games=400"] if args[0] == "run" else []
        done = subprocess.run(command(*args, *small), cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_the_yaml_of_the_readme_is_an_experiment(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(YAML)
    assert load(path).primary == "margin"


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", README))
def test_links_lead_somewhere(link):
    assert (ROOT / link).exists()
