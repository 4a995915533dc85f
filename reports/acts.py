"""Which rule acted how often, and how often the change of rules changed who won."""

from __future__ import annotations

import sys
from collections.abc import Callable

from reports import alone, words
from reports.material import Material
from reports.section import ADDRESS, Cell, Column, Section, Table, address, column
from sim.rules import Rules
from sim.stats.metrics import BY_NAME, PAIR_METRICS

KEY = "acts"

RULES: tuple[tuple[str, Callable[[Rules], bool], tuple[str, ...]], ...] = (
    ("Yoruba rules", lambda r: r.yoruba, ("yoruba_games", "yoruba_turns")),
    (
        "must capture",
        lambda r: r.must_capture != "never",
        ("must_capture_games", "must_capture_turns"),
    ),
    ("jokers", lambda r: r.jokers > 0, ("joker_games", "joker_turns")),
    ("Esun", lambda r: r.esun, ("esun_games",)),
    ("Isiwo", lambda r: r.isiwo, ("isiwo_games",)),
    ("rest", lambda r: r.rest != "nobody", ("rest_games",)),
    ("penalties", lambda r: True, ("penalty_games",)),
)
"""A rule, whether a rule set has it, and the metrics that say how often it acts."""

OFF = "off"


def build(material: Material) -> Section | None:
    """Return the section, or None for a run without data."""
    if not material.cells:
        return None
    tables = (_activation(material), *_pivotality(material))
    return Section(
        KEY,
        "Which rule acted, and whether it mattered",
        "How often each rule came into play, and in how many games the other rules would have made "
        "another winner of the same cards.",
        tables,
    )


def _activation(material: Material) -> Table:
    chosen = [
        (on, BY_NAME[name])
        for _, on, names in RULES
        if any(on(cell.rules) for cell in material.cells)
        for name in names
    ]
    rows: list[tuple[Cell, ...]] = [
        (
            *address(cell),
            *(
                material.findings.level(metric, cell) if on(cell.rules) else OFF
                for on, metric in chosen
            ),
        )
        for cell in material.cells
    ]
    columns = (*ADDRESS, *(column(metric) for _, metric in chosen))
    return Table("activation", "How often each rule acted", columns, tuple(rows))


def _pivotality(material: Material) -> tuple[Table, ...]:
    found = [material.pair_findings(metric) for metric in PAIR_METRICS]
    if not found[0]:
        return ()
    base = words.visible(material.findings.experiment.variants[0].name)
    rows: list[tuple[Cell, ...]] = [
        (one[0].cell.players, one[0].cell.lineup, one[0].cell.variant, one[0].estimate.deals, *one)
        for one in zip(*found, strict=True)
    ]
    columns = (
        *ADDRESS[:2],
        Column(f"against {base}", "The rule set that is compared with the first."),
        Column("deals compared"),
        *(column(metric) for metric in PAIR_METRICS),
    )
    note = (
        "Activation: games that went otherwise in anything that is stored. Pivotality: games with "
        "other winners. Displacement: cards that went to another seat."
    )
    return (Table("pivotality", f"Game by game against {base}", columns, tuple(rows), note),)


if __name__ == "__main__":
    sys.exit(alone.main(build))
