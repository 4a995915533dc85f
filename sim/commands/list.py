"""`sim list`: what there is to choose from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from sim.conduct import MEANINGS, PERFECT
from sim.stats.metric import AnyMeasure, Metric
from sim.strategy import Parameter, Strategy, catalogue


@click.command("list")
@click.argument("what", type=click.Choice(["strategies", "metrics"]))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each entry.")
def command(what: str, as_json: bool) -> None:
    """List the strategies, or the metrics: what each is, and what can be set.

    Your own strategies are Python files: docs/strategies.md, and sim check-strategy.
    """
    entries: list[Entry] = [*catalogue().values()] if what == "strategies" else [*every_metric()]
    if as_json:
        for entry in entries:
            click.echo(json.dumps(told(entry)))
    else:
        paragraphs = ["\n".join(listing(entry)) for entry in entries]
        if what == "strategies":
            paragraphs.append("\n".join(rates()))
        click.echo("\n\n".join(paragraphs))


Entry = Strategy | Metric | AnyMeasure

OF = {
    "game": "one cell",
    "seat": "one cell (a number for each seat)",
    "role": "one cell (a number for each role)",
    "player": "one cell (a number for each player of the line-up)",
}


def every_metric() -> list[Metric | AnyMeasure]:
    """Return all registered metrics, those of a family together."""
    from sim.stats.metrics import REGISTERED

    families = list(dict.fromkeys(entry.source for entry in REGISTERED))
    return sorted(REGISTERED, key=lambda entry: families.index(entry.source))


def needs(entry: Metric | AnyMeasure) -> str:
    """Say what a metric is computed from."""
    from sim.stats.metrics import PAIR_METRICS

    if not isinstance(entry, Metric):
        return entry.needs
    if entry in PAIR_METRICS:
        return "the games of two rule sets on the same deals"
    return OF[entry.of]


def told(entry: Entry) -> dict[str, Any]:
    """Return all that is told of an entry, as JSON has it."""
    if not isinstance(entry, Strategy):
        return {
            "name": entry.name,
            "title": entry.title,
            "unit": entry.unit,
            "definition": entry.definition,
            "family": entry.source,
            "needs": needs(entry),
        }
    return {
        "name": entry.name,
        "says": entry.says,
        "moves": entry.wants,
        "unseen": entry.uses_unseen,
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "low": parameter.low,
                "high": parameter.high,
                "whole": parameter.whole,
                "meaning": parameter.meaning,
            }
            for parameter in entry.parameters
        ],
    }


def listing(entry: Entry) -> Iterator[str]:
    """Yield the lines that tell an entry to a person."""
    yield entry.name
    if not isinstance(entry, Strategy):
        yield f"  {_sentence(entry.definition)}"
        yield f"  {entry.source}: {entry.unit}; needs {needs(entry)}."
        return
    yield f"  {entry.says}"
    yield f"  Looks at {looks_at(entry)}."
    for parameter in entry.parameters:
        yield f"  {parameter.name}: {allowed(parameter)}. {_sentence(parameter.meaning)}"


def rates() -> Iterator[str]:
    """Yield the lines that tell what any player can have beside its strategy."""
    yield "with, beside any strategy, such as {strategy: greedy, with: {noise: 0.05}}"
    for name, meaning in MEANINGS.items():
        default = getattr(PERFECT, name)
        yield f"  {name}: a number from 0 to 1, {default:g} by default. {_sentence(meaning)}"


def looks_at(entry: Strategy) -> str:
    """Say which moves a strategy is offered, and whether it thinks of the cards it cannot see."""
    if entry.wants == "all":
        moves = "every legal move"
    else:
        moves = "the trail, largest captures and largest builds of each card in hand"
    return f"{moves}, and the cards it has not seen" if entry.uses_unseen else moves


def allowed(parameter: Parameter) -> str:
    """Say which values a parameter may have, and which it has when nothing is said."""
    kind = "a whole number" if parameter.whole else "a number"
    return f"{kind} from {parameter.low:g} to {parameter.high:g}, {parameter.default:g} by default"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
