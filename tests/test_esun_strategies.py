"""What strategies see of Esun's piles, and how each of them deals with piles.

Source: RULES.md, "Esun". What a card can take is the twin's word.
"""

import random
from itertools import combinations
from math import comb

import numpy as np
import pytest

from sim.cards import RANKS, pack, parse
from sim.foresight import captures_after, chance_unopened, expected_capture
from sim.kernel.captures import capture_table
from sim.kernel.compile import compiled
from sim.reference import play as twin
from sim.reference.captures import captures
from sim.reference.moves import best_moves
from sim.reference.state import whole_pack
from sim.reference.views import openers
from sim.rules import Penalty, Rules
from sim.sight import (
    BUILD,
    CAPTURE,
    capture_of,
    move_card,
    move_kind,
    move_piles,
    move_size,
    move_take,
    openers_of,
    piles_after,
    table_after,
)
from sim.strategy import catalogue
from sim.view import TRAIL
from tests.games import turns_of
from tests.positions import PLAYERS, cards, duel, games, played, rule_sets, view_of
from tests.random_games import random_rules

ESUN = Rules(esun=True)


def told(names, rules, deal):
    """Play a game of compiled strategies in the twin; return its turns."""
    seating = [catalogue()[name].bind() for name in names]
    events = []
    twin.play_game(
        rules,
        seating,
        7,
        deal,
        0,
        watch=events.append,
        captures_address=capture_table().ctypes.data,
        choosers=[compiled(player.strategy) for player in seating],
    )
    return turns_of(events)


def positions(number, seed=3, yoruba=(False, True)):
    """Yield rules, piles and a View of hands of three, with loose cards and up to three piles."""
    choose = random.Random(seed)
    while number:
        rules = random_rules(choose).model_copy(
            update={"esun": True, "must_capture": "never", "yoruba": choose.choice(yoruba)}
        )
        deck = choose.sample(whole_pack(rules), 36)
        hand, table, unseen = deck[:3], deck[3 : 3 + choose.randrange(9)], deck[12:30]
        piles = [pile for pile in (deck[30:32], deck[32:34], deck[34:]) if "*" not in pile]
        piles = [pile for pile in piles if openers(rules, tuple(pile)) & ~(1 << 13)]
        builders = [choose.randrange(2) for _ in piles]
        words = [" ".join(part) for part in (hand, table, unseen)]
        names = [" ".join(pile) for pile in piles]
        view, _ = view_of(*words, rules=rules, piles=names, builders=builders, noise=number)
        yield rules, piles, view
        number -= 1


def left_by(view, move, piles):
    """Return the loose cards, the piles and who built them after a move, cards as names."""
    card, take = RANKS[move_card(view, move)], move_take(view, move)
    kind = move_kind(view, move)
    stay = [i for i in range(len(piles)) if not move_piles(view, move) >> i & 1]
    standing, builders = [piles[i] for i in stay], [view.pile_builder[i] for i in stay]
    if kind == TRAIL:
        return [*cards(view.loose), card], standing, builders
    if kind == BUILD:
        standing, builders = [*standing, [card, *cards(take)]], [*builders, view.seat]
    return cards(int(view.loose) - take), standing, builders


def largest(rules, card, loose, piles):
    """Return what a card can take at most, from the twin's list of captures.

    Under Yoruba rules a value card takes loose cards or one pile, as `sim.sight` has it.
    """
    apart = rules.yoruba and card not in ("J", "Q", "K", "*")
    found = [0]
    for take, chosen in captures(rules, card, loose, piles):
        together = set(take) - {"*"} and chosen
        if not apart or not (together or len(chosen) > 1):
            found.append(len(take) + sum(len(piles[i]) for i in chosen))
    return max(found)


def test_who_can_open_a_pile_is_who_the_twin_says():
    choose = random.Random(1)
    for _ in range(400):
        rules = random_rules(choose)
        pile = [card for card in choose.sample(whole_pack(rules), 3) if card != "*"]
        faces = [choose.choice("JQK")] * choose.randint(2, 4)
        for group in (pile, pile[:2], faces):
            view, _ = view_of("2", rules=rules)
            assert openers_of(view, pack(group)) == openers(rules, tuple(group))


def test_what_every_card_can_take_after_a_move_counts_the_piles():
    opened = 0
    for rules, piles, view in positions(150):
        for move in range(view.n_moves):
            loose, standing, _ = left_by(view, move, piles)
            low, high = captures_after(view, move)
            for rank, card in enumerate(RANKS):
                most = largest(rules, card, loose, standing)
                assert capture_of(low, high, rank) == most
                opened += most > largest(rules, card, loose, [])
    assert opened > 500


def test_after_the_last_turn_of_a_deal_piles_are_loose():
    for _, piles, view in positions(40):
        view.hand_sizes[1] = 0
        for move in range(view.n_moves):
            if move_kind(view, move) == BUILD:
                continue
            loose, standing, _ = left_by(view, move, piles)
            everything = loose + [card for pile in standing for card in pile]
            assert table_after(view, move) == pack(everything)
            assert piles_after(view, move) == 0


def test_the_chance_that_nobody_opens_a_pile_is_that_of_all_their_hands_together():
    unseen = "5 5 10 2 3 * 7 7"
    for players, hand in ((2, 3), (3, 2), (4, 1)):
        view, _ = view_of("K", "", unseen, rules=Rules(jokers=1), players=players, next_hand=hand)
        view.hand_sizes[:players] = hand
        drawn = list(combinations(parse(unseen), hand * (players - 1)))
        safe = [held for held in drawn if not {"5", "10", "*"} & set(held)]
        ranks = 1 << 4 | 1 << 9 | 1 << 13
        assert chance_unopened(view, ranks) == pytest.approx(len(safe) / len(drawn))


# Who builds


@pytest.mark.parametrize("name", sorted(set(catalogue()) - {"random", "builder"}))
def test_it_never_builds(name):
    for rules in rule_sets(8):
        for deal in range(2):
            turns = told([name, "builder"], rules.model_copy(update={"esun": True}), deal)
            assert all(turn.move.kind != "build" for turn in turns if turn.seat == 0)


@pytest.mark.parametrize("name", ["builder", "raider"])
def test_without_esun_it_is_cautious(name):
    for players in PLAYERS:
        for rules in rule_sets(5):
            rules = rules.model_copy(update={"esun": False})
            ours, theirs = (games(catalogue()[n], rules, players) for n in (name, "cautious"))
            assert np.array_equal(ours, theirs)


# The older strategies


def test_cautious_counts_a_pile_as_something_to_be_won_and_lost():
    position = {"rules": ESUN, "piles": ["2 3"]}
    assert played("cautious", "5 K", "K K", "5 5 5 5", **position) == {"5 takes [2 3]"}
    assert played("cautious", "5 K", "K K", "K K K K", **position) == {"K takes K K"}


def test_miser_counts_who_can_open_a_pile():
    # 7 opens the pile anyway, so that it can take A 2 4 too is no news.
    unseen = "7 7 7 Q"
    assert played("miser", "A Q", "2 4", unseen, rules=ESUN) == {"Q trails"}
    assert played("miser", "A Q", "2 4", unseen, rules=ESUN, piles=["3 4"]) == {"A trails"}


def test_saver_counts_a_pile_that_is_left_as_easy():
    assert played("saver", "7 K", "K K", rules=ESUN, piles=["2 5"]) == {"7 takes [2 5]"}


def test_lookahead_leaves_a_pile_that_only_it_can_open_for_later():
    position = {"rules": ESUN, "piles": ["2 3"]}
    assert played("lookahead", "5 K", "K", "K J J J", **position) == {"K takes K"}
    assert played("lookahead", "5 K", "K", "5 J J J", **position) == {"5 takes [2 3]"}


# raider


def test_raider_takes_a_pile_of_another_before_more_cards():
    position = {"rules": ESUN, "piles": ["2 3"]}
    hand, table, unseen = "5 K", "K K K", "J J J J"
    assert played("raider", hand, table, unseen, **position) == {"5 takes [2 3]"}
    assert played("raider", hand, table, unseen, **position, builders=[0]) == {"K takes K K K"}


def test_spite_is_what_each_card_of_the_pile_is_worth_beside():
    def spiteful(spite):
        position = {"rules": ESUN, "piles": ["2 3"], "values": {"spite": spite}}
        return played("raider", "5 K", "K K K", "J J J J", **position)

    assert spiteful(0) == spiteful(0.4) == {"K takes K K K"}
    assert spiteful(0.6) == {"5 takes [2 3]"}


def test_raider_takes_a_pile_of_another_whenever_it_is_offered_one():
    taken = 0
    for yoruba in (False, True):
        rules = Rules(esun=True, yoruba=yoruba)
        for deal in range(10):
            for turn in told(["raider", "builder", "raider"], rules, deal):
                if turn.seat == 1:
                    continue
                others = {p for p, builder in enumerate(turn.builders) if builder != turn.seat}
                able = any(others & set(move.piles) for move in best_moves(turn.legal))
                assert bool(others & set(turn.move.piles)) == able
                taken += able
    assert taken > 30


# builder


def worth_of_builder(rules, piles, view, move):
    """Work out a move's worth as the docstring of `builder` defines it."""
    captures = move_kind(view, move) == CAPTURE
    worth = (move_size(view, move) + 1) * captures
    worth -= expected_capture(view, *captures_after(view, move))
    kept = int(view.hand) - (1 << 4 * move_card(view, move))
    unseen = cards(view.unseen)
    _, standing, builders = left_by(view, move, piles)
    for pile, builder in zip(standing, builders, strict=True):
        if builder != view.seat:
            continue
        able = {RANKS[r] for r in range(14) if openers(rules, tuple(pile)) >> r & 1}
        others = [card for card in unseen if card not in able]
        safe = comb(len(others), 4) / comb(len(unseen), 4)
        worth += safe * (len(pile) + 1 if able & set(cards(kept)) else -rules.penalty.esun)
    return worth


def test_builder_plays_the_worthiest_move_as_its_definition_says():
    builds = 0
    for rules, piles, view in positions(200, seed=5):
        worths = [worth_of_builder(rules, piles, view, move) for move in range(view.n_moves)]
        index = compiled(catalogue()["builder"])(view)
        assert worths[index] == pytest.approx(max(worths))
        builds += move_kind(view, index) == BUILD
    assert builds > 20


def test_builder_builds_what_nobody_can_open_and_nothing_that_all_can():
    hand, table = "9 10", "A 2 8 5 5"
    assert played("builder", hand, table, "K K Q Q J J", rules=ESUN) == {"9 builds A 2 5 5 8"}
    assert played("builder", hand, table, "10 10 10 K", rules=ESUN) == {"10 takes 2 5 5 8"}


def test_builder_counts_the_hands_of_all_who_play_before_it():
    # One card in 16 opens the pile. One other player holds 2 of them, three hold 6.
    hand, table, unseen = "9 10", "A 2 8 5 5", "10 K K K K Q Q Q Q J J J J 7 7 7"
    position = {"rules": ESUN, "next_hand": 2}
    assert played("builder", hand, table, unseen, **position) == {"9 builds A 2 5 5 8"}
    assert played("builder", hand, table, unseen, **position, players=4) == {"10 takes 2 5 5 8"}


def test_builder_does_not_give_up_a_pile_unless_the_penalty_is_small():
    # Its pile falls to its 9 alone; built into another pile, the 9 is gone.
    def at(penalty):
        rules = Rules(esun=True, penalty=Penalty(esun=penalty))
        position = {"rules": rules, "piles": ["4 5"], "builders": [0]}
        return played("builder", "9 10", "A", "A A A K", **position)

    assert at(0) == at(1) == {"9 builds A"}
    assert "9 builds A" not in at(3)


def test_builder_beats_cautious_with_esun():
    """Fails if building were of no use: the interval is ± 4 standard errors."""
    deals = 200
    won = np.sign(duel("builder", "cautious", ESUN, deals)).mean(axis=1)
    assert won.mean() > 4 * won.std(ddof=1) / np.sqrt(deals)
