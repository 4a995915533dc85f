"""The first screen: the question, the verdict, the effect with its interval, how it was run."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports import alone, factors, spread_picture, words
from reports.material import Material
from reports.section import Figure, Section, Words, record
from sim.answers.factors import RuleEffects
from sim.answers.findings import Finding
from sim.experiment import Experiment
from sim.stats.estimates import LEVEL

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

KEY = "answer"


@dataclass(frozen=True)
class Opening:
    """What the first screen shows.

    Attributes:
        question: as it was asked.
        verdict: the first sentence of the answer.
        rest: the sentences after it: effects with their intervals.
        meaning: what the words in it mean.
        picture: the effect in every setting.
        facts: how it was run: a name and a text each.
        command: what plays it again.
        document: the experiment as a file for that command.
    """

    question: str
    verdict: str
    rest: tuple[str, ...]
    meaning: str
    picture: Figure | None
    facts: tuple[tuple[str, str], ...]
    command: str
    document: str


def opening(material: Material) -> Opening:
    """Return the first screen of a run."""
    findings = material.findings
    experiment = findings.experiment
    rules = factors.combined(findings)
    verdict, *rest = factors.sentences(rules) + words.answer(findings)
    if not findings.complete:
        rest.append("Partial: the run is not finished; this rests on the games stored so far.")
    return Opening(
        words.visible(experiment.question),
        _isolated(verdict, experiment),
        tuple(_isolated(sentence, experiment) for sentence in rest),
        _meaning(material),
        _of_rules(material, rules) or _picture(material),
        _facts(material),
        f"sim run {file_name(experiment)}",
        document(experiment),
    )


def build(material: Material) -> Section:
    """The same as a section, for the terminal and the JSON."""
    own = opening(material)
    facts = tuple(f"{name}: {text}" for name, text in (*own.facts, ("to repeat", own.command)))
    parts = (Words((own.verdict, *own.rest, own.meaning)), Words(facts, bullets=True))
    return Section(KEY, own.question, own.verdict, parts)


def numbers(material: Material) -> list[dict[str, object]]:
    """The numbers of the first screen: each effect with its interval and verdict."""
    return [record(found, judged=True) for found in _effects(material)]


def _effects(material: Material) -> list[Finding]:
    primary = material.findings.primary
    return material.changes(primary) or material.levels(primary)


def _isolated(sentence: str, experiment: Experiment) -> str:
    """Keep names that are written from right to left from turning the sentence around them."""
    text = words.visible(sentence)
    names = {each.name for each in experiment.variants} | {each.name for each in experiment.lineups}
    names |= set(map(words.in_sentence, names))
    for name in sorted(map(words.visible, names), key=lambda name: (-len(name), name)):
        if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name):
            text = text.replace(name, f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}")
    return text


def _meaning(material: Material) -> str:
    primary = material.findings.primary
    compared = bool(material.pairs)
    text = f"{primary.title[0].upper()}{primary.title[1:]}: {primary.definition}"
    if "n" in primary.definition.split() or "1/n" in primary.definition:
        text += " (n players)"
    if primary.percent:
        text += "; pp are percentage points"
    text += f". ± spans an interval that holds the truth {LEVEL:.0%} of the time."
    if compared:
        text += " Every rule set was played on the same shuffled cards."
    return text


def _picture(material: Material) -> Figure | None:
    found = _effects(material)
    if not found:
        return None
    primary = material.findings.primary
    base = material.findings.experiment.variants[0].name
    title = f"{primary.title[0].upper()}{primary.title[1:]}"
    if found[0].against is not None:
        variants = list(dict.fromkeys(each.cell.variant for each in found))
        subject = variants[0] if len(variants) == 1 else "each variant"
        title = f"Change in {primary.title}: {subject} minus {base}"
    return _drawn(title, lambda: spread_picture.of(found))


def _of_rules(material: Material, rules: Sequence[RuleEffects]) -> Figure | None:
    changes = factors.by_change(rules)
    if not changes:
        return None
    title = f"What each rule does to the {material.findings.primary.title}"
    return _drawn(title, lambda: spread_picture.draw(changes))


def _drawn(title: str, draw: Callable[[], Drawing]) -> Figure:
    title = words.visible(title)
    return Figure("answer", title, f"{title}. The numbers are in the tables below.", draw)


def _facts(material: Material) -> tuple[tuple[str, str], ...]:
    findings = material.findings
    games = sum(
        int(findings.blocks[c.id].columns["games"].sum())
        for c in material.cells
        if c.shares is None
    )
    deals = sorted({int(findings.blocks[c.id].deals.sum()) for c in material.cells}) or [0]
    each = f"{deals[0]:,}" if len(deals) == 1 else f"{deals[0]:,} to {deals[-1]:,}"
    done = material.run.done or {}
    seconds = done.get("seconds")
    return (
        (
            "games",
            f"{games:,}, in {len(material.cells)} combinations of rules, players and line-up",
        ),
        ("deals", f"{each} in each combination"),
        ("seed", str(findings.experiment.seed)),
        ("time", "unknown" if seconds is None else _time(float(seconds))),
    )


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def file_name(experiment: Experiment) -> str:
    """Return a file name for the experiment that needs no quotes in a shell."""
    plain = "".join(
        c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in experiment.name
    )
    return f"{plain.strip('-')[:60] or 'experiment'}.yaml"


def document(experiment: Experiment) -> str:
    """Return the resolved experiment as a file that `sim run` reads: JSON is YAML."""
    stored = experiment.to_dict()
    stored.pop("strategies", None)
    stored["variants"] = {each["name"]: each["rules"] for each in stored["variants"]}
    stored["lineups"] = {each["name"]: each["players"] for each in stored["lineups"]}
    if "stop" in stored:  # it has the number of games
        stored.pop("games")
    stored["keep"] = {"games": stored.pop("keep_games")}
    text = json.dumps(stored, indent=1, ensure_ascii=False)
    return "".join(c if c.isprintable() or c == "\n" else _escaped(c) for c in text)


def _escaped(letter: str) -> str:
    """Write a letter that nobody sees as YAML's escape for it."""
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


if __name__ == "__main__":
    sys.exit(alone.main(build))
