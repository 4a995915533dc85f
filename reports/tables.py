"""The answer as text: sentences and tables for a terminal or a pipe, 100 columns wide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from reports import words
from reports.findings import Finding, Findings
from reports.page import Group, Page
from sim.stats.estimates import LEVEL
from sim.stats.metrics import BY_NAME, Metric
from sim.stats.verdict import Verdict

if TYPE_CHECKING:
    from sim.design import Cell

PARTIAL = "Partial: the run is not finished. What follows rests on the blocks stored so far."

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

BY_PLACE: tuple[tuple[Metric, str, str, str], ...] = (
    (
        BY_NAME["win_share"],
        "Wins by seat, % of a game's win",
        " leads",
        "the last seat deals first",
    ),
    (BY_NAME["role_cards"], "Cards per round by role", " leads", "the last role deals"),
)

VERDICT_STYLE = {
    Verdict.LARGER: "bold",
    Verdict.DIFFERENT: "",
    Verdict.EQUAL: "green",
    Verdict.UNKNOWN: "dim",
}

Find = Callable[["Cell"], Finding | None]
"""What a column shows for a cell; None leaves the place empty."""


def show(findings: Findings, console: Console) -> None:
    """Print the whole answer: the sentence first, then levels, changes, seats and roles."""
    page = Page(console)
    experiment = findings.experiment
    page.line()
    page.line(f"{experiment.name}: {experiment.question}", "bold")
    page.line(_how(findings))
    if not findings.complete:
        page.line(PARTIAL, "bold")
    page.line()
    for sentence in words.answer(findings):
        page.line(sentence, "bold", indent=2)
    if not findings.cells:
        return
    overview = tuple(dict.fromkeys((findings.primary, *OVERVIEW)))
    columns = [(words.heading(metric), _level(findings, metric, 0)) for metric in overview]
    page.table("The dealer and the course of play", *_levels(page, findings, columns))
    _changes(page, findings, overview)
    most = max((cell.players for cell in findings.cells), default=0)
    for metric, title, first, last in BY_PLACE:
        columns = [
            (f"{metric.of} {i}" + (first if i == 0 else ""), _level(findings, metric, i))
            for i in range(most)
        ]
        page.table(f"{title} ({last})", *_levels(page, findings, columns))
    page.line(_notes(findings, overview), "dim")
    page.line()


def _level(findings: Findings, metric: Metric, index: int) -> Find:
    return lambda cell: findings.level(metric, cell, index) if index < cell.players else None


def _levels(
    page: Page, findings: Findings, columns: Sequence[tuple[str, Find]]
) -> tuple[list[str], list[Group]]:
    """Headings and rows of a table with a row for each cell."""
    found = {cell.id: [find(cell) for _, find in columns] for cell in findings.cells}
    digits = [
        words.digits_for(filter(None, column)) for column in zip(*found.values(), strict=True)
    ]

    def row(cell: Cell) -> list[Text]:
        texts = [
            "" if finding is None else words.write(finding, decimals)
            for finding, decimals in zip(found[cell.id], digits, strict=True)
        ]
        return [page.text(f"  {cell.variant}"), *map(page.text, texts)]

    headings = ["variant", *(heading for heading, _ in columns)]
    return headings, [
        Group(setting.name, [row(cell) for cell in setting.cells]) for setting in findings.settings
    ]


def _changes(page: Page, findings: Findings, metrics: Sequence[Metric]) -> None:
    """Print each variant minus the first: the difference, below it verdict and variance ratio."""
    pairs = {cell.id: first for cell, first in findings.pairs()}
    if not pairs:
        return
    digits = {metric: words.digits_for(findings.changes(metric)) for metric in metrics}

    def shown(cell: Cell, metric: Metric) -> Text:
        finding = findings.change(metric, cell, pairs[cell.id])
        ratio = finding.estimate.variance_ratio
        below = finding.verdict.brief + ("" if ratio is None else f" {ratio:.1f}×")
        style = VERDICT_STYLE[finding.verdict]
        return page.text(f"{words.write(finding, digits[metric])}\n{below}", style)

    def row(cell: Cell) -> list[Text]:
        return [page.text(f"  {cell.variant}"), *(shown(cell, metric) for metric in metrics)]

    first = findings.experiment.variants[0].name
    page.table(
        f"What changes against {first}, on the same deals",
        [f"minus {first}", *(words.heading(metric, change=True) for metric in metrics)],
        [
            Group(setting.name, [row(cell) for cell in setting.cells if cell.id in pairs])
            for setting in findings.settings
        ],
    )


def _notes(findings: Findings, metrics: Sequence[Metric]) -> str:
    """Say what the signs in the tables mean."""
    told = (
        f"± is half of a {LEVEL:.0%} interval (Student's t between blocks of deals), each number "
        "by itself."
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


def _how(findings: Findings) -> str:
    games = sum(int(own.columns["games"].sum()) for own in findings.blocks.values())
    counts = sorted({int(own.deals.sum()) for own in findings.blocks.values()})
    blocks = sorted({len(own) for own in findings.blocks.values()})
    each = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    parts = f"{blocks[0]}" if len(blocks) == 1 else f"{blocks[0]} to {blocks[-1]}"
    return (
        f"{games:,} games: {len(findings.cells)} cells (variant, players, line-up) of {each} deals "
        f"in {parts} blocks, seed {findings.experiment.seed}."
    )
