"""Cells whose blocks differ in size, and means over cells: by brute force from deals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from sim.answers.pooling import aligned, coarsened, end_to_end, pooled
from sim.stats.blocks import Blocks, block_table
from sim.stats.estimates import State, contrast
from sim.stats.metrics import BY_NAME
from tests import synthetic_run as synthetic

TIES, WINS = BY_NAME["tie_rate"], BY_NAME["dealer_advantage_wins"]
VARIANTS = (synthetic.Variant("casual"), synthetic.Variant("yoruba", -6.0, 1.5))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> synthetic.Run:
    lineups = (synthetic.Lineup("greedy"), synthetic.Lineup("cautious"))
    return synthetic.make(tmp_path_factory.mktemp("run"), VARIANTS, (2, 3), lineups, blocks=40)


def blocks_of(run: synthetic.Run, cell: synthetic.Cell, size: int, deals: int = 320) -> Blocks:
    """The first `deals` deals of a cell, in blocks of `size`."""
    cut = replace(cell, block_deals=size, blocks=deals // size)
    table = block_table(run.rows[cell.id][: deals * cell.games_per_deal], cut, 0)
    columns = {name: own for name, own in table.items() if name not in ("cell", "block", "deals")}
    block, held = table["block"].astype(np.int64), table["deals"].astype(np.int64)
    return Blocks(cell.id, cell.players, block, held, columns)


def dealer_wins(run: synthetic.Run, cell: synthetic.Cell) -> np.ndarray:
    """Win share of the last seat above an even one, by deal."""
    winners = run.rows[cell.id]["winners"]
    count = np.array([int(mask).bit_count() for mask in winners])
    return ((winners >> (cell.players - 1)) & 1) / count - 1 / cell.players


def test_small_blocks_add_up_to_large_ones_in_any_order(run: synthetic.Run) -> None:
    """Catches one block put with the wrong neighbours, or half a block kept."""
    cell = run.cells[0]
    small, large = blocks_of(run, cell, 4, deals=300), blocks_of(run, cell, 16, deals=288)
    shuffled = small.take(np.random.default_rng(1).permutation(len(small)))
    found = coarsened(shuffled, 16)
    assert found.block.tolist() == large.block.tolist() and set(found.deals) == {16}
    for name, column in large.columns.items():
        assert found.columns[name].tolist() == column.tolist(), name


def test_a_gap_leaves_out_its_large_block_alone(run: synthetic.Run) -> None:
    small = blocks_of(run, run.cells[0], 4)
    there = small.take(np.flatnonzero(small.block != 9))
    found, large = coarsened(there, 16), blocks_of(run, run.cells[0], 16)
    kept = large.take(np.flatnonzero(large.block != 2))
    assert found.block.tolist() == kept.block.tolist() == [0, 1, *range(3, 20)]
    assert all(found.columns[name].tolist() == own.tolist() for name, own in kept.columns.items())


def test_blocks_that_do_not_add_up_are_refused(run: synthetic.Run) -> None:
    with pytest.raises(ValueError, match="blocks of 8 deals do not add up to blocks of 12"):
        coarsened(blocks_of(run, run.cells[0], 8), 12)


def test_cells_with_blocks_of_other_sizes_are_paired_deal_by_deal(run: synthetic.Run) -> None:
    """Catches pairing by row position: row 7 of one are other deals than row 7 of the other."""
    cells = [cell for cell in run.cells if (cell.players, cell.lineup) == (2, "greedy")]
    a, b = blocks_of(run, cells[1], 4, deals=256), blocks_of(run, cells[0], 16)
    found = pooled([a.take(np.flatnonzero(a.block != 21))], [b], WINS)  # deals 80 to 95 are lost
    change = dealer_wins(run, cells[1])[:256] - dealer_wins(run, cells[0])[:256]
    z = np.delete(change.reshape(-1, 16).mean(axis=1), 5)
    assert found.value == pytest.approx(z.mean(), abs=1e-12) and found.deals == 240
    half = scipy.stats.t.ppf(0.975, len(z) - 1) * scipy.stats.sem(z)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))


def test_a_mean_over_cells_weighs_each_alike_and_pairs_them(run: synthetic.Run) -> None:
    on = [c for c in run.cells if c.players == 3 and c.variant == "yoruba"]
    off = [c for c in run.cells if c.players == 3 and c.variant == "casual"]
    found = pooled([blocks_of(run, c, 8) for c in on], [blocks_of(run, c, 8) for c in off], WINS)
    by_deal = sum(dealer_wins(run, c) for c in on) / 2 - sum(dealer_wins(run, c) for c in off) / 2
    z = by_deal.reshape(-1, 8).mean(axis=1)
    assert found.value == pytest.approx(by_deal.mean(), abs=1e-12)
    assert found.se == pytest.approx(scipy.stats.sem(z))


def test_one_cell_alone_keeps_its_own_kind_of_interval(run: synthetic.Run) -> None:
    rare = blocks_of(run, run.cells[0], 8)
    assert pooled([rare], [], TIES).method is not None
    assert math.isnan(pooled([coarsened(rare.take(np.arange(0)), 8)], [], TIES).value)


def test_the_same_play_in_every_setting_is_exactly_equal(run: synthetic.Run) -> None:
    own = [blocks_of(run, c, 8) for c in run.cells if c.players == 2 and c.variant == "casual"]
    assert pooled(own, own, WINS).state is State.EXACT
    assert contrast(own[0], own[0], WINS).state is State.EXACT


def test_numbers_of_players_are_never_taken_together(run: synthetic.Run) -> None:
    with pytest.raises(ValueError, match="2 and 3 players"):
        aligned([blocks_of(run, cell, 8) for cell in run.cells])


def test_parts_end_to_end_are_the_whole(run: synthetic.Run) -> None:
    whole = blocks_of(run, run.cells[0], 8)
    parts = [whole.take(np.arange(0, 15)), whole.take(np.arange(15, 40))]
    again = end_to_end(parts, run.cells[0])
    assert again.block.tolist() == whole.block.tolist()
    assert all(again.columns[name].tolist() == own.tolist() for name, own in whole.columns.items())
    assert len(end_to_end([], run.cells[0])) == 0
