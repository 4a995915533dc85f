"""The answer as text: sentences and tables for a terminal or a pipe, 100 columns wide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from reports import factors, spread, words
from reports.page import Group, Page, Row
from sim.answers import deterrence
from sim.answers.findings import Finding, Findings
from sim.output import counted
from sim.stats.estimates import LEVEL, State
from sim.stats.metrics import BY_NAME, Metric
from sim.stats.verdict import Verdict

if TYPE_CHECKING:
    from sim.design import Cell

OVERVIEW: tuple[Metric, ...] = tuple(
    BY_NAME[name]
    for name in (
        "dealer_advantage_wins",
        "dealer_advantage_cards",
        "tie_rate",
        "cards_left",
        "capture_rate",
    )
)
"""What every answer shows, besides the experiment's primary metric and seats and roles."""

BY_PLACE: tuple[tuple[Metric, str], ...] = (
    (BY_NAME["win_share"], "Share of wins by seat, % (the last seat deals the first round)"),
    (BY_NAME["role_cards"], "Cards per round by role (the last role deals the round)"),
)

VERDICT_STYLE = {
    Verdict.LARGER: "bold",
    Verdict.DIFFERENT: "",
    Verdict.EQUAL: "green",
    Verdict.UNKNOWN: "dim",
}

Column = tuple[str, Metric, int]
"""A heading, and the number below it: a metric and its seat or role."""


def show(findings: Findings, console: Console) -> None:
    """Print the whole answer: the sentence first, then levels, changes, seats and roles."""
    page = Page(console)
    experiment = findings.experiment
    page.line()
    page.line(": ".join(filter(None, (experiment.name, experiment.question))), "bold")
    page.line(_how(findings))
    page.line(findings.stopped, "" if findings.complete else "bold")
    page.line()
    of_rules = factors.sentences(factors.combined(findings))
    for sentence in of_rules + words.answer(findings) + deterrence.sentences(findings):
        page.line(sentence, "bold", indent=2)
    if not findings.cells:
        return
    spread.show(page, findings)
    overview = tuple(dict.fromkeys((findings.primary, *OVERVIEW)))
    columns = [(words.heading(metric), metric, 0) for metric in overview]
    _levels(page, findings, "The dealer and the course of play", columns)
    _changes(page, findings, overview)
    most = max(cell.players for cell in findings.cells)
    for metric, title in BY_PLACE:
        places = [f"{metric.of} {i}" + (" leads" if i == 0 else "") for i in range(most)]
        columns = [(place, metric, i) for i, place in enumerate(places)]
        _levels(page, findings, title, columns, unfairness=metric is BY_NAME["win_share"])
    page.line()
    page.line(_notes(findings, overview), "dim")
    page.line()


def _levels(
    page: Page,
    findings: Findings,
    title: str,
    columns: Sequence[Column],
    *,
    unfairness: bool = False,
) -> None:
    """Print a table with a row for each cell; a metric has the same decimals in all columns.

    With `unfairness` that of each cell comes last.
    """
    unfair = {cell.id: findings.unfairness(cell) for cell in findings.cells if unfairness}
    unfair_digits = words.decimals((own, True) for own in unfair.values())
    found = {
        (cell.id, metric, i): findings.level(metric, cell, i)
        for cell in findings.cells
        for _, metric, i in columns
        if i < len(metric.parts(cell.players))
    }
    digits = {
        metric: words.digits_for(each for each in found.values() if each.metric is metric)
        for _, metric, _ in columns
    }

    def shown(cell: Cell, metric: Metric, index: int) -> Text:
        finding = found.get((cell.id, metric, index))
        return page.text("" if finding is None else words.write(finding, digits[metric]))

    def row(cell: Cell) -> Row:
        texts = [shown(cell, metric, i) for _, metric, i in columns]
        if unfairness:
            texts.append(page.text(words.written(unfair[cell.id], unfair_digits, True)))
        return cell.variant, texts

    page.table(
        title,
        ["variant", *(heading for heading, _, _ in columns), *["unfairness, pp"] * unfairness],
        [
            Group(setting.name, [row(cell) for cell in setting.cells])
            for setting in findings.settings
        ],
    )


def _changes(page: Page, findings: Findings, metrics: Sequence[Metric]) -> None:
    """Print each variant minus the first: the difference, below it verdict and variance ratio."""
    pairs = {cell.id: first for cell, first in findings.pairs()}
    if not pairs:
        return
    digits = {metric: words.digits_for(findings.changes(metric)) for metric in metrics}

    def shown(cell: Cell, metric: Metric) -> Text:
        return changed(page, findings.change(metric, cell, pairs[cell.id]), digits[metric])

    def row(cell: Cell) -> Row:
        return cell.variant, [shown(cell, metric) for metric in metrics]

    first = findings.experiment.variants[0].name
    page.table(
        f"What changes against {first}, on the same deals",
        [f"minus {first}", *(words.heading(metric, change=True) for metric in metrics)],
        [
            Group(setting.name, [row(cell) for cell in setting.cells if cell.id in pairs])
            for setting in findings.settings
        ],
    )


def changed(page: Page, finding: Finding, digits: int) -> Text:
    """Write a difference, below it the verdict and the variance ratio."""
    ratio = finding.estimate.variance_ratio
    below = finding.verdict.brief + ("" if ratio is None else f" {ratio:.1f}×")
    if finding.estimate.state is State.EXACT:
        below = ""
    return page.text(f"{words.write(finding, digits)}\n{below}", VERDICT_STYLE[finding.verdict])


def _notes(findings: Findings, metrics: Sequence[Metric]) -> str:
    """Say what the signs in the tables mean."""
    told = (
        f"± is half of a {LEVEL:.0%} interval (Student's t between blocks of deals); (a–b) is one "
        "of a share with few events (Wilson), or none (3 in the number of deals), or of "
        "unfairness, which is cross-fitted. "
        f"{_families(findings)}"
    )
    if not list(findings.pairs()):
        return told
    sizes = ", ".join(
        f"{metric.title} {words.smallest_of(findings.smallest(metric), metric)}"
        for metric in metrics
    )
    return (
        f"{told} Verdicts: larger than the smallest difference that matters; different, but "
        "perhaps by less; equal for practical purposes; unknown, as yet. The smallest that "
        f"matters: {sizes}. 2.0× means that sharing deals saved half of the games."
    )


def _families(findings: Findings) -> str:
    """Say which intervals hold all at once."""
    places = "those of a cell's seats, or roles, hold all at once"
    if len(findings.answer) == 1:
        return f"Of intervals, {places}; every other holds by itself."
    kind = "changes in " if findings.answer[0].off else ""
    return (
        f"The intervals of all {kind}{findings.primary.title} hold at once, and {places}; every "
        "other holds by itself."
    )


def _how(findings: Findings) -> str:
    own_games = [cell for cell in findings.cells if cell.shares is None]
    games = sum(int(findings.blocks[cell.id].columns["games"].sum()) for cell in own_games)
    sharing = len(findings.cells) - len(own_games)
    shared = "" if not sharing else f", {sharing} of which share the games of another"
    deals = _from_to([int(own.deals.sum()) for own in findings.blocks.values()], "deal")
    blocks = _from_to([len(own) for own in findings.blocks.values()], "block")
    return (
        f"{games:,} games in {counted(len(findings.cells), 'cell')} (variant, players, line-up)"
        f"{shared}; in each {deals} in {blocks}; seed {findings.experiment.seed}."
    )


def _from_to(numbers: Sequence[int], noun: str) -> str:
    least, most = min(numbers), max(numbers)
    return ("" if least == most else f"{least:,} to ") + counted(most, noun)
