"""Options of the rules and their values, as a person says them."""

from __future__ import annotations

import json

from sim.answers.factors import Change

NAMES = {
    "jokers": "the number of jokers",
    "yoruba": "the Yoruba rule",
    "yoruba_faces": "what faces capture under the Yoruba rule",
    "yoruba_joker": "what a joker takes under the Yoruba rule",
    "must_capture": "having to capture",
    "leftover": "what becomes of leftover cards",
    "single_deal": "a last deal of single cards",
    "rest": "who gets the rest",
    "esun": "Esun",
    "esun_unclaimed": "what becomes of an unclaimed pile",
    "isiwo": "Isiwo",
    "penalty.esun": "the penalty for an unclaimed pile",
    "penalty.miscapture": "the penalty for a wrong capture",
    "penalty.challenge": "the penalty for a false challenge",
    "penalty.peek": "the penalty for peeking",
    "end": "when the game ends",
}
"""What follows "how much matters ..."; every option of `sim.rules.Rules`."""


def value(text: str) -> str:
    """Write the value of an option, given as a JSON text."""
    told = json.loads(text)
    if isinstance(told, bool):
        return "on" if told else "off"
    if isinstance(told, dict):
        if "rounds" in told:
            return f"{told['rounds']} rounds"
        return f"first to {told['first_to']} {told['unit']}"
    return str(told)


def change(own: Change) -> str:
    """Write a change of an option's value."""
    return f"{value(own.after)} instead of {value(own.before)}"


def step(own: Change) -> str:
    """Write a change of an option's value, for a picture or a table."""
    return f"{value(own.before)} → {value(own.after)}"


def brief(own: Change) -> str:
    """Write a change with its option, for a picture or a table."""
    return f"{own.option}: {step(own)}"
