"""What the change of rules did: every variant minus the first, on the same deals."""

from __future__ import annotations

import sys

from reports import alone, spread_picture, words
from reports.balance import MEASURED
from reports.material import Material
from reports.section import ADDRESS, Cell, Column, Figure, Section, Table, column
from sim.answers.findings import Finding
from sim.stats.estimates import LEVEL, State
from sim.stats.metric import Metric

KEY = "effects"


def build(material: Material) -> Section | None:
    """Return the section, or None where nothing is compared."""
    if not material.pairs:
        return None
    base = words.visible(material.findings.experiment.variants[0].name)
    return Section(
        KEY,
        "What the change of rules did",
        f"Each variant minus {base}, on the same deals. A row is one number of players and one "
        "line-up; the grey band holds what is too small to matter.",
        (
            *(_picture(material, m, base) for m in MEASURED if _differs(material, m)),
            _table(material, base),
        ),
    )


def _picture(material: Material, metric: Metric, base: str) -> Figure:
    title = f"Change in {metric.title}"
    return Figure(
        f"effect_{metric.name}",
        title,
        f"{title}, each variant minus {base}, by players and line-up, with intervals that hold "
        "together; the same numbers are in the table of changes.",
        lambda: spread_picture.of(_in_order(material, metric)),
    )


def _differs(material: Material, metric: Metric) -> bool:
    """Whether any comparison is not exactly equal, so that there is something to see."""
    return any(found.estimate.state is not State.EXACT for found in material.changes(metric))


def _in_order(material: Material, metric: Metric) -> list[Finding]:
    order = {cell.id: i for i, (cell, _) in enumerate(material.findings.pairs())}
    return sorted(material.changes(metric), key=lambda found: order[found.cell.id])


def _table(material: Material, base: str) -> Table:
    found = [material.changes(metric) for metric in MEASURED]
    rows: list[tuple[Cell, ...]] = [
        (a.players, a.lineup, a.variant, *(each[i] for each in found))
        for i, (a, _) in enumerate(material.pairs)
    ]
    sizes = ", ".join(
        f"{metric.title} {words.smallest_of(material.findings.smallest(metric), metric)}"
        for metric in MEASURED
    )
    columns = (
        *ADDRESS[:2],
        Column(f"minus {base}", "The rule set that is compared with the first."),
        *(column(metric, change=True, judged=True) for metric in MEASURED),
    )
    note = (
        f"The intervals of a column hold all together, {LEVEL:.0%} of the time, so they are wider "
        f"than those of one number alone. What is too small to matter: {sizes}."
    )
    return Table("changes", f"Changes against {base}", columns, tuple(rows), note)


if __name__ == "__main__":
    sys.exit(alone.main(build))
