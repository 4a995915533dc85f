"""`sim rules`: rule sets in plain words, with the clauses of RULES.md."""

from __future__ import annotations

from pathlib import Path

import click

from sim.commands.options import allow_code
from sim.errors import UsageFault
from sim.output import say
from sim.rulebook import ALL_PLAYERS, book, compared
from sim.rules import PRESETS, Rules
from sim.settings import apply, did_you_mean, parse_settings, preset

ENDINGS = (".yaml", ".yml")


@click.command("rules")
@click.argument("rules", nargs=-1, required=True, metavar="RULES [RULES]")
@click.option("--set", "settings", multiple=True, help="A rule, such as yoruba=true; repeat.")
@click.option("--players", type=click.IntRange(2, 5), help="Say what cannot act with so many.")
@allow_code
def command(
    rules: tuple[str, ...], settings: tuple[str, ...], players: int | None, allow_code: bool
) -> None:
    """Print a rule set in plain words, or how two of them differ.

    RULES is a preset (default, casual, yoruba, professional), an experiment file, or one variant of
    it as FILE.yaml:VARIANT. The numbers are the clauses of RULES.md.
    """
    if len(rules) > 2:
        raise UsageFault(f"found {len(rules)} rule sets; name one to read it, or two to compare")
    changes = parse_settings(settings)
    counts: set[int] = set()
    found: list[dict[str, Rules]] = []
    for name in rules:
        rule_sets, played = _named(name, allow_code)
        counts.update(played)
        found.append({key: apply(one, changes, "--set ") for key, one in rule_sets.items()})
    asked = (players,) if players else tuple(sorted(counts))
    if len(found) == 1:
        with_settings = "".join(f", {text}" for text in settings)
        told = book({f"{key}{with_settings}": one for key, one in found[0].items()}, asked)
    else:
        (a, first), (b, second) = (
            _only(name, sets) for name, sets in zip(rules, found, strict=True)
        )
        told = compared((a, b), first, second, asked)
    for text in told:
        say(text)


def _named(name: str, allow_code: bool) -> tuple[dict[str, Rules], tuple[int, ...]]:
    """Return the rule sets that an argument names, and how many may play them."""
    if name in PRESETS:
        return {name: PRESETS[name]}, ALL_PLAYERS
    path, variant = _split(name)
    if path.suffix not in ENDINGS and not path.exists():
        try:
            preset(name)
        except UsageFault as fault:
            raise UsageFault(f"{fault}; an experiment is a file such as x.yaml") from None
    from sim.experiment import load

    experiment = load(path, allow_code=allow_code)
    rule_sets = {one.name: one.rules for one in experiment.variants}
    if variant is None:
        return rule_sets, experiment.players
    if variant not in rule_sets:
        hint = did_you_mean(variant, rule_sets)
        raise UsageFault(
            f"{path}: no variant is called {variant!r}{hint}; it has {'; '.join(rule_sets)}"
        )
    return {variant: rule_sets[variant]}, experiment.players


def _split(name: str) -> tuple[Path, str | None]:
    """Part ``FILE.yaml:VARIANT``."""
    for ending in ENDINGS:
        stem, found, variant = name.partition(f"{ending}:")
        if found:
            return Path(stem + ending), variant
    return Path(name), None


def _only(name: str, rule_sets: dict[str, Rules]) -> tuple[str, Rules]:
    if len(rule_sets) > 1:
        first = next(iter(rule_sets))
        raise UsageFault(
            f"{name} has {len(rule_sets)} variants; name one to compare it, such as "
            f"'{name}:{first}'; it has {'; '.join(rule_sets)}"
        )
    return next(iter(rule_sets.items()))
