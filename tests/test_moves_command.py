"""`sim moves`: positions adjudicated on the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sim.cli import cli
from sim.errors import UsageFault

CASES = Path(__file__).with_name("data") / "moves.jsonl"
TABLE = "6 3 3 7 9 A A"


def output(*args):
    result = CliRunner().invoke(cli, ["moves", *args], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


def refusal(*args):
    with pytest.raises(UsageFault) as fault:
        output(*args)
    assert fault.value.exit_code == 2
    return str(fault.value)


def test_the_whole_case_file_is_answered_as_it_stands():
    assert output("--cases", str(CASES), "--json") == CASES.read_text()


def test_a_position_is_answered_in_the_form_of_the_cases():
    args = ("--hand", "9", "--table", TABLE, "--set", "yoruba=true", "--set", "esun=true")
    told = json.loads(output(*args, "--pile", "4 5", "--json"))
    assert {key: told[key] for key in ("rules", "hand", "table", "piles")} == {
        "rules": {"yoruba": True, "esun": True},
        "hand": "9",
        "table": TABLE,
        "piles": ["4 5"],
    }
    assert told["moves"] == [
        {"move": "capture", "card": "9", "take": "3 6", "piles": []},
        {"move": "capture", "card": "9", "take": "3 6", "piles": [0]},
        {"move": "capture", "card": "9", "take": "", "piles": [0]},
        {"move": "trail", "card": "9", "take": "", "piles": []},
    ]


def test_a_preset_sets_the_rules_and_can_be_overridden():
    told = json.loads(output("--hand", "9", "--preset", "casual", "--set", "jokers=1", "--json"))
    assert told["rules"] == {"jokers": 1, "isiwo": True}


def test_the_largest_capture_is_marked_and_no_other():
    lines = output("--hand", "9", "--table", TABLE).splitlines()
    marked = [line.split() for line in lines if "largest capture" in line]
    assert marked == [["capture", "9", "A", "A", "3", "6", "7", "9", "6", "largest", "capture"]]
    assert len([line for line in lines if line.startswith(("capture", "trail"))]) == 8


def test_equal_largest_captures_are_all_marked_and_builds_never():
    text = output("--hand", "4 5", "--table", "4 A", "--set", "esun=true")
    marked = [line.split()[:2] for line in text.splitlines() if "largest" in line]
    assert marked == [["capture", "5"]]
    text = output("--hand", "4 5", "--table", "4 5", "--set", "esun=true")
    marked = [line.split()[:2] for line in text.splitlines() if "largest" in line]
    assert marked == [["capture", "4"], ["capture", "5"]]
    text = output("--hand", "4 5", "--table", "A", "--set", "esun=true")
    assert "build" in text
    assert "largest" not in text


def test_a_position_is_told_with_its_rules_and_piles():
    text = output("--hand", "* 9", "--table", "", "--preset", "professional", "--set", "jokers=1",
                  "--pile", "5 4")  # fmt: skip
    assert "jokers=1, esun=true, isiwo=true" in text
    assert "no loose card" in text
    assert "Pile 0 4 5" in text
    assert "pile 0" in text.split("takes or joins")[1]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--hand", "11"], "--hand: '11' is no card"),
        (["--hand", "9", "--table", "9 a"], "--table: 'a' is no card"),
        (["--hand", "9", "--set", "esun=true", "--pile", "x y"], "--pile: 'x' is no card"),
        (["--hand", ""], "found 0 cards; a hand is 1 to 4"),
        (["--hand", "A 2 3 4 5"], "found 5 cards"),
        (["--table", "9"], "--hand is missing"),
        (["--hand", "9", "--table", "9 9 9 9"], "found 5 times 9; the pack has 4"),
        (["--hand", "*"], "found 1 times *; the pack has 0; --set jokers=1 or 2"),
        (["--hand", "*", "--table", "* *", "--set", "jokers=2"], "found 3 times *; the pack has 2"),
        (
            ["--hand", "9", "--table", "9 9", "--set", "esun=true", "--pile", "9 9"],
            "found 5 times 9",
        ),
        (["--hand", "9", "--pile", "4 5"], "no piles without Esun"),
        (["--hand", "9", "--set", "esun=true", "--pile", "4"], "a pile is 2 or more cards"),
        (["--hand", "9", "--set", "esun=true", "--pile", "4 *"], "none of them a joker"),
        (
            ["--hand", "9", "--set", "esun=true", *["--pile", "4 5"] * 16],
            "found 16 piles; at most 15",
        ),
        (["--hand", "9", "--set", "esum=true"], "did you mean esun?"),
        (["--hand", "9", "--set", "end.unit=rounds"], "--set end.unit needs end.first_to"),
        (["--hand", "9", "--preset", "casul"], "did you mean casual?"),
        (["--hand", "9", "--cases", str(CASES)], "--cases brings its own"),
        (["--cases", "no/such/file"], "no/such/file: No such file"),
    ],
)
def test_a_position_that_cannot_be_is_refused(args, words):
    assert words in refusal(*args)


GOOD = {"rules": {}, "hand": "9", "table": "", "piles": []}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "this is no JSON object"),
        ("[]", "this is no JSON object"),
        ("[" * 100_000, "this is no JSON object"),
        (json.dumps({**GOOD, "hand": 9}), "hand: found 9; it is a string"),
        (json.dumps({k: v for k, v in GOOD.items() if k != "piles"}), "piles is missing"),
        (json.dumps({**GOOD, "pile": []}), "'pile' is unknown"),
        (json.dumps({**GOOD, "piles": [1]}), "piles: found 1; each pile is a string"),
        (json.dumps({**GOOD, "piles": ["4 5"]}), "no piles without Esun"),
        (json.dumps({**GOOD, "rules": {"jokers": "2"}}), "rules.jokers: found '2'"),
        (json.dumps({**GOOD, "rules": {"end": {"unit": "cards"}}}), "rules.end.unit needs"),
        (json.dumps({**GOOD, "table": "x"}), "table: 'x' is no card"),
    ],
    ids=range(11),
)
def test_a_wrong_case_is_refused_with_file_and_line(tmp_path, line, words):
    path = tmp_path / "cases.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n\n{line}\n")
    message = refusal("--cases", str(path), "--json")
    assert f"{path}, line 3: " in message
    assert words in message


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"\xff\xfe")
    assert "no text in UTF-8" in refusal("--cases", str(path))
    assert "directory" in refusal("--cases", str(tmp_path))


def test_every_case_of_a_file_is_told_in_words_too(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n" * 2)
    assert output("--cases", str(path)).count("Hand   9") == 2


def test_moves_need_no_compiler():
    code = (
        "import sys, sim.cli; sim.cli.cli.main(['moves', '--hand', '9'], standalone_mode=False);"
        "sys.exit(any(m in sys.modules for m in ('numba', 'pandas', 'polars', 'matplotlib')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
