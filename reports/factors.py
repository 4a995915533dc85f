"""What each rule does: options ranked by their effect, alone and together, and their shares."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from reports import alone, forest, interactions, options, words
from reports.interactions import WHERE, setting
from reports.material import Material
from reports.section import Cell, Column, Figure, Section, Table, Words, column
from reports.spread import Spread, spreads
from sim.answers.factors import Effect, RuleEffects, robust, rule_effects
from sim.answers.findings import Asked, Finding, Findings
from sim.answers.switched import switched
from sim.goals import StopAtGoals
from sim.stats.estimates import LEVEL, Estimate, State, estimate
from sim.stats.factors import FactorShares
from sim.stats.metric import Metric
from sim.stats.metrics import BY_NAME, PAIR_METRICS
from sim.stats.verdict import Verdict

KEY = "factors"

RULE = Column("option", "An option in which the rule sets differ.")
CHANGE = Column("change", "An option, and the two values of it that are compared.")

SHARE = replace(
    BY_NAME["tie_rate"],
    name="factor_share",
    title="share of the variance between rule sets",
    unit="share of the variance",
    counts_games=False,
    parts=lambda n: (),
)


def build(material: Material, metric: Metric | None = None) -> Section | None:
    """Return the section, or None where fewer than two options can be told of.

    Args:
        material: the run.
        metric: what the rules do something to; the primary one if not given.
    """
    found = [own for own in rule_effects(material.findings, metric) if len(own.ranking) > 1]
    if not found:
        return None
    return Section(
        KEY,
        "What each rule does",
        " ".join((*_lead(found), *_of_race(material))),
        (
            *_effect_pictures(found),
            _ranking(found),
            *_switches(material, found),
            *interactions.parts(material, found),
            *_shares(material, found),
            *_robustness(found),
            *_notes(found),
        ),
    )


def combined(findings: Findings) -> list[RuleEffects]:
    """Return what each rule does, where so many are combined that no combination tells that.

    Nothing, where there are fewer than three options, or combinations of them were not played.
    """
    return [own for own in rule_effects(findings) if own.full and len(own.levels) > 2]


def sentences(found: Sequence[RuleEffects]) -> list[str]:
    """Say of what `combined` returns which option matters most, and how much."""
    return list(_lead(found)) if found else []


def by_change(found: Sequence[RuleEffects]) -> list[Spread]:
    """Group the effects of every change of an option over all settings."""
    return spreads(
        (options.brief(effect.changes[0]), effect.finding)
        for own in found
        for effect in own.effects
    )


# --- in words ------------------------------------------------------------------------------------


def _lead(found: Sequence[RuleEffects]) -> Iterator[str]:
    """Say which rule matters most, in how many settings, and how much at most."""
    title = f"for the {found[0].metric.title}"
    first = Counter(_first(own) for own in found)
    unknown, none = first.pop("unknown", 0), first.pop("none", 0)
    told = [
        (f"{options.NAMES[option]} matters most", times) for option, times in first.most_common()
    ]
    told += [("no rule matters", none)] if none else []
    told += [("it is not yet known which rule matters most", unknown)] if unknown else []
    parts = [
        f"{text}{f' {title}' if i == 0 else ''}{_where(times, len(found), i == 0)}"
        for i, (text, times) in enumerate(told)
    ]
    text = "; ".join(parts)
    yield f"{text[0].upper()}{text[1:]}."
    largest = max((own.ranking[0] for own in found), key=lambda effect: effect.size)
    state = largest.finding.estimate.state
    if state is State.CONSTANT or (
        state is State.INTERVAL and largest.finding.verdict is not Verdict.UNKNOWN
    ):
        digits = words.digits_for([largest.finding])
        yield (
            f"The largest effect, a mean over the other rules, is that of "
            f"{options.NAMES[largest.options[0]]}: {words.amount(largest.finding, digits)}, "
            f"{options.change(largest.changes[0])} ({largest.finding.setting})."
        )


def _of_race(material: Material) -> Iterator[str]:
    stop = material.findings.experiment.stop
    if isinstance(stop, StopAtGoals) and stop.method == "race":
        yield (
            f"After a race this rests on the first {stop.first_look} blocks of every rule set, "
            "which were played before anything was dropped."
        )


def _where(times: int, of: int, first: bool) -> str:
    if of == 1:
        return ""
    if times == of:
        return f" in all {of} settings"
    return f" in {times} of {of} settings" if first else f" in {times}"


def _first(own: RuleEffects) -> str:
    """Return the option that surely matters most; or that none matters, or that it is not known."""
    best, *others = own.ranking
    if all(effect.finding.verdict is Verdict.EQUAL for effect in own.effects):
        return "none"
    least = _least(best.finding.estimate)
    most = max(_most(effect) for effect in own.effects if effect.options != best.options)
    return best.options[0] if others and least > most else "unknown"


def _least(found: Estimate) -> float:
    """The smallest size that an effect may have."""
    if found.low is None or found.high is None:
        return abs(found.value)
    return max(found.low, -found.high, 0.0)


def _most(effect: Effect) -> float:
    """The largest size that an effect may have."""
    found = effect.finding.estimate
    if found.low is None or found.high is None:
        return abs(found.value)
    return max(abs(found.low), abs(found.high))


# --- effects -------------------------------------------------------------------------------------


def _effect_pictures(found: Sequence[RuleEffects]) -> Iterator[Figure]:
    for players in dict.fromkeys(own.setting.players for own in found):
        here = [own for own in found if own.setting.players == players]
        rows: list[forest.Row] = []
        for own in here:
            rows.append((words.visible(own.setting.name), True, None))
            rows += [
                (options.brief(effect.changes[0]), False, effect.finding) for effect in own.ranking
            ]
        title = f"What each rule does to the {here[0].metric.title}, {players} players"
        yield Figure(
            f"rules_{players}",
            title,
            f"{title}: the largest effect of each option, the largest on top, with intervals that "
            "hold together; the same numbers are in the table “Rules by their effect”.",
            partial(forest.draw, rows, alike=True),
        )


def _ranking(found: Sequence[RuleEffects]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (*setting(own), options.brief(effect.changes[0]), effect.finding)
        for own in found
        for effect in own.ranking
    ]
    metric, smallest = found[0].metric, found[0].ranking[0].finding.smallest
    title = f"effect on {words.heading(metric, change=True)}"
    columns = (*WHERE, CHANGE, column(metric, change=True, judged=True, title=title))
    note = (
        "The largest effect of each option, a mean over all pairs of rule sets that differ in it "
        f"alone. Those of one number of players hold all together, {LEVEL:.0%} of the time. What "
        f"is too small to matter: {words.smallest_of(smallest, metric)}."
    )
    return Table("ranking", "Rules by their effect", columns, tuple(rows), note)


def _switches(material: Material, found: Sequence[RuleEffects]) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for own in found:
        games = switched(material.run, own)
        for effect in own.ranking:
            blocks = games[effect.options[0]]
            if len(blocks):
                asked = effect.finding.asked
                told = (
                    Finding(Asked(m, 0, asked.on, asked.off), estimate(blocks, m), m.smallest)
                    for m in PAIR_METRICS
                )
                deals = int(blocks.deals.sum())
                rows.append((*setting(own), options.brief(effect.changes[0]), deals, *told))
    if rows:
        columns = (*WHERE, CHANGE, Column("deals compared"), *(column(m) for m in PAIR_METRICS))
        note = (
            "Games of rule sets that differ in the option alone, on the same cards. Activation: "
            "games that went otherwise in anything that is stored. Pivotality: games with other "
            "winners. Displacement: cards that went to another seat."
        )
        yield Table("switches", "Game by game, an option changed", columns, tuple(rows), note)


# --- shares, line-ups ----------------------------------------------------------------------------


def _shares(material: Material, found: Sequence[RuleEffects]) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for own in found:
        if own.shares is not None and not own.why_no_shares:
            rows += _shares_of(own, own.shares)
    if rows:
        columns = (
            *WHERE,
            RULE,
            Column("alone, %", "Sobol's S: share that follows from this option by itself."),
            Column("with interactions, %", "Sobol's ST: share that would be lost without it."),
            Column("Shapley, %", "Interactions divided evenly; these add up to 100%."),
        )
        note = (
            "How much of the spread between rule sets is due to each option, all combinations "
            "weighing alike. The intervals of a setting hold all together. Shares are less what "
            "noise adds to them, so one that is next to nothing can fall below 0."
        )
        yield Table("shares", "Shares of the spread between rule sets", columns, tuple(rows), note)


def _shares_of(own: RuleEffects, shares: FactorShares) -> Iterator[tuple[Cell, ...]]:
    cell = next(iter(own.cells.values()))
    for option in sorted(own.levels, key=lambda name: -shares.shapley[name].value):
        told = (kind[option] for kind in (shares.first, shares.total, shares.shapley))
        findings = [Finding(Asked(SHARE, 0, (cell,)), each, SHARE.smallest) for each in told]
        yield (*setting(own), option, *findings)


def _robustness(found: Sequence[RuleEffects]) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for each in robust(list(found)):
        by_value = sorted(
            (effect.finding for effect in each.effects.values()), key=lambda f: f.estimate.value
        )
        rows.append(
            (
                each.players,
                options.brief(each.change),
                each.robustness.text,
                by_value[0],
                by_value[-1],
            )
        )
    if rows:
        unit = words.short_unit(found[0].metric, True).strip()
        columns = (
            WHERE[0],
            CHANGE,
            Column("line-ups", "In how many the effect surely has the same direction."),
            Column(f"lowest effect, {unit}", judged=True),
            Column(f"highest effect, {unit}", judged=True),
        )
        yield Table("robustness", "Whether it depends on who plays", columns, tuple(rows))


def _notes(found: Sequence[RuleEffects]) -> Iterator[Words]:
    """Say what cannot be told, and why."""
    lines = [f"{own.setting.name}: {own.why_no_shares}." for own in found if own.why_no_shares]
    if untold := dict.fromkeys(option for own in found for option in own.untold):
        lines.append(f"No two rule sets differ in these alone: {', '.join(untold)}.")
    if lines:
        yield Words(tuple(lines))


if __name__ == "__main__":
    sys.exit(alone.main(build))
