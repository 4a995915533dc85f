"""A tune: from the file that a person wrote to rule sets, goals and a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

from sim import grid
from sim.document import OPTION_MODELS, read_document
from sim.experiment import Experiment, Variant
from sim.goals import Goal
from sim.overrides import override
from sim.resolve import no_metric, problems_of_players, resolve
from sim.rules import Rules
from sim.stats.metrics import NAMES
from sim.tuning.document import COMMON, Budget, Never, left_out, read_own
from sim.yaml_source import Problem, read_file

MOST_COMBINATIONS = 1_000_000
"""More are refused whoever says --yes: to list them alone takes long."""


@dataclass(frozen=True)
class Tune:
    """What a person asks: rules that meet goals, whoever of some line-ups plays.

    Attributes:
        base: the experiment that it has in common with all its runs: name, question, seed, players,
            line-ups, design, and the rules that the space does not vary.
        space: option -> the values to try.
        where: what does not go together.
        goals: what the rules are to achieve.
        budget: how much may be played.
        document: the file as plain data, overrides put in.
    """

    base: Experiment
    space: Mapping[str, Sequence[Any]]
    where: list[Never]
    goals: tuple[Goal, ...]
    budget: Budget
    document: Mapping[str, Any]

    def chosen(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name and the values of every rule set."""
        for name, values in grid.combinations(self.space):
            if not left_out(values, self.where):
                yield name, values

    def rule_sets(self, step: int = 1) -> Iterator[Variant]:
        """Yield every rule set, or each of so many."""
        base = self.base.variants[0].rules
        for name, values in islice(self.chosen(), 0, None, step):
            yield Variant(name, _put(base, grid.settings(values)))


def _put(base: Rules, settings: dict[str, Any]) -> Rules:
    if "penalty" in settings:
        settings["penalty"] = base.penalty.model_copy(update=settings["penalty"])
    if "end" in settings:
        settings["end"] = OPTION_MODELS["end"](settings["end"])
    return base.model_copy(update=settings)


def load_tune(path: Path, overrides: Iterable[str] = (), *, allow_code: bool = False) -> Tune:
    """Read a tune file; `overrides` are texts such as ``budget.games=1000000``.

    Loading is bounded in time and memory, and runs no code unless `allow_code`.

    Raises:
        UsageFault: anything is wrong with it, each problem with its place.
    """
    source = read_file(path)
    if not isinstance(source.data, dict):
        told = "a tune is a list of keys and values, such as space: and goals:"
        raise source.fault([Problem((), told)])
    for text in overrides:
        override(source, text)
    own, problems = read_own(source.data)
    common = {key: value for key, value in source.data.items() if key in COMMON}
    document, others = read_document(common)
    problems += others
    if own is None or document is None:
        problems += problems_of_players(common.get("lineups"), path, allow_code)
        raise source.fault(problems)
    if prod(len(values) for values in own.space.values()) > MOST_COMBINATIONS:
        told = f"is more than {MOST_COMBINATIONS:,} combinations; take values out"
        raise source.fault([Problem(("space",), told, True)])
    base, problems = resolve(document, path, allow_code)
    problems += grid.written_too(document.rules, own.space, "space")
    problems += _goal_problems(own.goals)
    tune = Tune(base, own.space, own.where, tuple(own.goals), own.budget, source.data)
    if next(tune.chosen(), None) is None:
        problems.append(Problem(("where",), "leaves no rule set; take something out", True))
    if problems or source.refused:
        raise source.fault(problems)
    return tune


def _goal_problems(goals: Sequence[Goal]) -> list[Problem]:
    found = []
    for i, goal in enumerate(goals):
        for key in ("metric", "maximise", "minimise"):
            name = getattr(goal, key, None)
            if name is not None and name not in NAMES:
                found.append(Problem(("goals", i, key), no_metric(name)))
        if goal in goals[:i]:
            found.append(Problem(("goals", i), "is there twice; keep one"))
    return found
