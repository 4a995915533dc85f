"""An experiment in lines of text: what will be played, and what cannot act."""

from __future__ import annotations

from collections.abc import Iterator

from sim.design import cells
from sim.experiment import Experiment
from sim.notes import notes
from sim.rules import Rules, differences

SHOWN_VARIANTS = 24


def summary(experiment: Experiment) -> Iterator[str]:
    """Yield the resolved experiment, line by line."""
    planned = cells(experiment)
    yield f"question   {experiment.question}"
    yield f"name       {experiment.name}"
    yield f"seed       {experiment.seed}"
    yield f"answer by  {experiment.primary}, smallest difference that matters {experiment.smallest}"
    yield f"players    {', '.join(str(n) for n in experiment.players)}"
    yield ""
    yield "rules"
    yield from _table(
        (variant.name, _said(Rules(), variant.rules))
        for variant in experiment.variants[:SHOWN_VARIANTS]
    )
    if (more := len(experiment.variants) - SHOWN_VARIANTS) > 0:
        yield f"  and {more} more"
    yield ""
    yield "line-ups"
    yield from _table(
        (lineup.name, ", ".join(str(p) for p in lineup.entries)) for lineup in experiment.lineups
    )
    if found := notes(experiment):
        yield ""
        yield "notes"
        for note in found:
            yield f"  {note.key} {note.text}"
    yield ""
    yield from _games(experiment, [cell.games for cell in planned])


def _said(base: Rules, rules: Rules) -> str:
    changed = [f"{key} {_value(value)}" for key, _, value in differences(base, rules)]
    return ", ".join(changed) or "all options at their defaults"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _table(rows: Iterator[tuple[str, str]]) -> Iterator[str]:
    listed = list(rows)
    width = max((len(name) for name, _ in listed), default=0)
    for name, text in listed:
        yield f"  {name:{width}}  {text}"


def _games(experiment: Experiment, games: list[int]) -> Iterator[str]:
    rounded = sorted(set(games))
    line = f"{len(games)} cells of {experiment.games:,} games"
    if rounded != [experiment.games]:
        shown = " or ".join(f"{n:,}" for n in rounded[:4])
        line += f", rounded up to whole blocks of deals: {shown}"
    yield line
    yield f"{sum(games):,} games in all"
