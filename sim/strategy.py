"""Strategies: the record, the decorator, and the catalogue.

Importing a strategy never compiles it, so that names and parameters can be listed and checked
without loading numba. `sim.kernel` compiles `Strategy.choose` when a game is to be played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from sim.conduct import PERFECT, Conduct
from sim.view import MAX_PARAMETERS

Choose = Callable[[Any], int]
"""``choose(view)``: index of the chosen move; `view` is a record of `sim.view.VIEW`."""

OTHER_KEYS = ("strategy", "with")
"""What a player's entry in an experiment says beside parameters, so none can be called so."""


@dataclass(frozen=True)
class Parameter:
    """A number that tunes a strategy. `choose` reads it as ``view.parameters[i]``."""

    name: str
    default: float
    low: float
    high: float
    meaning: str
    whole: bool = False

    def check(self) -> None:
        """Refuse a parameter that no experiment could set, or store.

        Raises:
            ValueError: its name, its limits or its default are not fit.
        """
        if not self.name.isidentifier() or self.name in OTHER_KEYS:
            raise ValueError(f"no parameter can be called {self.name!r}; rename it")
        numbers = (self.low, self.high, self.default)
        if not all(isinstance(number, int | float) and isfinite(number) for number in numbers):
            raise ValueError(f"parameter {self.name}: low, high and default must be finite numbers")
        if problem := self.problem(self.default):
            raise ValueError(f"the default of parameter {self.name}: {problem}")

    def problem(self, value: object) -> str | None:
        """Say what is wrong with `value`, or None."""
        kind = "a whole number" if self.whole else "a number"
        allowed = f"{kind} from {self.low:g} to {self.high:g}"
        numeric = isinstance(value, int if self.whole else (int, float))
        if not numeric or isinstance(value, bool) or not self.low <= value <= self.high:  # type: ignore[operator]
            return f"{value!r} is not allowed; {self.name} is {allowed}"
        return None


@dataclass(frozen=True)
class StrategyFile:
    """The program that a user's strategy comes from.

    Attributes:
        path: as the experiment names it, relative to the experiment file.
        sha256: hash of its bytes (hex, 64 digits).
        place: where it was read.
        source: its bytes; empty while the file is not read.
    """

    path: str
    sha256: str
    place: Path = Path()
    source: bytes = field(default=b"", compare=False, repr=False)


def not_read(view: Any) -> int:
    """Stand for the function of a strategy whose file is not read."""
    raise RuntimeError("the strategy's file is not read")


@dataclass(frozen=True)
class Strategy:
    """A way of playing: one idea, one function.

    Attributes:
        name: what experiments call it.
        choose: the compiled-later function; see `Choose`.
        wants: which moves it is offered. ``all``: every legal move. ``best``: for each card in
            hand its trail, its captures that take as many cards as any of that card's, and its
            builds that join as many as any (after `must_capture`).
        uses_unseen: it looks at ``view.unseen``, so memory matters to it.
        parameters: in the order of ``view.parameters``.
        says: a sentence, as a person would describe it.
        compiled: the kernel plays it; otherwise it is plain Python, played by the twin.
        file: where a user's strategy comes from; None for those that come with the program.
    """

    name: str
    choose: Choose
    wants: Literal["best", "all"]
    uses_unseen: bool
    parameters: tuple[Parameter, ...]
    says: str
    compiled: bool = True
    file: StrategyFile | None = None

    @property
    def is_read(self) -> bool:
        """Whether it can play: the function is there, not only what is told of it."""
        return self.choose is not not_read

    def bind(self, values: Mapping[str, float] | None = None, conduct: Conduct = PERFECT) -> Player:
        """Return a player of this strategy; parameters not in `values` keep their defaults.

        Raises:
            ValueError: an unknown parameter, or a value out of range.
        """
        values = dict(values or {})
        bound = []
        for parameter in self.parameters:
            value = values.pop(parameter.name, parameter.default)
            if problem := parameter.problem(value):
                raise ValueError(problem)
            bound.append(float(value))
        if values:
            known = ", ".join(p.name for p in self.parameters) or "none"
            raise ValueError(f"{self.name} has no parameter {next(iter(values))!r}; it has {known}")
        return Player(self, tuple(bound), conduct)


@dataclass(frozen=True)
class Player:
    """A strategy with its parameter values, and the conduct of whoever plays it."""

    strategy: Strategy
    values: tuple[float, ...] = ()
    conduct: Conduct = PERFECT

    def __str__(self) -> str:
        pairs = zip(self.strategy.parameters, self.values, strict=True)
        changed = [f"{p.name}={v:g}" for p, v in pairs if v != p.default]
        changed += [f"{name}={rate:g}" for name, rate in self.conduct.changed().items()]
        return f"{self.strategy.name}({', '.join(changed)})" if changed else self.strategy.name


def strategy(
    *,
    wants: Literal["best", "all"],
    uses_unseen: bool = False,
    parameters: tuple[Parameter, ...] = (),
    compiled: bool = True,
) -> Callable[[Choose], Strategy]:
    """Make a strategy of a function; its name is the function's, its docstring what it says.

    Raises:
        ValueError: `wants` is none of its words, or the parameters are too many or misnamed.
    """
    if wants not in ("best", "all"):
        raise ValueError(f"wants={wants!r}: a strategy wants 'best' or 'all' of its moves")
    if len(parameters) > MAX_PARAMETERS:
        raise ValueError(f"a strategy has at most {MAX_PARAMETERS} parameters")
    for parameter in parameters:
        parameter.check()

    def make(choose: Choose) -> Strategy:
        says = " ".join((choose.__doc__ or "").split("\n\n")[0].split())
        says = says.encode("utf-8", "replace").decode()
        return Strategy(choose.__name__, choose, wants, uses_unseen, parameters, says, compiled)

    return make


@cache
def catalogue() -> dict[str, Strategy]:
    """Return the strategies that come with the program, by name."""
    from strategies import CATALOGUE

    return {entry.name: entry for entry in CATALOGUE}
