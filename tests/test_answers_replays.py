"""`sim show RUN --metric drama`: a run's first deals are told again, with leave to run its code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import sim
from sim.answers.findings import Findings
from sim.answers.replays import replays
from sim.errors import UsageFault
from sim.experiment import load
from sim.runner import run
from sim.stats import turns
from sim.stats.metrics.replayed import MEASURES, drama
from sim.store import Run
from tests.runs import played, said

ASKED = """\
question: Does it matter?
players: 2
rules: {end: {rounds: 1}}
variants:
  plain: {}
  inert: {esun_unclaimed: discard}
  jokers: {jokers: 2}
lineups:
  mixed: [random, greedy]
games: 40
"""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return played(tmp_path_factory.mktemp("runs"), ASKED).run


def test_a_cell_is_its_own_first_deals_told_again(known: Run) -> None:
    """Catches another seed, and more deals than were played."""
    findings = Findings(known)
    for cell, games in replays(findings, known):
        own = turns.replayed(replace(cell, shares=None), known.experiment.seed, 20)
        assert games.sums.columns["behind.sum"].tolist() == own.sums.columns["behind.sum"].tolist()
        stored, again = (
            blocks.weighted({"captures": 1}).sum()
            for blocks in (findings.blocks[cell.id], games.sums)
        )
        assert stored == again and len(games.sums) == 20  # 40 games, all of them


def test_cells_that_share_games_are_told_once(known: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = turns.replayed

    def counted(cell, seed, deals):
        asked.append(cell.id)
        return real(cell, seed, deals)

    monkeypatch.setattr("sim.answers.replays.replayed", counted)
    assert [cell.id for cell, _ in replays(Findings(known), known)] == [0, 1, 2]
    assert asked == [0, 0, 2]


def test_show_and_python_tell_the_same(known: Run) -> None:
    results = sim.open(known.path)
    games = dict(replays(Findings(known), known))
    wanted = [drama(own) for own in games.values()]
    found = results.estimate("drama")
    assert found["value"].to_list() == [own.value for own in wanted]
    assert found["low"].to_list() == [own.low for own in wanted]
    assert found["what"].unique().to_list() == ["20 deals"]
    told = json.loads(said("show", known.path, "--metric", "drama", "--json"))
    assert [each["value"] for each in told["estimates"]] == found["value"].to_list()
    assert "jokers 20 deals" in said("show", known.path, "--metric", "drama")


def test_a_run_without_games_says_what_is_needed(tmp_path: Path) -> None:
    """A run that was stopped before its first block was stored."""
    started = played(tmp_path, ASKED).run
    (started.path / "ledger.jsonl").write_text("")
    (started.path / "DONE.json").unlink()
    for measure in MEASURES:
        with pytest.raises(UsageFault, match=f"{measure.name} needs games of one cell, replayed"):
            sim.open(started.path).estimate(measure.name)


CODE = """\
from pathlib import Path

from sim.strategy import strategy

Path(__file__).with_name("was_run").touch()


@strategy(wants="best", compiled=False)
def first(view):
    \"\"\"Plays the first move.\"\"\"
    return 0
"""


def test_code_of_a_run_is_run_only_with_leave(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CODE)
    path = tmp_path / "asked.yaml"
    path.write_text(ASKED.replace("[random, greedy]", "[mine.py:first, greedy]"))
    done = run(load(path, allow_code=True), tmp_path / "run", jobs=1).run
    refusal = said("show", done.path, "--metric", "regret", code=2)
    (copy,) = (done.path / "code").iterdir()
    assert f"mine.py:first played in these games; {copy} is a program" in refusal
    assert "--allow-code" in refusal and not copy.with_name("was_run").exists()
    with pytest.raises(UsageFault, match="played in these games"):
        sim.open(done.path).estimate("regret")
    assert "cards per turn" in said("show", done.path, "--metric", "regret", "--allow-code")
    assert copy.with_name("was_run").exists()
    found = sim.open(done.path, allow_code=True).estimate("regret")
    assert min(found["value"]) > 0


def test_leave_to_run_code_is_refused_where_none_is_run(known: Run) -> None:
    assert "--allow-code goes with --metric" in said("show", known.path, "--allow-code", code=2)
