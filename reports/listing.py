"""Answers to a question put by name, and to a comparison of two runs: as text and as plain data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from reports import words
from reports.page import Group, Page, Row
from reports.tables import changed
from sim.answers.findings import CELL, Finding, Findings, setting_name
from sim.answers.measured import Measured, measured
from sim.answers.questions import Anything, By, changes, levels, records
from sim.stats.estimates import LEVEL
from sim.stats.metric import Metric
from sim.stats.metrics import BY_NAME

if TYPE_CHECKING:
    from rich.console import Console

    from sim.answers.comparison import Comparison
    from sim.store import Run

SIGNS = (
    f"± is half of a {LEVEL:.0%} interval; (a–b) is one that does not lie evenly about its value."
)
VERDICTS = (
    "larger: than the smallest difference that matters, {size}; different: but perhaps by less; "
    "equal: for practical purposes; unknown: as yet. 2.0× means that sharing deals saved half of "
    "the games."
)


def show_metric(run: Run, entry: Anything, by: By, console: Console) -> None:
    """Print what a run says of a metric or a measure.

    Raises:
        UsageFault: it cannot answer.
        DataDamaged: a stored part is not what was written.
    """
    page, findings = Page(console), Findings(run)
    page.line(f"{entry.title}: {entry.definition}.", "bold")
    if not findings.complete:
        page.line("Partial: the run is not finished.", "bold")
    if isinstance(entry, Metric) and entry.name in BY_NAME:
        found = levels(findings, entry, by)
        _table(page, words.heading(entry), "variant", found, by, _level(page, found))
        against = changes(findings, entry, by)
        if against:
            first = findings.experiment.variants[0].name
            _changes(page, f"minus {first}", against, by)
        notes = _notes([*found, *against]) + _more(against)
    else:
        told = measured(entry, findings, run)
        percent = entry.unit.startswith("share")
        _measures(page, f"{entry.title}, {'%' if percent else entry.unit}", told, percent)
        notes = SIGNS
    page.line()
    page.line(notes, "dim")


def metric_json(run: Run, entry: Anything, by: By) -> dict[str, Any]:
    """Return what `show_metric` prints as plain data."""
    findings = Findings(run)
    head = {"metric": entry.name, "unit": entry.unit, "complete": findings.complete}
    if isinstance(entry, Metric) and entry.name in BY_NAME:
        return {
            **head,
            "by": list(by),
            "estimates": records(levels(findings, entry, by), by),
            "contrasts": records(changes(findings, entry, by), by),
        }
    found = measured(entry, findings, run)
    return {**head, "estimates": [each.record(entry.name) for each in found]}


def show_comparison(compared: Comparison, console: Console) -> None:
    """Print what changed between two runs."""
    page, found = Page(console), compared.findings
    page.line(f"{compared.a.path} minus {compared.b.path}, on the same deals", "bold")
    page.line(_shared(found))
    for warning in compared.warnings:
        page.line(warning, "bold")
    page.line()
    title = compared.metric.title
    for sentence in words.about(f"{title[0].upper()}{title[1:]}", found):
        page.line(sentence, "bold", indent=2)
    _changes(page, "variant", found, CELL)
    page.line()
    page.line(_notes(found), "dim")


def _shared(found: Sequence[Finding]) -> str:
    deals = sorted({finding.estimate.deals for finding in found})
    each = f"{deals[0]:,}" if len(deals) == 1 else f"{deals[0]:,} to {deals[-1]:,}"
    return f"Deals that both played, in each setting: {each}."


def _level(page: Page, found: Sequence[Finding]) -> Callable[[Finding], Text]:
    digits = words.digits_for(found)
    return lambda finding: page.text(words.write(finding, digits))


def _changes(page: Page, corner: str, found: Sequence[Finding], by: By) -> None:
    digits = words.digits_for(found)
    title = f"Change of {words.heading(found[0].metric, change=True)}"
    _table(page, title, corner, found, by, lambda finding: changed(page, finding, digits))


def _table(
    page: Page,
    title: str,
    corner: str,
    found: Sequence[Finding],
    by: By,
    shown: Callable[[Finding], Text],
) -> None:
    """Print findings of one metric: a row for each of `by`, a column for each place."""
    metric = found[0].metric
    indices = sorted({finding.index for finding in found})
    rows: dict[tuple[str, str], dict[int, Text]] = {}
    for finding in found:
        cell = finding.cell
        setting = setting_name(cell.players, cell.lineup if "lineup" in by else "all line-ups")
        row = cell.variant if "variant" in by else "all variants"
        if finding.against is not None and finding.against.variant != cell.variant:
            base = finding.against.variant
            row = row if corner == f"minus {base}" else f"{row} minus {base}"
        rows.setdefault((setting, row), {})[finding.index] = shown(finding)
    groups: dict[str, list[Row]] = {}
    for (setting, row), cells in rows.items():
        texts = [cells.get(i, page.text("")) for i in indices]
        groups.setdefault(setting, []).append((row, texts))
    places = ["value"] if metric.of == "game" else [f"{metric.of} {i}" for i in indices]
    page.table(title, [corner, *places], [Group(name, own) for name, own in groups.items()])


def _measures(page: Page, title: str, found: Sequence[Measured], percent: bool) -> None:
    own = [each.estimate for each in found if each.estimate is not None]
    digits = words.decimals((each, percent) for each in own)
    groups: dict[str, list[Row]] = {}
    for each in found:
        text = each.text
        if each.estimate is not None:
            text = words.written(each.estimate, digits, percent)
        against = f"minus {each.where['against']}" if "against" in each.where else ""
        name = " ".join(filter(None, (each.where.get("variant", ""), against, each.what)))
        groups.setdefault(each.setting, []).append((name, [page.text(text)]))
    page.table(title, ["", "value"], [Group(name, rows) for name, rows in groups.items()])


def _more(found: Sequence[Finding]) -> str:
    more = max((finding.judged.more_games or 0 for finding in found), default=0)
    return f" About {more:,} more games in each cell would tell what is unknown." if more else ""


def _notes(found: Sequence[Finding]) -> str:
    told = SIGNS
    if any(finding.family > 1 for finding in found):
        places = found[0].metric.of != "game"
        told += f" {'Those of a row' if places else 'They'} hold all at once."
    judged = next((finding for finding in found if finding.against is not None), None)
    if judged is None:
        return told
    size = words.smallest_of(judged.smallest, judged.metric)
    return f"{told} {VERDICTS.format(size=size)}"
