"""Random rule sets and games of them: every option, parameter, rate and address drawn."""

from __future__ import annotations

import random
from typing import Any, get_args

from sim.conduct import MEANINGS, Conduct
from sim.rules import Penalty, Rules
from sim.strategy import Parameter, Player, catalogue
from tests.differential import Case


def random_rules(choose: random.Random) -> Rules:
    """Return a rule set with every option drawn."""
    drawn: dict[str, Any] = {
        key: choose.choice(get_args(field.annotation))
        for key, field in Rules.model_fields.items()
        if get_args(field.annotation) and key != "end"
    }
    ends = [
        {"rounds": choose.randint(1, 4)},
        {"first_to": choose.randint(1, 60), "max_rounds": choose.randint(1, 5)},
        {
            "first_to": choose.randint(1, 3),
            "unit": "rounds",
            "max_rounds": choose.randint(1, 5),
        },
    ]
    drawn |= {
        "jokers": choose.randint(0, 2),
        "yoruba": choose.random() < 0.5,
        "single_deal": choose.random() < 0.5,
        "esun": choose.random() < 0.4,
        "isiwo": choose.random() < 0.5,
        "penalty": {name: choose.randint(0, 3) for name in Penalty.model_fields},
        "end": choose.choice(ends),
    }
    if choose.random() < 0.5:
        drawn["must_capture"] = "never"
    return Rules(**drawn)


def random_player(choose: random.Random) -> Player:
    """Return a player of the catalogue with random parameters and conduct; half play at random."""
    known = catalogue()
    strategy = known[choose.choice([*sorted(known), *["random"] * len(known)])]
    values = {p.name: _value(p, choose) for p in strategy.parameters if choose.random() < 0.5}
    return strategy.bind(values, random_conduct(choose))


def random_conduct(choose: random.Random) -> Conduct:
    """Return perfect conduct or one with every rate drawn, each as often as the other."""
    if choose.random() < 0.5:
        return Conduct()
    return Conduct.of({rate: choose.choice([0, choose.random(), 1]) for rate in MEANINGS})


def _value(parameter: Parameter, choose: random.Random) -> float:
    if parameter.whole:
        return choose.randint(int(parameter.low), int(parameter.high))
    return choose.uniform(parameter.low, parameter.high)


def random_case(choose: random.Random, players: int | None = None) -> Case:
    """Return a random deal of random rules, in one hand rotation or in all."""
    players = players or choose.randint(2, 5)
    return Case(
        random_rules(choose),
        tuple(random_player(choose) for _ in range(players)),
        choose.getrandbits(64),
        choose.getrandbits(48),
        choose.choice([1, players]),
    )
