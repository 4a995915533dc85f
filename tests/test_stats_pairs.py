"""Two rule sets game by game: joined by address, never by row."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sim.stats.estimates import State, estimate
from sim.stats.metrics import PAIR_METRICS
from sim.stats.pairs import PAIR_COLUMNS, pair_blocks
from tests import synthetic_run as synthetic

ACTIVATION, PIVOTALITY, DISPLACEMENT = PAIR_METRICS


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> synthetic.Run:
    variants = (synthetic.Variant("casual"), synthetic.Variant("yoruba", -6.0, 1.5))
    lineups = (synthetic.Lineup("greedy", True),)
    return synthetic.make(tmp_path_factory.mktemp("run"), variants, (3,), lineups, blocks=20)


@pytest.fixture(scope="module")
def games(run: synthetic.Run) -> tuple[pl.DataFrame, pl.DataFrame]:
    off, on = (synthetic.frame(run.rows[cell.id], cell) for cell in run.cells)
    return on, off


def test_pivotality_activation_and_displacement_follow_from_the_games(
    run: synthetic.Run, games: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    """Against plain loops. Catches cards counted twice, and deals that are no unit."""
    on, off = games
    found = pair_blocks(on, off, run.cells[1])
    one, other = (frame.to_dicts() for frame in games)
    pivotal = changed = moved = 0
    for a, b in zip(one, other, strict=True):
        pivotal += a["winners"] != b["winners"]
        changed += any(a[name] != b[name] for name in a if name != "cell")
        cards = [[g[f"points_{s}"] + g[f"penalties_{s}"] for s in range(5)] for g in (a, b)]
        moved += sum(abs(x - y) for x, y in zip(*cards, strict=True))
    number = len(one)
    assert estimate(found, PIVOTALITY).value == pivotal / number
    assert estimate(found, ACTIVATION).value == changed / number
    assert estimate(found, DISPLACEMENT).value == pytest.approx(moved / 2 / number)
    assert estimate(found, PIVOTALITY).deals == 160 and found.deals.tolist() == [8] * 20
    assert found.columns["games"].tolist() == [24] * 20
    by_deal = np.zeros(160)
    for a, b in zip(one, other, strict=True):
        by_deal[a["deal"]] += a["winners"] != b["winners"]
    squares = (by_deal.reshape(20, 8) ** 2).sum(axis=1)
    assert found.columns["pivotal.sumsq"].tolist() == squares.tolist()
    assert set(found.columns) == {
        "games",
        *(f"{name}.{kind}" for name in PAIR_COLUMNS for kind in ("sum", "sumsq")),
    }


def test_games_are_joined_by_address_never_by_row(
    run: synthetic.Run, games: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    on, off = games
    straight = pair_blocks(on, off, run.cells[1])
    mixed = pair_blocks(
        on.sample(fraction=1.0, shuffle=True, seed=1),
        off.sample(fraction=1.0, shuffle=True, seed=2),
        run.cells[1],
    )
    for name, column in straight.columns.items():
        assert np.array_equal(column, mixed.columns[name])
    some = pair_blocks(on.filter(pl.col("deal") >= 80), off, run.cells[1])
    assert some.block.tolist() == list(range(10, 20))
    assert np.array_equal(some.columns["moved.sum"], straight.columns["moved.sum"][10:])


def test_a_rule_set_against_itself_changes_nothing(
    run: synthetic.Run, games: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    found = pair_blocks(games[0], games[0], run.cells[1])
    for metric in (ACTIVATION, PIVOTALITY):
        own = estimate(found, metric)
        assert (own.value, own.low) == (0, 0) and own.high == pytest.approx(3 / 160, rel=0.01)
    assert estimate(found, DISPLACEMENT).state is State.CONSTANT


def test_other_packs_and_addresses_that_come_twice_are_refused(
    run: synthetic.Run, games: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    on, off = games
    with pytest.raises(ValueError, match="another pack"):
        pair_blocks(on, off.with_columns(pl.col("deck_check") + 1), run.cells[1])
    with pytest.raises(pl.exceptions.ComputeError, match="1:1"):
        pair_blocks(pl.concat([on, on]), off, run.cells[1])
