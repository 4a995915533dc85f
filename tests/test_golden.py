"""Golden games: what the files tell is what is played, and each option visibly acts."""

import re
from pathlib import Path

import pytest

from sim.rulebook import CLAUSES
from sim.rules import FirstTo, differences
from sim.settings import apply
from tests.golden import FOLDER, GAMES

RULES_MD = Path(__file__).parents[1].joinpath("RULES.md").read_text(encoding="utf-8")

each = pytest.mark.parametrize("golden", GAMES, ids=lambda golden: golden.name)


@each
def test_the_game_is_told_as_it_stands(golden):
    stands = golden.path.read_text(encoding="utf-8").splitlines()
    assert golden.text().splitlines() == stands, (
        "the game changed; read the difference against RULES.md, then: make golden"
    )


def test_there_is_a_file_for_each_game_and_no_other():
    assert sorted(FOLDER.glob("*.txt")) == sorted(golden.path for golden in GAMES)


@each
def test_it_opens_with_its_clause(golden):
    number, sentence = golden.clause()
    assert golden.text().startswith(f"RULES.md {number}: {sentence[:40]}")
    assert re.search(rf"^\*\*{re.escape(number)}\*\*", RULES_MD, re.M)


@each
def test_what_it_shows_acts(golden):
    other = apply(golden.rules, golden.otherwise)
    assert len(differences(golden.rules, other)) == bool(golden.otherwise)
    assert golden.told_otherwise() != golden.told()


def test_every_option_has_a_game_and_so_have_2_to_5_players():
    shown = {key for golden in GAMES for key in golden.settings}
    options = {clause.option for clause in CLAUSES if clause.option}
    assert {key.partition(".first")[0].partition(".round")[0] for key in shown} >= options
    assert {len(golden.players) for golden in GAMES} == {2, 3, 4, 5}
    ends = [golden.rules.end for golden in GAMES]
    assert {end.unit for end in ends if isinstance(end, FirstTo)} == {"cards", "rounds"}
