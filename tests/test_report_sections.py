"""The sections of the report: where they are, what they check, and each by itself."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from reports import alone, factors, health, opening, report, rulesets, seats, tidy
from reports.material import Material
from reports.section import Column, Section, Table
from sim.commands import show
from sim.errors import UsageFault
from sim.stats.estimates import State
from sim.stats.metrics import BY_NAME
from sim.store import Run
from tests.report_page import HOSTILE, PLAIN
from tests.runs import played


def test_sections_are_there_only_where_the_run_has_the_data(
    tmp_path: Path, report_data: dict[str, Any]
) -> None:
    there = [module.KEY for module in report.SECTIONS if module is not factors]
    assert list(report_data["sections"]) == there  # what each rule does: test_rule_effects
    bare = report.as_json(played(tmp_path, PLAIN).run)["sections"]
    assert set(report_data["sections"]) - set(bare) == {"effects", "skill", "strategies", "conduct"}


def test_two_variants_that_cannot_differ_are_exactly_equal_and_said_so(
    report_data: dict[str, Any],
) -> None:
    rows = report_data["sections"]["health"]["tables"]["checks"]["rows"]
    assert [row[3] for row in rows] == ["holds"] * 5
    assert [row for row in rows if row[0].startswith("variants that play alike")] == [
        ["variants that play alike are exactly equal in everything", 3, 0, "holds"]
    ]
    changes = report_data["sections"]["effects"]["tables"]["changes"]["rows"]
    same = [row[3:] for row in changes if row[2] == "same" and row[1] == "greedy"]
    assert same and all(cell["value"] == 0 for row in same for cell in row)


def test_a_column_of_changes_is_a_family_of_those_that_have_intervals(reported: Run) -> None:
    found = Material(reported).changes(BY_NAME["lead_changes"])
    told = [each for each in found if each.estimate.state is State.INTERVAL]
    assert 1 < len(told) < len(found)
    for each in found:
        assert each.family == (len(told) if each in told else 1)


def test_a_card_that_is_lost_is_found_by_the_checks(reported: Run) -> None:
    material = Material(reported)
    blocks = material.blocks(material.cells[-1])
    blocks.columns["left.sum"][3] += 1
    blocks.columns["wins_0.sum"][5] -= 1
    assert [failed for _, _, failed in health._sums(material)] == [1, 1]


def test_readings_are_those_of_the_rule_book() -> None:
    book = Path("RULES.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| \*\*(R\d+)\*\* \|", book, re.M))
    told = {number for number, *_ in rulesets.READINGS}
    assert known - told == {"R11"}  # presets, which a variant's own options tell
    assert told <= known


def test_hostile_names_stay_text_in_the_sections_alone(tmp_path: Path) -> None:
    run = played(tmp_path, HOSTILE).run
    for module in report.SECTIONS:
        if section := module.build(Material(run)):
            alone.show(section)


@pytest.mark.parametrize("module", [opening, *report.SECTIONS], ids=lambda m: m.KEY)
def test_every_section_runs_alone(
    module: Any, reported: Run, report_data: dict[str, Any], monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "argv", ["section", str(reported.path)])
    assert alone.main(module.build) == 0
    assert capsys.readouterr().out.strip()
    monkeypatch.setattr(sys, "argv", ["section", str(reported.path), "--json"])
    assert alone.main(module.build) == 0
    if module is not opening:
        assert json.loads(capsys.readouterr().out) == report_data["sections"].get(module.KEY, {})


def test_a_section_is_a_program_of_its_own(reported: Run) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reports.seats", str(reported.path)], capture_output=True, text=True
    )
    assert done.returncode == 0 and "Share of wins by seat" in done.stdout
    done = subprocess.run(
        [sys.executable, "-m", "reports.seats", "/nowhere"], capture_output=True, text=True
    )
    assert done.returncode == 3 and "is no run directory" in done.stderr


def shown(*args: str | Path) -> str:
    """What `sim show` prints."""
    done = CliRunner().invoke(show.command, [*map(str, args)], env={"COLUMNS": "100"})
    if done.exception:
        raise done.exception
    return done.stdout


def test_show_prints_the_section_that_runs_alone(
    reported: Run, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "argv", ["section", str(reported.path)])
    monkeypatch.setenv("COLUMNS", "100")
    assert alone.main(seats.build) == 0
    assert shown(reported.path, "seats") == capsys.readouterr().out


def test_a_section_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    run = played(tmp_path, PLAIN).run.path
    known = ", ".join(module.KEY for module in report.SECTIONS)
    with pytest.raises(UsageFault, match=f"no section 'seat'; the sections are {known}"):
        shown(run, "seat")
    with pytest.raises(UsageFault, match=f"--csv goes with a section.*{known}"):
        shown(run, "--csv")
    with pytest.raises(UsageFault, match="choose one"):
        shown(run, "seats", "--json", "--csv")
    with pytest.raises(UsageFault, match="leave out seats"):
        shown(run, "seats", "--metric", "margin")
    assert "no data" in shown(run, "skill")
    assert shown(run, "skill", "--csv") == ",".join(tidy.FIELDS) + "\n"


@pytest.mark.parametrize("module", report.SECTIONS, ids=lambda m: m.KEY)
def test_a_section_as_csv_has_every_cell_of_its_tables(
    module: Any, reported: Run, report_data: dict[str, Any]
) -> None:
    """As pandas reads it: value, low and high of each number, or the text in its place."""
    section = module.build(Material(reported))
    told = pd.read_csv(io.StringIO(tidy.csv_of(section)), keep_default_na=False)
    at = {(line["table"], line["row"], line["column"]): line for line in told.to_dict("records")}
    assert len(at) == len(told)
    seen = 0
    section_data = report_data["sections"].get(module.KEY, {"tables": {}})
    for key, table in section_data["tables"].items():
        named = next(t for t in section.tables if t.key == key).named
        for number, row in enumerate(table["rows"], 1):
            for cell, column in list(zip(row, table["columns"], strict=True))[named:]:
                if cell is None:
                    continue
                seen += 1
                line = at[key, number, column]
                if isinstance(cell, dict):
                    for field in ("value", "low", "high"):
                        read = None if line[field] == "" else float(line[field])
                        assert read == cell[field]
                    assert [line[f] for f in ("variant", "lineup", "unit", "metric")] == [
                        cell[f] for f in ("variant", "lineup", "unit", "metric")
                    ]
                    assert int(line["players"]) == cell["players"]
                else:
                    field = "text" if isinstance(cell, str) else "value"
                    assert str(line[field]).removesuffix(".0") == str(cell)
                    assert line["low"] == ""
    assert seen == len(told)


def test_a_name_in_the_csv_is_no_formula() -> None:
    names = ("=1+1", "+1", "-1", "@SUM(A1)", " =1", "\uff1d1", "plain", 'in "quotes", and a comma')
    rows = tuple((name, 7, name) for name in names)
    table = Table("t", "Names", (Column("name"), Column("=2", ""), Column("said")), rows)
    section = Section("s", "Names", "", (table,))
    lines = list(csv.DictReader(io.StringIO(tidy.csv_of(section))))
    for own in zip(lines[::2], lines[1::2], strict=True):
        assert [line["name"] for line in own] == [own[1]["text"]] * 2
        assert own[0]["column"] == "'=2" and own[0]["value"] == "7"
    assert [line["name"] for line in lines[::2]] == [
        *(f"'{name}" for name in names[:-2]),
        *names[-2:],
    ]


def test_a_wide_table_comes_in_pieces_that_fit_and_lose_nothing(
    reported: Run, report_data: dict[str, Any]
) -> None:
    text = shown(reported.path, "effects")
    changes = report_data["sections"]["effects"]["tables"]["changes"]
    assert "Changes against casual, continued" in text
    assert max(map(len, text.splitlines())) <= 100
    cells = [cell for row in changes["rows"] for cell in row if isinstance(cell, dict)]
    told = len(re.findall(r"±|exactly\s+equal|constant|\(.+–.+\)", text))
    assert told >= len(cells)
