"""Questions that a person puts to a run by name: a metric, cell by cell or averaged over cells.

Everything that `sim list metrics` lists is asked for in the same way. What the run's data cannot
answer is refused with what it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from sim.answers.findings import CELL, Asked, Finding, Findings, places
from sim.errors import UsageFault
from sim.settings import did_you_mean
from sim.stats.metric import AnyMeasure, Metric
from sim.stats.metrics import BY_NAME, NAMES, REGISTERED

if TYPE_CHECKING:
    from sim.design import Cell

Anything = Metric | AnyMeasure
By = tuple[str, ...]
Item = TypeVar("Item")


def registered(name: str) -> Anything:
    """Return what `sim list metrics` calls `name`.

    Raises:
        UsageFault: it lists no such thing.
    """
    known = {entry.name: entry for entry in REGISTERED}
    if name not in known:
        raise UsageFault(
            f"there is no metric {name!r}{did_you_mean(name, known)}; `sim list metrics` tells all"
        )
    return known[name]


def single_number(name: str) -> Metric:
    """Return a metric that is one number of each game, and not one for each seat.

    Raises:
        UsageFault: there is no such metric.
    """
    if name not in NAMES:
        registered(name)
        raise UsageFault(f"{name} is no single number of every game; choose another metric")
    return BY_NAME[name]


def parse_by(words: Iterable[str]) -> By:
    """Return what names the rows of an answer, in order; nothing asked for: every cell.

    Raises:
        UsageFault: a word is none of ``variant players lineup``.
    """
    asked = list(words)
    for word in asked:
        if word not in CELL:
            raise UsageFault(
                f"by {word!r}{did_you_mean(word, CELL)}: allowed is any of {', '.join(CELL)}"
            )
    return tuple(name for name in CELL if name in asked or not asked)


def where(cell: Cell, by: By) -> dict[str, Any]:
    """Return what of a cell's address names a row."""
    return {name: getattr(cell, name) for name in by}


def levels(findings: Findings, metric: Metric, by: By = CELL) -> list[Finding]:
    """Return what `metric` is, a mean over the cells that `by` does not tell apart.

    Raises:
        UsageFault: see `_in_one_table`.
    """
    groups = _grouped(((cell, cell) for cell in findings.cells), by)
    _in_one_table(findings, by)
    return [findings.find(asked) for own in groups for asked in places(metric, tuple(own))]


def changes(
    findings: Findings, metric: Metric, by: By = CELL, against: str | None = None
) -> list[Finding]:
    """Return what each variant's `metric` is minus that of `against`; nothing if it is alone.

    It is a mean over the settings that `by` does not tell apart.

    Args:
        findings, metric, by: what is asked.
        against: the variant that is subtracted; the first if not given.

    Raises:
        UsageFault: there is no such variant; or see `_in_one_table`.
    """
    if "variant" not in by:
        return []
    names = [variant.name for variant in findings.experiment.variants]
    if against is not None and against not in names:
        raise UsageFault(
            f"there is no variant {against!r}{did_you_mean(against, names)}; "
            f"there are {', '.join(names)}"
        )
    _in_one_table(findings, by)
    pairs = findings.pairs(0 if against is None else names.index(against))
    groups = _grouped(((cell, (cell, other)) for cell, other in pairs), by)
    found: list[Asked] = []
    for group in groups:
        on, off = (tuple(side) for side in zip(*group, strict=True))
        found += places(metric, on, off)
    return [findings.find(asked) for asked in found]


def _grouped(items: Iterable[tuple[Cell, Item]], by: By) -> list[list[Item]]:
    groups: dict[tuple[Any, ...], list[Item]] = {}
    for cell, item in items:
        groups.setdefault(tuple(where(cell, by).values()), []).append(item)
    return list(groups.values())


def _in_one_table(findings: Findings, by: By) -> None:
    """Refuse to average over numbers of players.

    Raises:
        UsageFault: the run has several, and `by` does not tell them apart.
    """
    if "players" not in by and len({cell.players for cell in findings.cells}) > 1:
        raise UsageFault(
            f"by {', '.join(by)}: a mean over numbers of players means nothing; add players"
        )


def records(found: Sequence[Finding], by: By = CELL) -> list[dict[str, Any]]:
    """Return findings as plain data, each with what names its row."""
    return [
        {
            **where(each.cell, by),
            **({} if each.against is None else {"against": each.against.variant}),
            **each.record(),
        }
        for each in found
    ]


def refusal(entry: Anything, needs: str, hint: str = "") -> UsageFault:
    """Return the fault that tells what a metric needs and the run does not have."""
    return UsageFault(f"{entry.name} needs {needs}; this run has none{hint}")
