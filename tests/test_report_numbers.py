"""The report: every number on the page, in its sentences and its JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reports import report
from sim.stats.estimates import Method, State
from sim.stats.verdict import Verdict
from sim.store import Run
from tests import report_oracle as oracle
from tests.report_page import EVERYTHING, PLAIN, POPULATION, STOPPED, Reader, records, tables
from tests.runs import played


def plain(number: str) -> float:
    return float(number.replace("−", "-").replace(",", ""))


def test_every_number_on_the_page_is_that_of_the_json(
    report_page: str, report_data: dict[str, Any]
) -> None:
    """Catches a rounding that loses a number: the text is within half of its last decimal."""
    shown = Reader(report_page).tables
    seen = 0
    assert list(shown) == [key for key, _ in tables(report_data)]
    for key, table in tables(report_data):
        rows = [row for row in shown[key] if row]
        assert len(rows) == len(table["rows"])
        for row, expected in zip(rows, table["rows"], strict=True):
            for (attributes, text), cell in zip(row, expected, strict=True):
                if not isinstance(cell, dict):
                    told = "" if cell is None else f"{cell:,}" if isinstance(cell, int) else cell
                    assert text.strip() == told
                    continue
                seen += 1
                value = json.dumps(cell["value"]) if cell["value"] is not None else ""
                assert attributes["data-value"] == value
                numbers = re.findall(r"[−+]?[\d,]+\.?\d*", text)
                if cell["state"] == State.EXACT.value:
                    assert text.strip() == "exactly equal" and cell["value"] == 0
                    continue
                scale = 100 if cell["unit"].startswith("share") else 1
                digits = len(numbers[0].partition(".")[2])
                expected_ends = [cell["value"]]
                if cell["low"] is not None and "±" in text:
                    expected_ends.append((cell["high"] - cell["low"]) / 2)
                elif cell["low"] is not None:
                    expected_ends += [cell["low"], cell["high"]]
                assert len(numbers) == len(expected_ends)
                for number, end in zip(numbers, expected_ends, strict=True):
                    assert abs(plain(number) - end * scale) <= 0.5000001 * 10**-digits
    assert seen > 500


def test_every_number_has_an_interval_or_says_why_not(report_data: dict[str, Any]) -> None:
    without = {State.CONSTANT.value, State.EXACT.value}
    told = {key.partition("/")[0] for key, _ in records(report_data)}
    assert set(report_data["sections"]) - told == {"rules", "limits"}  # texts alone
    for key, cell in records(report_data):
        if cell["low"] is None:
            assert cell["state"] in without, (key, cell)
        else:
            # unfairness is told less what noise adds to it, so it may lie below its interval
            assert cell["low"] <= cell["value"] <= cell["high"] or cell["metric"] == "unfairness"
            assert cell["low"] < cell["high"] and cell["method"] is not None


def cells_of(run: Run) -> dict[tuple[str, int, str], oracle.Games]:
    """The game rows of each cell, as pandas reads them."""
    rows = oracle.read(run.path)
    stored = pd.read_parquet(run.path / "cells.parquet")
    return {
        (c["variant"], c["players"], c["lineup"]): oracle.Games(
            rows[c["stored"]], c["players"], c["block_deals"]
        )
        for c in stored.to_dict("records")
    }


class Recomputed:
    """The numbers of a report, each computed again from the game rows."""

    def __init__(self, run: Run, data: dict[str, Any]) -> None:
        self.games, self.data = cells_of(run), data

    def number(self, key: str, cell: dict[str, Any]) -> oracle.Number:
        """Value and errors of blocks of a number in the table `key`."""
        own = self.games[cell["variant"], cell["players"], cell["lineup"]]
        base = self.games.get((cell.get("against", ""), cell["players"], cell["lineup"]))
        metric, i = cell["metric"], cell.get("seat", cell.get("role", cell.get("player", 0)))
        match metric:
            case "activation" | "pivotality" | "displacement":
                assert base is not None
                return oracle.compared(own, base, metric)
            case "turns_sd":
                return own.spread_of_turns()
            case "beats":
                return own.beats(*self.place(key, cell))
            case "extra_deal_advantage":  # four rounds of three: the last seat deals once more
                return own.deals_once_more([2])
            case "variance_share":
                lineups = [
                    games
                    for (variant, players, _), games in self.games.items()
                    if (variant, players) == (cell["variant"], cell["players"])
                ]
                column = self.place(key, cell)[1]
                return oracle.variance_shares(lineups)[("skill", "cards", "rest")[column - 3]]
        value, z = own.estimate(metric, i)
        if base is not None:
            less, z_less = base.estimate(metric, i)
            value, z = value - less, z - z_less
        return value, z

    def place(self, key: str, cell: dict[str, Any]) -> tuple[int, int]:
        """Row of a cell in its table, and its column but for the first."""
        section, _, name = key.partition("/")
        rows = self.data["sections"][section]["tables"][name]["rows"]
        return next(
            (a, b - 1) for a, row in enumerate(rows) for b, at in enumerate(row) if at is cell
        )


def test_the_numbers_follow_from_the_parquet_files_in_pandas(
    reported: Run, report_data: dict[str, Any]
) -> None:
    """Sums of some hundred games in floats of 64 bits: equal to about 1e-12, asked to 1e-9."""
    again = Recomputed(reported, report_data)
    widths: dict[tuple[str, str], list[float]] = {}
    seen: Counter[str] = Counter()
    for key, cell in records(report_data):
        metric = cell["metric"]
        own = again.games[cell["variant"], cell["players"], cell["lineup"]]
        seen[metric] += 1
        near = pytest.approx(cell["value"], rel=1e-9, abs=1e-9)
        if metric == "unfairness":
            assert own.unfairness() == near
        elif metric.startswith("turns_quantile"):
            share = float(metric.rpartition("_")[2])
            assert own.rows["turns"].quantile(share, interpolation="inverted_cdf") == near
        elif metric == "games_to_tell":
            told = [cell["value"], cell["low"], cell["high"]]
            assert own.games_to_tell() == pytest.approx(told, rel=1e-6)
        else:
            value, z = again.number(key, cell)
            assert value == near, (key, cell)
            half = (cell["high"] - cell["low"]) / 2 if cell["low"] is not None else 0.0
            if cell["method"] == Method.STUDENT.value:
                assert half == pytest.approx(oracle.t_value(len(z)) * oracle.se(z), rel=1e-6)
            elif cell["method"] == Method.SIMULTANEOUS.value:
                widths.setdefault((key, metric), []).append(half / oracle.se(z))
    for (key, _), found in widths.items():
        assert min(found) >= oracle.t_value(75) * (1 - 1e-9)
        if key.startswith("effects"):  # one family, one width
            assert max(found) == pytest.approx(min(found), rel=1e-7)
    cells = len(again.games)  # cells that share games with another have all of their numbers too
    assert seen["turns_quantile_0.5"] == cells and seen["activation"] == cells - 3
    assert {"pivotality", "displacement", "beats", "unfairness", "turns_sd", "unclaimed"} < set(
        seen
    )
    assert {"games_to_tell", "extra_deal_advantage"} < set(seen)


def test_the_shares_of_skill_and_cards_follow_from_the_parquet_files(tmp_path: Path) -> None:
    run = played(tmp_path, POPULATION).run
    data = json.loads(json.dumps(report.as_json(run), allow_nan=False))
    again = Recomputed(run, data)
    found = [(key, cell) for key, cell in records(data) if cell["metric"] == "variance_share"]
    assert len(found) == 6
    for key, cell in found:
        value, z = again.number(key, cell)
        half = oracle.t_value(len(z)) * oracle.se(z)
        assert cell["value"] == pytest.approx(value, rel=1e-9)
        assert [cell["low"], cell["high"]] == pytest.approx([value - half, value + half], rel=1e-9)


@pytest.mark.parametrize("text", [EVERYTHING, PLAIN, STOPPED, POPULATION])
def test_every_number_in_the_sentences_is_that_of_the_json(
    text: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Numbers are taken out of the first screen's sentences one by one, until no digit is left."""
    if text == EVERYTHING:
        data, page = (request.getfixturevalue(f"report_{name}") for name in ("data", "page"))
    else:
        run = played(tmp_path, text).run
        data, page = report.as_json(run), report.write(run).read_text(encoding="utf-8")
    said = " ".join(Reader(page).answer)
    assert data["verdict"] in said
    assert not re.search(r"<p class=.(answer|effect).>.* ± ", page), "a line could end there"
    answer = data["answer"]
    said = without_spreads(said, answer)
    for size in {cell["smallest"] for cell in answer if "smallest" in cell}:
        said = said.replace(f"{size * 100:g} pp", "")
    said = without_counts(said, answer)
    more = max((cell.get("more_games") or 0 for cell in answer), default=0)
    if more:
        assert f"About {more:,} more games" in said
        said = said.replace(f"{more:,}", "")
    if "the interval holds 0," in said:
        assert answer[0]["low"] <= 0 <= answer[0]["high"]
        said = said.replace("holds 0,", "")
    assert not re.search(r"\d", said), said


def without_spreads(said: str, answer: list[dict[str, Any]]) -> str:
    """Take out each "value ± half (setting)", held against its record."""
    pattern = r"([−+]?[\d.,]+) ± ([\d.,]+) ?(pp|%) \(([^()]*)\)"
    for value, half, _, where in re.findall(pattern, said):
        variant, players, lineup = (["", *where.split(", ")])[-3:]
        (cell,) = [
            cell
            for cell in answer
            if (f"{cell['players']} players", cell["lineup"]) == (players, lineup)
            and cell["variant"] == (variant or cell["variant"])
        ]
        assert near(value, cell["value"] * 100)
        assert near(half, (cell["high"] - cell["low"]) * 50)
    return re.sub(pattern, "", said)


PHRASES = {
    "up": "(?:up|above 0|for the dealer) by more than",
    "down": "(?:down|below 0|against the dealer) by more than",
    Verdict.DIFFERENT.value: "different, but perhaps by less than",
    Verdict.EQUAL.value: "practically (?:equal|none)",
    Verdict.UNKNOWN.value: "not yet known",
    State.EXACT.value: "exactly equal",
}


def kind_of(cell: dict[str, Any]) -> str:
    if cell["state"] == State.EXACT.value:
        return State.EXACT.value
    if cell["verdict"] == Verdict.LARGER.value:
        return "up" if cell["value"] > 0 else "down"
    return str(cell["verdict"])


def without_counts(said: str, answer: list[dict[str, Any]]) -> str:
    """Take out how many effects had which verdict, held against the records."""
    if len(answer) == 1:
        return said
    variants = len({cell["variant"] for cell in answer})
    said = said.replace(f"each of {variants} variants", "")
    said = re.sub(rf"\bof {len(answer)} (comparisons|settings)", "", said)
    counts = Counter(map(kind_of, answer))
    for kind, phrase in PHRASES.items():
        if found := re.search(rf"{phrase}[^:.]*? in (all )?(\d+)", said):
            assert int(found[2]) == counts[kind]
            said = said[: found.start(2)] + said[found.end(2) :]
        else:
            assert counts[kind] == 0
    return said


def near(text: str, value: float) -> bool:
    digits = len(text.partition(".")[2])
    return abs(plain(text) - value) <= 0.5000001 * 10**-digits


def test_the_first_screen_has_question_verdict_effect_and_how_it_was_run(
    report_page: str, reported: Run, report_data: dict[str, Any]
) -> None:
    words = Reader(report_page).words
    told = (
        report_data["question"],
        report_data["verdict"],
        "sim run asked.yaml",
        "Variant balance",
    )
    body = words[words.index("Elewenjewe") :]
    assert sorted(map(body.index, told)) == [body.index(text) for text in told]
    assert report_data["facts"]["seed"] == str(reported.experiment.seed)
    games = sum(cell.games for cell in reported.cells if cell.shares is None)
    deals = [found["deals"] for found in report_data["answer"]]
    each = f"{min(deals):,} to {max(deals):,} in each combination"
    assert report_data["facts"]["deals"] == each
    assert report_data["facts"]["games"].startswith(f"{games:,}, in 12 combinations")
    assert all(found["low"] is not None or found["value"] == 0 for found in report_data["answer"])
