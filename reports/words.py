"""Numbers and findings in words, one way for every table, picture and sentence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from sim.answers.findings import Finding, Findings
from sim.output import visible as visible
from sim.stats.estimates import Estimate, State
from sim.stats.metrics import BY_NAME, Metric
from sim.stats.verdict import Verdict

BUILT = BY_NAME["build_rate"]
MINUS = "\N{MINUS SIGN}"
LONGEST_NAME = 64
"""Letters of a name in a sentence; tables have all of it."""


def heading(metric: Metric, change: bool = False) -> str:
    """Name a column: the metric and the unit in which people read it, or a change of it."""
    if metric.percent:
        pp = change or metric.signed
        return f"{metric.title}, {'pp' if pp else '% ' + metric.unit.removeprefix('share ')}"
    unit = metric.unit.removeprefix("cards ") if "cards" in metric.title else metric.unit
    return metric.title if unit == "per capture" else f"{metric.title}, {unit}"


def short_unit(metric: Metric, change: bool = False) -> str:
    """The unit right behind a number in a sentence."""
    if metric.percent:
        return " pp" if change or metric.signed else "%"
    return f" {metric.unit}"


def scaled(value: float, percent: bool, digits: int, signed: bool = False) -> str:
    """Write a number, times 100 if it is told as a percentage, with a real minus sign."""
    value = value * 100 if percent else value
    text = f"{value:+,.{digits}f}" if signed else f"{value:,.{digits}f}"
    if not float(text.replace(",", "")):
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


def digits_for(found: Iterable[Finding]) -> int:
    """Decimals that show two figures of a typical half-width in a column of findings; 0 to 4."""
    return decimals((each.estimate, each.metric.percent) for each in found)


def decimals(found: Iterable[tuple[Estimate, bool]]) -> int:
    """Decimals for a column of estimates, each with whether it is told as a percentage."""
    halves = sorted(
        each.half_width * (100 if percent else 1) for each, percent in found if each.half_width
    )
    if not halves:
        return 2
    return min(4, max(0, 1 - math.floor(math.log10(halves[len(halves) // 2]))))


def write(finding: Finding, digits: int) -> str:
    """Write an estimate with its interval, or with the reason why it has none."""
    signed = finding.metric.signed or finding.against is not None
    return written(finding.estimate, digits, finding.metric.percent, signed)


def written(found: Estimate, digits: int, percent: bool, signed: bool = False) -> str:
    """Write an estimate with its interval, or with the reason why it has none.

    An interval around the value is told as ± half of it, any other by its ends.
    """
    if found.state is State.UNDEFINED:
        return "undefined"
    if found.state is State.EXACT:
        return "exactly equal"
    if found.half_width:  # a column's decimals must not round an interval away
        figures = -math.floor(math.log10(found.half_width * (100 if percent else 1)))
        digits = max(digits, figures)
    value = scaled(found.value, percent, digits, signed)
    if found.low is None or found.high is None or found.half_width is None:
        return f"{value} {'one block' if found.state is State.ONE_BLOCK else 'constant'}"
    if abs((found.low + found.high) / 2 - found.value) > 1e-9 * (found.high - found.low):
        ends = (scaled(end, percent, digits) for end in (found.low, found.high))
        return f"{value} ({'–'.join(ends)})"
    return f"{value} ± {scaled(found.half_width, percent, digits)}"


def amount(finding: Finding, digits: int) -> str:
    """Write an estimate with its half-width and unit, for a sentence."""
    change = finding.against is not None
    text = write(finding, digits)
    return (
        text if finding.estimate.state is State.EXACT else text + short_unit(finding.metric, change)
    )


def smallest_of(size: float, metric: Metric) -> str:
    """Write a smallest effect of interest with its unit."""
    return f"{size * (100 if metric.percent else 1):g}{short_unit(metric, change=True)}"


def answer(findings: Findings) -> list[str]:
    """Answer the experiment's question about its primary metric, a sentence an entry."""
    primary = findings.primary
    title = primary.title[0].upper() + primary.title[1:]
    if not findings.cells:
        return ["No cell of this experiment can be played."]
    changes = findings.changes(primary)
    if not changes:
        levels = [findings.level(primary, cell) for cell in findings.cells]
        return about(f"{title}, {levels[0].cell.variant}", levels) + _never_built(findings)
    variants = list(dict.fromkeys(found.cell.variant for found in changes))
    each = in_sentence(variants[0]) if len(variants) == 1 else f"each of {len(variants)} variants"
    base = in_sentence(findings.experiment.variants[0].name)
    return about(f"{title}, {each} against {base}", changes) + _never_built(findings)


def _never_built(findings: Findings) -> list[str]:
    """Say that Esun changed nothing where nobody used it, lest that be taken for an answer."""
    with_esun = [cell for cell in findings.cells if cell.rules.esun]
    if not with_esun or any(findings.level(BUILT, cell).estimate.value for cell in with_esun):
        return []
    return [
        "Esun could change nothing: nobody built a pile in any game. "
        "Let somebody play who builds, such as builder."
    ]


def in_sentence(name: str) -> str:
    """Cut a name that would make a sentence unreadable."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def about(subject: str, found: Sequence[Finding]) -> list[str]:
    """Say of one finding what it is, of several how many have which verdict, and their range."""
    digits = digits_for(found)
    judged = found[0].metric.signed or found[0].against is not None
    if len(found) == 1:
        only = found[0]
        value = f"{subject}: {amount(only, digits)} ({only.setting})."
        return [value, _verdict(only)] if judged else [value]
    said = [f"{subject}: {_count(found)}."] if judged else []
    spread = sorted(
        (each for each in found if each.estimate.state is State.INTERVAL),
        key=lambda each: each.estimate.value,
    )
    if len(spread) > 1:
        ends = [
            f"{amount(each, digits)} ({_where(each, found)})" for each in (spread[0], spread[-1])
        ]
        between = f"from {ends[0]} to {ends[1]}."
        if not judged:
            said = [f"{subject}: it ranges {between}"]
        elif _several_variants(found) and not _all_alike(found):  # which matters is asked first
            said = [f"{subject}: {between}", f"It is {_count(found)}."]
        else:
            said.append(f"It ranges {between}")
    if more := max((each.judged.more_games or 0 for each in found if judged), default=0):
        said.append(f"About {more:,} more games in each cell would tell all that is not yet known.")
    return said


def _where(finding: Finding, among: Sequence[Finding]) -> str:
    name = f"{in_sentence(finding.cell.variant)}, " if _several_variants(among) else ""
    return name + finding.setting


def _all_alike(found: Sequence[Finding]) -> bool:
    return len({kind(each) for each in found}) == 1


def _several_variants(found: Sequence[Finding]) -> bool:
    return len({each.cell.variant for each in found}) > 1


def _verdict(finding: Finding) -> str:
    size = smallest_of(finding.smallest, finding.metric)
    if finding.estimate.state is State.EXACT:
        return "The variants played the same on every block of deals."
    if finding.estimate.half_width is None:
        return f"{finding.estimate.state.value[0].upper()}{finding.estimate.state.value[1:]}."
    more = finding.judged.more_games
    would_tell = "" if more is None else f" About {more:,} more games in each cell would tell."
    return {
        Verdict.LARGER: f"That is larger than {size}, the smallest difference that matters.",
        Verdict.DIFFERENT: f"That is a difference, but perhaps one below {size}, the smallest "
        "that matters.",
        Verdict.EQUAL: f"That is practically none: within {size}, the smallest difference that "
        "matters.",
        Verdict.UNKNOWN: "Whether that is a difference is not yet known: the interval holds 0, "
        f"and also differences above {size}.{would_tell}",
    }[finding.verdict]


def _count(found: Sequence[Finding]) -> str:
    """Count findings by verdict: "up by more than 0.5 pp in 5 of 8 settings, ..."."""
    size = smallest_of(found[0].smallest, found[0].metric)
    change = found[0].against is not None
    up, down = "above 0 by", "below 0 by"
    if change:
        up, down = "up by", "down by"
    elif found[0].metric.name.startswith("dealer"):
        up, down = "for the dealer by", "against the dealer by"
    words: dict[Verdict | str, str] = {
        "up": f"{up} more than {size}",
        "down": f"{down} more than {size}",
        Verdict.DIFFERENT: f"different, but perhaps by less than {size},",
        Verdict.EQUAL: f"practically {'equal' if change else 'none'} (within {size})",
        Verdict.UNKNOWN: "not yet known",
        "exact": "exactly equal",
    }
    counts = Counter(kind(each) for each in found)
    places = "comparisons" if _several_variants(found) else "settings"
    kinds = [kind for kind in words if counts[kind]]
    if len(kinds) == 1:
        return f"{words[kinds[0]]} in all {len(found)} {places}"
    told = [f"{words[kind]} in {counts[kind]}" for kind in kinds]
    return ", ".join([f"{told[0]} of {len(found)} {places}", *told[1:]])


def kind(finding: Finding) -> Verdict | str:
    """Return which way a number surely goes: "up", "down", "exact" for 0, or its verdict."""
    if finding.estimate.state is State.EXACT:
        return "exact"
    if finding.verdict is Verdict.LARGER:
        return "up" if finding.estimate.value > 0 else "down"
    return finding.verdict


def tick(value: float) -> str:
    """Write a tick of an axis: signed, with a real minus sign, no needless zeros."""
    return f"{value:+g}".replace("-", MINUS) if abs(value) > 1e-12 else "0"
