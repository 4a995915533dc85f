"""The page of findings: each has its numbers, its strategies, its commands; every command runs."""

import json
import re
import shlex

import pytest
from click.testing import CliRunner

from sim.cli import cli
from sim.experiment import Experiment, load
from tests.findings import HOLDS, PAGE, ROOT, TOLD, Finding, changes, commands, findings, signs

TEXT = PAGE.read_text(encoding="utf-8")
FINDINGS = findings(TEXT)
KEPT = json.loads(TOLD.read_text(encoding="utf-8"))
RUNS = [line for line in commands(TEXT) if line.startswith("sim run ")]
TOPICS = (
    "dealer", "three rounds", "Yoruba", "joker", "the rest", "leftover", "reading", "Esun", "Isiwo",
    "penalty",
)  # fmt: skip
LEVEL, CHANGE = "advantage of the first named, ", "Change of "
PLAYED_LAST = "end=rounds 3, rest=last_to_play"
CAPTURED_LAST = "end=rounds 3, rest=last_to_capture"
COUNTED = [
    ("1", "first_named_advantage", LEVEL, "default", "2", 1),
    ("2", "dealer_advantage_wins", CHANGE, "end=rounds 4, rest=nobody", "2", 1),
    *(
        ("3", "dealer_advantage_cards", CHANGE, row, str(n), 1)
        for row in (PLAYED_LAST, CAPTURED_LAST)
        for n in (2, 3, 4, 5)
    ),
    *(("5", "capture_rate", CHANGE, "yoruba", str(n), -1) for n in (2, 3, 4, 5)),
    *(("5", "cards_left", CHANGE, "yoruba", str(n), 1) for n in (2, 3, 4, 5)),
    *(("6", "dealer_advantage_cards", CHANGE, "jokers=2", str(n), -1) for n in (2, 4)),
    ("9", "first_named_advantage", LEVEL, "2 points", ".*vigilance 0.2$", -1),
    ("9", "first_named_advantage", LEVEL, "2 points", ".*vigilance 0.05$", 1),
]
"""Where no robustness is printed: finding, metric, table, row, settings, and the sign to count."""


def number(found: Finding) -> str:
    return found.title.split(".")[0]


@pytest.mark.parametrize("found", FINDINGS, ids=number)
def test_a_finding_is_whole(found):
    """A sentence, numbers with intervals as they were printed, strategies, what repeats it."""
    assert re.fullmatch(r"\d+\. [^.]+", found.title)
    assert "How to read it:" in found.text
    assert all(int(k) <= int(of) and int(of) >= 2 for k, of in HOLDS.findall(found.text))
    assert HOLDS.search(found.text)
    folders = [shlex.split(line)[-1] for line in found.commands if line in RUNS]
    asked = [line for line in found.commands if line not in RUNS]
    assert folders and {line.split()[2] for line in asked} == set(folders)
    assert all(re.fullmatch(r"sim show \S+ --metric \w+( --by \S+)?", line) for line in asked)
    printed = " ".join(" ".join(KEPT[line]) for line in asked)
    assert len(found.figures) >= 2
    assert [figure for figure in found.figures if figure not in printed] == []


@pytest.mark.parametrize("found", FINDINGS, ids=number)
def test_what_a_finding_says_to_hold_was_printed(found):
    """In its robustness, or it is counted here from the rows that it rests on."""
    held = [f"{k} of {of}" for k, of in HOLDS.findall(found.text)]
    asked = [line for line in found.commands if line.endswith(" robustness")]
    if asked:
        printed = " ".join(" ".join(KEPT[line]) for line in asked)
        assert [claim for claim in held if f"holds in {claim}" not in printed] == []
        return
    counted = [one for one in COUNTED if one[0] == number(found)]
    assert counted
    for _, metric, table, row, settings, sign in counted:
        line = next(line for line in found.commands if line.endswith(f"--metric {metric}"))
        here = signs(KEPT[line], table, row)
        own = [one for setting, one in here.items() if re.match(settings, setting)]
        assert held == [f"{own.count(sign)} of {len(own)}"], (metric, row, settings)
        reverse = own.count(-sign)
        assert (f"reversed in {reverse}" in found.text) == (reverse > 0)


def test_there_are_eight_findings_or_more_and_every_topic():
    assert len(FINDINGS) >= 8
    for topic in TOPICS:
        assert any(topic.lower() in found.text.lower() for found in FINDINGS), topic


def test_what_is_kept_is_what_the_page_asks():
    assert list(KEPT) == commands(TEXT)
    for line in RUNS:
        assert re.fullmatch(r"Data hash: [0-9a-f]{64}", *KEPT[line])


def small(experiment: Experiment) -> list[str]:
    """Return settings that play an experiment in a few games, with its most players alone."""
    games = "games=50" if experiment.games_are_fixed else "stop={games: 50}"
    return ["--jobs", "1", "--set", games, "--set", f"players={max(experiment.players)}"]


@pytest.mark.parametrize("run", RUNS)
def test_its_commands_run(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiments").symlink_to(ROOT / "experiments")
    _, _, path, _, folder = shlex.split(run)
    shows = [line for line in commands(TEXT) if line.startswith(f"sim show {folder} ")]
    for line in (run, *shows):
        more = small(load(path)) if line == run else []
        arguments = [*shlex.split(line)[1:], *more]
        done = CliRunner().invoke(cli, arguments, standalone_mode=False)
        assert done.exception is None, f"{line}\n{done.exception}"
        assert done.output


def test_a_figure_that_changed_is_told():
    old = {"sim show a": ["greedy", "  1.0 ± 0.1", "note"], "sim show gone": ["x"]}
    new = {"sim show a": ["greedy", "  1.2 ± 0.1", "note"], "sim show new": ["y"]}
    assert list(changes(old, new)) == [
        "sim show a: -  1.0 ± 0.1",
        "sim show a: +  1.2 ± 0.1",
        "sim show new: +y",
        "sim show gone: -x",
    ]
    assert list(changes(old, old)) == []
