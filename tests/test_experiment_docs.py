"""The page on experiments names every key, and its example is one."""

import re
from pathlib import Path

from sim.document import Document
from sim.experiment import load
from sim.sampling import STOP_KEYS, Design

TEXT = (Path(__file__).parents[1] / "docs" / "experiments.md").read_text(encoding="utf-8")


def test_the_example_is_an_experiment(tmp_path):
    path = tmp_path / "cheat.yaml"
    path.write_text(re.search(r"```yaml\n(.*?)```", TEXT, re.S)[1])
    found = load(path)
    assert len(found.variants) == 3
    assert found.lineups[0].name == "one cheat, 0.with.miscapture=0"


def test_every_key_is_there():
    rows = re.findall(r"^\| `(\w+)` \|", TEXT, re.M)
    assert rows == list(Document.model_fields)
    for key in (*STOP_KEYS, *Design.model_fields):
        assert re.search(rf"\b{key}\b", TEXT)
