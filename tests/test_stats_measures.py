"""Measures: what is no ratio of sums of one cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
import scipy.stats

from sim.stats.blocks import Blocks
from sim.stats.estimates import Estimate, Method, State, contrast, estimate
from sim.stats.metrics import BY_NAME, MEASURES
from sim.stats.metrics.course import turns_quantile, turns_sd
from sim.stats.metrics.fairness import (
    dealer_balance,
    extra_deal_advantage,
    fair_within,
    seat_advantages,
    unfairness,
)
from sim.stats.metrics.house_rules import (
    deterrence_threshold,
    interaction,
    robustness,
    rule_effect,
)
from sim.stats.metrics.skill import (
    LEADS,
    beats,
    games_to_tell,
    price_of_information,
    variance_shares,
)
from sim.stats.samples import Floats, Sample
from sim.stats.verdict import Verdict
from tests.test_stats_coverage import BAND, REPETITIONS, holds, in_band
from tests.test_stats_estimates import blocks

MARGIN = BY_NAME["margin"]


def test_every_measure_says_what_it_is() -> None:
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)
    for measure in MEASURES:
        assert measure.unit and measure.needs and len(measure.definition) > 20
        assert not measure.definition.endswith(".")
        assert measure.source in {"Fairness", "Skill, luck", "Course of play", "House rules"}


# --- fairness ----------------------------------------------------------------------------------


def seats(shares: npt.NDArray[np.float64], deals: int = 8) -> Blocks:
    """Blocks whose seats win `shares` (blocks, seats) of the games, one a deal."""
    wins = np.rint(shares * 60 * deals).astype(np.int64)
    wins[:, -1] = 60 * deals - wins[:, :-1].sum(axis=1)
    columns = {f"wins_{s}": wins[:, s] for s in range(wins.shape[1])}
    return blocks(wins.shape[1], deals, **columns)


def won(generator: np.random.Generator, truth: Sequence[float], count: int) -> Blocks:
    """Blocks of 32 games of one winner each, won with chances `truth`."""
    return seats(generator.multinomial(32, truth, count) / 32, deals=32)


def test_unfairness_is_cross_fitted_and_the_plug_in_is_not_fair() -> None:
    """Catches the plug-in, whose noise looks like unfairness: here 2.5 times the truth, squared."""
    truth = np.array([0.27, 0.25, 0.24, 0.24])
    square = ((truth - 0.25) ** 2).mean()
    generator = np.random.default_rng(1)
    ours, plug_in = [], []
    for _ in range(2000):
        own = won(generator, truth, 50)
        advantage = np.array([sample.value for sample in seat_advantages(own)])
        error = np.array([sample.se for sample in seat_advantages(own)])
        ours.append((advantage**2 - error**2).mean())
        plug_in.append((advantage**2).mean())
        found = unfairness.compute(own) if len(ours) <= 20 else None
        assert found is None or found.value == pytest.approx(math.sqrt(max(0, ours[-1])))
    assert abs(np.mean(ours) - square) < 4 * np.std(ours) / math.sqrt(2000)
    assert np.mean(plug_in) - square > 10 * np.std(plug_in) / math.sqrt(2000)


def test_cross_fitting_is_the_mean_over_all_ways_to_halve_the_blocks() -> None:
    """The closed form against its definition: 6 blocks have 20 ordered pairs of halves."""
    from itertools import combinations

    own = won(np.random.default_rng(4), (0.5, 0.2, 0.3), 6)
    values = np.stack([s.value + s.z for s in seat_advantages(own)], axis=1)
    products = []
    for half in combinations(range(6), 3):
        other = [b for b in range(6) if b not in half]
        products.append((values[list(half)].mean(axis=0) * values[other].mean(axis=0)).mean())
    assert unfairness(own).value == pytest.approx(math.sqrt(np.mean(products)), rel=1e-9)


@pytest.mark.parametrize("truth", [(1 / 3, 1 / 3, 1 / 3), (0.38, 0.31, 0.31)])
def test_the_interval_of_unfairness_holds_it(truth: tuple[float, ...]) -> None:
    """Catches an interval around the root of the plug-in, which never holds the 0 of fair games."""
    generator = np.random.default_rng(2)
    real = math.sqrt(((np.array(truth) - 1 / 3) ** 2).mean())
    hits = sum(holds(unfairness(won(generator, truth, 50)), real) for _ in range(400))
    assert hits >= scipy.stats.binom.ppf(0.0005, 400, 0.95)


def test_unfairness_of_one_block_has_no_interval() -> None:
    found = unfairness(seats(np.array([[0.75, 0.25]])))
    assert (found.state, found.low, found.value) == (State.ONE_BLOCK, None, 0.25)
    alike = unfairness(seats(np.array([[0.75, 0.25]] * 3)))
    assert (alike.state, alike.low) == (State.CONSTANT, None)


def test_fairness_is_shown_refuted_or_open() -> None:
    """Catches fairness claimed because unfairness was not found."""
    generator = np.random.default_rng(3)
    many = won(generator, (0.25, 0.25, 0.25, 0.25), 4000)
    assert fair_within(many, 0.01).verdict is Verdict.EQUAL
    few = won(generator, (0.25, 0.25, 0.25, 0.25), 20)
    assert fair_within(few, 0.01).verdict is Verdict.UNKNOWN
    unfair = won(generator, (0.40, 0.20, 0.20, 0.20), 400)
    assert fair_within(unfair, 0.01).verdict is Verdict.LARGER
    worse = fair_within(won(generator, (0.26, 0.26, 0.26, 0.22), 4000), 0.02)
    ends = [end for seat in worse.seats for end in (seat.low, seat.high) if end is not None]
    assert worse.shown == max(map(abs, ends)) > 0.03  # seat 3 loses most
    found = fair_within(many, 0.01)
    assert found.shown is not None
    assert fair_within(many, found.shown).verdict is Verdict.EQUAL
    assert fair_within(many, 0.99 * found.shown).verdict is not Verdict.EQUAL
    assert fair_within(seats(np.array([[0.5, 0.5]])), 0.9).verdict is Verdict.UNKNOWN


def test_who_deals_a_round_more() -> None:
    """By hand: 5 rounds of 3 players. Seat 2 deals rounds 1 and 4, seat 0 rounds 2 and 5."""
    assert (dealer_balance(5, 3), dealer_balance(4, 2), dealer_balance(4, 5)) == (2, 0, 4)
    own = seats(np.array([[0.5, 0.25, 0.25], [0.5, 0.125, 0.375]]))
    found = extra_deal_advantage(own, rounds=5)
    assert found.value == pytest.approx((0.5 + 0.3125) / 2 - 0.1875)
    assert extra_deal_advantage(own, rounds=3).state is State.UNDEFINED


@pytest.mark.parametrize("wins", [[15, 45], [5, 20, 35], [2, 8, 18, 32], [3, 6, 12, 18, 21]])
def test_the_extra_deal_is_a_difference_of_two_mean_shares_of_seats(wins: list[int]) -> None:
    """Seat 0 leads the first round, so the last seat deals it, and seat 0 the second."""
    players, shares = len(wins), np.array(wins) / 60
    own = seats(np.array([shares, shares]))
    for rounds in range(1, players):
        dealers = [(number - 1) % players for number in range(rounds)]
        others = [seat for seat in range(players) if seat not in dealers]
        gain = shares[dealers].mean() - shares[others].mean()
        assert extra_deal_advantage(own, rounds).value == pytest.approx(gain)


# --- skill and luck ----------------------------------------------------------------------------


def test_beats_is_paired_within_the_deal() -> None:
    first, second = np.array([240, 300, 180, 360]), np.array([240, 180, 300, 120])
    own = blocks(2, 8, player_wins_0=first, player_wins_1=second)
    found = beats(own, 0, 1)
    theirs = scipy.stats.ttest_rel(first / 480, second / 480).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(theirs))
    assert beats(own, 1, 0).value == -found.value


def test_price_of_information_is_a_paired_difference_of_one_player() -> None:
    informed = blocks(3, 8, player_points_1=[90, 80, 85, 70])
    without = blocks(3, 8, player_points_1=[80, 72, 75, 66])
    assert price_of_information(informed, without, player=1).value == pytest.approx(1.0)


def matches(generator: np.random.Generator, chance: float, tie: float, count: int) -> Blocks:
    """Blocks of 32 games of two, of which the first wins `chance`, ties are `tie`."""
    won_, tied, _ = generator.multinomial(32, (chance, tie, 1 - chance - tie), count).T
    wins = 60 * won_ + 30 * tied
    return blocks(2, 32, player_wins_0=wins, player_wins_1=60 * 32 - wins, ties=tied)


def test_games_to_tell_are_the_games_after_which_the_better_leads() -> None:
    """Plays 100,000 matches of so many games: in 90% the better leads, within 4 standard errors.

    Catches Var(W) without its ties, and a quantile of another chance.
    """
    won_ = np.array([46, 50] * 20)  # of 100 games, 10 tied: 48% and 10% overall
    wins = 60 * won_ + 30 * 10
    own = blocks(2, 100, player_wins_0=wins, player_wins_1=6000 - wins, ties=[10] * 40)
    found = games_to_tell(own)
    assert found.better == 0 and found.games is not None
    games = round(found.games)
    ours, tied, _ = np.random.default_rng(5).multinomial(games, (0.48, 0.10, 0.42), 100_000).T
    ahead = ours + tied / 2 - games / 2
    leads = (ahead > 0).mean() + (ahead == 0).mean() / 2
    assert leads == pytest.approx(0.90, abs=4 * math.sqrt(0.9 * 0.1 / 100_000))


def test_the_interval_of_games_to_tell_covers() -> None:
    """Catches the delta method on the games themselves, which are far from normal."""
    generator = np.random.default_rng(6)
    mean, tie = 0.53, 0.10
    real = LEADS**2 * (mean - tie / 4 - mean**2) / (mean - 0.5) ** 2
    hits = 0
    for _ in range(REPETITIONS):
        found = games_to_tell(matches(generator, mean - tie / 2, tie, 50))
        assert found.low is not None
        hits += found.low <= real and (found.high is None or real <= found.high)
    assert in_band(hits)


def test_equals_may_never_be_told_apart() -> None:
    found = games_to_tell(matches(np.random.default_rng(7), 0.45, 0.10, 50))
    assert found.low is not None and found.high is None
    with pytest.raises(ValueError, match="two players, not 3"):
        games_to_tell(blocks(3, player_wins_0=[1, 2]))
    assert games_to_tell(blocks(2, 1, player_wins_0=[60, 60], ties=[0, 0])).games is None


def outcomes(
    generator: np.random.Generator, sizes: tuple[float, float, float, float], replicates: int
) -> Floats:
    """A crossed design of 400 line-ups (so that they show their variance) and 100 deals."""
    skill, cards, both, rest = (math.sqrt(size) for size in sizes)
    values: Floats = (
        generator.normal(0, skill, (400, 1, 1))
        + generator.normal(0, cards, (1, 100, 1))
        + generator.normal(0, both, (400, 100, 1))
        + generator.normal(0, rest, (400, 100, replicates))
    )
    return values


def test_variance_shares_are_recovered() -> None:
    """Catches components taken for mean squares. Their errors: skill 7% of itself (400 line-ups),
    cards 14% (100 deals)."""
    found = variance_shares(outcomes(np.random.default_rng(8), (4, 3, 2, 1), 2), 4, "invented")
    assert found.skill.value == pytest.approx(0.4, abs=3 * 0.4 * 0.09)
    assert found.cards.value == pytest.approx(0.3, abs=3 * 0.3 * 0.14)
    assert found.both is not None and found.both.value == pytest.approx(0.2, abs=0.05)
    assert found.rest.value == pytest.approx(0.1, abs=0.025)
    shares = [found.skill, found.cards, found.both, found.rest]
    assert sum(share.value for share in shares) == pytest.approx(1)
    assert found.population == "invented"
    single = variance_shares(outcomes(np.random.default_rng(8), (4, 3, 2, 1), 1), 4, "x")
    assert single.both is None
    assert single.rest.value == pytest.approx(0.3, abs=0.06)


def test_variance_shares_of_cards_cover() -> None:
    """The line-ups are as they are, so only the deals vary."""
    generator = np.random.default_rng(9)
    lineups = np.array([0.3, 0.0, -0.3])[:, None, None]
    hits = 0
    for _ in range(REPETITIONS):
        values = lineups + generator.normal(0, 0.3, (1, 200, 1))
        values = values + generator.normal(0, 0.4, (3, 200, 1))
        found = variance_shares(values, 4, "three")
        skill = 0.09  # the sample variance of three line-ups
        hits += holds(found.cards, 0.09 / (skill + 0.09 + 0.16))
    assert in_band(hits)


# --- the course of play ------------------------------------------------------------------------


def test_the_spread_of_turns_covers_and_counts_games_not_deals() -> None:
    """Two games a deal that share their length; lengths uniform on 40 .. 60, sd sqrt(440 / 12)."""
    generator, hits = np.random.default_rng(10), 0
    for _ in range(REPETITIONS):
        turns = np.repeat(generator.integers(40, 61, (50, 8)), 2, axis=1)
        own = blocks(2, 16, turns=turns.sum(axis=1), turns_squared=(turns**2).sum(axis=1))
        hits += holds(turns_sd(own), math.sqrt(440 / 12))
    assert in_band(hits)
    alike = blocks(2, 4, turns=[40, 40], turns_squared=[400, 400])
    assert (turns_sd(alike).value, turns_sd(alike).state) == (0.0, State.CONSTANT)


def rows(turns: npt.ArrayLike, per_deal: int = 1) -> pl.DataFrame:
    lengths = np.asarray(turns)
    return pl.DataFrame({"deal": np.arange(len(lengths)) // per_deal, "turns": lengths})


def test_quantiles_of_the_turns() -> None:
    found = turns_quantile(rows(np.arange(1, 101)), 4, 0.5)
    assert (found.value, found.method) == (50.0, Method.WOODRUFF)
    assert found.low is not None and found.high is not None
    assert found.low < 50 < found.high
    assert turns_quantile(rows(np.arange(1, 101)), 4, 0.95).value == 95
    alike = turns_quantile(rows([48] * 40), 4, 0.5)
    assert (alike.value, alike.state, alike.low) == (48.0, State.CONSTANT, None)


def test_quantiles_cover_where_games_of_a_deal_are_alike() -> None:
    """Catches order statistics of games taken for independent: 4 games of a deal are 1."""
    generator, hits = np.random.default_rng(11), 0
    for _ in range(REPETITIONS):
        turns = np.repeat(generator.integers(0, 1000, 400), 4)
        found = turns_quantile(rows(turns, 4), 8, 0.9)
        hits += holds(found, 899)
    assert hits >= BAND[0]


def test_quantiles_cover_where_games_have_few_lengths() -> None:
    """95.1% of games have 48 turns. Catches an interval from the share at the value found alone:

    where that is 96, nearly all games are as short, and 48 would be out.
    """
    generator, hits = np.random.default_rng(12), 0
    for _ in range(REPETITIONS):
        turns = generator.choice([48, 96, 144], 400, p=[0.951, 0.0485, 0.0005])
        hits += holds(turns_quantile(rows(turns), 8, 0.95), 48)
    assert hits >= BAND[0]
    most = turns_quantile(rows([48, 96, 96, 96] * 40), 4, 0.5)  # no game is longer
    assert (most.value, most.state) == (96.0, State.INTERVAL)


# --- house rules -------------------------------------------------------------------------------


def cells(generator: np.random.Generator, *means: float) -> list[Blocks]:
    """Cells that share the luck of their deals; margins of these means, 4 games a block."""
    shared = generator.normal(0, 40, 50)
    return [
        blocks(margin=np.rint(4 * mean + shared + generator.normal(0, 5, 50)).astype(int))
        for mean in means
    ]


def test_an_effect_is_averaged_over_the_other_options_and_paired() -> None:
    a, b, c, d = cells(np.random.default_rng(12), 10, 12, 20, 26)
    found = rule_effect([c, d], [a, b], MARGIN)
    halves = [contrast(c, a, MARGIN).value, contrast(d, b, MARGIN).value]
    assert found.value == pytest.approx(np.mean(halves), rel=1e-12)
    assert found.variance_ratio is not None and found.variance_ratio > 10
    only = rule_effect([c], [a], MARGIN)
    assert only == replace(contrast(c, a, MARGIN), variance_ratio=only.variance_ratio)
    assert only.variance_ratio == pytest.approx(contrast(c, a, MARGIN).variance_ratio)


def test_interaction_is_a_difference_of_differences() -> None:
    hits = 0
    generator = np.random.default_rng(13)
    for _ in range(REPETITIONS):
        neither, second, first, both = cells(generator, 10, 12, 20, 26)
        hits += holds(interaction(both, first, second, neither, MARGIN), 4.0)
    assert in_band(hits)
    same = [neither] * 4
    assert interaction(same[0], same[1], same[2], same[3], MARGIN).value == 0


def test_cells_are_joined_by_id_in_every_contrast() -> None:
    """Catches a contrast of several cells that goes by position."""
    a, b, c, d = cells(np.random.default_rng(14), 1, 2, 3, 5)
    order = np.random.default_rng(1).permutation(50)
    straight = interaction(a, b, c, d, MARGIN)
    assert interaction(a, b.take(order), c, d.take(order), MARGIN) == straight
    fewer = interaction(a, b.take(np.arange(20)), c, d, MARGIN)
    assert fewer.blocks == 20


def test_an_effect_holds_in_k_of_k_lineups() -> None:
    def effect(low: float, high: float) -> Estimate:
        base = estimate(blocks(margin=[1, 2]), MARGIN)
        return replace(base, value=(low + high) / 2, low=low, high=high)

    found = robustness([effect(1, 2), effect(0.5, 3), effect(-1, 2), effect(-3, -1)])
    assert (found.holds, found.against, found.of) == (2, 1, 4)
    assert (found.smallest, found.largest) == (-2.0, 1.75)
    assert found.text == "holds in 2 of 4, reversed in 1"
    assert robustness([effect(-2, -1)] * 3).text == "holds in 3 of 3"


PENALTIES = (0.0, 2.0, 4.0, 8.0)


def gains(generator: np.random.Generator, pays: float, caught: float) -> list[Sample]:
    """Points gained by offending: `pays` a game less the penalty each time it is caught."""
    won_ = generator.normal(pays, 1.0, 50)
    times = generator.normal(caught, 0.2, 50)
    found = []
    for penalty in PENALTIES:
        values = won_ - penalty * times
        found.append(
            Sample(float(values.mean()), values - values.mean(), np.arange(50), np.full(50, 8))
        )
    return found


def test_the_deterrence_threshold_covers() -> None:
    """The truth is where pays = penalty * caught: 1.5 / 0.5 = 3 points.

    Catches an interval from the gain at one penalty only, and one that is too narrow.
    """
    generator, hits = np.random.default_rng(15), 0
    for _ in range(REPETITIONS):
        found = deterrence_threshold(PENALTIES, gains(generator, 1.5, 0.5))
        assert found.low is not None and found.value is not None
        assert found.low < found.value and (found.high is None or found.value < found.high)
        hits += found.low <= 3 and (found.high is None or found.high >= 3)
    assert in_band(hits)


def test_a_threshold_outside_the_penalties_is_told_in_words() -> None:
    generator = np.random.default_rng(16)
    never = deterrence_threshold(PENALTIES, gains(generator, 30, 0.5))
    assert never.text == "offending pays at every penalty up to 8"
    nothing = deterrence_threshold(PENALTIES, gains(generator, -3, 0.5))
    assert (nothing.value, nothing.low, nothing.high) == (0, 0, 0)
    assert nothing.text == "offending does not pay even without a penalty"
    perhaps = deterrence_threshold(PENALTIES, gains(generator, 3.9, 0.5))
    assert perhaps.low is not None and perhaps.high is None
    assert perhaps.text.endswith("to above 8)")
    with pytest.raises(ValueError, match="start with 0"):
        deterrence_threshold((1.0, 2.0), gains(generator, 1, 1)[:2])
