"""The answer of a tune as sections: for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reports import alone, factors, tune_words, words
from reports.material import Material
from reports.page import Group, Page, Row
from reports.section import Cell, Column, Section, Table, Words
from sim.answers.tuned import Judged, Number, Tuned
from sim.document import DEFAULT_PRIMARY
from sim.goals import in_words, metric_name
from sim.rulebook import lines
from sim.rules import differences
from sim.stats.goals import Met, Place
from sim.stats.metrics import BY_NAME, NAMES

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 24
"""Rows of rule sets in the terminal."""


def show(tuned: Tuned, console: Console) -> None:
    """Print the answer: the sentences, then the chosen on fresh deals, then all rule sets."""
    page = Page(console)
    page.line()
    page.line(tuned.question, "bold")
    page.line(f"Goals: {tune_words.goals_in_words(tuned)}")
    page.line()
    for sentence in tune_words.sentences(tuned):
        page.line(sentence, "bold", indent=2)
    _show_proof(page, tuned)
    _show_rule_sets(page, tuned)
    page.line()


def _show_proof(page: Page, tuned: Tuned) -> None:
    """Print what was chosen: a group for each rule set, a row for each number of a goal."""
    several = len(tuned.explore.contest.rule.goals) > 1
    groups = []
    for explored, fresh in tuned.proved:
        rows: list[Row] = []
        for old, new in _pairs(explored, fresh):
            name = f"{in_words(new.goal)}: {new.where}" if several else new.where
            met = "" if new.cell is None else tune_words.VERDICTS[new.met]
            told = (tune_words.write(new), met, tune_words.write(old))
            rows.append((name, [page.text(one) for one in told]))
        groups.append(Group(words.visible(explored.variant), rows))
    headings = ["", "on fresh deals", "that is", "in the exploration"]
    page.table("What was chosen, played again on deals of its own", headings, groups)


def _show_rule_sets(page: Page, tuned: Tuned) -> None:
    """Print the rule sets that come nearest to the goals, each a line and its numbers below."""
    table = rule_sets(tuned).tables[0]
    page.line()
    page.line(table.title, "bold")
    for name, *cells in table.rows[:SHOWN]:
        page.line(words.visible(str(name)), indent=2)
        told = [alone.text(cell) for cell in cells[:-1]]
        page.line(f"{'; '.join(filter(None, told))}; {cells[-1]:,} games", "dim", indent=4)
    if (more := len(table.rows) - SHOWN) > 0:
        page.line(f"and {more:,} more: sim report has them all", indent=2)


def sections(tuned: Tuned) -> list[Section]:
    """Return the sections of the page, the first screen apart."""
    rules = what_rules_do(tuned)
    return [
        recommended(tuned),
        proof(tuned),
        rule_sets(tuned),
        *([] if rules is None else [rules]),
        how(tuned),
    ]


def recommended(tuned: Tuned) -> Section:
    """The recommended rules in plain words, with the reasons."""
    _, fresh = tuned.recommended
    experiment = tuned.explore.run.experiment
    first, *others = experiment.variants
    varied = {key for one in others for key, _, _ in differences(first.rules, one.rules)}
    told: dict[bool, list[str]] = {True: [], False: []}
    for one in lines(fresh.rules, experiment.players):
        told[one.option in varied].append(f"{one.number}  {one.text}")
    return Section(
        "recommended",
        "The rules to play" if tuned.found else "The rules that come nearest",
        fresh.variant,
        [
            Words(tuple(tune_words.reasons(tuned))),
            Words(tuple(told[True]), bullets=True),
            Words(tuple(told[False]), bullets=True, folded="The rules that were not varied"),
        ],
    )


def proof(tuned: Tuned) -> Section:
    """What was chosen, as the exploration saw it and on fresh deals."""
    rows: list[tuple[Cell, ...]] = [
        (
            explored.variant,
            in_words(new.goal),
            new.where,
            tune_words.write(new),
            "" if new.cell is None else tune_words.VERDICTS[new.met],
            tune_words.write(old),
        )
        for explored, fresh in tuned.proved
        for old, new in _pairs(explored, fresh)
    ]
    columns = (
        Column("variant"),
        Column("goal"),
        Column("where", "Of a goal about seats, the seat that comes nearest to breaking it."),
        Column("on fresh deals", "The number to trust: nothing was chosen by it."),
        Column("that is", "Whether the goal is met there, by the interval on fresh deals."),
        Column("in the exploration", "The number by which it was chosen, so it flatters."),
    )
    table = Table("proof", "What was chosen, goal by goal", columns, tuple(rows))
    return Section(
        "proof",
        "Proved on fresh deals",
        "What was chosen was played again on deals that had no part in the choice.",
        [table],
    )


def _pairs(explored: Judged, fresh: Judged) -> Iterator[tuple[Number, Number]]:
    """Yield each number of a rule set as the exploration saw it, and on fresh deals."""
    for old, new in zip(explored.numbers, fresh.numbers, strict=True):
        yield from zip(old, new, strict=True)
    yield from zip(explored.means, fresh.means, strict=True)


def rule_sets(tuned: Tuned) -> Section:
    """Every rule set: whether it keeps the limits, where it stands, and by which number."""
    contest, front = tuned.explore.contest, tuned.explore.front
    judged = sorted(tuned.explore.judged, key=_order)
    rows = [_row(own, tuned, front) for own in judged]
    columns = (
        Column("variant"),
        *((Column("limits", "Whether every goal with a limit is met everywhere."),) * 1
          if contest.constraints else ()),
        *(
            Column(f"at worst: {in_words(goal)}", "The number that comes nearest to breaking it.")
            for goal in contest.constraints
        ),
        *(Column(in_words(goal), "Mean over players and line-ups.") for goal in contest.objectives),
        *((Column("among the best", "Whether another rule set is surely better."),)
          if contest.objectives else ()),
        Column("games", "Games of all its cells in the exploration."),
    )  # fmt: skip
    title = "Rule sets, the nearest to the goals first"
    table = Table("rule_sets", title, columns, tuple(rows))
    lead = tune_words.counts(tuned) if contest.constraints else tune_words.best(tuned)
    return Section("rule-sets", "All rule sets", lead, [table])


def _order(own: Judged) -> tuple[int, int, float]:
    """Those in first, then by their limits, then by how much room they have."""
    kept = [Met.YES, Met.OPEN, Met.NO].index(own.keeps)
    return list(Place).index(own.place), kept, own.beyond


def _row(own: Judged, tuned: Tuned, front: dict[str, float]) -> tuple[Cell, ...]:
    worst = own.worst
    cells: list[Cell] = [own.variant]
    if worst:
        cells.append(tune_words.verdict(own, tuned))
        cells += [f"{tune_words.write(number)}, {number.where}" for number in worst]
    cells += [tune_words.write(number) for number in own.means]
    if own.means:
        share = f" ({front[own.variant]:.0%})" if own.variant in front else ""
        cells.append(own.place.value + share)
    return (*cells, own.games)


def what_rules_do(tuned: Tuned) -> Section | None:
    """What each option does to the metric of the first goal; after a race, at its first look.

    Fairness has a number for each seat; there it is the dealer's advantage. None where the rule
    sets differ in less than two options.
    """
    goals = [*tuned.explore.objectives, *tuned.explore.contest.constraints]
    name = metric_name(goals[0])
    metric = BY_NAME[name if name in NAMES else DEFAULT_PRIMARY]
    return factors.build(Material(tuned.explore.run), metric)


def how(tuned: Tuned) -> Section:
    """How it was played, and what the intervals hold."""
    said = tuple(words.visible(one) for one in tune_words.method(tuned))
    return Section("method", "How this was found", said[0], [Words(said[1:])])
