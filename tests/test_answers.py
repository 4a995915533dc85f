"""The answer of a run: its numbers, its words, its pictures."""

from __future__ import annotations

import hashlib
import io
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from click.testing import CliRunner
from rich.console import Console

from reports import answers, words
from reports.scores import Scores, collect
from sim.answers.findings import Findings
from sim.commands import show
from sim.errors import DiskFault
from sim.stats.estimates import Method
from sim.stats.metrics import BY_NAME, METRICS, NAMES
from sim.stats.verdict import Verdict
from sim.store.ending import UNFINISHED
from tests import synthetic_run as synthetic
from tests.in_pandas import ratio_of

CASUAL = synthetic.Variant("casual")
YORUBA = synthetic.Variant("yoruba", -6.0, 1.5)
GREEDY, CAUTIOUS = synthetic.Lineup("greedy", True), synthetic.Lineup("cautious")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> synthetic.Run:
    return synthetic.make(
        tmp_path_factory.mktemp("run"), (CASUAL, YORUBA), (2, 5), (GREEDY, CAUTIOUS)
    )


def printed(run: synthetic.Run, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding, write_through=True)
    answers.show(run, Console(file=stream))
    return raw.getvalue().decode(encoding)


def headline(run: synthetic.Run) -> str:
    return " ".join(words.answer(Findings(run)))


# --- the numbers -------------------------------------------------------------------------------


def recomputed(
    games: pd.DataFrame, cell: synthetic.Cell, metric: str, i: int
) -> tuple[float, pd.Series]:
    """Value, and each block's linearised contribution."""
    above, below = ratio_of(games, cell.players, metric, i)
    block = games["deal"] // cell.block_deals
    n, d = above.groupby(block).sum(), below.groupby(block).sum()
    value = n.sum() / d.sum()
    return value, (n - value * d) / d.mean()


def place(record: dict[str, Any]) -> int:
    return int(record.get("seat", record.get("role", record.get("player", 0))))


def agrees(record: dict[str, Any], value: float, z: pd.Series) -> None:
    """Floats of 64 bits over some thousand games: equal to about 1e-12, asked to 1e-9."""
    assert record["value"] == pytest.approx(value, rel=1e-9, abs=1e-9)
    if record["method"] not in (None, Method.STUDENT.value):  # rare: see test_stats_rates
        assert record["low"] <= value <= record["high"] and record["low"] < record["high"]
    elif record["state"].startswith("interval"):
        half = scipy.stats.t.ppf(0.975, len(z) - 1) * z.std(ddof=1) / math.sqrt(len(z))
        assert record["low"] == pytest.approx(value - half, rel=1e-9, abs=1e-9)
        assert record["high"] == pytest.approx(value + half, rel=1e-9, abs=1e-9)
        assert record["se"] == pytest.approx(z.std(ddof=1) / math.sqrt(len(z)), rel=1e-7)
    else:
        assert z.std(ddof=1) < 1e-9 and record["low"] is None and record["high"] is None


def test_every_number_of_the_json_follows_from_the_game_rows_in_pandas(run: synthetic.Run) -> None:
    data = json.loads(json.dumps(answers.as_json(run), allow_nan=False))
    parts = [part.to_pandas() for part in run.games()]
    frames = {
        cell.id: pd.concat([p for p in parts if p["cell"][0] == cell.id]) for cell in run.cells
    }
    of: dict[tuple[str, int, str], synthetic.Cell] = {
        (cell.variant, cell.players, cell.lineup): cell for cell in run.cells
    }
    seen = 0
    for entry in data["cells"]:
        cell = of[entry["variant"], entry["players"], entry["lineup"]]
        assert entry["games"] == len(frames[cell.id])
        assert entry["deals"] == frames[cell.id]["deal"].nunique()
        for record in entry["estimates"]:
            agrees(record, *recomputed(frames[cell.id], cell, record["metric"], place(record)))
            assert record["unit"] and record["blocks"] == 50
            seen += 1
    by_place = len(METRICS) - len(NAMES)
    assert seen == 2 * 2 * sum(len(NAMES) + by_place * n for n in (2, 5))
    for record in data["contrasts"]:
        cell = of[record["variant"], record["players"], record["lineup"]]
        first = of[record["against"], record["players"], record["lineup"]]
        value, z = recomputed(frames[cell.id], cell, record["metric"], place(record))
        base, z_base = recomputed(frames[first.id], first, record["metric"], place(record))
        agrees(record, value - base, z - z_base)
        if record["variance_ratio"] is not None:
            ratio = (z.var() + z_base.var()) / (z - z_base).var()
            assert record["variance_ratio"] == pytest.approx(ratio, rel=1e-7)


def test_contrasts_stay_within_a_number_of_players_and_a_lineup(run: synthetic.Run) -> None:
    found = {
        (r["players"], r["lineup"], r["variant"], r["against"])
        for r in answers.as_json(run)["contrasts"]
    }
    assert found == {
        (n, lineup, "yoruba", "casual") for n in (2, 5) for lineup in ("greedy", "cautious")
    }


def test_where_the_first_variant_cannot_be_played_nothing_is_compared(tmp_path: Path) -> None:
    whole = synthetic.make(tmp_path, (CASUAL, YORUBA, synthetic.Variant("third")), (2, 5))
    cells = [c for c in whole.cells if not (c.variant == "casual" and c.players == 5)]
    part = synthetic.Run(whole.experiment, cells, whole.path, whole.rows)
    assert {r["players"] for r in answers.as_json(part)["contrasts"]} == {2}
    assert "5 players" in printed(part)


def test_the_smallest_effect_of_the_experiment_judges_its_primary_metric_only(
    tmp_path: Path,
) -> None:
    run = synthetic.make(tmp_path, (CASUAL, YORUBA), (2,), (GREEDY,), blocks=200)
    verdicts = []
    for smallest in (0.005, 0.9):
        judged = synthetic.Run(
            replace(run.experiment, smallest=smallest), run.cells, run.path, run.rows
        )
        contrasts = answers.as_json(judged)["contrasts"]
        verdicts.append({r["metric"]: r["verdict"] for r in contrasts if place(r) == 0})
    changed = {name for name in verdicts[0] if verdicts[0][name] != verdicts[1][name]}
    assert changed == {"dealer_advantage_wins"}
    assert verdicts[1]["dealer_advantage_wins"] == "practically equal"


# --- the words ---------------------------------------------------------------------------------


def test_the_answer_comes_first_with_effect_interval_and_verdict(tmp_path: Path) -> None:
    run = synthetic.make(tmp_path, (CASUAL, YORUBA), (3,), (GREEDY,), blocks=100)
    change = next(
        r for r in answers.as_json(run)["contrasts"] if r["metric"] == "dealer_advantage_wins"
    )
    half = (change["high"] - change["low"]) / 2
    digits = 1 - math.floor(math.log10(half * 100))
    value = f"{change['value'] * 100:+.{digits}f} ± {half * 100:.{digits}f} pp"
    assert headline(run) == (
        f"Dealer advantage in wins, yoruba against casual: {value} (3 players, greedy). "
        "That is larger than 0.5 pp, the smallest difference that matters."
    )
    text = printed(run)
    assert 0 < text.index(value) < text.index("The dealer and the course of play")


def test_many_settings_are_counted_by_verdict_and_the_extremes_named(run: synthetic.Run) -> None:
    text = headline(run)
    changes = [c.estimate.value for c in Findings(run).changes(Findings(run).primary)]
    low, high = (f"{end * 100:+.1f} ±" for end in (min(changes), max(changes)))
    assert text.startswith("Dealer advantage in wins, yoruba against casual: ")
    assert "of 4 settings" in text or "all 4 settings" in text
    assert text.index(low.replace("-", words.MINUS)) < text.index(high)


@pytest.mark.parametrize("smallest", [0.0001, 0.02, 0.055, 0.9])
def test_every_verdict_is_counted_in_its_own_words(run: synthetic.Run, smallest: float) -> None:
    experiment = replace(run.experiment, smallest=smallest)
    judged = synthetic.Run(experiment, run.cells, run.path, run.rows)
    changes = Findings(judged).changes(BY_NAME["dealer_advantage_wins"])
    size = f"{smallest * 100:g} pp"
    words_of = {
        Verdict.LARGER: f"up by more than {size}",
        Verdict.DIFFERENT: f"different, but perhaps by less than {size},",
        Verdict.EQUAL: f"practically equal (within {size})",
        Verdict.UNKNOWN: "not yet known",
    }
    for verdict, text in words_of.items():
        count = sum(each.verdict is verdict for each in changes)
        said = f"{text} in all 4 settings" if count == 4 else f"{text} in {count}"
        assert (said in headline(judged)) == (count > 0)


def test_identical_variants_are_said_to_be_exactly_equal(tmp_path: Path) -> None:
    run = synthetic.make(tmp_path, (CASUAL, synthetic.Variant("same")), (2, 3), (GREEDY,))
    assert "exactly equal in all 2 settings" in headline(run)
    one = synthetic.make(tmp_path, (CASUAL, synthetic.Variant("same")), (2,), (GREEDY,))
    assert "exactly equal" in headline(one) and "±" not in headline(one)


def test_what_is_not_yet_known_says_how_many_more_games_would_tell(tmp_path: Path) -> None:
    """Catches a shrug: the same games in the JSON and in the sentence."""
    slight = synthetic.Variant("slight", 0.0, 0.1)
    run = synthetic.make(tmp_path, (CASUAL, slight), (2,), (GREEDY,), blocks=20)
    contrasts = answers.as_json(run)["contrasts"]
    (found,) = (r for r in contrasts if r["metric"] == "dealer_advantage_wins")
    assert found["verdict"] == "not yet known" and found["more_games"] > 0
    assert headline(run).endswith(
        f" About {found['more_games']:,} more games in each cell would tell."
    )


def test_one_variant_is_told_against_an_even_share(tmp_path: Path) -> None:
    run = synthetic.make(tmp_path, (YORUBA,), (2,), (GREEDY,), blocks=100)
    assert headline(run).startswith("Dealer advantage in wins, yoruba: +")
    assert "What changes" not in printed(run)


def test_a_metric_without_a_sign_is_told_as_a_range(tmp_path: Path) -> None:
    run = synthetic.make(tmp_path, (CASUAL,), (2, 5), (GREEDY,), primary="tie_rate")
    assert headline(run).startswith("Ties, casual: it ranges from ")
    assert "%" in headline(run) and "pp" not in headline(run)


def test_one_block_gives_values_and_says_why_there_is_no_interval(tmp_path: Path) -> None:
    run = synthetic.make(tmp_path, (CASUAL, YORUBA), (2,), (GREEDY,), blocks=1)
    assert "One block of deals only" in headline(run)
    text = printed(run)
    assert "one block" in text and "±" not in text.split("Cards per round by role")[0]


def test_tables_have_every_interval_and_fit_a_hundred_columns(run: synthetic.Run) -> None:
    text = printed(run)
    assert max(map(len, text.splitlines())) <= 100
    findings = Findings(run)
    for name, places in (("win_share", 5), ("role_cards", 5), ("capture_rate", 1)):
        column = [
            findings.level(BY_NAME[name], cell, i)
            for cell in run.cells
            for i in range(min(places, len(BY_NAME[name].parts(cell.players))))
        ]
        digits = words.digits_for(column)
        assert all(words.write(each, digits) in text for each in column)


def test_long_names_fold_and_numbers_do_not(tmp_path: Path) -> None:
    names = [f"rest=last_to_play, jokers={i}, must_capture=most" for i in range(3)]
    variants = tuple(synthetic.Variant(name, -i) for i, name in enumerate(names))
    run = synthetic.make(tmp_path, variants, (5,), (GREEDY,), primary="margin")
    text = printed(run)
    assert max(map(len, text.splitlines())) <= 100
    assert not [line for line in text.splitlines() if line.rstrip().endswith("±")]
    assert text.count("±") == 3 * 6 + 2 * 6 + 3 * 5 * 2 + 2 * 1 + 1  # tables, sentence, legend


def test_a_console_without_unicode_gets_ascii(run: synthetic.Run) -> None:
    text = printed(run, "ascii")
    assert "+/-" in text and "\\u" not in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    "name", ["[bold red]x[/]", "$x_2$ \\frac", "<script>&amp;", "a\x1b[31mb\u202ec", "ọ̀yọ́ " * 40]
)
def test_hostile_names_come_out_as_text(tmp_path: Path, name: str) -> None:
    run = synthetic.make(
        tmp_path, (CASUAL, synthetic.Variant(name, -3)), (2,), (synthetic.Lineup(name),), blocks=5
    )
    answers.write(run, Console(file=io.StringIO(), width=100))
    text = printed(run)
    assert "\x1b" not in text and "\u202e" not in text
    if len(name) < 20 and name.isprintable():
        assert name in text
    svg = (tmp_path / "report" / "dealer_advantage.svg").read_text(encoding="utf-8")
    shown = "".join(ElementTree.fromstring(svg).itertext())
    assert name[:12] in shown or not name.isprintable()


def test_an_unfinished_run_says_partial(run: synthetic.Run) -> None:
    assert "Partial" not in printed(run)
    part = synthetic.Run(
        run.experiment, run.cells, run.path, run.rows, done=False, stopped=UNFINISHED
    )
    assert "Partial: the run is not finished" in printed(part)
    assert answers.as_json(part)["complete"] is False


# --- the pictures ------------------------------------------------------------------------------


def test_pictures_are_written_the_same_to_the_byte(run: synthetic.Run, tmp_path: Path) -> None:
    digests = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        again = synthetic.Run(run.experiment, run.cells, folder, run.rows)
        answers.write(again, Console(file=io.StringIO(), width=100))
        files = sorted((folder / "report").iterdir())
        digests.append([(f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in files])
    assert digests[0] == digests[1]
    assert [name for name, _ in digests[0]] == [
        f"{stem}.{kind}"
        for stem in ("dealer_advantage", "score_distribution")
        for kind in ("png", "svg")
    ]
    svg = (tmp_path / "a" / "report" / "dealer_advantage.svg").read_text(encoding="utf-8")
    assert "<text" in svg and "yoruba" in svg and "<dc:date>" not in svg


def test_score_counts_do_not_depend_on_how_games_come_in_parts(run: synthetic.Run) -> None:
    whole = collect(Findings(run), run.games())
    for parts in (1, 50):
        split = synthetic.Run(run.experiment, run.cells, run.path, run.rows, parts_per_cell=parts)
        for cell, own in collect(Findings(run), split.games()).items():
            assert own.middles.tolist() == whole[cell].middles.tolist()
            assert own.counts.tolist() == whole[cell].counts.tolist()
            assert own.squares.tolist() == whole[cell].squares.tolist()


def test_score_shares_and_intervals_are_those_of_deals() -> None:
    generator = np.random.default_rng(6)
    deal = np.repeat(np.arange(300), 2)
    points = (np.repeat(generator.normal(20, 9, 300), 2) + generator.normal(0, 2, 600)).astype(int)
    scores = Scores(1, width=3)
    scores.add(points[:200, None], deal[:200])
    scores.add(points[200:, None], deal[200:])
    shares, halves = scores.shares()
    assert shares.sum() == pytest.approx(1)
    for b, middle in enumerate(scores.middles):
        inside = np.abs(points - middle) <= 1
        by_deal = inside.reshape(300, 2).mean(axis=1)
        assert shares[0, b] == pytest.approx(inside.mean())
        theirs = scipy.stats.t.ppf(0.975, 299) * scipy.stats.sem(by_deal)
        assert halves[0, b] == pytest.approx(theirs)


def test_without_stored_games_there_is_no_score_picture(run: synthetic.Run, tmp_path: Path) -> None:
    bare = synthetic.Run(run.experiment, run.cells, tmp_path, run.rows)
    bare.games = lambda: iter(())  # type: ignore[method-assign]
    answers.write(bare, Console(file=io.StringIO(), width=100))
    assert sorted(f.stem for f in (tmp_path / "report").glob("*.svg")) == ["dealer_advantage"]


def test_a_picture_that_cannot_be_written_is_a_disk_fault(
    run: synthetic.Run, tmp_path: Path
) -> None:
    (tmp_path / "report").write_text("in the way")
    blocked = synthetic.Run(run.experiment, run.cells, tmp_path, run.rows)
    with pytest.raises(DiskFault, match=r"report: cannot write a picture .* the data are complete"):
        answers.write(blocked, Console(file=io.StringIO(), width=100))


# --- the command -------------------------------------------------------------------------------


@pytest.fixture
def stored(run: synthetic.Run, monkeypatch: pytest.MonkeyPatch) -> synthetic.Run:
    module = ModuleType("sim.store")
    module.open_run = lambda path: run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sim.store", module)
    return run


def test_show_prints_the_same_answer_again(stored: synthetic.Run) -> None:
    done = CliRunner().invoke(show.command, ["some/run"], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout == printed(stored)


def test_show_json_is_every_number(stored: synthetic.Run) -> None:
    done = CliRunner().invoke(show.command, ["some/run", "--json"], catch_exceptions=False)
    assert json.loads(done.stdout) == answers.as_json(stored)


def test_never_and_always_share_the_chance_of_error_of_their_family(tmp_path: Path) -> None:
    """What was seen in no game has no errors to bootstrap: each of k numbers gets 1/k of 5%."""
    run = synthetic.make(tmp_path, (CASUAL,), (2, 3), (GREEDY,), primary="tie_rate")
    for cell in run.cells[:1]:
        rows = run.rows[cell.id]
        rows["winners"] = 1
    first, second = (
        next(own for own in cell["estimates"] if own["metric"] == "tie_rate")
        for cell in answers.as_json(run)["cells"]
    )
    assert first["family"] == second["family"] == 2 and first["level"] == 0.95
    assert first["high"] == pytest.approx(-math.log(0.05 / 2) / first["deals"])
    assert second["low"] < second["value"] < second["high"]
