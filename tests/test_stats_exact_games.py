"""From the rules to the interval: games of a few cards, whose exact answers another program has.

200 runs of 50 games each, with seeds 0 to 199: the 95% interval should hold the exact value in 190
of them; the exact 99.9% band of a binomial is 179 to 198. Catches a fault anywhere on the way:
dealing, legal moves, uniform choice, counting, blocks, intervals. The smallest defect that the mean
over all 10,000 games shows is one of 3.3 of its standard errors, about 0.07 cards a game.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
import scipy.stats

from sim.columns import GAME
from sim.reference import chance, play_game, state, views
from sim.rules import RoundPlan, Rounds, Rules
from sim.stats.blocks import block_table, by_cell
from sim.stats.estimates import estimate
from sim.stats.metrics import BY_NAME
from sim.strategy import catalogue
from tests.minipack import EIGHT, TEN, TWELVE, Mini, mean_points, solve, win_share
from tests.synthetic_run import Cell

RUNS, GAMES = 200, 50
BAND = tuple(int(scipy.stats.binom.ppf(p, RUNS, 0.95)) for p in (0.0005, 0.9995))
MINIS = {"8 cards": EIGHT, "10 cards, a joker": TEN, "12 cards, three seats, Yoruba": TWELVE}


@pytest.fixture(params=MINIS)
def mini(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mini]:
    """A small pack in place of the twin's: the only names by which it knows what is dealt."""
    small = MINIS[request.param]
    plain = [card for card in small.cards if card != "*"]
    full, leftover = divmod(len(small.cards), small.hand * small.players)
    plan = RoundPlan((small.hand,) * full, leftover)
    for module in (chance, state):
        monkeypatch.setattr(module, "fresh_pack", lambda: list(plain))
    for module in (state, views):
        monkeypatch.setattr(module, "round_plan", lambda rules, players: plan)
    monkeypatch.setattr(state, "SET_OUT", small.set_out)
    yield small


def rules(small: Mini) -> Rules:
    return Rules(
        end=Rounds(rounds=1),
        jokers=small.cards.count("*"),
        rest=small.rest,  # type: ignore[arg-type]
        leftover="table" if small.to_table else "unused",
        yoruba=small.yoruba,
    )


def played(small: Mini, seed: int) -> np.ndarray:
    player = catalogue()["random"].bind()
    games = np.zeros(GAMES, GAME)
    for deal in range(GAMES):
        row = play_game(rules(small), [player] * small.players, seed, deal)
        for name, value in row.items():
            games[name][deal] = value
    return games


def test_the_interval_holds_the_exact_value_as_often_as_it_says(mini: Mini) -> None:
    assert BAND == (179, 198)
    exact = solve(mini)
    dealer = mini.players - 1
    truth = {"seat_points": mean_points(exact, dealer), "win_share": win_share(exact, dealer)}
    cell = Cell(0, "mini", 0, mini.players, "random", 0, rules(mini), 1, 1, 1, GAMES)
    hits, values = dict.fromkeys(truth, 0), []
    for seed in range(RUNS):
        table = pl.DataFrame(block_table(played(mini, seed), cell, 0))
        own = by_cell(table, [cell])[0]
        for name, real in truth.items():
            found = estimate(own, BY_NAME[name], dealer)
            assert found.low is not None and found.high is not None
            hits[name] += found.low <= real <= found.high
            if name == "seat_points":
                values.append(found.value)
    assert all(BAND[0] <= count <= BAND[1] for count in hits.values()), hits
    overall = scipy.stats.ttest_1samp(values, truth["seat_points"])
    assert overall.pvalue > 0.001  # all 10,000 games together
