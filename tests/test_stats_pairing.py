"""Pairing pays only because decisions draw the same noise under every rule set.

The variance ratio is how many times more deals unpaired play would need.
"""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from sim.kernel import Engine
from sim.rules import Rules
from sim.sight import CAPTURE, TRAIL, mix, move_card, move_kind, move_size, move_take
from sim.stats.blocks import Blocks, block_table, by_cell
from sim.stats.estimates import contrast
from sim.stats.metrics import BY_NAME
from sim.strategy import Player, catalogue, strategy
from tests.synthetic_run import Cell

DEALS, BLOCK = 20_000, 50
NORMAL, GREEDY = Rules(), catalogue()["greedy"].bind()


@strategy(wants="best")
def rekeyed(view: Any) -> int:
    """Plays as greedy does, with noise under another key: what desynchronised players do."""
    kind = TRAIL
    most = 0
    for move in range(view.n_moves):
        if move_kind(view, move) == CAPTURE:
            kind = CAPTURE
            most = max(most, move_size(view, move))
    best = -1
    best_luck = -1
    for move in range(view.n_moves):
        if move_kind(view, move) == kind and (kind == TRAIL or move_size(view, move) == most):
            chance = mix(view.noise, 4711, move_take(view, move), move_card(view, move), 1)
            if chance > best_luck:
                best, best_luck = move, chance
    return best


def cell(rules: Rules, player: Player, seed: int = 1960) -> Blocks:
    """Two players alike."""
    games = Engine(rules, [[player] * 2], 1, seed).play(0, DEALS)
    own = Cell(0, "x", 0, 2, "x", 0, rules, 1, 1, BLOCK, DEALS // BLOCK)
    return by_cell(pl.DataFrame(block_table(games, own, 0)), [own])[0]


@pytest.fixture(scope="module")
def normal() -> Blocks:
    return cell(NORMAL, GREEDY)


def ratio(a: Blocks, b: Blocks, metric: str) -> float:
    found = contrast(a, b, BY_NAME[metric]).variance_ratio
    assert found is not None
    return found


def test_shared_noise_makes_pairing_pay_and_desynchronised_noise_does_not(normal: Blocks) -> None:
    """Catches decisions that draw their noise by sequence, or by the name of the variant.

    The rest to whoever captured last leaves most turns as they were. The ratio's relative error is
    at most 2 / sqrt(400) = 10%: bounds 2 and 1.5 are far from 6.6 and 1.2 as measured.
    """
    rest = Rules(rest="last_to_capture")
    assert ratio(cell(rest, GREEDY), normal, "dealer_advantage_wins") > 2
    assert ratio(cell(rest, Player(rekeyed)), normal, "dealer_advantage_wins") < 1.5


def test_yoruba_rules_share_little_but_the_deal(normal: Blocks) -> None:
    """Correlation of the two is 1 - 1 / ratio, its error under no correlation 1 / sqrt(400) = 5%.

    Measured 27% in cards: with all captures of other ranks, games soon part ways.
    """
    yoruba = ratio(cell(Rules(yoruba=True), GREEDY), normal, "dealer_advantage_cards")
    assert 1 - 1 / yoruba > 3.3 / 20


def test_other_deals_share_nothing(normal: Blocks) -> None:
    """Catches a join of blocks that hold other decks: it must not look like a gain."""
    other = ratio(cell(NORMAL, GREEDY, seed=1), normal, "dealer_advantage_wins")
    assert abs(1 - 1 / other) < 3.3 / 20
