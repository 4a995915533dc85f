"""Which rules depend on each other: the largest interactions as tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reports import interaction_picture, options, words
from reports.material import Material
from reports.section import ADDRESS, Cell, Column, Figure, Table, column
from sim.answers.factors import Effect, Means, RuleEffects, means_of
from sim.stats.verdict import Verdict

MOST = 5
"""Interactions told of a setting: the largest of as many pairs of options."""

WHERE = ADDRESS[:2]
"""The columns of `setting`."""


def setting(own: RuleEffects) -> tuple[Cell, ...]:
    """Return the first cells of a row about a setting."""
    return own.setting.players, own.setting.lineup


def parts(material: Material, found: Sequence[RuleEffects]) -> Iterator[Table | Figure]:
    """Yield what is to be shown; nothing where no two options can be told of together."""
    yield from _interactions(found)
    yield from _means(material, found)


def _interactions(found: Sequence[RuleEffects]) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = [
        (
            *setting(own),
            " × ".join(effect.options),
            "; ".join(options.step(change) for change in effect.changes),
            effect.finding,
        )
        for own in found
        for effect in own.largest_interactions[:MOST]
    ]
    if not rows:
        return
    metric = found[0].metric
    columns = (
        *WHERE,
        Column("options", "Two options."),
        Column("changes", "The two values of each that are compared."),
        Column(
            f"interaction, {words.short_unit(metric, True).strip()}",
            "The effect of one change with the other made, minus its effect without.",
            judged=True,
        ),
    )
    note = "The largest of each two options"
    if any(len(own.largest_interactions) > MOST for own in found):
        note += f", and of these the {MOST} largest of each setting"
    note += "; sim show RUN --metric interaction tells all."
    yield Table("interactions", "Rules that depend on each other", columns, tuple(rows), note)


def _means(material: Material, found: Sequence[RuleEffects]) -> Iterator[Table | Figure]:
    """Yield the largest interaction of each number of players as a picture, and their numbers."""
    rows: list[tuple[Cell, ...]] = []
    metric = found[0].metric
    for players in dict.fromkeys(own.setting.players for own in found):
        here = [own for own in found if own.setting.players == players and own.interactions]
        sure = [own for own in here if _shown(own.largest_interactions[0])]
        if not sure:
            continue
        own = max(sure, key=lambda each: each.largest_interactions[0].size)
        means = means_of(material.findings, own, own.largest_interactions[0])
        yield _picture(own, means)
        for a, line in zip(means.values[0], means.findings, strict=True):
            for b, each in zip(means.values[1], line, strict=True):
                at = (
                    f"{means.options[0]}: {options.value(a)}",
                    f"{means.options[1]}: {options.value(b)}",
                )
                rows.append((*setting(own), *at, each))
    if rows:
        columns = (*WHERE, Column("one rule"), Column("the other"), column(metric))
        note = (
            "Each number is a mean over the other options. Their differences are known better than "
            "they are, because they come from the same deals."
        )
        yield Table("means", "The largest interactions, value by value", columns, tuple(rows), note)


def _shown(effect: Effect) -> bool:
    return effect.finding.verdict in (Verdict.LARGER, Verdict.DIFFERENT)


def _picture(own: RuleEffects, means: Means) -> Figure:
    one, two = means.options
    return Figure(
        f"interaction_{own.setting.players}",
        f"{one} and {two}, {own.setting.name}",
        f"{own.metric.title} by {two}, a line for each value of {one}, {own.setting.name}; where "
        "lines are not parallel one rule depends on the other. The same numbers are in the table "
        "“The largest interactions, value by value”.",
        lambda: interaction_picture.draw(means),
    )
