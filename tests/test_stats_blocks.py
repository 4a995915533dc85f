"""Blocks of deals: exact integers, in any order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.columns import GAME
from sim.errors import DataDamaged
from sim.stats.blocks import METRICS, block_table, by_cell, game_values, merge
from tests import synthetic_run as synthetic

VARIANTS = (synthetic.Variant("casual"), synthetic.Variant("yoruba", -6.0, 1.5))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> synthetic.Run:
    lineups = (synthetic.Lineup("greedy", True),)
    return synthetic.make(tmp_path_factory.mktemp("run"), VARIANTS, (2, 4), lineups, blocks=12)


def test_values_of_one_game_follow_the_rules_of_scoring() -> None:
    games = np.zeros(3, GAME)
    games["points"][:, :4] = [(7, 9, 9, 9), (5, -2, -3, -4), (8, 8, 8, 8)]
    games["winners"] = [0b1110, 0b0001, 0b1111]
    games["captures"][:, :4] = [(1, 2, 3, 4), (0, 0, 0, 0), (5, 0, 0, 0)]
    games["rotation"] = [0, 1, 3]
    games["first_leaders"] = [0b0010, 0b0010, 0b0011]
    values = game_values(games, 4, [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)])
    shares = [[values[f"wins_{s}"][g] for s in range(5)] for g in range(3)]
    assert shares == [[0, 20, 20, 20, 0], [60, 0, 0, 0, 0], [15, 15, 15, 15, 0]]
    assert values["dealer_wins"].tolist() == [20, 0, 15]  # seat n-1 deals the first round
    assert values["ties"].tolist() == [1, 0, 1]
    assert values["margin"].tolist() == [0, 7, 0]  # empty seats of 0 points stand nowhere
    assert values["captures"].tolist() == [10, 0, 5]
    assert values["close"].tolist() == [1, 0, 1]
    assert values["sole_leads"].tolist() == [1, 1, 0]
    assert values["sole_leader_wins"].tolist() == [20, 0, 0]
    players = [[values[f"player_wins_{p}"][g] for p in range(5)] for g in range(3)]
    assert players == [[0, 20, 20, 20, 0], [0, 0, 0, 60, 0], [15, 15, 15, 15, 0]]
    points = [[values[f"player_points_{p}"][g] for p in range(4)] for g in range(2)]
    assert points == [[7, 9, 9, 9], [-2, -3, -4, 5]]  # rotation 1 seats player p at seat p + 1


def test_sums_are_of_deals_over_their_rotations(run: synthetic.Run) -> None:
    cell = run.cells[1]  # four players, four hand rotations a deal
    assert cell.games_per_deal == 4
    rows = run.rows[cell.id]
    table = block_table(rows, cell, 0)
    values = game_values(rows, cell.players, cell.seats)
    for name in METRICS:
        by_deal: dict[int, int] = {}
        for deal, value in zip(rows["deal"].tolist(), values[name].tolist(), strict=True):
            by_deal[deal] = by_deal.get(deal, 0) + value
        for block in range(cell.blocks):
            own = [y for deal, y in by_deal.items() if deal // cell.block_deals == block]
            assert table[f"{name}.sum"][block] == sum(own)
            assert table[f"{name}.sumsq"][block] == sum(y * y for y in own)
    kinds = {name: str(column.dtype) for name, column in table.items()}
    assert kinds == {
        **dict.fromkeys(("cell", "block", "deals", "games"), "int32"),
        **{f"{name}.{kind}": "int64" for name in METRICS for kind in ("sum", "sumsq")},
    }
    assert set(table["deals"]) == {cell.block_deals}
    assert set(table["games"]) == {cell.block_deals * 4}


@given(data=st.data())
def test_chunks_merge_to_the_same_bytes_in_any_partition_and_order(
    run: synthetic.Run, data: st.DataObject
) -> None:
    """Catches sums in floats, and a merge that keeps the order in which chunks came."""
    whole = merge(block_table(run.rows[cell.id], cell, 0) for cell in run.cells)
    chunks = []
    for cell in run.cells:
        size = cell.block_deals * cell.games_per_deal
        cuts = sorted(data.draw(st.sets(st.integers(1, cell.blocks - 1)), label="cuts"))
        for first, last in pairwise([0, *cuts, cell.blocks]):
            chunks.append(block_table(run.rows[cell.id][first * size : last * size], cell, first))
    merged = merge(data.draw(st.permutations(chunks), label="order"))
    assert list(merged) == list(whole)
    assert all(merged[name].dtype == whole[name].dtype for name in whole)
    assert all(merged[name].tobytes() == whole[name].tobytes() for name in whole)


@given(data=st.data())
def test_merging_is_associative(run: synthetic.Run, data: st.DataObject) -> None:
    """Parts of parts, as a run that was resumed several times has them."""
    cell = run.cells[0]
    size = cell.block_deals * cell.games_per_deal
    single = [
        block_table(run.rows[cell.id][b * size : (b + 1) * size], cell, b)
        for b in range(cell.blocks)
    ]
    order = data.draw(st.permutations(single))
    cut = data.draw(st.integers(1, len(order) - 1))
    nested = merge([merge(order[:cut]), merge(order[cut:])])
    whole = block_table(run.rows[cell.id], cell, 0)
    assert all(nested[name].tobytes() == whole[name].tobytes() for name in whole)


def test_a_block_twice_is_refused(run: synthetic.Run) -> None:
    cell = run.cells[0]
    table = block_table(run.rows[cell.id], cell, 0)
    with pytest.raises(ValueError, match="cell 0 has block 0 twice"):
        merge([table, table])
    frame = pl.DataFrame(table)
    with pytest.raises(DataDamaged, match=r"cell 0 has block 3 twice.*sim verify"):
        by_cell(pl.concat([frame, frame[3:4]]), run.cells)


def test_games_that_are_no_whole_blocks_are_refused(run: synthetic.Run) -> None:
    cell = run.cells[0]
    rows = run.rows[cell.id]
    with pytest.raises(ValueError, match="no whole number of blocks"):
        block_table(rows[:-1], cell, 0)
    with pytest.raises(ValueError, match="not deals 8 to"):
        block_table(rows, cell, 1)
    swapped = rows.copy()
    swapped[[0, 2]] = swapped[[2, 0]]
    with pytest.raises(ValueError, match="in order, 2 each"):
        block_table(swapped, cell, 0)


def test_blocks_of_a_cell_are_found_whatever_the_order_of_rows(run: synthetic.Run) -> None:
    frame = run.blocks()
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=1)
    straight, found = by_cell(frame, run.cells), by_cell(shuffled, run.cells)
    for cell in run.cells:
        assert found[cell.id].block.tolist() == list(range(cell.blocks))
        for name, column in straight[cell.id].columns.items():
            assert np.array_equal(column, found[cell.id].columns[name])


def test_a_cell_without_blocks_is_empty_and_not_another_cells(run: synthetic.Run) -> None:
    frame = run.blocks().filter(pl.col("cell") != 1)
    found = by_cell(frame, run.cells)
    assert [len(found[cell.id]) for cell in run.cells] == [12, 0, 12, 12]
