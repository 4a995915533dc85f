"""Who is chosen for a good number has a number that is too good; the answer is the fresh one."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import scipy.stats

from reports import report, tune_report, tune_words, tuned
from sim.answers.tuned import Judged, Number, Tuned
from sim.goals import AtLeast, FairWithin, Maximise
from sim.rules import Rules
from sim.stats.goals import Met, Place
from tests.arms import Truth, contest, run

ALIKE = [Truth(margin=10.0)] * 24
GOAL = [Maximise(maximise="margin", smallest=2.0)]
MOST = 40


def answer(seed):
    """A tune of 24 rule sets that are all the same in truth."""
    explore = contest(GOAL, ALIKE, seed=seed, most=MOST, method="factorial")
    fresh = contest(GOAL, ALIKE, seed=1000 + seed, most=MOST, method="factorial")
    return Tuned(
        run(explore, ALIKE, MOST, seed, "explore"), run(fresh, ALIKE, MOST, 1000 + seed, "fresh")
    )


def stages(goal, explored, fresh):
    """A tune whose rule sets are one thing in the exploration and another on fresh deals."""
    told = ((explored, 1, "explore"), (fresh, 2, "fresh"))
    return Tuned(*(
        run(contest([goal], own, seed=seed, most=MOST, method="factorial"), own, MOST, seed, name)
        for own, seed, name in told
    ))  # fmt: skip


@pytest.fixture(scope="module")
def answers():
    return [answer(seed) for seed in range(40)]


def test_the_exploration_flatters_what_was_chosen_and_fresh_deals_do_not(answers):
    """Planted: all margins are 10. The best of 24 exploratory means is above it by about two
    standard errors; the fresh mean of the same rule set is above it half of the time.

    Catches an answer that takes the fresh number from the exploration, or chooses by the fresh one.
    """
    gaps = [
        explored.means[0].value - fresh.means[0].value
        for explored, fresh in (one.recommended for one in answers)
    ]
    assert sum(gap > 0 for gap in gaps) >= 32
    above = sum(one.recommended[1].means[0].value > 10 for one in answers)
    low, high = scipy.stats.binom.interval(0.999, len(answers), 0.5)
    assert low <= above <= high


def test_what_is_recommended_led_in_the_exploration(answers):
    for one in answers[:5]:
        leader = max(one.explore.judged, key=lambda own: own.means[0].value)
        assert one.recommended[0].variant == leader.variant


def test_the_answer_and_the_page_lead_with_the_fresh_number(answers):
    one = answers[0]
    explored, fresh = one.recommended
    new, old = tune_words.write(fresh.means[0]), tune_words.write(explored.means[0])
    assert new != old
    told = " ".join(tune_words.sentences(one))
    assert new in told and old not in told
    plan = SimpleNamespace(rule_sets=24, cells=24, method="factorial")
    opening = tune_report.opening(one, SimpleNamespace(document={}, plan=plan, path=Path("t")))
    sections = [tuned.recommended(one), tuned.proof(one), tuned.rule_sets(one), tuned.how(one)]
    html = report.page(opening, sections)
    first = re.search(r'<section class="first".*?</section>', html, re.S)[0]
    first = first.replace("\N{NO-BREAK SPACE}", " ")
    assert new in first and old not in first
    proof = re.search(r'<section id="proof".*?</section>', html, re.S)[0]
    assert proof.index(new) < proof.index(old)


def test_equals_are_all_in_where_the_difference_does_not_matter(answers):
    assert all(own.place is Place.IN for own in answers[0].explore.judged)
    assert len(answers[0].proved) == 5


def test_a_miss_says_with_how_many_players_it_is_none():
    goal = FairWithin(fair_within=0.01)
    found = {2: Met.YES, 3: Met.YES, 4: Met.OPEN, 5: Met.NO}
    numbers = tuple(
        Number(goal, SimpleNamespace(players=n, lineup="greedy"), 0, 0.0, 0.0, 0.0, met)
        for n, met in found.items()
    )
    judged = Judged("a", Rules(), (Met.NO,), Place.OUT, (numbers,), (), 1)
    assert tune_words.by_players(judged) == [
        "On fresh deals it meets every goal with 2 and 3 players, misses one with 5, it is not yet "
        "known with 4."
    ]
    assert tune_words.by_players(replace(judged, numbers=(numbers[:2],))) == []


def test_what_fresh_deals_speak_against_is_not_recommended():
    """Rule set 0 leads in the exploration; on fresh deals it is surely worse than rule set 1."""
    goal = Maximise(maximise="margin", smallest=2.0)
    found = stages(goal, [Truth(11.6), Truth(11.5)], [Truth(8.0), Truth(11.5)])
    assert found.explore.chosen[0].variant == "rules 0"
    assert found.recommended[1].variant == "rules 1"
    first, then = tune_words.reasons(found)
    assert first.startswith("rules 0 led the exploration.")
    assert then.startswith("But fresh deals do not bear it out; ")


def test_the_reasons_are_those_of_both_stages():
    """Open in the exploration and kept on fresh deals; and kept in both."""
    goal = AtLeast(metric="lead_changes", at_least=5.0)
    found = stages(goal, [Truth(lead_changes=5.05)], [Truth(lead_changes=6.0)])
    assert (found.recommended[0].keeps, found.found) == (Met.OPEN, True)
    first, then = tune_words.reasons(found)
    said = (
        "In the exploration no rule set was known to keep every limit; of those that may, it came"
    )
    assert first.startswith(said)
    assert then == "On fresh deals it keeps them all."
    (only,) = tune_words.reasons(stages(goal, [Truth(lead_changes=6.0)], [Truth(lead_changes=6.0)]))
    assert "the most room" in only
