"""Fuzzing finds a planted defect, shrinks it, keeps it, and says so. Defects are in the twin."""

import random

import pytest
from click.testing import CliRunner

import sim.reference.captures
import sim.reference.state
from sim.rules import Rules
from sim.settings import overrides
from tests.differential import Position, compare
from tests.fuzz import __main__ as command
from tests.fuzz import found
from tests.fuzz.block import play_block
from tests.fuzz.shrink import smaller_positions, smallest
from tests.random_games import random_rules

TURNS = 60_000


@pytest.fixture
def any_face_takes_any_face(monkeypatch):
    right = sim.reference.captures.loose_sets

    def wrong(rules, card, loose):
        faces = tuple(other for other in loose if other in "JQK")
        return [faces] if card in "JQK" and faces else right(rules, card, loose)

    monkeypatch.setattr(sim.reference.captures, "loose_sets", wrong)


@pytest.fixture
def rest_to_the_leader(monkeypatch):
    right = sim.reference.state.Round.rest_goes_to

    def wrong(round_, rules):
        return round_.leader if rules.rest == "last_to_play" else right(round_, rules)

    monkeypatch.setattr(sim.reference.state.Round, "rest_goes_to", wrong)


def the_smallest():
    block = play_block(1, 0, TURNS)
    assert block.case is not None
    return smallest(block.case, block.difference)


def test_a_defect_of_the_moves_is_shrunk_to_a_position(any_face_takes_any_face):
    position = the_smallest().position
    assert position.rules == Rules()
    assert (len(position.hand), len(position.table), position.piles) == (1, 1, ())
    assert position.hand != position.table
    assert {*position.hand, *position.table} < {"J", "Q", "K"}


def test_a_defect_of_the_state_is_shrunk_to_a_game(rest_to_the_leader):
    mismatch = the_smallest()
    assert mismatch.position is None
    case = mismatch.case
    assert overrides(case.rules) == {"rest": "last_to_play", "end": {"rounds": 1}}
    assert [str(player) for player in case.lineup] == ["random", "random"]
    assert (case.seed, case.hand_rotations) == (0, 1)
    assert case.deal < 20


@pytest.mark.parametrize("defect", ["any_face_takes_any_face", "rest_to_the_leader"])
def test_what_is_found_is_kept_for_the_ordinary_tests_and_told(
    defect, request, monkeypatch, tmp_path
):
    request.getfixturevalue(defect)
    monkeypatch.setattr(command, "keep", lambda mismatch: found.keep(mismatch, tmp_path))
    told = CliRunner().invoke(command.main, ["--turns", str(TURNS), "--seed", "1", "--jobs", "1"])
    assert told.exit_code == 1, told.output
    assert "1 mismatch\n" in told.stdout
    assert "seed 1:" in told.stderr
    assert "pytest tests/test_found.py" in told.stdout
    assert "make fuzz SEED=1" in told.stdout
    [path] = tmp_path.iterdir()
    [line] = found.lines(path.name, tmp_path)
    if path.name == found.POSITIONS:
        assert found.position_line(found.position_of(line)) == line
    else:
        assert found.game_line(found.game_of(line)) == line
        with pytest.raises(AssertionError):
            compare(found.game_of(line))


def test_engines_that_agree_end_with_a_count_of_no_mismatches():
    told = CliRunner().invoke(command.main, ["--turns", "20000", "--seed", "3", "--jobs", "1"])
    assert told.exit_code == 0, told.output
    block = play_block(3, 0, 20_000)
    assert block.checked > 0
    expected = f"{block.turns:,} turns, {block.checked:,} checked by the twin, 0 mismatches\n"
    assert told.stdout == expected


def test_every_option_is_drawn():
    choose = random.Random(1)
    drawn = [random_rules(choose).model_dump() for _ in range(300)]
    for key, default in Rules().model_dump().items():
        assert {str(rules[key]) for rules in drawn} > {str(default)} or key in ("end", "penalty")
    ends = [rules["end"] for rules in drawn]
    assert {end.get("unit") for end in ends} == {None, "cards", "rounds"}
    assert all(len({rules["penalty"][key] for rules in drawn}) == 4 for key in drawn[0]["penalty"])


def test_positions_that_could_not_arise_are_not_tried():
    """A joker needs its option and a pile needs Esun, two cards and a card that opens it."""
    position = Position(Rules(jokers=1, esun=True), ("*", "5"), ("2",), (("2", "3"),))
    tried = list(smaller_positions(position))
    assert {other.hand for other in tried} == {("*", "5"), ("*",), ("5",)}
    for other in tried:
        assert other.rules.jokers == 1 or "*" not in other.hand
        assert other.rules.esun or not other.piles
        assert other.piles in ((), position.piles)
