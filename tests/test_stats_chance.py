"""Chance against closed forms, each held by an interval and not by eye.

Decks are the twin's; the kernel's rows prove by `deck_check` that it deals the same. Intervals are
simultaneous at 99.9% over all numbers of a test, so a sound generator fails one seed in a thousand.
"""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import pytest

from sim.cards import INDEX, JOKER, RANKS, fresh_pack
from sim.kernel import Engine
from sim.reference.chance import deck_check, shuffled
from sim.reference.state import begin_round
from sim.rules import Rules, round_plan
from sim.stats.family import simultaneous
from sim.stats.samples import Floats, Sample
from sim.strategy import catalogue

SEED, DECKS, BLOCK = 1960, 4000, 40
IN_PACK = Counter(fresh_pack())


@pytest.fixture(scope="module")
def decks() -> np.ndarray:
    """Rank at each place of the first round's deck, shape (deals, 48)."""
    return np.array([[INDEX[c] for c in shuffled(SEED, deal, 0)] for deal in range(DECKS)])


def means(values: Floats) -> list[Sample]:
    """Means of columns over deals, shape (deals, numbers), by blocks of deals."""
    blocks = values.reshape(-1, BLOCK, values.shape[1]).mean(axis=1)
    centre = blocks.mean(axis=0)
    ids, deals = np.arange(len(blocks)), np.full(len(blocks), BLOCK)
    return [Sample(float(m), blocks[:, i] - m, ids, deals) for i, m in enumerate(centre)]


def outside(values: Floats, truth: Floats) -> list[int]:
    """Which numbers' intervals miss the truth."""
    found = simultaneous(means(values), "cards", level=0.999)
    return [
        i
        for i, (own, real) in enumerate(zip(found, truth, strict=True))
        if own.low is None or own.high is None or not own.low <= real <= own.high
    ]


def test_the_kernel_deals_the_decks_of_the_twin() -> None:
    engine = Engine(Rules(), [[catalogue()["greedy"].bind()] * 2], 1, SEED)
    rows = engine.play(0, 400)
    assert rows["deck_check"].tolist() == [deck_check(shuffled(SEED, d, 0)) for d in range(400)]


def test_every_rank_is_everywhere_in_the_deck_as_often_as_in_the_pack(decks: np.ndarray) -> None:
    """48 places x 13 ranks. Catches a shuffle that swaps with all 48 places, or leaves the last."""
    expected = np.array([IN_PACK[rank] / 48 for rank in RANKS[:13]])
    shown = (decks[:, :, None] == np.arange(13)).astype(float).reshape(DECKS, -1)
    assert outside(shown, np.tile(expected, 48)) == []
    naive = np.random.default_rng(1)
    biased = np.tile([INDEX[c] for c in fresh_pack()], (DECKS, 1))
    for i in range(48):  # the well-known mistake: every place is swapped with any place
        j = naive.integers(0, 48, DECKS)
        row = np.arange(DECKS)
        biased[row, i], biased[row, j] = biased[row, j], biased[row, i].copy()
    shown = (biased[:, :, None] == np.arange(13)).astype(float).reshape(DECKS, -1)
    assert outside(shown, np.tile(expected, 48)) != []


def test_neighbours_in_the_deck_are_alike_as_often_as_chance_has_it(decks: np.ndarray) -> None:
    """47 pairs, each alike with chance sum n (n - 1) / (48 * 47): 2.75 a deck."""
    alike = sum(n * (n - 1) for n in IN_PACK.values()) / 48
    assert alike == 2.75
    pairs = (decks[:, 1:] == decks[:, :-1]).sum(axis=1)[:, None].astype(float)
    assert outside(pairs, np.array([alike])) == []


@pytest.mark.parametrize("players", [2, 3, 5])
def test_every_seat_is_dealt_its_share_of_every_rank(players: int) -> None:
    """A hand's place is no luck: of n cards of a rank a seat gets n * turns / 48 in a round."""
    plan = round_plan(Rules(), players)
    dealt = np.zeros((DECKS, players, 13))
    for deal in range(DECKS):
        round_ = begin_round(Rules(), players, SEED, deal, 0)
        for number in range(len(plan.deals)):
            round_.deal_hands(Rules(), number, 0)
            for seat, hand in enumerate(round_.hands):
                for card in hand:
                    dealt[deal, seat, INDEX[card]] += 1
    assert dealt.sum(axis=2).tolist() == [[plan.turns] * players] * DECKS
    expected = np.array([IN_PACK[rank] * plan.turns / 48 for rank in RANKS[:13]])
    assert outside(dealt.reshape(DECKS, -1), np.tile(expected, players)) == []


@pytest.mark.parametrize(("jokers", "players"), [(1, 2), (2, 2), (2, 5)])
def test_a_joker_is_in_the_first_deal_as_often_as_chance_has_it(jokers: int, players: int) -> None:
    """1 - C(48 + j - 4n, j) / C(48 + j, j). Catches a joker that is always put in last."""
    rules = Rules(jokers=jokers)
    pack, first = 48 + jokers, 4 * players
    truth = 1 - comb(pack - first, jokers) / comb(pack, jokers)
    seen, seats = np.zeros((DECKS, 1)), np.zeros((DECKS, players))
    for deal in range(DECKS):
        round_ = begin_round(rules, players, SEED, deal, 0)
        round_.deal_hands(rules, 0, 0)
        seats[deal] = [hand.count(JOKER) for hand in round_.hands]
        seen[deal] = seats[deal].any()
    assert outside(seen, np.array([truth])) == []
    assert outside(seats, np.full(players, 4 * jokers / pack)) == []
