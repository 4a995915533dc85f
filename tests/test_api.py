"""`sim.run` and `sim.open`: the rows of a run as frames, its numbers as `sim show` tells them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats
from click.testing import CliRunner

import sim
from sim.answers.measured import OF_A_RUN
from sim.answers.questions import registered
from sim.answers.results import Results
from sim.commands import show
from sim.errors import DataDamaged, UsageFault
from sim.experiment import load, load_mapping
from sim.stats import turns
from sim.stats.metrics import METRICS, PAIR_METRICS, REGISTERED
from tests import data_page
from tests.runs import said

ROOT = Path(__file__).parents[1]
ASKED = {
    "question": "What do jokers and the rest do?",
    "players": [2, 3],
    "rules": {"preset": "casual"},
    "factors": {"jokers": [0, 2], "rest": ["nobody", "last_to_capture"]},
    "lineups": {"greedy": "greedy", "mixed": ["random", "greedy"]},
    "games": 600,
}
GREEDY = "variant", "players", "lineup"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return sim.run(ASKED, tmp_path_factory.mktemp("runs") / "run", jobs=2)


def python(*args: str | Path) -> str:
    done = subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(*args: str | Path) -> str:
    """What `sim show` prints, in this process."""
    done = CliRunner().invoke(show.command, [str(arg) for arg in args], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


# --- light -------------------------------------------------------------------------------------


def test_importing_sim_imports_nothing_else() -> None:
    heavy = "{'numpy', 'numba', 'polars', 'pandas', 'pydantic', 'click', 'joblib', 'sim.errors'}"
    told = python("-c", f"import sys, sim; print({heavy} & set(sys.modules))")
    assert told.strip() == "set()"


@pytest.mark.parametrize("command", [[], ["show"], ["compare"], ["run"]])
def test_help_imports_no_heavy_library(command: list[str]) -> None:
    heavy = "{'numba', 'polars', 'pandas', 'joblib', 'scipy', 'rich', 'matplotlib'}"
    code = (
        "import atexit, sys; from sim.cli import main; "
        f"atexit.register(lambda: print('heavy:', {heavy} & set(sys.modules))); "
        f"sys.argv = ['sim', *{command}, '--help']; main()"
    )
    assert python("-c", code).strip().endswith("heavy: set()")


# --- asking ------------------------------------------------------------------------------------


def test_a_mapping_is_the_experiment_that_its_file_would_be(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(json.dumps(ASKED))
    assert load_mapping(ASKED) == load(path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"games": 0}, "experiment: games: found 0; allowed is at least 1"),
        ({"lineups": {"x": "gredy"}}, "experiment: lineups.x: .*gredy.*greedy"),
        ({"smallest": float("nan")}, "experiment: holds what no experiment file can hold"),
        ({"players": {2}}, "experiment: holds what no experiment file can hold"),
        ({"gmaes": 3}, r"experiment: gmaes: there is no such key \(did you mean games\?\)"),
    ],
)
def test_what_is_wrong_with_a_mapping_is_told_by_key(change: dict, told: str) -> None:
    with pytest.raises(UsageFault, match=told):
        load_mapping({**ASKED, **change})


def test_a_run_is_played_once_and_a_file_is_as_good(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(json.dumps(ASKED))
    again = sim.run(path, results.path)
    assert again.complete and again.path == results.path
    assert sim.open(str(results.path)).experiment == again.experiment
    assert "What do jokers" in repr(again)


def test_no_run_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataDamaged, match="is no run directory"):
        sim.open(tmp_path)


# --- rows --------------------------------------------------------------------------------------


def test_rows_are_lazy_and_named(results: Results) -> None:
    assert isinstance(results.games, pl.LazyFrame) and isinstance(results.blocks, pl.LazyFrame)
    games, cells = results.games.collect(), results.cells
    counted = games.group_by("cell", *GREEDY).len()
    assert counted.height == cells.height == 12 and set(counted["len"]) == {600}
    named = counted.join(cells, on="cell").filter(
        pl.all_horizontal(pl.col(name) == pl.col(f"{name}_right") for name in GREEDY)
    )
    assert named.height == 12
    assert results.blocks.select(pl.col("games").sum()).collect().item() == 12 * 600
    assert games["deal"].is_sorted() is False and games["cell"].is_sorted()


def test_pandas_has_the_same_rows(results: Results) -> None:
    games = results.to_pandas()
    assert isinstance(games, pd.DataFrame) and len(games) == 12 * 600
    assert games["points_0"].dtype == np.int32
    assert len(results.to_pandas("blocks")) == results.blocks.collect().height


def test_only_what_the_ledger_lists_is_read(results: Results, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(results.path, copy)
    part = min((copy / "parts").glob("games-*"))
    shutil.copy(part, copy / "parts" / "games-c9999-b000000-n0001.parquet")
    assert sim.open(copy).games.collect().equals(results.games.collect())
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(DataDamaged, match=part.name):
        _ = sim.open(copy).games


def test_the_page_about_the_data_is_the_one_made_from_the_code() -> None:
    assert data_page.PATH.read_text(encoding="utf-8") == data_page.page(), (
        "columns changed; run: python -m tests.data_page"
    )


def test_the_page_names_every_column_of_every_frame(results: Results) -> None:
    page = data_page.page()
    for name in results.games.collect_schema().names():
        stem = name.rpartition("_")[0]
        assert f"| {name} " in page or f"| {stem}_0 .. _4 " in page, name
    fields = {word for row in data_page.RECORD for word in row.split(", ")}
    told = set(results.contrast().columns) | set(results.estimate("win_share").columns)
    assert told - fields == {*GREEDY, "against", "metric", "seat"}


# --- numbers -----------------------------------------------------------------------------------


def records(results: Results) -> dict:
    return json.loads(said("show", results.path, "--json"))


def test_estimates_are_the_numbers_of_show(results: Results) -> None:
    told = {
        (cell["variant"], cell["players"], cell["lineup"], own["metric"], own.get("seat")): own
        for cell in records(results)["cells"]
        for own in cell["estimates"]
    }
    rows = [*results.estimate().rows(named=True), *results.estimate("win_share").rows(named=True)]
    assert len(rows) == 12 + 4 * 7
    for row in rows:
        key = *(row[name] for name in GREEDY), row["metric"], row.get("seat")
        assert all(row[name] == value for name, value in told[key].items())


def test_contrasts_are_the_numbers_of_show(results: Results) -> None:
    told = [r for r in records(results)["contrasts"] if r["metric"] == "margin"]
    assert results.contrast("margin").to_dicts() == told and len(told) == 9


def test_another_variant_can_be_subtracted(results: Results) -> None:
    there = results.contrast("margin").filter(pl.col("variant").str.contains("2.*capture"))
    (variant,) = there["variant"].unique()
    back = results.contrast("margin", against=variant)
    for row in there.iter_rows(named=True):
        (other,) = back.filter(
            variant=row["against"], players=row["players"], lineup=row["lineup"]
        ).rows(named=True)
        assert (other["value"], other["low"]) == pytest.approx((-row["value"], -row["high"]))


def test_a_mean_over_lineups_is_of_shared_deals(results: Results) -> None:
    """By hand from the game rows: 4-deal blocks of one line-up, 8-deal blocks of the other."""
    found = results.estimate("margin", by=["variant", "players"])
    assert found.height == 8 and "lineup" not in found.columns
    row = found.filter(players=2).row(0, named=True)
    games = results.to_pandas().query("variant == @row['variant'] and players == 2")
    margin = (games["points_0"] - games["points_1"]).abs()
    by_deal = margin.groupby([games["lineup"], games["deal"]]).mean().unstack(0).dropna()
    by_deal = by_deal.iloc[: len(by_deal) // 8 * 8].mean(axis=1)
    z = by_deal.groupby(by_deal.index // 8).mean()
    assert row["deals"] == len(by_deal)
    assert row["value"] == pytest.approx(by_deal.mean()) and row["se"] == pytest.approx(z.sem())
    half = scipy.stats.t.ppf(0.975, len(z) - 1) * z.sem()
    assert row["high"] - row["value"] == pytest.approx(half)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda r: r.estimate("margn"), "no metric 'margn' .did you mean margin.*sim list metrics"),
        (lambda r: r.estimate(by=["seat"]), "by 'seat': allowed is any of variant, players, line"),
        (lambda r: r.estimate(by=["variant"]), "a mean over numbers of players means nothing"),
        (lambda r: r.contrast(by=["players"]), "no second variant to compare, or by lacks variant"),
        (lambda r: r.contrast(against="jokers"), "no variant 'jokers'.*there are jokers=0"),
        (lambda r: r.contrast("unfairness"), "unfairness has no contrast of its own"),
        (lambda r: r.estimate("beats", by=["variant"]), "beats is told of each cell by itself"),
    ],
)
def test_what_cannot_be_asked_is_refused(results: Results, ask, told: str) -> None:
    with pytest.raises(UsageFault, match=told):
        ask(results)


ANSWERED = {entry.name for entry in (*METRICS, *PAIR_METRICS)} | OF_A_RUN.keys() - {
    "price_of_information", "deterrence_threshold", "variance_shares",
}  # fmt: skip


@pytest.mark.parametrize("entry", REGISTERED, ids=lambda e: e.name)
def test_every_registered_metric_is_answered_or_says_what_it_needs(
    results: Results, entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run over a grid of rules with two line-ups; an interval never has width zero."""
    monkeypatch.setattr(turns, "TURNS", 400)
    monkeypatch.setattr(turns, "FEWEST_DEALS", 2)
    if entry.name not in ANSWERED:
        with pytest.raises(UsageFault, match=f"{entry.name} needs .*; this run has none"):
            results.estimate(entry.name)
        return
    found = results.estimate(entry.name)
    assert found.height > 0 and set(found["metric"]) == {entry.name}
    ends = found.select("low", "high").rows()
    assert all(None in (low, high) or low < high for low, high in ends)
    assert entry.definition.split()[0] in shown(results.path, "--metric", entry.name)
    data = json.loads(shown(results.path, "--metric", entry.name, "--json"))
    assert [own["value"] for own in data["estimates"]] == found["value"].to_list()


def test_games_compared_one_by_one_follow_from_the_rows(results: Results) -> None:
    """Pivotality in pandas: joined by deal and rotation, winners differ."""
    found = results.estimate("pivotality").row(0, named=True)
    games = results.to_pandas().query("players == @found['players'] and lineup == @found['lineup']")
    key = ["deal", "rotation", "hand_rotation"]
    on, off = (
        games[games["variant"] == found[side]].set_index(key)["winners"]
        for side in ("variant", "against")
    )
    assert found["value"] == pytest.approx((on != off.loc[on.index]).mean())


def test_effects_of_a_grid_are_those_of_its_cells(results: Results) -> None:
    """Two levels: the effect of one is half of its mean difference to the other."""
    effects = results.estimate("effects").filter(lineup="greedy", players=2)
    rule = results.estimate("rule_effect").filter(lineup="greedy", players=2)
    for what, name in (("jokers=2", "jokers: 2 minus 0"),):
        half = effects.filter(what=what)["value"].item()
        assert rule.filter(what=name)["value"].item() == pytest.approx(2 * half)
    values = results.estimate().filter(lineup="greedy", players=2)
    on = values.filter(pl.col("variant").str.contains("jokers=2"))["value"].mean()
    off = values.filter(pl.col("variant").str.contains("jokers=0"))["value"].mean()
    assert rule.filter(what="jokers: 2 minus 0")["value"].item() == pytest.approx(on - off)


def test_by_on_the_command_line(results: Results) -> None:
    text = said("show", results.path, "--metric", "margin", "--by", "variant,players")
    assert "2 players, all line-ups" in text and "mixed" not in text
    assert "--by goes with --metric" in said("show", results.path, "--by", "players", code=2)
    assert "margin?" in said("show", results.path, "--metric", "margn", code=2)
    assert registered("margin").title == "margin"


# --- the scripts -------------------------------------------------------------------------------


def test_the_scripts_run_and_pandas_agrees_with_the_api(tmp_path: Path) -> None:
    out = tmp_path / "run"
    told = python(ROOT / "examples" / "ask_in_python.py", "400", out)
    assert "one" in told and "not yet known" in told
    lines = python(ROOT / "examples" / "answer_in_pandas.py", out).splitlines()
    rows = sim.open(out).contrast().rows(named=True)
    assert len(lines) == len(rows) == 8
    for row in rows:
        half = scipy.stats.t.ppf(0.975, row["blocks"] - 1) * row["se"]
        assert (
            f"{row['variant']} minus {row['against']}, {row['players']} players, {row['lineup']}: "
            f"{100 * row['value']:+.4f} ± {100 * half:.4f} pp"
        ) in lines
