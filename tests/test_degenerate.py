"""Runs that say little: one game, one block, all ties, all alike.

They never crash, and never give an interval of width 0.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

import sim
from reports import answers
from sim.commands import show
from sim.errors import UsageFault
from sim.stats.metrics import REGISTERED
from tests import synthetic_run as synthetic
from tests.runs import played, said

VARIANTS = (synthetic.Variant("casual"), synthetic.Variant("yoruba", -6.0, 1.5))
GAME = """\
question: What do two jokers do?
players: [2, 5]
variants: {none: {jokers: 0}, two: {jokers: 2}}
lineups: {greedy: greedy}
games: %d
"""
ZERO = re.compile(r"± 0(\.0+)?(?![.\d])|\((\S+)–\2\)")


def numbers(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for cell in told["cells"]:
        yield from cell["estimates"]
        yield from cell["measures"]
    yield from told["contrasts"]


def sound(told: dict[str, Any], text: str) -> None:
    """No number has an interval of width 0, in data or as printed, and all say what they are."""
    for record in numbers(told):
        assert (record["low"] is None) == (record["high"] is None), record
        assert record["low"] is None or record["low"] < record["high"], record
        assert record["state"] and record["unit"]
    assert not ZERO.search(text), ZERO.search(text)
    assert "nan" not in text.lower().split()


def printed(run: synthetic.Run) -> str:
    stream = io.StringIO()
    answers.show(run, Console(file=stream, width=100))
    return stream.getvalue()


@pytest.mark.parametrize("games", [1, 2, 3])
def test_a_run_of_a_few_games_is_told(tmp_path: Path, games: int) -> None:
    run = played(tmp_path, GAME % games).run
    told, text = json.loads(said("show", run.path, "--json")), said("show", run.path)
    sound(told, text)
    if games == 1:
        assert all(record["low"] is None for record in numbers(told))
        assert "one block" in text and "not yet known in all 2 settings" in text
        assert "in each 1 deal in 1 block;" in text


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("games", [1, 2])
def test_every_metric_of_a_few_games_is_answered_or_refused(tmp_path: Path, games: int) -> None:
    run = played(tmp_path, GAME % games).run
    results = sim.open(run.path)
    for entry in REGISTERED:
        try:
            found = results.estimate(entry.name)
        except UsageFault as fault:
            assert " needs " in str(fault)
            continue
        ends = found.select("low", "high").rows()
        assert all(None in (low, high) or low < high for low, high in ends), entry.name
        args = [str(run.path), "--metric", entry.name]
        assert CliRunner().invoke(show.command, args, catch_exceptions=False).exit_code == 0


def tied(run: synthetic.Run) -> synthetic.Run:
    """The same run with every game tied by all seats."""
    for cell in run.cells:
        rows = run.rows[cell.id]
        rows["points"][:, : cell.players] = 12
        rows["winners"] = (1 << cell.players) - 1
        rows["role_points"][:, : cell.players] = 12
    return run


@pytest.mark.parametrize("blocks", [1, 2, 50])
def test_when_all_games_are_tied_everything_is_even(tmp_path: Path, blocks: int) -> None:
    lineups = (synthetic.Lineup("greedy", True),)
    run = tied(synthetic.make(tmp_path, VARIANTS, (2, 3), lineups, blocks=blocks))
    told = answers.as_json(run)
    sound(told, printed(run))
    even = {"dealer_advantage_wins", "dealer_advantage_cards", "margin", "unfairness"}
    found = [r for cell in told["cells"] for r in (*cell["estimates"], *cell["measures"])]
    assert all(abs(r["value"]) < 1e-15 for r in found if r["metric"] in even)
    ties = [r for r in found if r["metric"] == "tie_rate"]
    assert all(r["value"] == 1 for r in ties)
    assert all((r["high"] == 1) == (blocks > 1) for r in ties)
    assert not any(r["verdict"].startswith(("larger", "different")) for r in told["contrasts"]
                   if r["metric"] in even)  # fmt: skip


def test_identical_games_everywhere_are_constant_and_equal(tmp_path: Path) -> None:
    run = synthetic.make(tmp_path, VARIANTS, (2,), blocks=50)
    for cell in run.cells:
        deal = run.rows[cell.id]["deal"].copy()
        run.rows[cell.id][:] = run.rows[0][0]
        run.rows[cell.id]["deal"] = deal
    told, text = answers.as_json(run), printed(run)
    sound(told, text)
    assert {r["state"] for r in told["contrasts"] if r["value"] is not None} == {
        "exactly equal: the same sums in every block of deals"
    }
    assert "exactly equal" in text and "constant" in text


def test_small_and_large_widths_in_one_column_are_both_seen(tmp_path: Path) -> None:
    """Decimals suit the column, but no interval is rounded to nothing."""
    run = synthetic.make(tmp_path, VARIANTS, (2, 3), blocks=50)
    for cell in run.cells:
        run.rows[cell.id]["left"] *= 100
    own = run.rows[run.cells[0].id]
    own["left"] = 12
    own["left"][0] = 13
    sound(answers.as_json(run), printed(run))
    assert re.search(r"3\.00\d* ± 0\.00\d", printed(run))


def test_a_run_without_any_block_yet_is_told(tmp_path: Path) -> None:
    run = played(tmp_path, GAME % 60).run
    (run.path / "ledger.jsonl").write_text("")
    (run.path / "DONE.json").unlink()
    text = said("show", run.path)
    assert "Partial" in text and "undefined" in text
    told = json.loads(said("show", run.path, "--json"))
    sound(told, text)
    assert all(record["value"] is None for record in numbers(told))
