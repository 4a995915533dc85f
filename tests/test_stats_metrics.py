"""The registered metrics."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from sim.stats.blocks import METRICS as COLUMNS
from sim.stats.blocks import Blocks, by_cell
from sim.stats.metrics import BY_NAME, METRICS, NAMES, Metric
from tests import synthetic_run as synthetic

FAMILIES = {"Fairness", "Skill, luck", "Course of play", "House rules"}


def exact(metric: Metric, own: Blocks, index: int) -> Fraction:
    part = metric.parts(own.players)[index]
    above, below = own.weighted(part.numerator).sum(), own.weighted(part.denominator).sum()
    return Fraction(int(above), int(below))


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> list[Blocks]:
    run = synthetic.make(
        tmp_path_factory.mktemp("run"), (synthetic.Variant("casual", -3.0, 1.0),), (2, 3, 4, 5)
    )
    return list(by_cell(run.blocks(), run.cells).values())


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_each_is_complete_and_uses_stored_columns(metric: Metric) -> None:
    assert metric.definition and metric.unit and metric.source in FAMILIES
    assert metric.smallest > 0
    for players in (2, 3, 4, 5):
        parts = metric.parts(players)
        assert len(parts) == (1 if metric.of == "game" else players)
        for part in parts:
            assert {*part.numerator, *part.denominator} <= {*COLUMNS, "games"}


def test_names_are_the_single_numbers() -> None:
    assert len(BY_NAME) == len(METRICS)
    assert set(NAMES) == {m.name for m in METRICS if len(m.parts(3)) == 1}
    assert "dealer_advantage_wins" in NAMES and "win_share" not in NAMES


def test_shares_and_advantages_add_up_exactly(every: list[Blocks]) -> None:
    for own in every:
        seats = range(own.players)
        assert sum(exact(BY_NAME["win_share"], own, s) for s in seats) == 1
        assert sum(exact(BY_NAME["seat_advantage_wins"], own, s) for s in seats) == 0
        assert sum(exact(BY_NAME["seat_advantage_cards"], own, s) for s in seats) == 0


def test_advantages_are_levels_above_the_mean(every: list[Blocks]) -> None:
    for own in every:
        n = own.players
        wins = exact(BY_NAME["win_share"], own, n - 1)
        assert exact(BY_NAME["dealer_advantage_wins"], own, 0) == wins - Fraction(1, n)
        assert exact(BY_NAME["seat_advantage_wins"], own, n - 1) == wins - Fraction(1, n)
        roles = [exact(BY_NAME["role_cards"], own, r) for r in range(n)]
        assert exact(BY_NAME["dealer_advantage_cards"], own, 0) == roles[-1] - sum(roles) / n
        points = [exact(BY_NAME["seat_points"], own, s) for s in range(n)]
        assert exact(BY_NAME["seat_advantage_cards"], own, 0) == points[0] - sum(points) / n
        points = [exact(BY_NAME["player_points"], own, p) for p in range(n)]
        assert exact(BY_NAME["first_named_advantage"], own, 0) == points[0] - sum(points) / n


def test_naming_a_metric_loads_no_heavy_library() -> None:
    code = (
        "import sys, sim.stats.metrics, reports.answers, sim.commands.show; "
        "print([m for m in ('numba', 'pandas', 'polars', 'matplotlib', 'scipy', 'rich.table') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
