"""What each of several variants, or rules, did over all settings: a row each, the largest first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reports import words
from reports.page import Group, Page, Row
from sim.answers.findings import Finding, Findings
from sim.stats.verdict import Verdict

KINDS: dict[Verdict | str, str] = {
    "up": "up",
    "down": "down",
    Verdict.DIFFERENT: "different",
    Verdict.EQUAL: "equal",
    Verdict.UNKNOWN: "unknown",
    "exact": "exactly equal",
}
"""What a change can be, and the heading under which a table counts it."""


@dataclass(frozen=True)
class Spread:
    """What one variant, or one change of a rule, did.

    Attributes:
        name: of what.
        found: one for each setting in which the metric is defined, the lowest first.
    """

    name: str
    found: tuple[Finding, ...]

    @property
    def size(self) -> float:
        """The largest change, whichever way."""
        return max(abs(each.estimate.value) for each in self.found)

    @property
    def ends(self) -> tuple[Finding, Finding]:
        """The lowest and the highest."""
        return self.found[0], self.found[-1]


def of_variants(changes: Sequence[Finding]) -> list[Spread]:
    """Group changes by variant, as `spreads` does."""
    return spreads((each.cell.variant, each) for each in changes)


def spreads(named: Iterable[tuple[str, Finding]]) -> list[Spread]:
    """Group findings by name, what moves most first.

    Nothing, where there is only one name, or only one setting: then every finding is a row.
    """
    by_name: dict[str, list[Finding]] = {}
    for name, each in named:
        if not math.isnan(each.estimate.value):
            by_name.setdefault(name, []).append(each)
    if len(by_name) < 2 or max(map(len, by_name.values())) < 2:
        return []
    found = [
        Spread(name, tuple(sorted(own, key=lambda each: each.estimate.value)))
        for name, own in by_name.items()
    ]
    return sorted(found, key=lambda own: -own.size)


def show(page: Page, findings: Findings) -> None:
    """Print a row for each variant: from where to where it goes, and how often which way."""
    changes = findings.changes(findings.primary)
    found = of_variants(changes)
    if not found:
        return
    digits = words.digits_for(changes)
    counts = [Counter(words.kind(each) for each in own.found) for own in found]
    kinds = [kind for kind in KINDS if any(count[kind] for count in counts)]

    def row(own: Spread, count: Counter[Verdict | str]) -> Row:
        ends = [page.text(words.write(each, digits)) for each in own.ends]
        return own.name, [*ends, *(page.text(str(count[kind] or "")) for kind in kinds)]

    page.table(
        "Each variant over all settings, and in how many it goes which way",
        [
            f"minus {findings.experiment.variants[0].name}",
            "lowest",
            "highest",
            *(KINDS[kind] for kind in kinds),
        ],
        [
            Group(
                words.heading(findings.primary, change=True),
                [row(own, count) for own, count in zip(found, counts, strict=True)],
            )
        ],
    )
