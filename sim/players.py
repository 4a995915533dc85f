"""Players as experiments write them, and as runs store them.

Written, a player is a strategy's name, or keys and values: ``strategy``, its parameters, and
``with``, the rates of its conduct. Stored, every parameter is there and of the rates those that are
not the default; what is told of a user's strategy is stored apart, so that its file need not be
read again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sim import conduct, strategy_file
from sim.conduct import Conduct
from sim.errors import UsageFault
from sim.settings import did_you_mean
from sim.strategy import Parameter, Player, Strategy, StrategyFile, catalogue, not_read
from sim.view import MAX_PARAMETERS
from sim.yaml_source import KeyPath, Problem


class PlayerReader:
    """Reads the players of one experiment, and collects what is wrong with them.

    Args:
        folder: where the experiment file lies.
        allow_code: strategy files may be run.
    """

    def __init__(self, folder: Path, allow_code: bool) -> None:
        self.folder = folder
        self.allow_code = allow_code
        self.problems: list[Problem] = []
        self.files: dict[str, StrategyFile] = {}

    def read_all(self, written: Any, path: KeyPath) -> list[Player | None]:
        """Return the players of a line-up as written at `path`: a player, or a list of them."""
        if not isinstance(written, list):
            return [self.read(written, path)]
        return [self.read(entry, (*path, i)) for i, entry in enumerate(written)]

    def read(self, entry: Any, path: KeyPath) -> Player | None:
        """Return the player that an entry at `path` describes; None if it has problems."""
        before = len(self.problems)
        values = dict(entry) if isinstance(entry, dict) else {"strategy": entry}
        at = (*path, "strategy") if isinstance(entry, dict) and "strategy" in entry else path
        rates = self._conduct(values.pop("with", {}), (*path, "with"))
        strategy = self._strategy(values.pop("strategy", None), at)
        if strategy is None:
            return None
        self._check(strategy, values, path)
        return strategy.bind(values, rates) if len(self.problems) == before else None

    def _strategy(self, name: Any, path: KeyPath) -> Strategy | None:
        known = catalogue()
        if isinstance(name, str) and name in known:
            return known[name]
        if isinstance(name, str) and (reference := strategy_file.parse_reference(name)):
            return self._of_file(*reference, path)
        hint = did_you_mean(name, known) if isinstance(name, str) else ""
        self.problems.append(
            Problem(
                path,
                f"found {name!r}{hint}; strategies are {', '.join(known)}, or your own as "
                f"{strategy_file.FORM}, relative to the experiment file",
            )
        )
        return None

    def _of_file(self, written: str, function: str, path: KeyPath) -> Strategy | None:
        if not self.allow_code:
            self.problems.append(Problem(path, f"{written} {strategy_file.REFUSAL}"))
            return None
        try:
            if written not in self.files:
                self.files[written] = strategy_file.read(self.folder, written)
            return strategy_file.strategy_of(self.files[written], function)
        except UsageFault as fault:
            self.problems.append(Problem(path, str(fault)))
            return None

    def _check(self, strategy: Strategy, values: Mapping[str, Any], path: KeyPath) -> None:
        parameters = {p.name: p for p in strategy.parameters}
        for key, value in values.items():
            if key not in parameters:
                has = ", ".join(parameters) or "none"
                hint = did_you_mean(key, parameters)
                message = f"{strategy.name} has no such parameter{hint}; it has {has}"
                if key in conduct.MEANINGS:
                    message = f"is a rate of conduct; write with: {{{key}: {value}}}"
                self.problems.append(Problem((*path, key), message, at_key=True))
            elif problem := parameters[key].problem(value):
                self.problems.append(Problem((*path, key), problem))

    def _conduct(self, rates: Any, path: KeyPath) -> Conduct:
        if not isinstance(rates, dict):
            message = f"found {rates!r}; allowed is keys and values, such as with: {{noise: 0.05}}"
            self.problems.append(Problem(path, message))
            return conduct.PERFECT
        sound = True
        for name, rate in rates.items():
            if problem := conduct.problem(name, rate):
                unknown = name not in conduct.MEANINGS
                hint = did_you_mean(name, conduct.MEANINGS) if unknown else ""
                self.problems.append(Problem((*path, name), problem + hint, at_key=unknown))
                sound = False
        return Conduct.of(rates) if sound else conduct.PERFECT


def stored(player: Player) -> dict[str, Any]:
    """Return a player as plain data; `restored` undoes it."""
    pairs = zip(player.strategy.parameters, player.values, strict=True)
    values = {p.name: int(value) if p.whole else value for p, value in pairs}
    rates = player.conduct.changed()
    return {"strategy": player.strategy.name, **values, **({"with": rates} if rates else {})}


def restored(data: Mapping[str, Any], strategies: Mapping[str, Strategy]) -> Player:
    """Return the player that `stored` wrote, its strategy among `strategies`.

    Raises:
        KeyError, TypeError, ValueError: `stored` never wrote that.
    """
    values = {key: value for key, value in data.items() if key not in ("strategy", "with")}
    return strategies[data["strategy"]].bind(values, Conduct.of(data.get("with", {})))


def stored_strategies(code: Mapping[str, Strategy]) -> dict[str, Any]:
    """Return what is told of users' strategies, by name, as plain data."""
    return {
        name: {
            "sha256": one.file.sha256,
            "says": one.says,
            "wants": one.wants,
            "uses_unseen": one.uses_unseen,
            "compiled": one.compiled,
            "parameters": [asdict(parameter) for parameter in one.parameters],
        }
        for name, one in code.items()
        if one.file is not None
    }


def restored_strategies(data: Mapping[str, Any]) -> dict[str, Strategy]:
    """Return the strategies that `stored_strategies` wrote; they cannot play.

    Raises:
        KeyError, TypeError, ValueError: it never wrote that.
    """
    return {name: _restored_strategy(name, told) for name, told in data.items()}


def _restored_strategy(name: str, told: Mapping[str, Any]) -> Strategy:
    reference = strategy_file.parse_reference(name)
    parameters = tuple(Parameter(**parameter) for parameter in told["parameters"])
    for parameter in parameters:
        parameter.check()
    if reference is None or not re.fullmatch("[0-9a-f]{64}", told["sha256"]):
        raise ValueError(f"{name!r} is no strategy file")
    if told["wants"] not in ("best", "all") or len(parameters) > MAX_PARAMETERS:
        raise ValueError(f"{name!r} is told of in another way than strategies are")
    return Strategy(
        name=name,
        choose=not_read,
        wants=told["wants"],
        uses_unseen=bool(told["uses_unseen"]),
        parameters=parameters,
        says=str(told["says"]),
        compiled=bool(told["compiled"]),
        file=StrategyFile(reference[0], told["sha256"]),
    )
