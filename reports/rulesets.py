"""The rules in words: what all variants share, what they differ in, and the readings taken."""

from __future__ import annotations

import sys
from collections.abc import Callable

from reports import alone
from reports.material import Material
from reports.section import Cell, Column, Section, Table, Words
from sim.rulebook import Line, clause_of, lines
from sim.rules import Rules

KEY = "rules"

Reading = tuple[str, str, tuple[str, ...] | str, Callable[[Rules], bool]]

READINGS: tuple[Reading, ...] = (
    ("R1", "how long a game is", ("end",), lambda r: True),
    ("R2", "who gets the cards that are left", ("rest",), lambda r: True),
    ("R3", "what becomes of undealt cards", ("leftover", "single_deal"), lambda r: True),
    ("R4", "whether faces capture under Yoruba rules", ("yoruba_faces",), lambda r: r.yoruba),
    (
        "R5", "whether Yoruba rules bind a joker", ("yoruba_joker",),
        lambda r: r.yoruba and r.jokers > 0,
    ),
    (
        "R6", "what becomes of a joker on the table",
        "It goes along with the next capture, free of charge.", lambda r: r.jokers > 0,
    ),
    (
        "R7", "whether a joker takes protected piles", "It does.",
        lambda r: r.jokers > 0 and r.esun,
    ),
    (
        "R8", "when the builder of a pile is punished", ("penalty.esun", "esun_unclaimed"),
        lambda r: r.esun,
    ),
    ("R9", "whether one has to capture", ("must_capture",), lambda r: True),
    (
        "R10", "what offences cost",
        ("penalty.miscapture", "penalty.challenge", "penalty.peek"), lambda r: True,
    ),
    (
        "R12", "within what captured cards must differ", "Within the whole turn.",
        lambda r: r.yoruba,
    ),
    ("R13", "building without holding the card", "It cannot happen.", lambda r: r.esun),
    (
        "R14", "who pays when the card is played elsewhere",
        "The builder, as for any unclaimed pile.", lambda r: r.esun,
    ),
)  # fmt: skip
"""RULES.md, section 10: number, what the source leaves open, the options or the reading, when."""


def build(material: Material) -> Section:
    """Return the section."""
    experiment = material.findings.experiment
    told = {v.name: lines(v.rules, experiment.players) for v in experiment.variants}
    first = next(iter(told.values()))
    common = [one for one in first if all(one in own for own in told.values())]
    parts: list[Table | Words] = []
    if len(told) > 1:
        parts.append(_differences(told, common))
    parts.append(
        Words(
            tuple(f"{one.number}  {one.text}" for one in common),
            bullets=True,
            folded="What all variants share" if len(told) > 1 else "",
        )
    )
    parts.append(_readings({v.name: v.rules for v in experiment.variants}))
    return Section(
        KEY,
        "The rules",
        "The rules in words; numbers are the clauses of RULES.md. Variants differ in these only.",
        parts,
    )


def _differences(told: dict[str, list[Line]], common: list[Line]) -> Table:
    """What each clause says, and in which variants, the clauses in their order."""
    whose: dict[Line, list[str]] = {}
    for name, found in told.items():
        for one in found:
            if one not in common:
                whose.setdefault(one, []).append(name)
    order = list(dict.fromkeys(one.option or one.number for one in whose))
    rows: list[tuple[Cell, ...]] = [
        (one.number, one.option, ", ".join(whose[one]), one.text)
        for one in sorted(whose, key=lambda one: order.index(one.option or one.number))
    ]
    columns = (Column("clause"), Column("option"), Column("variants"), Column("what it says"))
    return Table("differences", "What the variants differ in", columns, tuple(rows))


def _readings(rule_sets: dict[str, Rules]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for number, what, taken, matters in READINGS:
        concerned = {name: r for name, r in rule_sets.items() if matters(r)}
        if isinstance(taken, str):
            if concerned:
                rows.append((number, what, taken, _whose(list(concerned), rule_sets)))
            continue
        by_text: dict[str, list[str]] = {}
        for name, rules in concerned.items():
            text = " ".join(clause_of(option).sentence(rules) for option in taken)
            by_text.setdefault(text, []).append(name)
        rows += [(number, what, text, _whose(names, rule_sets)) for text, names in by_text.items()]
    columns = (
        Column("reading", "Its number in RULES.md, section 10."),
        Column("what the source leaves open"),
        Column("how it was played"),
        Column("variants"),
    )
    return Table("readings", "Readings taken", columns, tuple(rows))


def _whose(names: list[str], rule_sets: dict[str, Rules]) -> str:
    return "all" if len(names) == len(rule_sets) else ", ".join(names)


if __name__ == "__main__":
    sys.exit(alone.main(build))
