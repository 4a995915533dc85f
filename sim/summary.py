"""An experiment in lines of text: what will be played, and what cannot act."""

from __future__ import annotations

from collections.abc import Iterator

from sim.design import Cell, cells, own_games
from sim.experiment import Experiment
from sim.notes import notes
from sim.output import counted
from sim.rules import Rules, differences
from sim.sampling import CYCLIC, StopAtDecision, StopAtHalfWidth
from sim.stats.metrics import BY_NAME

SHOWN_VARIANTS = 24


def summary(experiment: Experiment) -> Iterator[str]:
    """Yield the resolved experiment, line by line."""
    planned = cells(experiment)
    yield f"question   {experiment.question}"
    yield f"name       {experiment.name}"
    yield f"seed       {experiment.seed}"
    smallest = _smallest(experiment)
    yield f"answer by  {experiment.primary}; smallest difference that matters {smallest}"
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
    yield from _games(experiment, planned)


def _smallest(experiment: Experiment) -> str:
    metric = BY_NAME[experiment.primary]
    if metric.percent:
        return f"{experiment.smallest} ({experiment.smallest * 100:g} percentage points)"
    return f"{experiment.smallest} {metric.unit}"


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


def _games(experiment: Experiment, planned: list[Cell]) -> Iterator[str]:
    if experiment.design != CYCLIC:
        yield f"line-ups {experiment.design.lineups}, hands {experiment.design.hands}"
    playing = own_games(planned)
    rounded = sorted({cell.games for cell in playing})
    most = "" if experiment.games_are_fixed else "at most "
    line = f"{counted(len(planned), 'cell')} of {most}{experiment.games:,} games"
    if rounded != [experiment.games]:
        shown = " or ".join(f"{n:,}" for n in rounded[:4])
        line += f", rounded up to whole blocks of deals: {shown}"
    yield line
    if sharing := len(planned) - len(playing):
        yield f"{sharing} of them share the games of another, from which nothing that acts differs"
    yield f"{most}{sum(cell.games for cell in playing):,} games in all"
    yield from stops_when(experiment)


def stops_when(experiment: Experiment) -> Iterator[str]:
    """Yield a line for each thing that may end the run before all games are played."""
    stop = experiment.stop
    match stop:
        case StopAtHalfWidth(half_width=size, metric=name):
            yield f"until {name} is known to ±{size:g} in every cell"
        case StopAtDecision(smallest=size, decide=name):
            yield f"until it is decided of every difference in {name} whether it is above {size:g}"
    if stop is not None and stop.max_seconds is not None:
        yield f"for {stop.max_seconds:g} s at most; a run that is not done by then is partial"
