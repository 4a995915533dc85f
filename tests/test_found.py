"""What fuzzing found, and the smallest positions and games that tell planted defects.

A line is added by `make fuzz` when the engines disagree; what it shows is the engines' agreement
and, for positions, the moves that were read against RULES.md.
"""

import pytest

from tests.differential import compare
from tests.fuzz.found import GAMES, POSITIONS, game_of, lines, position_line, position_of
from tests.fuzz.shrink import moves_differ


def each_line_of(name):
    found = list(enumerate(lines(name), 1))
    return pytest.mark.parametrize(
        "line", [pytest.param(line, id=f"line {n}") for n, line in found]
    )


@each_line_of(POSITIONS)
def test_a_position_that_was_found(line):
    position = position_of(line)
    assert position_line(position) == line
    assert not moves_differ(position)


@each_line_of(GAMES)
def test_a_game_that_was_found(line):
    compare(game_of(line))
