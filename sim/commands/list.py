"""`sim list`: what there is to choose from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from sim.conduct import MEANINGS, PERFECT
from sim.strategy import Parameter, Strategy, catalogue


@click.command("list")
@click.argument("what", type=click.Choice(["strategies"]))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each entry.")
def command(what: str, as_json: bool) -> None:
    """List the strategies: how each plays, what it looks at, what can be set.

    Your own are Python files: docs/strategies.md, and sim check-strategy.
    """
    strategies = list(catalogue().values())
    if as_json:
        for entry in strategies:
            click.echo(json.dumps(told(entry)))
    else:
        told_all = ["\n".join(listing(entry)) for entry in strategies]
        click.echo("\n\n".join([*told_all, "\n".join(rates())]))


def told(entry: Strategy) -> dict[str, Any]:
    """Return all that is told of a strategy, as JSON has it."""
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


def listing(entry: Strategy) -> Iterator[str]:
    """Yield the lines that tell a strategy to a person."""
    yield entry.name
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
