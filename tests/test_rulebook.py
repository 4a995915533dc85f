"""`sim rules`: rule sets in words, their clauses, and what two of them differ in."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sim.cli import cli
from sim.errors import UsageFault
from sim.rulebook import CLAUSES, END_CLAUSES, clause_of, compared, line, lines
from sim.rules import PRESETS, FirstTo, Penalty, Rounds, Rules
from sim.settings import options

ROOT = Path(__file__).parents[1]
RULES_MD = ROOT.joinpath("RULES.md").read_text(encoding="utf-8")
NUMBERS = re.findall(r"^\*\*(\d+\.\d+)\*\*|\| \*\*(R\d+)\*\*|^\*\*(O\d+)\*\*", RULES_MD, re.M)
KNOWN = ["".join(found) for found in NUMBERS]
FILE = "experiments/five_player_leftovers.yaml"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def output(*args):
    result = CliRunner().invoke(cli, ["rules", *args], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


def unwrapped(*args):
    return " ".join(output(*args).split())


def refusal(*args):
    with pytest.raises(UsageFault) as fault:
        output(*args)
    assert fault.value.exit_code == 2
    return str(fault.value)


# RULES.md and the table


def test_clauses_are_numbered_in_order_and_once():
    for first in [*"123456789", "R", "O"]:
        prefix = first if first in "RO" else f"{first}."
        own = [number for number in KNOWN if number.startswith(prefix)]
        assert own == [f"{prefix}{i}" for i in range(1, len(own) + 1)]
        assert own


def test_every_clause_of_the_table_is_in_rules_md_in_its_order():
    numbers = [clause.number for clause in CLAUSES]
    assert {*numbers, *END_CLAUSES.values()} <= {*KNOWN}
    assert numbers == sorted(numbers, key=KNOWN.index)


def test_every_option_has_one_clause_the_one_that_rules_md_says():
    top = [key for key in options() if not key.startswith("end.")] + ["end"]
    assert sorted(clause.option for clause in CLAUSES if clause.option) == sorted(top)
    rows = re.findall(r"^\| `([\w.]+)` \|.*\| (\d\.\d+) \|$", RULES_MD, re.M)
    assert dict(rows) == {key: clause_of(key).number for key in top}


def test_every_citation_of_a_clause_is_of_one_that_exists():
    cited = []
    for folder in ("sim", "strategies", "tests"):
        for path in ROOT.joinpath(folder).rglob("*.py"):
            for cite in re.findall(
                r"RULES\.md, ((?:\d\.\d+(?:, | to | and )?)+)", path.read_text()
            ):
                cited += [(path.name, number) for number in re.findall(r"\d\.\d+", cite)]
    assert len(cited) >= 3
    assert [cite for cite in cited if cite[1] not in KNOWN] == []


def every_value(key):
    """Return rules for each kind of value of an option."""
    if key == "end":
        ends = [Rounds(), FirstTo(), FirstTo(unit="rounds")]
        return [Rules(end=end) for end in ends]
    if key.startswith("penalty."):
        name = key.partition(".")[2]
        return [Rules(penalty=Penalty(**{name: points})) for points in (0, 1, 2)]
    if key == "jokers":
        return [Rules(jokers=number) for number in range(3)]
    field = options()[key]
    values = [False, True] if field.annotation is bool else field.annotation.__args__
    return [Rules(**{key: value}) for value in values]


@pytest.mark.parametrize("clause", [c for c in CLAUSES if c.option], ids=lambda c: c.option)
def test_every_value_of_every_option_has_a_sentence_of_its_own(clause):
    said = [clause.sentence(rules) for rules in every_value(clause.option)]
    assert len({*said}) == len(said) >= 2
    for sentence in said:
        assert sentence[0].isupper()
        assert sentence.endswith(".")


# What is told


def test_a_preset_is_told_clause_by_clause():
    text = output("casual")
    assert text.splitlines()[:3] == [
        "casual",
        "  3.1  K, Q, J and 9 of diamonds are laid on the table, face up.",
        "  3.2  The other 48 cards and two jokers are shuffled.",
    ]
    assert "  7.5  The game is 4 rounds; most points win, equal points share.\n" in text
    assert text.splitlines()[-1].startswith("  8.8  ")


def test_numbers_are_told_with_the_right_plural():
    text = output("professional", "--set", "penalty.esun=1", "--set", "penalty.peek=0")
    assert "when its deal ends costs 1 point." in text
    assert "that one may not look through costs nothing." in " ".join(text.split())
    assert text.startswith("professional, penalty.esun=1, penalty.peek=0\n")


@pytest.mark.parametrize(
    ("settings", "number", "words"),
    [
        (["end.rounds=1"], "7.5", "The game is 1 round; most points win, equal points share."),
        (["end.first_to=30"], "7.6", "The first to hold 30 points wins at once; after 100 rounds"),
        (["end.first_to=2", "end.unit=rounds"], "7.7", "Whoever has won 2 rounds wins, checked"),
    ],
)
def test_the_end_is_told_under_the_clause_of_its_kind(settings, number, words):
    text = output("default", *(word for setting in settings for word in ("--set", setting)))
    assert f"  {number}  {words}" in text


def test_what_is_off_is_not_told_unless_it_is_set():
    assert {one.number for one in lines(Rules())} & {"4.4", "5.2", "5.3", "6.4", "6.7"} == set()
    assert {"4.4", "5.2", "5.3"} <= {one.number for one in lines(PRESETS["yoruba"])}
    professional = {one.number for one in lines(PRESETS["professional"])}
    assert {"6.4", "6.6", "6.7"} <= professional
    assert "6.5" not in professional
    assert "6.5" in {one.number for one in lines(Rules(esun=True, yoruba=True))}
    text = unwrapped("default", "--set", "yoruba_faces=pair")
    assert "of its own rank. (It cannot act: Yoruba rules are off.)" in text


def test_memory_conduct_and_their_penalties_are_told_in_every_rule_set():
    text = unwrapped("default", "--set", "isiwo=true", "--set", "penalty.miscapture=0")
    for words in (
        "8.2 Who has a recall below 1 forgets some captured cards",
        "8.3 Players may look through their own captured pile, and so always know it.",
        "8.5 A capture with a card too many is undone if another notices, and costs nothing.",
        "8.6 To challenge a right capture changes nothing on the table, and costs 2 points.",
        "8.7 To be noticed looking through a captured pile",
        "8.8 A turn may be played at random",
    ):
        assert words in text


def said(key, rules, players):
    return line(clause_of(key), rules, players).text


def test_what_cannot_act_is_told_for_the_players_it_cannot_act_with():
    rules = Rules(leftover="table")
    assert said("leftover", rules, [5]).endswith("in the last deal.")
    assert said("leftover", rules, [2, 3, 4, 5]).endswith(
        "(It cannot act: with 2, 3 or 4 players and 0 jokers no card is left over.)"
    )
    text = unwrapped("default", "--set", "single_deal=true", "--players", "4")
    assert "(It cannot act: with 4 players and 0 jokers" in text


def test_conduct_is_no_reason_for_an_option_not_to_act():
    text = unwrapped("casual", "--set", "penalty.miscapture=3", "--set", "isiwo=false")
    assert "cannot act" not in text


def test_an_experiment_is_told_what_its_variants_have_in_common_once():
    text = output(FILE)
    assert text.startswith("In each of the 4 rule sets\n")
    assert text.count("  4.2  ") == 1
    assert text.count("  3.5  ") == 4
    common, *variants = text.split("\n\n")
    assert [one.splitlines()[0] for one in variants] == [
        "unused",
        "table",
        "single deal",
        "single deal and table",
    ]
    assert "3.5" not in common


def test_the_players_of_an_experiment_decide_what_cannot_act():
    assert "cannot act" not in unwrapped(FILE)
    assert "cannot act: with 3 players" in unwrapped(FILE, "--players", "3")


def test_one_variant_can_be_read_and_compared():
    assert output(f"{FILE}:table").startswith("table\n")
    assert output(f"{FILE}:unused", f"{FILE}:table") == (
        "unused and table differ in 1 option\n\n"
        "  3.6  leftover\n"
        "    unused  Cards that cannot be dealt take no part in the round.\n"
        "    table   Cards that cannot be dealt are laid on the table in the last deal.\n"
    )


def test_only_what_differs_is_told():
    text = output("casual", "yoruba")
    assert text.splitlines()[0] == "casual and yoruba differ in 1 option"
    assert re.findall(r"^  (\d.*)", text, re.M) == ["5.1  yoruba"]
    assert output("yoruba", "yoruba") == "yoruba and yoruba are the same rules.\n"


def test_a_difference_in_every_option_is_told_in_the_order_of_rules_md():
    other = Rules(
        jokers=2,
        yoruba=True,
        yoruba_faces="pair",
        yoruba_joker="distinct",
        must_capture="any",
        leftover="table",
        single_deal=True,
        rest="last_to_play",
        esun=True,
        esun_unclaimed="discard",
        isiwo=True,
        penalty=Penalty(esun=1, miscapture=1, challenge=1, peek=1),
        end=FirstTo(),
    )
    text = "\n".join(compared(("a", "b"), Rules(), other))
    told = re.findall(r"^  (\d[\d., ]*)  (\S+)$", text, re.M)
    assert [key for _, key in told] == [clause.option for clause in CLAUSES if clause.option]
    assert ("7.5, 7.6", "end") in told


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["casul"], "did you mean casual?"),
        (["casul"], "an experiment is a file such as x.yaml"),
        (["no.yaml"], "no.yaml: cannot be read"),
        (["casual", "--set", "yorub=true"], "did you mean yoruba?"),
        (["casual", "--set", "jokers=3"], "found '3'; allowed is a whole number from 0 to 2"),
        (["casual", "--set", "end.unit=rounds"], "--set end.unit needs end.first_to"),
        (["casual", FILE], f"has 4 variants; name one to compare it, such as '{FILE}:unused'"),
        ([f"{FILE}:tabel"], "no variant is called 'tabel' (did you mean table?)"),
        (["casual", "yoruba", "default"], "found 3 rule sets; name one to read it, or two"),
    ],
)
def test_what_names_no_rules_is_refused(args, words):
    assert words in refusal(*args)


@pytest.mark.parametrize("args", [["casual", "yoruba"], [FILE]])
def test_the_rulebook_needs_no_compiler(args):
    code = (
        f"import sys, sim.cli; sim.cli.cli.main(['rules', *{args!r}], standalone_mode=False);"
        "sys.exit(any(m in sys.modules for m in ('numba', 'pandas', 'polars', 'matplotlib')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
