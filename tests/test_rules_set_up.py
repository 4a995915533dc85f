"""RULES.md clause by clause: the set-up of a round. Played on the twin."""

from collections import Counter

import pytest

from sim.cards import INDEX, SET_OUT, VALUE
from sim.reference.events import Dealt, RoundBegins
from sim.rules import Rounds, Rules, round_plan
from tests.games import anything, of_kind, taker, told, turns_of

ONE = Rounds(rounds=1)

DEALS = {2: (6, (0, 1, 2)), 3: (4, (0, 1, 2)), 4: (3, (0, 1, 2)), 5: (2, (8, 9, 10))}
TABLE = [(n, jokers) for n in DEALS for jokers in range(3)]


@pytest.mark.parametrize(("players", "jokers"), TABLE)
def test_the_deal_table(players, jokers):
    deals, left_over = DEALS[players]
    row, events = told(Rules(jokers=jokers, end=ONE), [taker] * players)
    dealt = of_kind(events, Dealt)
    assert [[len(hand) for hand in deal.hands] for deal in dealt] == [[4] * players] * deals
    assert row["turns"] == len(turns_of(events)) == deals * 4 * players
    assert row["unused"] == left_over[jokers]


@pytest.mark.parametrize(("players", "jokers"), TABLE)
def test_a_single_deal_of_one_card_each_if_there_are_enough_and_never_two(players, jokers):
    deals, left_over = DEALS[players]
    enough = left_over[jokers] >= players
    assert enough == (players == 5 or (players, jokers) == (2, 2))
    row, events = told(Rules(jokers=jokers, single_deal=True, end=ONE), [taker] * players)
    sizes = [len(deal.hands[0]) for deal in of_kind(events, Dealt)]
    assert sizes == [4] * deals + [1] * enough
    assert row["turns"] == sum(sizes) * players
    assert row["unused"] == left_over[jokers] - players * enough


@pytest.mark.parametrize(("players", "jokers"), TABLE)
@pytest.mark.parametrize("single", [False, True])
def test_leftover_cards_go_to_the_table_after_the_hands_of_the_last_deal(players, jokers, single):
    rules = Rules(jokers=jokers, single_deal=single, leftover="table", end=ONE)
    row, events = told(rules, [taker] * players)
    *others, last = of_kind(events, Dealt)
    assert all(deal.to_table == () for deal in others)
    assert len(last.to_table) == round_plan(rules, players).leftover
    first_turn_after = events[events.index(last) + 1]
    assert not Counter(last.to_table) - Counter(first_turn_after.loose)
    assert row["unused"] == 0


def test_the_four_diamonds_are_set_out():
    _, events = told(Rules(), [anything] * 2)
    assert all(Counter(start.table) == Counter(SET_OUT) for start in of_kind(events, RoundBegins))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_deal_passes_clockwise_and_the_player_after_the_dealer_leads(players):
    _, events = told(Rules(end=Rounds(rounds=7)), [anything] * players)
    assert [e.leader for e in of_kind(events, RoundBegins)] == [k % players for k in range(7)]
    for turn in turns_of(events):
        assert turn.seat == (turn.round + turn.turn) % players


def test_packets_go_in_seat_order_from_the_leader():
    """The same deck dealt to 2 and to 4: packets are its next 4 cards, the leader's first."""
    _, two = told(Rules(end=Rounds(rounds=2)), [taker] * 2)
    _, four = told(Rules(end=Rounds(rounds=2)), [taker] * 4)

    def packets(events, players, round_):
        dealt = of_kind(events, Dealt)
        deals = len(dealt) // 2
        hands = [deal.hands for deal in dealt[round_ * deals : (round_ + 1) * deals]]
        return [deal[(round_ + p) % players] for deal in hands for p in range(players)]

    for round_ in (0, 1):
        assert packets(two, 2, round_) == packets(four, 4, round_)


@pytest.mark.parametrize("rotation", [0, 1, 2])
def test_hand_rotation_moves_every_packet(rotation):
    rules = Rules(end=Rounds(rounds=2))
    _, fixed = told(rules, [taker] * 3)
    _, moved = told(rules, [taker] * 3, hand_rotation=rotation)
    for before, after in zip(of_kind(fixed, Dealt), of_kind(moved, Dealt), strict=True):
        assert [after.hands[s] for s in range(3)] == [
            before.hands[(s + rotation) % 3] for s in range(3)
        ]


def test_values_are_those_of_the_rulebook():
    assert {"A": 1} | {str(n): n for n in range(2, 11)} == VALUE
    assert [INDEX[rank] for rank in ("A", "10", "J", "*")] == [0, 9, 10, 13]
