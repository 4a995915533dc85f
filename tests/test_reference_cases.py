"""The twin's legal moves: worked positions of an independent program, and brute force."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.cards import FACES, JOKER, RANKS, VALUE, parse, show
from sim.reference import best_moves, legal_moves
from sim.reference.moves import Move
from sim.rules import Rules

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("data").joinpath("moves.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=range(1, len(CASES) + 1))
def test_the_moves_of_a_worked_position(case):
    moves = legal_moves(
        Rules(**case["rules"]),
        parse(case["hand"]),
        parse(case["table"]),
        [parse(pile) for pile in case["piles"]],
    )
    found = sorted((m.kind, m.card, show(m.take), list(m.piles)) for m in moves)
    assert found == sorted((m["move"], m["card"], m["take"], m["piles"]) for m in case["moves"])
    assert [move.numbers() for move in moves] == sorted(move.numbers() for move in moves)


def splits(cards, value):
    """Say whether cards split into groups of `value`, by trying every group of the first card."""
    if not cards:
        return True
    first, rest = cards[0], cards[1:]
    return any(
        VALUE[first] + sum(VALUE[card] for card in others) == value
        and splits([*(Counter(rest) - Counter(others)).elements()], value)
        for n in range(len(rest) + 1)
        for others in combinations(rest, n)
    )


def falls_to(rules, card, cards):
    """Say whether a played `card`, no joker, takes `cards`, no jokers: the rules as a predicate."""
    if card in FACES:
        return set(cards) == {card} and (not rules.yoruba or rules.yoruba_faces == "pair")
    if rules.yoruba and len({card, *cards}) <= len(cards):
        return False
    return not set(cards) & set(FACES) and splits(list(cards), VALUE[card])


def sub_multisets(cards):
    """Return every sub-multiset, as sorted tuples."""
    ordered = sorted(cards, key=RANKS.index)
    return {chosen for n in range(len(ordered) + 1) for chosen in combinations(ordered, n)}


@given(
    rules=st.builds(Rules, yoruba=st.booleans(), yoruba_faces=st.sampled_from(["strict", "pair"])),
    card=st.sampled_from(RANKS[:13]),
    loose=st.lists(st.sampled_from([*RANKS, *RANKS[:5]]), max_size=8),
    piles=st.lists(st.lists(st.sampled_from(RANKS[:12]), min_size=2, max_size=3), max_size=2),
)
def test_captures_are_exactly_those_the_rules_allow(rules, card, loose, piles):
    rules = rules.model_copy(update={"esun": True})
    jokers = tuple(c for c in loose if c == JOKER)
    plain = [c for c in loose if c != JOKER]
    expected = set()
    for taken in sub_multisets(plain):
        for chosen in [(), *[(i,) for i in range(len(piles))], tuple(range(len(piles)))]:
            everything = [*taken, *(c for i in chosen for c in piles[i])]
            whole = all(falls_to(rules, card, piles[i]) for i in chosen)
            apart = not taken or falls_to(rules, card, taken)
            if everything and whole and apart and falls_to(rules, card, everything):
                expected.add((taken + jokers, chosen))
    moves = legal_moves(rules, [card], loose, piles)
    assert {(m.take, m.piles) for m in moves if m.kind == "capture"} == expected


@given(
    rules=st.builds(Rules, yoruba=st.booleans(), yoruba_faces=st.sampled_from(["strict", "pair"])),
    hand=st.lists(st.sampled_from(RANKS), min_size=1, max_size=4),
    loose=st.lists(st.sampled_from([*RANKS, *RANKS[:6]]), max_size=7),
)
def test_builds_are_exactly_those_the_rules_allow(rules, hand, loose):
    rules = rules.model_copy(update={"esun": True})
    expected = set()
    for card in set(hand) - {JOKER}:
        kept = [*(Counter(hand) - Counter([card])).elements()]
        for joined in sub_multisets(c for c in loose if c != JOKER) - {()}:
            if any(falls_to(rules, t, [card, *joined]) for t in kept if t != JOKER):
                expected.add((card, joined))
    moves = legal_moves(rules, hand, loose)
    assert {(m.card, m.take) for m in moves if m.kind == "build"} == expected


def test_the_best_moves_are_each_cards_trail_largest_captures_and_largest_builds():
    moves = legal_moves(Rules(esun=True), parse("2 5 7"), parse("A 2 4 5 10"), [parse("2 3")])
    assert [(m.kind, m.card, show(m.take), m.piles) for m in best_moves(moves)] == [
        ("trail", "2", "", ()),
        ("capture", "2", "2", ()),
        ("build", "2", "A 2 4 5", ()),
        ("trail", "5", "", ()),
        ("capture", "5", "A 4 5", (0,)),
        ("build", "5", "2", ()),
        ("trail", "7", "", ()),
        ("capture", "7", "A 2 4", ()),
    ]


def test_size_counts_pile_cards_and_jokers_but_not_the_played_card():
    moves = legal_moves(Rules(esun=True, jokers=1), ["5"], parse("A 4 *"), [parse("2 3")])
    sizes = {(move.kind, show(move.take), move.piles): move.size for move in moves}
    assert sizes == {
        ("trail", "", ()): 0,
        ("capture", "*", (0,)): 3,
        ("capture", "A 4 *", ()): 3,
        ("capture", "A 4 *", (0,)): 5,
    }


def test_a_move_has_numbers_for_the_view():
    move = Move("capture", "9", ("A", "A", "*"), (0, 2), 7)
    assert move.numbers() == (8, 1, 2 + (1 << 52), 0b101)
