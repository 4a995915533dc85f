"""A rule set in plain words, clause by clause of RULES.md, and what two rule sets differ in.

One table: for each clause its number, the option it hangs on, and the sentence for each value.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from sim.rules import MAX_PLAYERS, FirstTo, Occurs, Rounds, Rules, differences, inert_options

WIDTH = 100
ALL_PLAYERS = tuple(range(2, MAX_PLAYERS + 1))

ANYTHING = Occurs(
    forgets=True, miscaptures=True, vigilant=True, challenges=True, peeks=True, spies=True
)
"""With such players only the rules, and how many play, decide what cannot act."""


@dataclass(frozen=True)
class Clause:
    """A clause of RULES.md.

    Attributes:
        number: as in RULES.md.
        option: the dotted key it hangs on; empty: it holds in every rule set.
        says: the sentence, or the sentence for each value, or what makes it of the value.
        needs: options that must be on for the clause to matter.
    """

    number: str
    option: str
    says: str | Mapping[Any, str] | Callable[[Any], str]
    needs: tuple[str, ...] = ()

    def sentence(self, rules: Rules) -> str:
        """Return what the clause says in a rule set."""
        if isinstance(self.says, str):
            return self.says
        value = attrgetter(self.option)(rules)
        return self.says(value) if callable(self.says) else self.says[value]


def _costs(what: str) -> Callable[[int], str]:
    def says(points: int) -> str:
        return f"{what} costs {_count(points, 'point') if points else 'nothing'}."

    return says


def _end(end: Rounds | FirstTo) -> str:
    if isinstance(end, Rounds):
        return f"The game is {_count(end.rounds, 'round')}; most points win, equal points share."
    most = _count(end.max_rounds, "round")
    if end.unit == "cards":
        target = f"{_count(end.first_to, 'point')} wins at once"
        return f"The first to hold {target}; after {most} without a winner most points win."
    target = f"{_count(end.first_to, 'round')} wins"
    return (
        f"Whoever has won {target}, checked after each round; a tied round counts in equal parts; "
        f"after {most} without a winner most rounds win."
    )


CLAUSES: tuple[Clause, ...] = (
    Clause("3.1", "", "K, Q, J and 9 of diamonds are laid on the table, face up."),
    Clause(
        "3.2",
        "jokers",
        {
            0: "The other 48 cards are shuffled; there are no jokers.",
            1: "The other 48 cards and one joker are shuffled.",
            2: "The other 48 cards and two jokers are shuffled.",
        },
    ),
    Clause("3.3", "", "The player after the dealer leads; the deal passes on each round."),
    Clause("3.4", "", "Everybody gets 4 cards, and 4 more when those are played, while they last."),
    Clause(
        "3.5",
        "single_deal",
        {
            False: "There is no final deal of single cards.",
            True: "If enough cards are left over, one final deal gives everybody a single card.",
        },
    ),
    Clause(
        "3.6",
        "leftover",
        {
            "unused": "Cards that cannot be dealt take no part in the round.",
            "table": "Cards that cannot be dealt are laid on the table in the last deal.",
        },
    ),
    Clause(
        "4.2",
        "",
        "A card of value v captures loose cards that make one or more groups, each summing to v.",
    ),
    Clause("4.3", "", "A jack, queen or king captures loose cards of its own rank."),
    Clause("4.4", "", "A joker captures everything on the table.", needs=("jokers",)),
    Clause("4.5", "", "A joker on the table goes along with the next capture.", needs=("jokers",)),
    Clause("4.6", "", "A played card that captures nothing stays on the table."),
    Clause("4.8", "", "The played card and each card it captures are one point."),
    Clause(
        "4.9",
        "must_capture",
        {
            "never": "Nobody has to capture.",
            "any": "A player who can capture must capture.",
            "most": "A player who can capture must make a capture of the most cards possible.",
        },
    ),
    Clause(
        "5.1",
        "yoruba",
        {
            False: "Cards captured in one turn may be of one rank.",
            True: "All cards captured in one turn differ in rank from each other and from the "
            "played card.",
        },
    ),
    Clause(
        "5.2",
        "yoruba_faces",
        {
            "strict": "A jack, queen or king captures nothing.",
            "pair": "A jack, queen or king is exempt and captures any number of its own rank.",
        },
        needs=("yoruba",),
    ),
    Clause(
        "5.3",
        "yoruba_joker",
        {
            "exempt": "A played joker is exempt and captures everything.",
            "distinct": "A played joker captures, instead of everything, loose cards of different "
            "ranks that the player chooses, at least one of them no joker, and no piles.",
        },
        needs=("yoruba",),
    ),
    Clause(
        "6.1",
        "esun",
        {
            False: "There are no piles.",
            True: "A player may join the played card with loose cards into a protected pile, if a "
            "card still in hand could capture them all.",
        },
    ),
    Clause(
        "6.3", "", "A pile is captured whole or not at all, and never added to.", needs=("esun",)
    ),
    Clause("6.4", "", "Anybody may capture a pile, its builder or another.", needs=("esun",)),
    Clause(
        "6.5",
        "",
        "No two cards of a pile may match, and none the card that captures it.",
        needs=("esun", "yoruba"),
    ),
    Clause(
        "6.6",
        "penalty.esun",
        _costs("To have built a pile that nobody has captured when its deal ends"),
        needs=("esun",),
    ),
    Clause(
        "6.7",
        "esun_unclaimed",
        {
            "release": "The cards of such a pile turn loose.",
            "discard": "The cards of such a pile are out of play.",
        },
        needs=("esun",),
    ),
    Clause(
        "7.3",
        "rest",
        {
            "nobody": "Loose cards left at the round's end go to nobody.",
            "last_to_play": "Loose cards left at the round's end go to the dealer, who plays last.",
            "last_to_capture": "Loose cards left at the round's end go to whoever captured last.",
        },
    ),
    Clause("7.5", "end", _end),
    Clause(
        "8.1",
        "",
        "Unless an experiment says otherwise, players remember everything and do nothing wrong.",
    ),
    Clause(
        "8.2",
        "",
        "Who has a recall below 1 forgets some captured cards; memory starts anew each round.",
    ),
    Clause(
        "8.3",
        "isiwo",
        {
            False: "Players may not look through their own captured pile.",
            True: "Players may look through their own captured pile, and so always know it.",
        },
    ),
    Clause(
        "8.5",
        "penalty.miscapture",
        _costs("A capture with a card too many is undone if another notices, and"),
    ),
    Clause(
        "8.6",
        "penalty.challenge",
        _costs("To challenge a right capture changes nothing on the table, and"),
    ),
    Clause(
        "8.7",
        "penalty.peek",
        _costs("To be noticed looking through a captured pile that one may not look through"),
    ),
    Clause("8.8", "", "A turn may be played at random, as often as the player's noise says."),
)
"""In the order of RULES.md."""

END_CLAUSES = {"cards": "7.6", "rounds": "7.7"}


@dataclass(frozen=True)
class Line:
    """What a clause says in one rule set: its number, its option, the sentence."""

    number: str
    option: str
    text: str


def clause_of(option: str) -> Clause:
    """Return the clause that an option belongs to."""
    return next(clause for clause in CLAUSES if clause.option == option)


def line(clause: Clause, rules: Rules, players: Sequence[int] = ALL_PLAYERS) -> Line:
    """Return what a clause says in a rule set; an inert option is said with the reason."""
    number = clause.number
    if clause.option == "end" and isinstance(rules.end, FirstTo):
        number = END_CLAUSES[rules.end.unit]
    text = clause.sentence(rules)
    if reasons := _inert(clause.option, rules, players):
        text += f" (It cannot act: {'; '.join(reasons)}.)"
    return Line(number, clause.option, text)


def lines(rules: Rules, players: Sequence[int] = ALL_PLAYERS) -> list[Line]:
    """Return a rule set clause by clause.

    A clause that needs what is off is left out, unless it is set all the same.
    """
    found = []
    for clause in CLAUSES:
        matters = all(getattr(rules, option) for option in clause.needs)
        if matters or _inert(clause.option, rules, players):
            found.append(line(clause, rules, players))
    return found


def _inert(option: str, rules: Rules, players: Sequence[int]) -> list[str]:
    """Say why an option cannot act: each reason once, with all the players it holds for."""
    reasons: dict[str, list[str]] = {}
    for number in players:
        for inert in inert_options(rules, number, ANYTHING):
            if inert.key == option:
                reason = inert.reason.replace(f"with {number} players", "with {} players")
                reasons.setdefault(reason, []).append(str(number))
    return [reason.format(_either(numbers)) for reason, numbers in reasons.items()]


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1])] * (len(words) > 1) + [words[-1]])


def book(rule_sets: Mapping[str, Rules], players: Sequence[int] = ALL_PLAYERS) -> Iterator[str]:
    """Yield rule sets in words: what all have in common once, then what each has of its own."""
    told = {name: lines(rules, players) for name, rules in rule_sets.items()}
    first = next(iter(told.values()))
    common = [one for one in first if all(one in other for other in told.values())]
    if len(told) == 1:
        yield next(iter(told))
        yield from _shown(first)
    else:
        yield f"In each of the {len(told)} rule sets"
        yield from _shown(common)
        for name, own in told.items():
            yield ""
            yield name
            yield from _shown([one for one in own if one not in common])


def compared(
    names: tuple[str, str], a: Rules, b: Rules, players: Sequence[int] = ALL_PLAYERS
) -> Iterator[str]:
    """Yield only what two rule sets differ in, in words."""
    options = [key for key, _, _ in differences(a, b)]
    if not options:
        yield f"{names[0]} and {names[1]} are the same rules."
        return
    yield f"{names[0]} and {names[1]} differ in {_count(len(options), 'option')}"
    width = max(len(name) for name in names) + 2
    for clause in CLAUSES:
        if clause.option not in options:
            continue
        both = [line(clause, rules, players) for rules in (a, b)]
        numbers = dict.fromkeys(one.number for one in both)
        yield ""
        yield f"  {', '.join(numbers)}  {clause.option}"
        for name, one in zip(names, both, strict=True):
            yield from _hanging(f"    {name:{width}}", one.text)


def _shown(told: Iterable[Line]) -> Iterator[str]:
    for one in told:
        yield from _hanging(f"  {one.number:5}", one.text)


def _hanging(start: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
    )


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
