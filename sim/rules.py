"""Rules: one frozen record for each rule set, its presets, and which options can act.

Source: RULES.md, section 2. A rule variant is another `Rules`, never a flag deep in an engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

RULES_VERSION = "elewenjewe/1"
"""Recorded in every run. Any change to what a rule means changes it."""

HAND_SIZE = 4
MAX_PLAYERS = 5


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Rounds(_Record):
    """The game is a fixed number of rounds."""

    rounds: int = Field(4, ge=1, le=1000, description="rounds in a game")


class FirstTo(_Record):
    """The game ends when somebody has reached a target."""

    first_to: int = Field(5, ge=1, le=10_000, description="points, or rounds won, that end it")
    unit: Literal["cards", "rounds"] = Field("cards", description="what is counted to the target")
    max_rounds: int = Field(100, ge=1, le=1000, description="the game stops after this many rounds")


def _which_end(value: Any) -> str:
    fields = value if isinstance(value, Mapping) else getattr(type(value), "model_fields", {})
    keys = set(fields)
    return "first_to" if "rounds" not in keys and keys & FirstTo.model_fields.keys() else "rounds"


End = Annotated[
    Annotated[Rounds, Tag("rounds")] | Annotated[FirstTo, Tag("first_to")],
    Discriminator(_which_end),
]


class Penalty(_Record):
    """Points lost for each offence; 0 switches a penalty off."""

    esun: int = Field(2, ge=0, le=1000, description="for a pile that nobody captured in its deal")
    miscapture: int = Field(2, ge=0, le=1000, description="for a wrong capture that was noticed")
    challenge: int = Field(2, ge=0, le=1000, description="for challenging a right capture")
    peek: int = Field(2, ge=0, le=1000, description="for being noticed looking at captured cards")


class Rules(_Record):
    """A complete rule set. Hashable, comparable, valid by construction."""

    jokers: int = Field(0, ge=0, le=2, description="jokers in the pack")
    yoruba: bool = Field(False, description="all cards captured in a turn must differ in rank")
    yoruba_faces: Literal["strict", "pair"] = Field(
        "strict", description="under Yoruba rules: faces capture nothing, or any of their own rank"
    )
    yoruba_joker: Literal["exempt", "distinct"] = Field(
        "exempt", description="under Yoruba rules: a joker takes all, or cards of different ranks"
    )
    must_capture: Literal["never", "any", "most"] = Field(
        "never", description="capturing is free choice, forced, or forced to be the largest"
    )
    leftover: Literal["unused", "table"] = Field(
        "unused", description="cards that cannot be dealt: out of play, or laid on the table"
    )
    single_deal: bool = Field(False, description="one final deal of a single card each")
    rest: Literal["nobody", "last_to_play", "last_to_capture"] = Field(
        "nobody", description="who gets the loose cards left at the round's end"
    )
    esun: bool = Field(False, description="protected piles can be built")
    esun_unclaimed: Literal["release", "discard"] = Field(
        "release", description="an unclaimed pile turns loose, or is out of play"
    )
    isiwo: bool = Field(False, description="players may look through their own captured pile")
    penalty: Penalty = Field(default_factory=Penalty, description="points lost for each offence")
    end: End = Field(default_factory=Rounds, description="when the game ends")


PRESETS: dict[str, Rules] = {
    "default": Rules(),
    "casual": Rules(jokers=2, isiwo=True),
    "yoruba": Rules(jokers=2, isiwo=True, yoruba=True),
    "professional": Rules(esun=True, isiwo=True),
}


@dataclass(frozen=True)
class RoundPlan:
    """How one round is dealt (RULES.md, 3.4 to 3.6).

    Attributes:
        deals: hand size of each deal, e.g. ``(4, 4, 4, 4, 4, 4, 1)``.
        leftover: cards that no hand gets.
    """

    deals: tuple[int, ...]
    leftover: int

    @property
    def turns(self) -> int:
        """Turns that each player takes in the round."""
        return sum(self.deals)


def round_plan(rules: Rules, players: int) -> RoundPlan:
    """Plan the deals of a round of `rules` for 2 to 5 `players`."""
    pack = 48 + rules.jokers
    full, leftover = divmod(pack, HAND_SIZE * players)
    deals = (HAND_SIZE,) * full
    if rules.single_deal and leftover >= players:
        deals += (1,)
        leftover -= players
    return RoundPlan(deals, leftover)


@dataclass(frozen=True)
class Occurs:
    """Which kinds of imperfect play occur at all in an experiment; none by default.

    Attributes:
        forgets: some seat has recall below 1 and a strategy that uses what is unseen.
        miscaptures, vigilant, challenges, peeks, spies: some seat has such a rate above 0.
    """

    forgets: bool = False
    miscaptures: bool = False
    vigilant: bool = False
    challenges: bool = False
    peeks: bool = False
    spies: bool = False


@dataclass(frozen=True)
class Inert:
    """An option that is set but cannot act, and why."""

    key: str
    reason: str


def inert_options(rules: Rules, players: int, occurs: Occurs = Occurs()) -> list[Inert]:
    """List the options of `rules` that differ from their defaults but cannot change any game.

    Source: RULES.md, 2.4.
    """
    found: list[Inert] = []

    def note(key: str, default: object, cannot_act: bool, reason: str) -> None:
        value: Any = rules
        for part in key.split("."):
            value = getattr(value, part)
        if value != default and cannot_act:
            found.append(Inert(key, reason))

    plan = round_plan(rules, players)
    without_yoruba = "Yoruba rules are off"
    without_esun = "Esun is off, so no piles are built"
    note("yoruba_faces", "strict", not rules.yoruba, without_yoruba)
    note(
        "yoruba_joker",
        "exempt",
        not rules.yoruba or rules.jokers == 0,
        without_yoruba if not rules.yoruba else "there are no jokers",
    )
    note(
        "single_deal",
        False,
        1 not in plan.deals,
        f"with {players} players and {rules.jokers} jokers too few cards are left over "
        "for one each",
    )
    note(
        "leftover",
        "unused",
        plan.leftover == 0,
        f"with {players} players and {rules.jokers} jokers no card is left over",
    )
    note("esun_unclaimed", "release", not rules.esun, without_esun)
    note("penalty.esun", 2, not rules.esun, without_esun)
    perfect = "everybody remembers everything, or no strategy uses what is unseen, and nobody peeks"
    note("isiwo", False, not (occurs.forgets or occurs.peeks), perfect)
    note(
        "penalty.miscapture",
        2,
        not (occurs.miscaptures and occurs.vigilant),
        "no seat miscaptures, or nobody is vigilant",
    )
    note("penalty.challenge", 2, not occurs.challenges, "no seat makes false challenges")
    peeking = occurs.peeks and not rules.isiwo
    note(
        "penalty.peek",
        2,
        not ((peeking or occurs.spies) and occurs.vigilant),
        "nobody looks at captured cards against the rules, or nobody would notice",
    )
    return found


def without(rules: Rules, keys: Iterable[str]) -> Rules:
    """Return `rules` with the options `keys` at their defaults; penalties as ``penalty.esun``."""
    plain = Rules()
    changes: dict[str, Any] = {}
    for key in keys:
        top, _, inner = key.partition(".")
        if inner:
            penalty = changes.get(top, rules.penalty)
            own = {inner: getattr(plain.penalty, inner)}
            changes[top] = penalty.model_copy(update=own)
        else:
            changes[top] = getattr(plain, top)
    return rules.model_copy(update=changes)


def differences(a: Rules, b: Rules) -> list[tuple[str, object, object]]:
    """List ``(key, value in a, value in b)`` for every option that differs, in order of `Rules`."""
    rows: list[tuple[str, object, object]] = []
    for key in Rules.model_fields:
        left, right = getattr(a, key), getattr(b, key)
        if left == right:
            continue
        if key == "penalty":
            names = Penalty.model_fields
            rows += [
                (f"penalty.{name}", getattr(left, name), getattr(right, name))
                for name in names
                if getattr(left, name) != getattr(right, name)
            ]
        else:
            rows.append((key, left, right))
    return rows
