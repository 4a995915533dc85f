"""`sim compare`: two runs on the deals they share, or the reason why not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from sim.answers.comparison import compare
from sim.answers.findings import Findings
from sim.errors import DataDamaged, UsageFault
from sim.stats.metrics import BY_NAME
from sim.store import Run, open_run
from tests.runs import played, said

ASKED = """\
question: What do Yoruba rules do?
players: [2, 3]
rules: {preset: casual}
lineups: {greedy: greedy, mixed: [random, greedy]}
games: 400
"""
LINEUPS = "greedy: greedy, mixed: [random, greedy]"
TEXTS = {
    "casual": ASKED,
    "yoruba": ASKED.replace("casual", "yoruba"),
    "both": ASKED + "variants: {first: {}, yoruba: {preset: yoruba}}\n",
    "some": ASKED.replace("[2, 3]", "2") + "variants: {yoruba: {preset: yoruba}, third: {}}\n",
    "longer": ASKED.replace("casual", "yoruba").replace("400", "3000"),
    "one deal": ASKED.replace("400", "1"),
    "seed": ASKED + "seed: 7\n",
    "players": ASKED.replace("[2, 3]", "4").replace(LINEUPS, "greedy: greedy"),
    "lineup": ASKED.replace(LINEUPS, "greedy: cautious"),
    "order": ASKED.replace(LINEUPS, "mixed: [greedy, random]").replace("[2, 3]", "2"),
    "variants": ASKED + "variants: {a: {jokers: 1}, b: {}}\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, text in TEXTS.items():
        played(folder, text, out=name)
    return folder


def runs(folder: Path, *names: str) -> list[Run]:
    return [open_run(folder / name) for name in names]


def test_two_runs_are_compared_as_two_variants_of_one(folder: Path) -> None:
    """The same numbers to the last bit, variance ratio and verdict too."""
    found = compare(*runs(folder, "yoruba", "casual")).findings
    inside = Findings(open_run(folder / "both"))
    wanted = inside.changes(BY_NAME["dealer_advantage_wins"])
    assert len(found) == len(wanted) == 3
    for own, other in zip(
        sorted(found, key=lambda each: each.setting),
        sorted(wanted, key=lambda each: each.setting),
        strict=True,
    ):
        assert own.estimate == other.estimate and own.setting == other.setting
        assert own.judged == other.judged and own.family == other.family == 3


def deals(run: Run, players: int, lineup: str) -> pd.Series:
    """The dealer's win share above an even one by deal id, from the Parquet files."""
    cells = pd.read_parquet(run.path / "cells.parquet")
    cell = cells[(cells["players"] == players) & (cells["lineup"] == lineup)].iloc[0]
    games = pd.concat(pd.read_parquet(p) for p in (run.path / "parts").glob("games-*"))
    games = games[games["cell"] == cell["stored"]]
    count = sum((games["winners"].to_numpy() >> s) & 1 for s in range(players))
    share = ((games["winners"].to_numpy() >> (players - 1)) & 1) / count - 1 / players
    return pd.Series(share, games["deal"].to_numpy()).groupby(level=0).mean()


@pytest.mark.parametrize(("players", "lineup"), [(2, "greedy"), (2, "mixed"), (3, "greedy")])
def test_runs_of_other_length_share_deals_by_id(folder: Path, players: int, lineup: str) -> None:
    """Catches pairing by row: the runs' blocks are of other sizes, so rows are other deals."""
    short, long = runs(folder, "casual", "longer")
    compared = compare(long, short)
    (own,) = (f for f in compared.findings if (f.cell.players, f.cell.lineup) == (players, lineup))
    size = max(own.cell.block_deals, own.against.block_deals if own.against else 0)
    assert own.against and own.cell.block_deals != own.against.block_deals
    change = (deals(long, players, lineup) - deals(short, players, lineup)).dropna()
    change = change[change.index < len(change) // size * size]
    z = change.groupby(change.index // size).mean()
    assert own.estimate.deals == len(change)
    assert own.estimate.value == pytest.approx(change.mean(), abs=1e-12)
    assert own.estimate.se == pytest.approx(scipy.stats.sem(z), rel=1e-9)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ("seed", "their seeds are 1960 and 7"),
        ("players", "the first is of 2 and 3 players, the second of 4"),
        ("lineup", "no line-up is in both: greedy (greedy); mixed (random, greedy) in the first"),
        ("order", "no line-up is in both"),
        ("variants", "no variant has the same name in both: casual in the first, a, b in the"),
        ("one deal", "they have no whole block of deals in common"),
    ],
)
def test_what_is_not_paired_is_refused_with_the_reason(folder: Path, other: str, why: str) -> None:
    text = said("compare", folder / "casual", folder / other, code=2)
    assert "cannot be compared deal by deal" in text and why in text


def test_another_layout_of_chance_is_refused(folder: Path) -> None:
    a, b = runs(folder, "casual", "yoruba")
    b.record["rng"] = "philox4x32-10/v2"
    with pytest.raises(UsageFault, match="the layout of chance is"):
        compare(a, b)


def test_a_damaged_run_is_refused_by_name(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "yoruba", tmp_path / "hurt")
    part = min((tmp_path / "hurt" / "parts").glob("blocks-*"))
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    with pytest.raises(DataDamaged, match=part.name):
        compare(*runs(folder, "casual"), open_run(tmp_path / "hurt"))
    said("compare", folder / "casual", tmp_path / "hurt", code=3)


def test_a_run_against_itself_is_exactly_equal(folder: Path) -> None:
    text = said("compare", folder / "both", folder / "both")
    assert "Dealer advantage in wins: exactly equal in all 6 settings" in text or (
        "Dealer advantage in wins: exactly equal in all 6 comparisons" in text
    )
    assert "±" not in text.partition("± is half")[0]


def test_what_is_left_out_partial_or_of_another_program_is_said(folder: Path) -> None:
    a, b = runs(folder, "both", "some")
    assert compare(a, b).warnings == [
        f"Not compared: of {a.path} first, 2 players, greedy; first, 2 players, mixed; first, 3 "
        f"players, greedy and 1 more; of {b.path} third, 2 players, greedy; third, 2 players, "
        "mixed."
    ]
    b.record["sources"] = "0" * 64
    b.done = None
    told = " ".join(compare(a, b).warnings)
    assert "The program changed between the runs" in told
    assert f"Partial: {b.path} is not finished" in told


def test_text_and_json_have_the_same_numbers(folder: Path) -> None:
    pair = (folder / "yoruba", folder / "casual")
    data = json.loads(said("compare", *pair, "--json", "--metric", "margin"))
    text = said("compare", *pair, "--metric", "margin")
    assert data["metric"] == "margin" and len(data["contrasts"]) == 3
    for record in data["contrasts"]:
        half = (record["high"] - record["low"]) / 2
        wanted = {f"{record['value']:+.{d}f} ± {half:.{d}f}".replace("-", "−") for d in range(4)}
        assert any(each in text for each in wanted)
        assert f"{record['variance_ratio']:.1f}×" in text
        assert record["verdict"] and np.isfinite(record["se"])


def test_a_measure_has_no_difference_between_runs(folder: Path) -> None:
    text = said("compare", folder / "casual", folder / "yoruba", "--metric", "unfairness", code=2)
    assert "unfairness is not told of single cells" in text
