"""The kernel against the worked positions: an independent program's full sets of legal moves."""

import json
from pathlib import Path

import pytest

from sim.cards import RANKS, pack, parse, show, unpack
from sim.kernel.engine import WorkArrays, blank_view
from sim.kernel.position import list_position, moves_of
from sim.rules import Rules
from sim.view import KINDS

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("data").joinpath("moves.jsonl").read_text().splitlines()
]


def read(case):
    """Return the rules and the packed hand, table and piles of a case."""
    piles = [pack(parse(pile)) for pile in case["piles"]]
    return Rules(**case["rules"]), pack(parse(case["hand"])), pack(parse(case["table"])), piles


def told(moves):
    """Tell moves in the notation of the cases."""
    return sorted(
        (KINDS[m["kind"]], RANKS[m["card"]], show(unpack(int(m["take"]))), int(m["piles"]))
        for m in moves
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_moves_of_a_worked_position(case):
    expected = sorted(
        (m["move"], m["card"], m["take"], sum(1 << p for p in m["piles"])) for m in case["moves"]
    )
    assert told(moves_of(*read(case))) == expected


def largest(moves):
    """Return the trails, and of each card's captures and builds those of as many cards as any."""
    most = {}
    for m in moves:
        key = (m["card"], m["kind"])
        most[key] = max(most.get(key, 0), m["size"])
    return [m for m in moves if m["size"] == most[m["card"], m["kind"]]]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_best_list_holds_trails_and_each_cards_largest_captures(case):
    position = read(case)
    assert told(moves_of(*position, best_only=True)) == told(largest(moves_of(*position)))


@pytest.mark.parametrize("rules", [{}, {"yoruba": True}], ids=str)
@pytest.mark.parametrize(
    ("hand", "table"),
    [
        ("10", "A 2 3 6 7"),
        ("3 10 K", "A 2 3 6 7 K"),
        ("5 9", "A 4 5 *"),
        ("5 *", "A 4 5"),
        ("5 9", "4 4 4 A 5"),
        ("5 9", "A 4 9 9"),
    ],
)
def test_the_best_list_where_captures_tie_jokers_lie_or_a_rank_crowds(rules, hand, table):
    """One row of the capture table tells the last of these lists; the others it does not."""
    position = Rules(jokers=1, **rules), pack(parse(hand)), pack(parse(table))
    best = moves_of(*position, best_only=True)
    assert best.tolist() == [m.item() for m in largest(moves_of(*position))]


def test_a_list_that_overflows_touches_nothing_behind_its_array():
    """A face with a pile comes last in the hand, when the list is over its end already."""
    work = WorkArrays(64)
    work.capacity = 4
    work.moves["take"] = range(64)
    work.moves["size"] = range(64)
    behind = work.moves[4:].copy()
    view = blank_view(Rules(esun=True), 2)
    view["moves"] = work.moves.ctypes.data
    view["hand"], view["loose"] = pack(parse("A 2 3 J")), pack(parse("A 2 3 J"))
    view["n_piles"], view["pile_cards"][0, 0] = 1, pack(parse("J J"))
    assert not list_position(work.state(), view, True)
    assert (work.moves[4:] == behind).all()
