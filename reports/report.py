"""The variant-balance report: every section of a run in one HTML file, and its numbers as JSON.

The page is whole in itself: no other file, no network. A content-security policy admits its own
stylesheet and script by their hashes and nothing else, so a name in an experiment can do nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from reports import (
    acts,
    balance,
    course,
    effects,
    factors,
    health,
    limits,
    offences,
    opening,
    play,
    rulesets,
    seats,
    skill,
    strategies,
    theme,
    words,
)
from reports.answers import FOLDER
from reports.inline import Styles, svg
from reports.material import Material
from reports.publishing import drafts_in
from reports.section import Figure, Section, Table, Words, record, shown
from sim.answers.findings import Finding
from sim.errors import DiskFault
from sim.stats.estimates import State
from sim.store import Run
from sim.store.files import replace_whole

SECTIONS: tuple[ModuleType, ...] = (
    balance,
    factors,
    effects,
    acts,
    seats,
    course,
    play,
    skill,
    strategies,
    offences,
    rulesets,
    health,
    limits,
)
"""In reading order; each has ``KEY`` and ``build``."""

FILES = Path(__file__).parent / "html"
PAGE = "index.html"


def sections(material: Material) -> Iterator[Section]:
    """Yield the sections that the run has data for, the first screen apart."""
    for module in SECTIONS:
        section: Section | None = module.build(material)
        if section is not None:
            yield section


def as_json(run: Run) -> dict[str, Any]:
    """Return every number of the page, by section and table."""
    material = Material(run)
    first = opening.opening(material)
    return {
        "question": run.experiment.question,
        "complete": material.findings.complete,
        "verdict": first.verdict,
        "answer": opening.numbers(material),
        "facts": dict(first.facts),
        "sections": {section.key: section.as_json() for section in sections(material)},
    }


def write(run: Run, figures: bool = False) -> Path:
    """Write the report into the run directory; return its path.

    Args:
        run: whose report.
        figures: also write every picture as PNG and PDF beside it.

    Raises:
        DataDamaged: a stored part is not what was written.
        DiskFault: it cannot be written.
    """
    material = Material(run)
    first, found = opening.opening(material), list(sections(material))
    return write_page(run.path / FOLDER, first, found, figures)


def write_page(
    folder: Path, first: opening.Opening, found: list[Section], figures: bool = False
) -> Path:
    """Write a report into a folder, the page at once and whole; return its path.

    Args:
        folder: the folder of the report; made if need be.
        first: the first screen.
        found: the sections.
        figures: also write every picture as PNG and PDF beside it.

    Raises:
        UsageFault: a link is in the way.
        DiskFault: it cannot be written; an older page stays.
    """
    text = page(first, found)
    try:
        with drafts_in(folder) as drafts:
            replace_whole(folder / PAGE, text.encode(), drafts)
        if figures:
            pictures = [f for section in found for f in section.figures]
            for picture in filter(None, (first.picture, *pictures)):
                theme.save_for_print(picture.draw(), folder, picture.key)
    except OSError as fault:
        raise DiskFault(
            f"{folder}: cannot write the report ({fault.strerror or fault}); the data are "
            "complete: make room there, then run sim report again"
        ) from fault
    return folder / PAGE


def page(first: opening.Opening, found: list[Section]) -> str:
    """Return the report as HTML; the same run gives the same bytes."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FILES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests.update(
        table=lambda part: isinstance(part, Table),
        figure=lambda part: isinstance(part, Figure),
        words=lambda part: isinstance(part, Words),
        finding=lambda cell: isinstance(cell, Finding),
    )
    environment.filters.update(
        clean=lambda text: words.visible(str(text)),
        together=lambda text: text.replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}"),
        shown=shown,
        sort=_sort_value,
        verdict=_verdict,
    )
    styles = Styles()
    drawn = _drawn(first, found, styles)
    style = (FILES / "page.css").read_text(encoding="utf-8") + styles.css()
    script = (FILES / "page.js").read_text(encoding="utf-8")
    return environment.get_template("page.html").render(
        first=first,
        sections=found,
        drawn=drawn,
        style=_Trusted(style),
        script=_Trusted(script),
        policy=_policy(style, script),
    )


def _drawn(first: opening.Opening, found: list[Section], styles: Styles) -> dict[str, Any]:
    pictures = [picture for section in found for picture in section.figures]
    return {
        each.key: _Trusted(svg(each.draw(), each.key, styles))
        for each in filter(None, (first.picture, *pictures))
    }


def _Trusted(text: str) -> Any:  # noqa: N802
    """Mark what we made ourselves; everything else is escaped."""
    from markupsafe import Markup

    return Markup(text)


def _policy(style: str, script: str) -> str:
    def source(text: str) -> str:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        return f"'sha256-{digest}'"

    return (
        f"default-src 'none'; style-src {source(style)}; script-src {source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _sort_value(cell: Any) -> str:
    """What a cell is sorted by: the exact value, as JSON writes it."""
    if isinstance(cell, Finding):
        value = record(cell)["value"]
        return "" if value is None else json.dumps(value)
    return "" if cell is None else str(cell)


def _verdict(found: Finding) -> str:
    """The verdict in a word; none where there is no interval, or equality is exact."""
    return found.verdict.brief if found.estimate.state is State.INTERVAL else ""
