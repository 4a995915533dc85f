"""Estimates and paired contrasts: their arithmetic, and what happens where there is no interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats

from sim.stats.blocks import Blocks, by_cell
from sim.stats.estimates import Estimate, Method, State, contrast, critical_value, estimate
from sim.stats.metrics import BY_NAME, METRICS
from tests import synthetic_run as synthetic

MARGIN, CARDS_LEFT = BY_NAME["margin"], BY_NAME["cards_left"]


def blocks(players: int = 2, deals: int = 4, **columns: npt.ArrayLike) -> Blocks:
    """Blocks of `deals` deals of one game each, all other columns 0."""
    arrays = {name: np.asarray(values, np.int64) for name, values in columns.items()}
    size = len(next(iter(arrays.values())))
    full = {"games": np.full(size, deals, np.int64)}
    for name, values in arrays.items():
        full[f"{name}.sum"] = values
        full[f"{name}.sumsq"] = values * values
    return Blocks(0, players, np.arange(size), np.full(size, deals), full)


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Blocks]:
    """Three players: casual, yoruba, and casual again under another name."""
    variants = (
        synthetic.Variant("casual"),
        synthetic.Variant("yoruba", -6.0, 1.5),
        synthetic.Variant("again"),
    )
    run = synthetic.make(
        tmp_path_factory.mktemp("run"), variants, (3,), (synthetic.Lineup("greedy", True),)
    )
    return by_cell(run.blocks(), run.cells)


def every_number(cell: Blocks) -> list[tuple[str, int]]:
    return [(m.name, i) for m in METRICS for i in range(len(m.parts(cell.players)))]


def test_a_mean_per_game_is_students_t_on_block_means() -> None:
    sums = np.array([10, 14, 9, 11, 30])
    found = estimate(blocks(margin=sums), MARGIN)
    means = sums / 4
    theirs = scipy.stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert found.value == pytest.approx(means.mean(), rel=1e-14)
    assert found.se == pytest.approx(scipy.stats.sem(means), rel=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(theirs), rel=1e-12)
    assert (found.blocks, found.deals, found.unit) == (5, 20, "points per game")


def test_critical_values_are_scipys() -> None:
    for level in (0.8, 0.95, 0.999):
        for degrees in (1, 2, 19, 400):
            theirs = scipy.stats.t.ppf((1 + level) / 2, degrees)
            assert critical_value(level, degrees) == pytest.approx(theirs, rel=1e-10)


def test_a_ratio_is_linearised() -> None:
    """By hand: N = 6 10 8, D = 2 4 4, so R = 24/10 and mean D = 10/3.

    N - R D = 1.2 0.4 -1.6, over 10/3: z = .36 .12 -.48; their variance is (.1296 + .0144 + .2304)
    / 2 = .1872, and se = sqrt(.1872 / 3).
    """
    found = estimate(blocks(left=[6, 10, 8], rounds=[2, 4, 4]), CARDS_LEFT)
    assert found.value == 2.4
    assert found.se == pytest.approx(math.sqrt(0.1872 / 3), rel=1e-12)


def test_a_contrast_is_scipys_paired_t_interval() -> None:
    generator = np.random.default_rng(3)
    common = generator.integers(0, 100, 30)
    a, b = common + generator.integers(0, 9, 30), common + generator.integers(3, 12, 30)
    found = contrast(blocks(margin=a), blocks(margin=b), MARGIN)
    paired = scipy.stats.ttest_rel(a / 4, b / 4)
    assert (found.low, found.high) == pytest.approx(tuple(paired.confidence_interval(0.95)))
    apart = a.var(ddof=1) + b.var(ddof=1)
    assert found.variance_ratio == pytest.approx(apart / (a - b).var(ddof=1), rel=1e-9)
    assert found.variance_ratio is not None and found.variance_ratio > 10


def test_a_paired_difference_is_the_difference_of_the_marginals_exactly(
    cells: dict[int, Blocks],
) -> None:
    for name, i in every_number(cells[0]):
        metric = BY_NAME[name]
        found = contrast(cells[1], cells[0], metric, i)
        alone = estimate(cells[1], metric, i).value - estimate(cells[0], metric, i).value
        assert found.value == alone or (math.isnan(found.value) and math.isnan(alone))


def test_swapping_the_cells_swaps_the_sign_and_nothing_else(cells: dict[int, Blocks]) -> None:
    for name, i in every_number(cells[0]):
        one = contrast(cells[1], cells[0], BY_NAME[name], i)
        other = contrast(cells[0], cells[1], BY_NAME[name], i)
        assert one.state is other.state
        if one.state is State.INTERVAL:
            assert (one.value, one.se) == (-other.value, other.se)
            assert one.variance_ratio == pytest.approx(other.variance_ratio)


def test_identical_cells_differ_by_exactly_zero(cells: dict[int, Blocks]) -> None:
    for name, i in every_number(cells[0]):
        found = contrast(cells[2], cells[0], BY_NAME[name], i)
        assert (found.value, found.se, found.state) == (0.0, 0.0, State.EXACT)
        assert found.low is None and found.high is None and found.variance_ratio is None


def test_an_option_that_does_not_touch_a_metric_leaves_it_exactly_equal(
    cells: dict[int, Blocks],
) -> None:
    columns = dict(cells[0].columns)
    columns["rest.sum"] = columns["rest.sum"] + 12
    other = replace(cells[0], columns=columns)
    assert contrast(other, cells[0], BY_NAME["capture_rate"]).state is State.EXACT
    assert contrast(other, cells[0], BY_NAME["rest_cards"]).state is not State.EXACT


def test_few_blocks_that_agree_by_chance_are_not_called_exact() -> None:
    rare = [0, 1, 0, 0, 2]
    a, b = blocks(ties=rare, margin=[9, 8, 7, 6, 5]), blocks(ties=rare, margin=[8, 8, 7, 6, 5])
    assert contrast(a, b, BY_NAME["tie_rate"]).state is State.CONSTANT
    five = [4, 1, 0, 3, 2]
    a, b = blocks(margin=five, left=[9] * 5), blocks(margin=five, left=[8] * 5)
    assert contrast(a, b, MARGIN).state is State.CONSTANT
    a, b = blocks(margin=five * 4, left=[9] * 20), blocks(margin=five * 4, left=[8] * 20)
    assert contrast(a, b, MARGIN).state is State.EXACT


def test_rare_events_that_agree_are_not_called_exact() -> None:
    """Catches "exactly equal" said of two rule sets because neither happened to have a tie.

    In 80 deals no change was seen: it may be one of up to 3.0 in 80 games.
    """
    for rare in ([0, 1, 0, 0, 2] * 4, [0] * 20):
        a, b = (blocks(ties=rare, margin=[margin] * 20) for margin in (9, 8))
        found = contrast(a, b, BY_NAME["tie_rate"])
        assert found.method is Method.NO_CHANGE_SEEN
        assert (found.low, found.high) == pytest.approx((-3.0 / 80, 3.0 / 80), abs=0.005 / 80)
        assert contrast(a, a, BY_NAME["tie_rate"]).state is State.EXACT


def test_what_always_happens_here_and_never_there_may_differ_by_a_little_less() -> None:
    """In 80 deals: 3.0 in 80 of all deals may go otherwise, and each then changes it by 2."""
    always, never = blocks(ties=[4] * 20), blocks(ties=[0] * 20)
    found = contrast(always, never, BY_NAME["tie_rate"])
    assert (found.value, found.high, found.method) == (1.0, 1.0, Method.ALWAYS_SEEN)
    assert found.low == pytest.approx(1 - 2 * 3.0 / 80, abs=0.01 / 80)
    other = contrast(never, always, BY_NAME["tie_rate"])
    assert (other.low, other.high) == (-1.0, -(found.low or 0))


def test_equal_sums_of_unequal_deals_are_not_called_exact() -> None:
    a = blocks(margin=list(range(30)))
    squares = {**a.columns, "margin.sumsq": a.columns["margin.sumsq"] + 2}
    assert contrast(replace(a, columns=squares), a, MARGIN).state is State.CONSTANT


def test_cells_are_joined_by_block_id_never_by_row(cells: dict[int, Blocks]) -> None:
    a, b = cells[1], cells[0]
    whole = contrast(a, b, MARGIN)
    order = np.random.default_rng(8).permutation(len(a))
    assert contrast(a.take(order), b, MARGIN) == whole
    some = contrast(a.take(np.arange(10, 50)), b.take(np.arange(0, 40)), MARGIN)
    same = contrast(a.take(np.arange(10, 40)), b.take(np.arange(10, 40)), MARGIN)
    assert some == same and some.blocks == 30


def test_numbers_of_players_are_never_compared() -> None:
    with pytest.raises(ValueError, match="2 and 3 players"):
        contrast(blocks(margin=[1, 2]), blocks(players=3, margin=[1, 2]), MARGIN)


def test_blocks_of_other_deals_are_never_paired() -> None:
    with pytest.raises(ValueError, match="different size"):
        contrast(blocks(margin=[1, 2]), blocks(deals=8, margin=[1, 2]), MARGIN)


@pytest.mark.parametrize(
    ("found", "value", "state"),
    [
        (lambda: estimate(blocks(margin=[6]), MARGIN), 1.5, State.ONE_BLOCK),
        (lambda: estimate(blocks(margin=[6, 6, 6]), MARGIN), 1.5, State.CONSTANT),
        # in floats 49 * (1 / 49) is not 1, yet nothing varies: no sliver of an interval
        (
            lambda: estimate(blocks(left=[1, 2, 3], rounds=[49, 98, 147]), CARDS_LEFT),
            1 / 49,
            State.CONSTANT,
        ),
        (lambda: estimate(blocks(left=[0, 0], rounds=[0, 0]), CARDS_LEFT), None, State.UNDEFINED),
        (lambda: estimate(blocks(margin=[]), MARGIN), None, State.UNDEFINED),
        (lambda: contrast(blocks(margin=[6]), blocks(margin=[2]), MARGIN), 1.0, State.ONE_BLOCK),
        (
            lambda: contrast(blocks(margin=[6, 6]), blocks(margin=[2, 2]), MARGIN),
            1.0,
            State.CONSTANT,
        ),
        (
            lambda: contrast(
                blocks(margin=[6, 5]).take(np.array([0])),
                blocks(margin=[2, 2]).take(np.array([1])),
                MARGIN,
            ),
            None,
            State.UNDEFINED,
        ),
    ],
)
def test_degenerate_cases_have_a_text_and_no_interval(
    found: Callable[[], Estimate], value: float | None, state: State
) -> None:
    got = found()
    assert got.state is state and len(state.value) > 20
    assert got.value == value or (value is None and math.isnan(got.value))
    assert got.low is None and got.high is None and got.half_width is None and got.se is None


def test_no_interval_has_zero_width(cells: dict[int, Blocks]) -> None:
    for name, i in every_number(cells[0]):
        for got in (
            estimate(cells[0], BY_NAME[name], i),
            contrast(cells[1], cells[0], BY_NAME[name], i),
        ):
            if got.low is not None:
                assert got.high is not None and got.low <= got.value <= got.high
                assert got.low < got.high
            else:
                assert got.state is not State.INTERVAL
