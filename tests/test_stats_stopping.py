"""When to stop: the confidence sequence may be looked at as often as one likes, and the width too.

An ordinary interval that is looked at until it excludes 0 is wrong half of the time; the tests show
that they can see that.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.stats
import ville.means
from ville._boundaries import best_rho, normal_mixture

from sim.stats.estimates import Estimate, Method, State, critical_value
from sim.stats.samples import Floats
from sim.stats.stopping import (
    FIRST_DECISION_LOOK,
    FIRST_WIDTH_LOOK,
    Decision,
    FixedGames,
    HalfWidth,
    Reason,
    look,
    mixture_precision,
    sequence_half_width,
)
from sim.stats.verdict import Verdict

BASE = Estimate(0.0, None, None, None, 0.95, 0, 0, "points", "paired", State.INTERVAL)


def after(blocks: int, value: float, sd: float) -> Estimate:
    """An estimate after so many blocks, by Student's t."""
    se = sd / math.sqrt(blocks)
    half = critical_value(0.95, blocks - 1) * se
    ends = {"low": value - half, "high": value + half}
    return replace(BASE, value=value, se=se, blocks=blocks, method=Method.STUDENT, **ends)


# --- the confidence sequence -------------------------------------------------------------------


def test_the_sequence_is_that_of_ville() -> None:
    """Catches any slip in the formula, such as alpha for alpha^2; ville picks rho numerically."""
    values = np.random.default_rng(1).normal(0.3, 2.0, 400)
    theirs = ville.means.AsymptoticCS(alpha=0.05, t_opt=200, min_samples=2).fit(values)
    for t in (20, 57, 200, 400):
        sd = float(values[:t].std(ddof=1))
        rho = theirs.rho_
        boundary = sd * float(normal_mixture(t, 0.05, rho)) / t
        assert (theirs.upper_[t - 1] - theirs.lower_[t - 1]) / 2 == pytest.approx(boundary)
        ours = sequence_half_width(t, sd, 0.05, best_at=200)
        same = ours * math.sqrt(_spread(t, rho) / _spread(t, mixture_precision(200, 0.05)))
        assert same == pytest.approx(boundary, rel=1e-9)


def _spread(t: int, rho: float) -> float:
    return (t + rho) * math.log((t + rho) / (rho * 0.05**2))


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.05 / 287])
def test_the_sequence_is_narrowest_where_it_should_be(alpha: float) -> None:
    """Catches a rho far off: the closed form costs less than 1% of width against the best one."""
    ours = sequence_half_width(200, 1.0, alpha, best_at=200)
    best = float(normal_mixture(200, alpha, best_rho(200, alpha))) / 200
    assert best <= ours < 1.01 * best


def test_the_boundary_is_where_the_mixture_of_likelihoods_reaches_one_over_alpha() -> None:
    """An independent derivation: integrate exp(l S - l^2 t / 2) over a normal prior for l."""
    t, alpha, best_at = 60, 0.05, 100
    rho = mixture_precision(best_at, alpha)

    def mixture(s: float) -> float:
        def likelihood(slope: float) -> float:
            prior = math.sqrt(rho / (2 * math.pi)) * math.exp(-rho * slope * slope / 2)
            return prior * math.exp(slope * s - slope * slope * t / 2)

        return float(scipy.integrate.quad(likelihood, -3, 3, epsabs=1e-12, limit=200)[0])

    boundary = scipy.optimize.brentq(lambda s: mixture(s) - 1 / alpha, 1, 100, xtol=1e-12)
    assert sequence_half_width(t, 1.0, alpha, best_at) * t == pytest.approx(boundary, rel=1e-7)


def test_the_sequence_is_wider_than_the_interval_at_every_look() -> None:
    for t in (20, 50, 100, 400, 3000):
        assert sequence_half_width(t, 1.0, 0.05, 200) > critical_value(0.95, t - 1) / math.sqrt(t)


def running(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Blocks so far, mean and standard deviation, after each block of each path."""
    t = np.arange(1, values.shape[1] + 1)
    mean = values.cumsum(axis=1) / t
    squares = (values**2).cumsum(axis=1) - t * mean**2
    return t, mean, np.sqrt(squares / np.maximum(t - 1, 1))


def test_five_hundred_looks_at_nothing_rarely_find_something() -> None:
    """Catches a sequence that is 15% too narrow, and an ordinary interval in its place.

    2,000 paths of block means without any effect, more skewed than differences of cards are (means
    of 8 exponential numbers). Whoever peeks at ordinary intervals does not wait for a 20th block.
    """
    looks = 500
    values = np.random.default_rng(2).exponential(1, (2000, 520, 8)).mean(axis=2) - 1
    t, mean, sd = running(values)
    for best_at in (50, 260):
        half = np.array([sequence_half_width(int(n), 1.0, 0.05, best_at) for n in t]) * sd
        first = FIRST_DECISION_LOOK - 1
        wrong = (np.abs(mean) > half)[:, first : first + looks].any(axis=1).mean()
        assert wrong <= 0.06
    assert (np.abs(mean) > 0.85 * half)[:, first : first + looks].any(axis=1).mean() > 0.06
    students = scipy.stats.t.ppf(0.975, np.maximum(t - 1, 1)) * sd / np.sqrt(t)
    naive = (np.abs(mean) > students)[:, 1 : 1 + looks].any(axis=1).mean()
    assert naive >= 0.40


# --- narrow enough -----------------------------------------------------------------------------


def test_stopping_when_narrow_keeps_the_coverage() -> None:
    """Catches a first look far too early, when few blocks can look narrow by chance.

    20,000 repetitions; the interval is narrow enough after about `typical` blocks.
    """

    def covered(first: int, typical: int) -> float:
        generator = np.random.default_rng(3)
        hits = total = 0
        for _ in range(20):
            values = generator.normal(0, 1, (1000, 160))
            t, mean, sd = running(values)
            half = scipy.stats.t.ppf(0.975, np.maximum(t - 1, 1)) * sd / np.sqrt(t)
            ready = (half <= 1.96 / math.sqrt(typical)) & (t >= first)
            assert ready.any(axis=1).all()
            stop = ready.argmax(axis=1)
            paths = np.arange(1000)
            hits += int((np.abs(mean[paths, stop]) <= half[paths, stop]).sum())
            total += 1000
        return hits / total

    assert 0.935 <= covered(FIRST_WIDTH_LOOK, 80) <= 0.965
    assert 0.935 <= covered(FIRST_WIDTH_LOOK, 10) <= 0.965
    assert covered(3, 10) < 0.935


# --- the rules ---------------------------------------------------------------------------------


def test_fixed_games_look_once() -> None:
    rule = FixedGames(budget=100)
    assert look(rule, [after(99, 5.0, 1.0)], 99, 1) is None
    stop = look(rule, [after(100, 0.0, 1.0)], 100, 1)
    assert stop is not None and stop.reason is Reason.GAMES
    assert stop.text == (
        "stopped by games after 1 look, 100 blocks: all games that were asked for are played"
    )


def test_a_width_rule_waits_for_fifty_blocks_and_for_every_interval() -> None:
    rule = HalfWidth(half_width=0.3, budget=1000)
    narrow, wide = after(60, 1.0, 1.0), after(60, 1.0, 2.0)
    assert (narrow.half_width or 0) < 0.3 < (wide.half_width or 0)
    assert look(rule, [after(49, 1.0, 0.1)], 49, 1) is None
    assert look(rule, [narrow, wide], 60, 2) is None
    stop = look(rule, [narrow, narrow], 60, 2)
    assert stop is not None and (stop.reason, stop.looks) == (Reason.NARROW, 2)
    stop = look(rule, [wide], 1000, 9)
    assert stop is not None and stop.reason is Reason.BUDGET


def test_as_narrow_as_was_asked_is_narrow_and_a_thousandth_more_is_not() -> None:
    found = after(60, 1.0, 1.0)
    assert found.half_width is not None
    assert HalfWidth(found.half_width, 1000).satisfied([found]) is Reason.NARROW
    assert HalfWidth(0.999 * found.half_width, 1000).satisfied([found]) is None


def test_what_does_not_vary_is_neither_narrow_nor_decided() -> None:
    """Catches a run that stops because nothing happened in its first blocks."""
    constant = replace(BASE, value=1.0, blocks=60, state=State.CONSTANT)
    assert look(HalfWidth(0.3, 1000), [constant], 60, 1) is None
    assert look(Decision(0.1, 1000), [constant], 60, 1) is None
    exact = replace(constant, value=0.0, se=0.0, state=State.EXACT)
    assert look(HalfWidth(0.3, 1000), [exact], 60, 1) is not None
    assert look(Decision(0.1, 1000), [exact], 60, 1) is not None


@pytest.mark.parametrize(
    ("value", "sd", "verdict"),
    [
        (5.0, 1.0, Verdict.LARGER),
        (-5.0, 1.0, Verdict.LARGER),
        (0.0, 1.0, Verdict.EQUAL),
        (0.6, 1.0, Verdict.DIFFERENT),
        (0.6, 9.0, Verdict.UNKNOWN),
    ],
)
def test_a_decision_is_larger_or_equal(value: float, sd: float, verdict: Verdict) -> None:
    rule = Decision(smallest=0.7, budget=400)
    found = after(200, value, sd)
    assert rule.verdict(found) is verdict
    stop = look(rule, [found], 200, 37)
    if verdict in (Verdict.LARGER, Verdict.EQUAL):
        assert stop is not None and (stop.rule, stop.reason) == ("decision", Reason.DECIDED)
    else:
        assert stop is None
        stop = look(rule, [found], 400, 77)
        assert stop is not None and (stop.reason, stop.looks) == (Reason.BUDGET, 77)


def test_a_decision_waits_for_twenty_blocks_and_shares_its_error() -> None:
    rule = Decision(smallest=0.0, budget=400)
    assert rule.verdict(after(19, 9.0, 1.0)) is Verdict.UNKNOWN
    assert rule.verdict(after(20, 9.0, 1.0)) is Verdict.LARGER
    half = rule.sequence(after(100, 0.0, 1.0)).half_width or 0
    assert rule.verdict(after(100, 1.05 * half, 1.0)) is Verdict.LARGER
    assert rule.verdict(after(100, 1.05 * half, 1.0), comparisons=8) is Verdict.UNKNOWN
    told = rule.sequence(after(100, 0.0, 1.0), comparisons=8)
    assert told.method is Method.CONFIDENCE_SEQUENCE and told.level == 1 - 0.05 / 8
