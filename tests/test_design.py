"""Cells, seatings, blocks and chunks."""

from collections import Counter
from itertools import permutations

import pytest

from sim.design import arrangements, block_size, cells, seatings, settings_of
from sim.engines import engine_of
from sim.experiment import Lineup, load
from sim.sampling import CYCLIC, Design
from sim.strategy import catalogue

BALANCED = Design(lineups="balanced")
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


def five(name="x"):
    return Lineup(name, tuple(catalogue()[n].bind() for n in STRATEGIES))


STRATEGIES = ("greedy", "random", "cautious", "miser", "saver")


@pytest.mark.parametrize(("players", "count"), [(2, 2), (3, 6), (4, 24), (5, 20)])
def test_balanced_rotations_are_as_many_as_the_design_says(players, count):
    assert len(arrangements(players, BALANCED)) == count


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_among_balanced_rotations_each_player_sits_behind_each_other_equally_often(players):
    """Smallest defect caught: one order of seats too many, too few, or twice."""
    found = arrangements(players, BALANCED)
    for distance in range(1, players):
        counts = Counter(
            (a, b)
            for seats in found
            for a, b in permutations(range(players), 2)
            if (seats[b] - seats[a]) % players == distance
        )
        assert len(counts) == players * (players - 1)
        assert len(set(counts.values())) == 1
    for player in range(players):
        assert len(set(Counter(seats[player] for seats in found).values())) == 1


def test_cyclic_rotations_of_three_are_not_balanced():
    after = {(seats[1] - seats[0]) % 3 for seats in arrangements(3, CYCLIC)}
    assert after == {1}


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("lineups", ["cyclic", "balanced", "given"])
def test_a_seating_says_the_seat_of_each_player_of_the_lineup(players, lineups):
    given = five().entries[:players]
    found = seatings(Lineup("x", given), players, Design(lineups=lineups))
    assert next(iter(found)) == given
    for seating, seats in found.items():
        assert [seating[seat] for seat in seats] == [*given]


def test_balanced_seatings_of_one_among_equals_are_the_distinct_ones_only():
    a, b = GREEDY, RANDOM
    assert len(seatings(Lineup("x", (a, b, b, b)), 4, BALANCED)) == 4
    assert len(seatings(Lineup("x", (a, a, b, b)), 4, BALANCED)) == 6


def test_given_is_one_seating():
    assert [*seatings(Lineup("x", (GREEDY, RANDOM)), 2, Design(lineups="given"))] == [
        (GREEDY, RANDOM)
    ]


def planned_of(tmp_path, text):
    path = tmp_path / "x.yaml"
    path.write_text("question: q\n" + text)
    return cells(load(path))


def test_rotated_hands_are_games_of_the_deal_and_are_counted(tmp_path):
    (cell,) = planned_of(tmp_path, "players: 3\ngames: 3000\ndesign: {hands: rotated}\n")
    assert (cell.hand_rotations, cell.games_per_deal) == (3, 3)
    assert cell.games == 1008 * 3  # 1,000 deals in blocks of 16


def test_rotated_hands_come_from_the_same_pack_and_are_numbered(tmp_path):
    (cell,) = planned_of(tmp_path, "players: 3\ngames: 30\ndesign: {hands: rotated}\n")
    rows = engine_of(cell, 1960).play(0, 4)
    assert rows["deal"].tolist() == [d for d in range(4) for _ in range(3)]
    assert rows["hand_rotation"].tolist() == [0, 1, 2] * 4
    assert (rows["deck_check"].reshape(4, 3) == rows["deck_check"][::3, None]).all()


INERT = {
    "leftover": "players: [2, 3, 4]\nvariants: {a: {}, b: {leftover: table}}\n",
    "single_deal": "players: [3, 4]\nvariants: {a: {jokers: 2}, b: {jokers: 2, single_deal: true}}",
    "yoruba_faces": "variants: {a: {}, b: {yoruba_faces: pair}}",
    "yoruba_joker": "variants: {a: {yoruba: true}, b: {yoruba: true, yoruba_joker: distinct}}",
    "esun_unclaimed": "variants: {a: {jokers: 1}, b: {jokers: 1, esun_unclaimed: discard}}",
    "penalty.esun": "variants: {a: {}, b: {penalty: {esun: 9}}}",
    "isiwo": "variants: {a: {esun: true}, b: {esun: true, isiwo: true}}",
    "penalty.miscapture": "variants: {a: {}, b: {penalty: {miscapture: 9}}}\n"
    "lineups: {x: [{strategy: greedy, with: {miscapture: 0.5}}, greedy]}",
    "penalty.challenge": "variants: {a: {}, b: {penalty: {challenge: 9}}}",
    "penalty.peek": "variants: {a: {isiwo: true}, b: {isiwo: true, penalty: {peek: 9}}}\n"
    "lineups: {x: [{strategy: cautious, with: {peek: 0.5, recall: 0.5}}, {strategy: greedy, "
    "with: {vigilance: 0.5}}]}",
}


@pytest.mark.parametrize("option", INERT)
def test_an_inert_option_shares_the_games_and_forced_to_play_gives_the_same(tmp_path, option):
    """Both are played here: not by sharing, but because the option does nothing."""
    planned = planned_of(tmp_path, INERT[option])
    half = len(planned) // 2
    assert [cell.shares for cell in planned] == [None] * half + [*range(half)]
    for own, other in zip(planned[:half], planned[half:], strict=True):
        a, b = (engine_of(cell, 7).play(0, 300) for cell in (own, other))
        assert own.rules != other.rules
        assert a.tobytes() == b.tobytes()


ACTING = {
    "leftover with five": "players: 5\nvariants: {a: {}, b: {leftover: table}}",
    "single_deal with two and two jokers": "variants: {a: {jokers: 2}, "
    "b: {jokers: 2, single_deal: true}}",
    "isiwo counted for one who forgets": "variants: {a: {}, b: {isiwo: true}}\n"
    "lineups: {x: {strategy: greedy, with: {recall: 0.5}}}",
    "penalty.miscapture": "variants: {a: {}, b: {penalty: {miscapture: 9}}}\n"
    "lineups: {x: {strategy: greedy, with: {miscapture: 0.5, vigilance: 0.5}}}",
}


@pytest.mark.parametrize("case", ACTING)
def test_what_acts_is_played(tmp_path, case):
    planned = planned_of(tmp_path, ACTING[case])
    assert [cell.shares for cell in planned] == [None, None]
    a, b = (engine_of(cell, 7).play(0, 300) for cell in planned)
    assert a.tobytes() != b.tobytes()


def test_equal_lineups_of_other_names_are_not_shared_across_settings(tmp_path):
    planned = planned_of(tmp_path, "lineups: {a: greedy, b: greedy}\n")
    assert [cell.shares for cell in planned] == [None, None]
    assert [len(setting.cells) for setting in settings_of(planned)] == [1, 1]
