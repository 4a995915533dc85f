"""What each rule does: the options in which a run's rule sets differ, weighed against each other.

Rule sets of one number of players are compared on the same deals, option by option: all pairs that
differ in one option alone, all fours that differ in two. Numbers of players are never mixed. A
family is the effects (or the interactions) of one metric with one number of players, all line-ups
together, so that what is said of several line-ups holds at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from sim.answers.findings import Asked, Finding, together
from sim.answers.findings import estimated as estimates_of
from sim.answers.pooling import aligned
from sim.stats.factors import FactorShares, factor_shares
from sim.stats.metrics.house_rules import Robustness, robustness
from sim.stats.space import Place, Space, Steps, estimated, signs

if TYPE_CHECKING:
    from sim.answers.findings import Findings, Setting
    from sim.design import Cell
    from sim.rules import Rules
    from sim.stats.metric import Metric

Levels = dict[str, list[str]]
"""Options in which rule sets differ, and the values that each takes, as JSON texts."""


def options_of(rules: Rules) -> dict[str, str]:
    """Return each option of a rule set, penalties one by one, its value as a JSON text."""
    options = rules.model_dump()
    penalties = {f"penalty.{name}": value for name, value in options.pop("penalty").items()}
    return {name: json.dumps(value) for name, value in {**options, **penalties}.items()}


def factor_levels(rule_sets: list[Rules]) -> Levels:
    """Return the options in which rule sets differ, with their values in order of appearance."""
    options = [options_of(rules) for rules in rule_sets]
    levels = {name: list(dict.fromkeys(own[name] for own in options)) for name in options[0]}
    return {name: values for name, values in levels.items() if len(values) > 1}


def place_of(rules: Rules, levels: Levels) -> Place:
    """Return which level of each option a rule set has."""
    own = options_of(rules)
    return tuple(values.index(own[name]) for name, values in levels.items())


@dataclass(frozen=True)
class Change:
    """An option taken from the value `before` to the value `after`, as JSON texts."""

    option: str
    before: str
    after: str


@dataclass(frozen=True)
class Effect:
    """What a change of an option does, or what two changes do beyond the sum of each.

    Attributes:
        changes: one for an effect, two for an interaction.
        finding: the mean paired difference of the metric, or difference of differences. Its
            interval holds together with those of its family.
        corners: the cells compared: (changed, not), or (both, first, second, neither).
    """

    changes: tuple[Change, ...]
    finding: Finding
    corners: tuple[tuple[Cell, ...], ...]

    @property
    def size(self) -> float:
        """How large it is, whichever way."""
        return abs(self.finding.estimate.value)

    @property
    def options(self) -> tuple[str, ...]:
        """The options that are changed."""
        return tuple(change.option for change in self.changes)


@dataclass(frozen=True)
class RuleEffects:
    """What the rules of one setting do to a metric.

    Attributes:
        setting: the number of players and the line-up.
        metric: what is measured.
        levels: the options in which the experiment's rule sets differ, and their values.
        cells: by place, those that have data and a value.
        space: the same as numbers.
        effects: of every change of every option, where two rule sets differ in it alone.
        interactions: of every two changes, where four rule sets differ in them alone.
    """

    setting: Setting
    metric: Metric
    levels: Levels
    cells: dict[Place, Cell]
    space: Space
    effects: tuple[Effect, ...]
    interactions: tuple[Effect, ...]

    @property
    def ranking(self) -> list[Effect]:
        """The largest effect of each option, the largest first."""
        return _largest(self.effects)

    @property
    def largest_interactions(self) -> list[Effect]:
        """The largest interaction of every two options, the largest first."""
        return _largest(self.interactions)

    @property
    def untold(self) -> list[str]:
        """Options that no two rule sets differ in alone, so that nothing can be said of them."""
        told = {option for effect in self.effects for option in effect.options}
        return [option for option in self.levels if option not in told]

    @property
    def full(self) -> bool:
        """Whether every combination of values is there, so that shares can be told."""
        return self.space.full

    @cached_property
    def shares(self) -> FactorShares | None:
        """Shares of the options in the variance between rule sets; None if combinations lack."""
        return factor_shares(self.space.factorial()) if self.full else None

    @property
    def why_no_shares(self) -> str:
        """Why no shares are told; empty if they are."""
        if self.shares is None:
            every = prod(len(values) for values in self.levels.values())
            return (
                f"{len(self.cells):,} of {every:,} combinations of the options are there, and "
                "shares of the variance need every one"
            )
        if not self.shares.known:
            return "the rule sets do not surely differ, and shares of nothing mean nothing"
        return ""


def _largest(effects: tuple[Effect, ...]) -> list[Effect]:
    found: dict[tuple[str, ...], Effect] = {}
    for effect in effects:
        best = found.setdefault(effect.options, effect)
        if effect.size > best.size:
            found[effect.options] = effect
    return sorted(found.values(), key=lambda effect: -effect.size)


def rule_effects(findings: Findings, metric: Metric | None = None) -> list[RuleEffects]:
    """Return what the rules do in each setting where any option can be told of; maybe none.

    Args:
        findings: those of the run. After a race only the blocks of its first look count.
        metric: a single number of each game, such as a margin; the primary one if not given.
    """
    metric = metric or findings.primary
    if not findings.cells:
        return []
    levels = factor_levels([variant.rules for variant in findings.experiment.variants])
    found: list[RuleEffects] = []
    for players in dict.fromkeys(setting.players for setting in findings.settings):
        own = [setting for setting in findings.settings if setting.players == players]
        found += _of_players(findings, metric, levels, own)
    return found


def _of_players(
    findings: Findings, metric: Metric, levels: Levels, settings: list[Setting]
) -> Iterator[RuleEffects]:
    """Yield the settings of one number of players, whose line-ups are one family."""
    spaces = []
    for setting in settings:
        cells: dict[Place, Cell] = {}
        for cell in setting.cells:
            if len(findings.unchosen[cell.id]):
                cells.setdefault(place_of(cell.rules, levels), cell)
        if cells:
            joined = aligned([findings.unchosen[cell.id] for cell in cells.values()])
            sizes = {name: len(values) for name, values in levels.items()}
            space = Space.of(sizes, dict(zip(cells, joined, strict=True)), metric)
            spaces.append((setting, {place: cells[place] for place in space.samples}, space))
    by_size = []
    for size, of in ((1, metric), (2, interaction_of(metric))):
        told = [(i, d) for i, own in enumerate(spaces) for d in own[2].differences(size)]
        corners = [_cells_of(d.steps, *spaces[i][1:]) for i, d in told]
        asked = [Asked(of, 0, *_sides(each)) for each in corners]
        estimates = estimated([d for _, d in told], metric.unit)
        found = together(asked, estimates, findings.smallest(metric))
        effects: list[list[Effect]] = [[] for _ in spaces]
        for (i, difference), own, finding in zip(told, corners, found, strict=True):
            effects[i].append(Effect(_changes(difference.steps, levels), finding, own))
        by_size.append(effects)
    for (setting, cells, space), main, two in zip(spaces, *by_size, strict=True):
        if main:
            yield RuleEffects(setting, metric, levels, cells, space, tuple(main), tuple(two))


def interaction_of(metric: Metric) -> Metric:
    """Return the interaction of two rules in `metric`, as a metric of its own."""
    return replace(
        metric,
        name=f"{metric.name}_interaction",
        title=f"interaction in {metric.title}",
        definition="effect of one change with the other made, minus its effect without",
        signed=True,
        parts=lambda n: (),
    )


def _cells_of(steps: Steps, cells: dict[Place, Cell], space: Space) -> tuple[tuple[Cell, ...], ...]:
    """Return the cells that differ in `steps` alone, in the order of `Space.corners`."""
    return tuple(tuple(cells[place] for place in places) for places in space.corners(steps))


def _sides(corners: tuple[tuple[Cell, ...], ...]) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Return the cells that count for a difference, and those that count against it."""
    plus = signs(len(corners[0]).bit_length() - 1)
    on, off = (
        tuple(c for own in corners for c, sign in zip(own, plus, strict=True) if sign == side)
        for side in (1, -1)
    )
    return on, off


def _changes(steps: Steps, levels: Levels) -> tuple[Change, ...]:
    return tuple(
        Change(step.option, levels[step.option][step.low], levels[step.option][step.high])
        for step in steps
    )


@dataclass(frozen=True)
class Robust:
    """An effect in every line-up of one number of players.

    Attributes:
        change: of what.
        effects: by line-up.
        robustness: in how many of them it holds.
    """

    players: int
    change: Change
    effects: dict[str, Effect]
    robustness: Robustness


def robust(found: list[RuleEffects]) -> list[Robust]:
    """Return every change that several line-ups tell of, with the line-ups in which it holds."""
    by_change: dict[tuple[int, Change], dict[str, Effect]] = {}
    for own in found:
        for effect in own.effects:
            of = by_change.setdefault((own.setting.players, effect.changes[0]), {})
            of[own.setting.lineup] = effect
    return [
        Robust(players, change, of, robustness([e.finding.estimate for e in of.values()]))
        for (players, change), of in by_change.items()
        if len(of) > 1
    ]


@dataclass(frozen=True)
class Means:
    """A metric at the values of two options, each a mean over the same rule sets otherwise.

    Attributes:
        options: the two.
        values: those of each option, as JSON texts.
        findings: by value of the first, then of the second; their intervals hold all at once.
    """

    options: tuple[str, str]
    values: tuple[list[str], list[str]]
    findings: list[list[Finding]]


def means_of(findings: Findings, own: RuleEffects, interaction: Effect) -> Means:
    """Return the means behind an interaction.

    At all values where all combinations are there, else at those that the interaction is about.
    """
    one, two = interaction.changes
    first, second = (own.levels[c.option] if own.full else [c.before, c.after] for c in (one, two))
    groups = [
        _with(own, [(one.option, a), (two.option, b)], interaction) for a in first for b in second
    ]
    asked = [Asked(own.metric, 0, cells) for cells in groups]
    told = estimates_of(asked, findings.unchosen, findings.unchosen)
    smallest = findings.smallest(own.metric)
    found = together(asked, told, smallest)
    rows = [found[i : i + len(second)] for i in range(0, len(found), len(second))]
    return Means((one.option, two.option), (list(first), list(second)), rows)


def _with(own: RuleEffects, at: list[tuple[str, str]], interaction: Effect) -> tuple[Cell, ...]:
    """Return the cells that have these values, of a space with holes those of the fours."""
    here = {cell.id for four in interaction.corners for cell in four}
    found = []
    for place, cell in own.cells.items():
        told = dict(zip(own.levels, place, strict=True))
        if all(own.levels[option][told[option]] == value for option, value in at) and (
            own.full or cell.id in here
        ):
            found.append(cell)
    return tuple(found)
