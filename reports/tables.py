"""The answer as text: sentences and tables for a terminal or a pipe, 100 columns wide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reports import words
from reports.findings import Finding, Findings, Setting
from sim.stats.estimates import LEVEL
from sim.stats.metrics import BY_NAME, Metric
from sim.stats.verdict import Verdict

if TYPE_CHECKING:
    from sim.design import Cell

WIDTH = 100
MAX_NAME, MAX_CELL, GAP = 24, 17, 1
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

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

Rows = Sequence[tuple[Setting, Sequence[Sequence[Text]]]]
"""Rows under the heading of their setting."""


class Page:
    """Prints to a console of any kind; a pipe gets plain text of the full width."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
        self.ascii = console.options.ascii_only

    def text(self, text: str, style: str = "") -> Text:
        """Make text that this console can show, with no markup or control character in it."""
        shown = "".join(c if c.isprintable() or c == "\n" else REPLACEMENT for c in text)
        if self.ascii:
            for sign, plain in (("±", "+/-"), (words.MINUS, "-"), ("×", "x")):
                shown = shown.replace(sign, plain)
            shown = shown.encode("ascii", "backslashreplace").decode()
        return Text(shown, style)

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """Print a paragraph; an empty one is an empty line."""
        if not text:
            self.console.print()
            return
        self._print(Padding(self.text(text, style), (0, 0, 0, indent), expand=False))

    def table(self, title: str, headings: Sequence[str], settings: Rows) -> None:
        """Print a table; every setting is a heading with its rows below, in the same columns."""
        names = [row[0].cell_len for _, rows in settings for row in rows]
        first = min(MAX_NAME, max([len(headings[0]), *names]))
        other = min(MAX_CELL, (self.width - first) // (len(headings) - 1) - GAP)

        def grid(rows: Iterable[Sequence[Text]]) -> Table:
            table = Table.grid(padding=(0, GAP, 0, 0))
            table.add_column(width=first, overflow="fold")
            for _ in headings[1:]:
                table.add_column(width=other, justify="right", vertical="bottom", overflow="fold")
            for row in rows:
                table.add_row(*row)
            return table

        self.line()
        self.line(title, "bold")
        self._print(grid([[self.text(heading, "dim") for heading in headings]]))
        self.line(
            ("-" if self.ascii else "─") * (first + (len(headings) - 1) * (other + GAP) + GAP),
            "dim",
        )
        for setting, rows in settings:
            self.line(f"{setting.players} players, {setting.lineup}", "italic")
            self._print(grid(rows))

    def _print(self, what: RenderableType) -> None:
        lines = self.console.render_lines(
            what, self.console.options.update(width=self.width), pad=False
        )
        for line in lines:
            text = Text.assemble(*((part.text, part.style or "") for part in line))
            text.rstrip()
            self.console.print(text, soft_wrap=True)


def show(findings: Findings, console: Console, where: str = "") -> None:
    """Print the whole answer: the sentence first, then levels, changes, seats and roles."""
    page = Page(console)
    experiment = findings.experiment
    page.line()
    page.line(f"{experiment.name}: {experiment.question}", "bold")
    page.line(_how(findings))
    page.line()
    for sentence in words.answer(findings):
        page.line(sentence, "bold", indent=2)
    page.line()
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
    if where:
        page.line(where)


def _level(findings: Findings, metric: Metric, index: int) -> Find:
    return lambda cell: findings.level(metric, cell, index) if index < cell.players else None


def _levels(
    page: Page, findings: Findings, columns: Sequence[tuple[str, Find]]
) -> tuple[list[str], Rows]:
    """Headings and rows of a table with a row for each cell."""
    found = {cell.id: [find(cell) for _, find in columns] for cell in findings.cells}
    digits = []
    for i in range(len(columns)):
        own = [row[i] for row in found.values()]
        shown = [finding for finding in own if finding is not None]
        digits.append(words.digits_for([each.estimate for each in shown], shown[0].metric))

    def row(cell: Cell) -> list[Text]:
        texts = [
            "" if finding is None else words.write(finding, decimals)
            for finding, decimals in zip(found[cell.id], digits, strict=True)
        ]
        return [page.text(f"  {cell.variant}"), *map(page.text, texts)]

    headings = ["variant", *(heading for heading, _ in columns)]
    return headings, [
        (setting, [row(cell) for cell in setting.cells]) for setting in findings.settings
    ]


def _changes(page: Page, findings: Findings, metrics: Sequence[Metric]) -> None:
    """Print each variant minus the first: the difference, below it verdict and variance ratio."""
    pairs = {cell.id: first for cell, first in findings.pairs()}
    if not pairs:
        return
    digits = {
        metric: words.digits_for((each.estimate for each in findings.changes(metric)), metric)
        for metric in metrics
    }

    def shown(cell: Cell, metric: Metric) -> Text:
        finding = findings.change(metric, cell, pairs[cell.id])
        ratio = finding.estimate.variance_ratio
        below = finding.verdict.brief + ("" if ratio is None else f" {ratio:.1f}×")
        style = VERDICT_STYLE[finding.verdict]
        return page.text(f"{words.write(finding, digits[metric])}\n{below}", style)

    first = findings.experiment.variants[0].name
    headings = [f"minus {first}", *(words.heading(m, change=True) for m in metrics)]
    rows = [
        (
            setting,
            [
                [page.text(f"  {cell.variant}"), *(shown(cell, m) for m in metrics)]
                for cell in setting.cells
                if cell.id in pairs
            ],
        )
        for setting in findings.settings
    ]
    page.table(
        f"What changes against {first}, on the same deals",
        headings,
        [(setting, own) for setting, own in rows if own],
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
