"""Cells, seatings, blocks and chunks."""

import pytest

from sim.design import block_size, cells, chunks, seatings
from sim.experiment import Lineup, load
from sim.sampling import Design
from sim.strategy import catalogue

GREEDY, RANDOM, CAUTIOUS = (catalogue()[name].bind() for name in ("greedy", "random", "cautious"))


def test_rotation_r_seats_position_i_at_seat_i_plus_r():
    a, b, c = GREEDY, RANDOM, CAUTIOUS
    found = seatings(Lineup("x", (a, b, c)), 3, Design())
    assert [*found] == [(a, b, c), (c, a, b), (b, c, a)]
    assert [*found.values()] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]


def test_each_distinct_seating_comes_once():
    a, b = GREEDY, RANDOM
    assert len(seatings(Lineup("x", (a,)), 5, Design())) == 1
    assert [*seatings(Lineup("x", (a, b, a, b)), 4, Design())] == [(a, b, a, b), (b, a, b, a)]


@pytest.mark.parametrize(
    ("deals", "size"),
    [(1, 1), (49, 1), (98, 1), (99, 2), (100, 2), (12544, 128), (12545, 256), (10**9, 256)],
)
def test_a_block_is_the_largest_power_of_two_that_leaves_fifty(deals, size):
    assert block_size(deals) == size
    if size < 256 and deals >= 50:
        assert -(-deals // (2 * size)) < 50 <= -(-deals // size)


@pytest.fixture
def planned(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(
        "question: q\nplayers: [2, 3]\ngames: 1000\nvariants: {a: {}, b: {jokers: 1}}\n"
        "lineups: {one: greedy, two: [greedy, random]}\n"
    )
    return cells(load(path))


def test_a_cell_for_each_variant_players_and_lineup_that_fits(planned):
    told = [(cell.variant, cell.players, cell.lineup) for cell in planned]
    assert told[:3] == [("a", 2, "one"), ("a", 2, "two"), ("a", 3, "one")]
    assert len(told) == 6
    assert [cell.id for cell in planned] == list(range(6))


def test_games_are_rounded_up_to_whole_blocks_of_all_rotations(planned):
    two = planned[1]
    assert (two.games_per_deal, two.block_deals, two.blocks) == (2, 8, 63)
    assert two.games == 1008


@pytest.mark.parametrize("size", [1, 17, 100, 10**6])
def test_chunks_cover_every_block_once_whatever_their_size(planned, size):
    for cell in planned:
        found = [
            b for c in chunks(cell, size) for b in range(c.first_block, c.first_block + c.blocks)
        ]
        assert found == list(range(cell.blocks))
