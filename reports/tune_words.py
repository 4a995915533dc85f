"""The answer of a tune in sentences: fresh numbers first, and what is not known said plainly."""

from __future__ import annotations

import math

from reports import words
from sim.answers.tuned import Judged, Number, Tuned
from sim.goals import FairWithin, in_words, metric_name
from sim.output import counted
from sim.stats.goals import Met, Place, all_met
from sim.stats.metrics import BY_NAME

VERDICTS = {Met.YES: "met", Met.NO: "not met", Met.OPEN: "not yet known"}
FAIRNESS = {Met.YES: "fair", Met.NO: "unfair", Met.OPEN: "not yet known"}


def sentences(tuned: Tuned) -> list[str]:
    """Return the answer, a sentence an entry; the first is the verdict."""
    explored, fresh = tuned.recommended
    sets = counted(len(tuned.explore.judged), "rule set")
    if tuned.found:
        said = [f"Play {fresh.variant}."]
        said += [f"On fresh deals: {_kept(number)}." for number in fresh.worst]
    elif explored.keeps is Met.YES:
        lost = fresh.keeps is Met.NO
        told = "misses a goal" if lost else "is not yet known to meet every goal"
        said = [f"{fresh.variant} looked best, but on fresh deals it {told}."]
        said += [f"On fresh deals: {_kept(number)}." for number in fresh.worst]
    else:
        some = tuned.count(Met.OPEN)
        if some:
            said = [f"Of {sets} none is known to meet every goal; {some:,} may."]
        else:
            said = [f"Of {sets} none meets every goal."]
        said.append(f"The nearest miss, as far as is known, is {fresh.variant}.")
        said += [f"On fresh deals: {_kept(number)}." for number in fresh.worst]
    said += [f"On fresh deals: {_mean(number)}." for number in fresh.means]
    if fresh.keeps is not Met.YES:
        said += by_players(fresh)
    if fresh.numbers:
        said.append(counts(tuned))
    if tuned.explore.objectives:
        said.append(best(tuned))
    return said


def counts(tuned: Tuned) -> str:
    """Say of how many rule sets the limits are kept, missed, and open."""
    goals = tuned.explore.contest.constraints
    told = FAIRNESS if all(isinstance(goal, FairWithin) for goal in goals) else VERDICTS
    each = [f"{told[met]} {tuned.count(met):,}" for met in (Met.YES, Met.NO, Met.OPEN)]
    what = "; ".join(in_words(goal) for goal in goals)
    sets = counted(len(tuned.explore.judged), "rule set")
    return f"Of {sets}, {what}: {', '.join(each)}."


def by_players(fresh: Judged) -> list[str]:
    """Say with how many players a rule set keeps every limit, where that depends on it."""
    of: dict[Met, list[str]] = {met: [] for met in Met}
    numbers = [number for own in fresh.numbers for number in own]
    for players in dict.fromkeys(one.cell.players for one in numbers if one.cell is not None):
        here = [n.met for n in numbers if n.cell is not None and n.cell.players == players]
        of[all_met(here)].append(str(players))
    told = {
        Met.YES: "it meets every goal with {} players",
        Met.NO: "misses one with {}",
        Met.OPEN: "it is not yet known with {}",
    }
    found = [text.format(" and ".join(of[met])) for met, text in told.items() if of[met]]
    return [f"On fresh deals {', '.join(found)}."] if len(found) > 1 else []


def best(tuned: Tuned) -> str:
    """Say how many rule sets are among the best, may be, and are not."""
    judged = tuned.explore.judged
    found = {place: [one for one in judged if one.place is place] for place in Place}
    what = " and ".join(in_words(goal) for goal in tuned.explore.objectives)
    shown = (place for place in Place if found[place] or place is not Place.UNDEFINED)
    told = ", ".join(f"{len(found[place]):,} {place.value}" for place in shown)
    several = len(tuned.explore.objectives) > 1
    more = " The goals pull apart; the table has all that are among the best." if several else ""
    return f"Best for {what}: {told}.{more}"


def _kept(number: Number) -> str:
    told = {Met.YES: "it is", Met.NO: "it is not", Met.OPEN: "it is not yet known to be"}
    goal = in_words(number.goal)
    return f"{told[number.met]} {_as_state(goal, number)}: at worst {write(number)}, {number.where}"


def _as_state(goal: str, number: Number) -> str:
    return goal if isinstance(number.goal, FairWithin) else f"within the limit ({goal})"


def _mean(number: Number) -> str:
    metric = BY_NAME[metric_name(number.goal)]
    return f"{metric.title} {write(number)}, {number.where}"


def write(number: Number) -> str:
    """Write a number of a goal with its interval and unit."""
    metric = BY_NAME[metric_name(number.goal)]
    if math.isnan(number.value):
        return "undefined"
    signed = metric.signed
    if not math.isfinite(number.low) or not math.isfinite(number.high):
        return words.scaled(number.value, metric.percent, 2, signed) + words.short_unit(metric)
    half = (number.high - number.low) / 2
    if half == 0:
        told = words.scaled(number.value, metric.percent, 2, signed)
        return f"{told}{words.short_unit(metric)} in every block of deals"
    digits = digits_of(half * (100 if metric.percent else 1))
    value = words.scaled(number.value, metric.percent, digits, signed)
    return f"{value} ± {words.scaled(half, metric.percent, digits)}{words.short_unit(metric)}"


def digits_of(half: float) -> int:
    """Decimals that show two figures of a half-width; 0 to 4."""
    return 2 if half <= 0 else min(4, max(0, 1 - math.floor(math.log10(half))))


def verdict(judged: Judged, tuned: Tuned) -> str:
    """Say in a word whether a rule set keeps the limits."""
    goals = tuned.explore.contest.constraints
    told = FAIRNESS if all(isinstance(goal, FairWithin) for goal in goals) else VERDICTS
    return told[judged.keeps] if goals else ""


def reasons(tuned: Tuned) -> list[str]:
    """Say why the recommended rule set was taken, in sentences."""
    explored, fresh = tuned.recommended
    leader, _ = tuned.proved[0]
    said = [_why(leader, tuned)]
    if leader.variant != explored.variant:
        said[0] = f"{leader.variant} led the exploration. {said[0]}"
        said.append(
            "But fresh deals do not bear it out; of those that were played again this is the first "
            "that they do bear out."
        )
    elif explored.keeps is not Met.YES and fresh.keeps is Met.YES:
        said.append("On fresh deals it keeps them all.")
    return said


def _why(leader: Judged, tuned: Tuned) -> str:
    """Say why a rule set was the first to be played again."""
    goals = tuned.explore.objectives
    if leader.keeps is not Met.YES:
        which = "of those that may, it" if leader.keeps is Met.OPEN else "it"
        return (
            f"In the exploration no rule set was known to keep every limit; {which} came nearest, "
            "as far as is known, measured in what matters for each goal."
        )
    if leader.place is Place.UNDEFINED:
        return "No rule set that keeps every limit has a value in every goal; this is one of them."
    kept = "In the exploration it kept every limit with every number of players and every line-up"
    if not goals:
        return f"{kept}, and of all that did so it had the most room."
    led = f"{kept}, and of those that did so it led"
    if not tuned.explore.contest.constraints:
        led = "There is no limit to keep, and in the exploration it led"
    sure = {
        Place.IN: "no other is better by more than what matters",
        Place.OPEN: "others cannot be told from it yet",
    }[leader.place]
    return f"{led} for {in_words(goals[0])}: {sure}."


def method(tuned: Tuned) -> list[str]:
    """Say how the tune was played, and what its intervals hold."""
    contest = tuned.explore.contest
    how = {
        "factorial": "All rule sets were played to the end on the same deals.",
        "race": "The rule sets raced: all played the same deals, and what was decided of one for "
        "good played no more.",
    }[contest.rule.method]
    return [
        how,
        f"{tuned.explore.run.stopped}",
        "The intervals of the exploration hold all together, with 95%, over all rule sets, numbers "
        "of players, line-ups, seats, comparisons and looks; those on fresh deals hold together "
        "over all that was chosen. A goal without limit counts by its mean over all numbers of "
        "players and line-ups, each weighing alike.",
        "What was chosen looks better in the exploration than it is, because it was chosen; the "
        "numbers on fresh deals do not.",
    ]


def goals_in_words(tuned: Tuned) -> str:
    """Say all goals in a line."""
    return "; ".join(in_words(goal) for goal in tuned.explore.contest.rule.goals)
