"""Players as they are: rates of memory and conduct beside a strategy.

Every rate is a chance from 0 to 1, drawn at addresses of its own (docs/chance.md), so that a rate
of one seat leaves the deals and the noise of all others as they were.

Source: RULES.md, "Players as they are: memory and conduct".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

MEANINGS: dict[str, str] = {
    "noise": "chance that a turn is played at random, any legal move as likely as any other",
    "recall": "chance of remembering each captured card",
    "miscapture": "chance, at each own capture, of taking one loose card too many",
    "vigilance": "chance of noticing a miscapture, a peek or a spying by another",
    "false_challenge": "chance, at each right capture by another, of challenging it",
    "peek": "chance, before each own turn, of looking through the own captured pile",
    "spy": "chance, before each own turn, of looking through an opponent's captured pile",
}


@dataclass(frozen=True)
class Conduct:
    """What a player does beside choosing its moves: a rate for each key of `MEANINGS`."""

    noise: float = 0.0
    recall: float = 1.0
    miscapture: float = 0.0
    vigilance: float = 0.0
    false_challenge: float = 0.0
    peek: float = 0.0
    spy: float = 0.0

    def changed(self) -> dict[str, float]:
        """Return the rates that are not the default."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: rate for name, rate in own.items() if rate != getattr(PERFECT, name)}

    @classmethod
    def of(cls, rates: Mapping[str, Any]) -> Conduct:
        """Return the conduct that `rates` describe; those not named keep their defaults.

        Raises:
            ValueError: a key is no rate, or a value is no number from 0 to 1.
        """
        for name, rate in rates.items():
            if found := problem(name, rate):
                raise ValueError(found)
        return cls(**{name: float(rate) for name, rate in rates.items()})


PERFECT = Conduct()


def problem(name: str, rate: object) -> str | None:
    """Say what is wrong with a rate, or None."""
    if name not in MEANINGS:
        return f"there is no rate {name!r}; rates are {', '.join(MEANINGS)}"
    number = isinstance(rate, (int, float)) and not isinstance(rate, bool)
    if not number or not 0 <= rate <= 1:  # type: ignore[operator]
        return f"{rate!r} is not allowed; {name} is a number from 0 to 1"
    return None
