"""Effects and interactions of options on planted truths, in full spaces and spaces with holes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.stats

from sim.stats.blocks import Blocks
from sim.stats.estimates import Estimate, State, critical_value
from sim.stats.factors import effects
from sim.stats.metrics import BY_NAME
from sim.stats.metrics.house_rules import interaction, rule_effect
from sim.stats.samples import Floats, Sample
from sim.stats.space import Place, Space, Step, estimated
from tests.test_stats_coverage import holds
from tests.test_stats_estimates import blocks

MARGIN, TIES = BY_NAME["margin"], BY_NAME["tie_rate"]
OPTIONS = {"jokers": 3, "yoruba": 2, "rest": 2}
PLACES = list(product(*map(range, OPTIONS.values())))
HOLES = [place for place in PLACES if place not in ((2, 1, 0), (0, 0, 1))]
TRUTH = dict(zip(PLACES, np.random.default_rng(1).normal(0, 1, len(PLACES)), strict=True))
TRIALS = 200


def played(generator: np.random.Generator, places: list[Place]) -> dict[Place, Blocks]:
    """Cells that share the luck of their deals."""
    shared = generator.integers(0, 90, 40)
    return {
        place: blocks(margin=shared + generator.integers(k, 9 + 3 * k, 40), left=shared)
        for k, place in enumerate(places)
    }


def planted(generator: np.random.Generator, places: list[Place]) -> Space:
    """Cells with the means of `TRUTH`; blocks share most of their noise."""
    shared, ids = generator.normal(0, 3, 50), np.arange(50)
    samples, held = {}, np.full(50, 8)
    for place in places:
        values: Floats = TRUTH[place] + shared + generator.normal(0, 1, 50)
        samples[place] = Sample(float(values.mean()), values - values.mean(), ids, held)
    marks = {place: bytes(place) for place in places}
    return Space(OPTIONS, samples, marks, "points per game")


def by_definition(places: list[Place], *steps: Step) -> float:
    """The mean over all others of what the steps change in `TRUTH`."""
    names, found = list(OPTIONS), []
    for place in places:
        at = dict(zip(names, place, strict=True))
        corners = [
            tuple((at | {s.option: level for s, level in zip(steps, own, strict=True)}).values())
            for own in product(*((s.low, s.high) for s in steps))
        ]
        if place == corners[0] and all(corner in places for corner in corners):
            t = [TRUTH[corner] for corner in corners]
            found.append(t[1] - t[0] if len(steps) == 1 else t[3] - t[2] - (t[1] - t[0]))
    return float(np.mean(found))


@pytest.mark.parametrize(
    ("places", "counts"), [(PLACES, (5, 7)), (HOLES, (5, 5))], ids=["full", "holes"]
)
def test_planted_effects_and_interactions_lie_in_their_intervals_all_at_once(
    places: list[Place], counts: tuple[int, int]
) -> None:
    """All hold in 95 of 100 trials; the control, intervals of one number alone, do not.

    In the space with holes no four rule sets tell of two pairs of steps.
    """
    generator = np.random.default_rng(2)
    least, most = (int(scipy.stats.binom.ppf(p, TRIALS, 0.95)) for p in (0.0005, 0.9995))
    for size, count in zip((1, 2), counts, strict=True):
        steps = [each.steps for each in planted(generator, places).differences(size)]
        truth = [by_definition(places, *own) for own in steps]
        assert len(truth) == count
        hits = alone = 0
        for _ in range(TRIALS):
            found = planted(generator, places).differences(size)
            hits += hold(estimated(found, ""), truth)
            width = critical_value(0.95, 49)
            alone += all(
                abs(own.sample.value - real) <= width * own.sample.se
                for own, real in zip(found, truth, strict=True)
            )
        assert least <= hits <= most
        assert alone < least


def hold(found: list[Estimate], truth: list[float]) -> bool:
    return all(holds(own, real) for own, real in zip(found, truth, strict=True))


def test_an_effect_is_the_registered_measure_over_the_pairs_that_are_there() -> None:
    cells = played(np.random.default_rng(3), HOLES)
    space = Space.of(OPTIONS, cells, MARGIN)
    assert not space.full
    with pytest.raises(ValueError, match="10 rule sets are not all combinations"):
        space.factorial()
    for each in space.differences(1):
        on, off = zip(*space.corners(each.steps), strict=True)
        theirs = rule_effect([cells[p] for p in on], [cells[p] for p in off], MARGIN)
        assert each.sample.value == pytest.approx(theirs.value, rel=1e-9)
        assert each.sample.se == pytest.approx(theirs.se, rel=1e-9)
    for each in space.differences(2):
        fours = [[cells[p] for p in own] for own in space.corners(each.steps)]
        theirs_of = [interaction(*four, MARGIN).value for four in fours]
        assert each.sample.value == pytest.approx(np.mean(theirs_of), rel=1e-9)


def test_a_full_space_says_what_its_factorial_says() -> None:
    """Two levels: a change is twice the effect of the higher one; of two together, four times."""
    space = Space.of(OPTIONS, played(np.random.default_rng(4), PLACES), MARGIN)
    for size, times in ((1, 2), (2, 4)):
        anova = {tuple(e.levels.items()): e.estimate for e in effects(space.factorial(), size)}
        for each in space.differences(size):
            if any(OPTIONS[step.option] > 2 for step in each.steps):
                continue
            own = anova[tuple((step.option, step.high) for step in each.steps)]
            assert each.sample.value == pytest.approx(times * own.value)


def test_an_option_that_cannot_act_has_exactly_no_effect_and_no_interaction() -> None:
    """Catches a 0 that is told with an interval, and rounding that is told as an effect."""
    generator = np.random.default_rng(5)
    others = played(generator, [(0, b, c) for b in (0, 1) for c in (0, 1)])
    space = Space.of(OPTIONS, {place: others[0, *place[1:]] for place in PLACES}, MARGIN)
    for size in (1, 2):
        found = space.differences(size)
        for each, own in zip(found, estimated(found, ""), strict=True):
            if any(step.option == "jokers" for step in each.steps):
                assert (own.value, own.se, own.state) == (0.0, 0.0, State.EXACT)
                assert own.low is None
            else:
                assert own.state is State.INTERVAL


def test_an_option_that_acts_where_another_is_on_is_not_called_equal() -> None:
    cells = played(np.random.default_rng(6), PLACES)
    cells |= {place: cells[0, 0, place[2]] for place in PLACES if place[1] == 0}
    found = Space.of(OPTIONS, cells, MARGIN).differences(1)
    jokers = next(each for each in found if each.steps[0].option == "jokers")
    assert not jokers.exact and jokers.sample.value != 0


def test_equal_sums_of_a_share_of_games_are_no_equality() -> None:
    """No tie in either cell says nothing of the games that were not played; see `contrast`."""
    none = np.zeros(40, np.int64)
    cells = {
        (0,): blocks(ties=none, margin=none, left=none),
        (1,): blocks(ties=none, margin=none, left=none + 1),
    }
    assert not Space.of({"rest": 2}, cells, TIES).differences(1)[0].exact
    assert Space.of({"rest": 2}, cells, MARGIN).differences(1)[0].exact


def test_a_cell_in_which_the_metric_is_undefined_is_a_hole() -> None:
    """Catches a NaN that spreads to every effect."""
    cells = played(np.random.default_rng(7), PLACES)
    captures = BY_NAME["cards_per_capture"]
    some = {
        place: blocks(taken=np.arange(40) + i, captures=np.full(40, 0 if i == 3 else 9))
        for i, place in enumerate(cells)
    }
    space = Space.of(OPTIONS, some, captures)
    assert len(space.samples) == len(PLACES) - 1 and not space.full
    assert all(np.isfinite(each.sample.value) for each in space.differences(1))


def test_an_option_that_never_differs_alone_has_no_effect() -> None:
    cells = played(np.random.default_rng(8), [(0, 0, 0), (1, 0, 1), (0, 1, 0)])
    found = Space.of(OPTIONS, cells, MARGIN).differences(1)
    assert [each.steps[0].option for each in found] == ["yoruba"]
