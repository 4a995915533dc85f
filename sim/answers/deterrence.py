"""What a penalty deters: from which size on the one who offends no longer gains.

Told of experiments about the advantage of the first named whose variants differ in nothing but the
size of one penalty, and whose players differ in nothing but the first one's offences and vigilance.
Without the offences that advantage is 0 on every deal that is played in all rotations, so it is
what they gain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from sim.rules import differences
from sim.stats.metrics.house_rules import Threshold, deterrence_threshold
from sim.stats.samples import join_all, linearised

if TYPE_CHECKING:
    from sim.answers.findings import Findings, Setting
    from sim.strategy import Player

GAIN = "first_named_advantage"
OFFENCES = {
    "penalty.miscapture": ("miscapture",),
    "penalty.challenge": ("false_challenge",),
    "penalty.peek": ("peek", "spy"),
}
"""For each penalty the rates of what it is paid for."""


def penalty_of(findings: Findings) -> tuple[str, list[int]] | None:
    """Return the penalty in which alone the variants differ and its sizes from 0 up, or None."""
    rules = [variant.rules for variant in findings.experiment.variants]
    keys = {key for one in rules for key, _, _ in differences(rules[0], one)}
    key = keys.pop() if len(keys) == 1 else ""
    if findings.primary.name != GAIN or key not in OFFENCES:
        return None
    sizes = [attrgetter(key)(one) for one in rules]
    ascend = all(a < b for a, b in pairwise(sizes))
    return (key, sizes) if ascend and sizes[0] == 0 else None


def thresholds(findings: Findings) -> Iterator[tuple[Setting, Threshold]]:
    """Yield for each setting the smallest penalty at which offending no longer pays."""
    if (found := penalty_of(findings)) is None:
        return
    key, sizes = found
    for setting in findings.settings:
        blocks = join_all([findings.blocks[cell.id] for cell in setting.cells])
        whole = len(blocks) == len(sizes) and len(blocks[0]) > 1
        if whole and _first_alone_offends(setting, OFFENCES[key]):
            part = findings.primary.parts(setting.players)[0]
            gains = [linearised(own, part) for own in blocks]
            yield setting, deterrence_threshold(sizes, gains)


def _first_alone_offends(setting: Setting, offences: Collection[str]) -> bool:
    """Say whether the first player differs from all others by `offences` alone, or vigilance."""
    seatings = setting.cells[0].seatings
    first, *others = seatings[0]
    alike = {_without(first, offences), *(_without(other, ()) for other in others)}
    return len(alike) == 1 and len(seatings) == setting.players


def _without(player: Player, offences: Collection[str]) -> Player:
    rates = dict.fromkeys((*offences, "vigilance"), 0.0)
    return replace(player, conduct=replace(player.conduct, **rates))


def sentences(findings: Findings) -> list[str]:
    """Say it, a setting a sentence; nothing where the experiment does not ask for it."""
    told = [f"{setting.name}: {threshold.text}." for setting, threshold in thresholds(findings)]
    found = penalty_of(findings)
    head = f"The smallest {found[0]} at which offending no longer pays:" if found else ""
    return [head, *told] if told else []


def as_json(findings: Findings) -> list[dict[str, Any]]:
    """Return it as plain data."""
    return [
        {
            "players": setting.players,
            "lineup": setting.lineup,
            "value": threshold.value,
            "low": threshold.low,
            "high": threshold.high,
            "highest": threshold.highest,
            "level": threshold.level,
        }
        for setting, threshold in thresholds(findings)
    ]
