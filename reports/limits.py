"""Limits: what the numbers of a run do not say."""

from __future__ import annotations

import sys

from reports import alone, words
from reports.material import Material
from reports.section import Section, Words
from sim.stats.estimates import LEVEL

KEY = "limits"


def build(material: Material) -> Section:
    """Return the section."""
    findings = material.findings
    experiment = findings.experiment
    who = dict.fromkeys(p.strategy.name for lineup in experiment.lineups for p in lineup.entries)
    primary = findings.primary
    size = words.smallest_of(findings.smallest(primary), primary)
    lines = [
        f"The players are programs ({', '.join(who)}). People may play otherwise, and answer new "
        "rules with new habits; these players do not.",
        f"An interval of {LEVEL:.0%} misses the truth in one of twenty cases. All hold together "
        "only where that is said: those of the first screen, the changes of one column, the seats "
        "of one game. Any other is told by itself.",
        f"Too small to matter is a choice: {size} "
        f"for {primary.title}. Whoever chooses otherwise reads the intervals and not the verdicts.",
        "Numbers of players are never compared with each other: it is another game.",
    ]
    if len(experiment.lineups) == 1:
        lines.append(
            "There is one line-up only, so an effect may belong to it and not to the rule."
        )
    rows = sum(entry.rows for entry in material.run.entries("games"))
    games = sum(int(material.blocks(c).columns["games"].sum()) for c in material.cells)
    if rows < games:
        lines.append(
            f"Rows of single games are kept for {rows:,} of {games:,} games; what is compared game "
            "by game, and medians, rest on those."
        )
    return Section(KEY, "Limits", "What these numbers do not say.", (Words(tuple(lines), True),))


if __name__ == "__main__":
    sys.exit(alone.main(build))
