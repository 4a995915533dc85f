"""`sim moves`: a position, adjudicated."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from sim.cards import JOKER, NotationError, parse, show
from sim.errors import UsageFault
from sim.output import say
from sim.reference.moves import Move, legal_moves
from sim.rules import HAND_SIZE, Rules
from sim.settings import apply, flatten, overrides, parse_settings, preset
from sim.view import MAX_PILES

COPIES = 4
"""Cards of each rank in the pack, the four that are set out among them."""

LISTED = ("capture", "build", "trail")
HEADING = "takes or joins"


@dataclass(frozen=True)
class Position:
    """A position as a person wrote it, checked.

    Attributes:
        rules: the rule set.
        hand, loose, piles: its cards.
        told: rules, hand, table and piles in the form of the cases.
    """

    rules: Rules
    hand: list[str]
    loose: list[str]
    piles: list[list[str]]
    told: dict[str, Any]

    def moves(self) -> list[Move]:
        """Return the legal moves, in canonical order."""
        return legal_moves(self.rules, self.hand, self.loose, self.piles)


@click.command("moves")
@click.option("--hand", help='Cards of the player whose turn it is, such as "9" or "2 K *".')
@click.option("--table", default="", help='Loose cards, such as "6 3 3 7 9 A A".')
@click.option("--pile", "piles", multiple=True, help='An Esun pile, such as "4 6"; repeat.')
@click.option("--preset", "preset_name", help="Start from these rules instead of the defaults.")
@click.option("--set", "settings", multiple=True, help="A rule, such as yoruba=true; repeat.")
@click.option("--cases", type=click.Path(path_type=Path), help="Positions, one JSON object a line.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each position.")
def command(
    hand: str | None,
    table: str,
    piles: tuple[str, ...],
    preset_name: str | None,
    settings: tuple[str, ...],
    cases: Path | None,
    as_json: bool,
) -> None:
    """List the legal moves of a position.

    Cards are written A 2 .. 10 J Q K, and * for a joker. The largest captures are marked.
    """
    if cases is not None:
        if hand is not None or table or piles or preset_name or settings:
            raise UsageFault(
                "--cases brings its own hands, tables, piles and rules; leave out the other options"
            )
        positions = list(read_cases(cases))
    else:
        if hand is None:
            raise UsageFault('--hand is missing; write --hand "9", or --cases FILE')
        rules = apply(preset(preset_name or "default"), parse_settings(settings), "--set ")
        positions = [position(rules, hand, table, list(piles), "--", "--pile")]
        check_copies(positions[0])
    for number, one in enumerate(positions):
        if as_json:
            click.echo(json.dumps(one.told | {"moves": told_moves(one.moves())}))
        else:
            say("\n" * (number > 0) + "\n".join(listing(one)))


def position(
    rules: Rules, hand: str, table: str, piles: list[str], place: str, pile_word: str
) -> Position:
    """Check a position.

    Args:
        rules: the rule set.
        hand, table, piles: cards as written.
        place: what stands before ``hand`` and ``table`` in messages.
        pile_word: what messages call a pile.

    Raises:
        UsageFault: a word is no card, or hand or piles cannot be so in any game.
    """
    in_hand = _cards(hand, f"{place}hand")
    loose = _cards(table, f"{place}table")
    standing = [_cards(pile, pile_word) for pile in piles]
    if not 1 <= len(in_hand) <= HAND_SIZE:
        raise UsageFault(f"{place}hand: found {len(in_hand)} cards; a hand is 1 to {HAND_SIZE}")
    if standing and not rules.esun:
        raise UsageFault(f"{pile_word}: there are no piles without Esun; set esun to true")
    if len(standing) > MAX_PILES:
        raise UsageFault(f"{pile_word}: found {len(standing)} piles; at most {MAX_PILES} can stand")
    for pile in standing:
        if len(pile) < 2 or JOKER in pile:
            raise UsageFault(
                f"{pile_word} {show(pile)!r}: a pile is 2 or more cards, none of them a joker"
            )
    told = {"rules": overrides(rules), "hand": hand, "table": table, "piles": piles}
    return Position(rules, in_hand, loose, standing, told)


def check_copies(one: Position) -> None:
    """Refuse more copies of a card than there are. (Case files may ask for what cannot come up.)

    Raises:
        UsageFault: a card is there too often.
    """
    counts = Counter(chain(one.hand, one.loose, *one.piles))
    for card, number in counts.items():
        most = one.rules.jokers if card == JOKER else COPIES
        if number > most:
            remedy = "; --set jokers=1 or 2 puts jokers in" if card == JOKER else ""
            raise UsageFault(
                f"--hand, --table, --pile: found {number} times {card}; the pack has {most}{remedy}"
            )


def _cards(text: str, place: str) -> list[str]:
    try:
        return parse(text)
    except NotationError as error:
        raise UsageFault(f"{place}: {error}") from None


def read_cases(path: Path) -> Iterator[Position]:
    """Read positions, one JSON object a line: rules, hand, table, piles; ``moves`` is ignored.

    Raises:
        UsageFault: the file cannot be read, or a line is no position; the message has its place.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageFault(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageFault(f"{path}: it is no text in UTF-8") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _case(line, f"{path}, line {number}: ")


def _case(line: str, place: str) -> Position:
    try:
        case = json.loads(line)
    except (ValueError, RecursionError):
        raise UsageFault(f"{place}this is no JSON object") from None
    kinds = {"rules": dict, "hand": str, "table": str, "piles": list}
    if not isinstance(case, dict):
        raise UsageFault(f"{place}this is no JSON object")
    for key, kind in kinds.items():
        if key not in case:
            raise UsageFault(f"{place}{key} is missing; a case has {', '.join(kinds)}")
        if not isinstance(case[key], kind):
            words = {dict: "an object", str: "a string", list: "a list"}
            raise UsageFault(f"{place}{key}: found {case[key]!r}; it is {words[kind]}")
    if unknown := [key for key in case if key not in kinds and key != "moves"]:
        raise UsageFault(f"{place}{unknown[0]!r} is unknown; a case has {', '.join(kinds)}")
    if wrong := [pile for pile in case["piles"] if not isinstance(pile, str)]:
        raise UsageFault(f"{place}piles: found {wrong[0]!r}; each pile is a string")
    rules = apply(Rules(), flatten(case["rules"], f"{place}rules."), f"{place}rules.")
    found = position(rules, case["hand"], case["table"], case["piles"], place, f"{place}piles")
    return replace(found, told=found.told | {"rules": case["rules"]})


def told_moves(moves: list[Move]) -> list[dict[str, Any]]:
    """Return moves in the form and the order of the case files."""

    def order(move: Move) -> tuple[str, str, str, str]:
        return move.kind, move.card, str(move.take), str(move.piles)

    return [
        {"move": m.kind, "card": m.card, "take": show(m.take), "piles": list(m.piles)}
        for m in sorted(moves, key=order)
    ]


def listing(one: Position) -> Iterator[str]:
    """Yield the lines that tell a position and its moves to a person."""
    changed = [f"{key}={_word(value)}" for key, value in flatten(one.told["rules"], "").items()]
    yield f"Rules  {', '.join(changed) or 'default'}"
    yield f"Hand   {show(one.hand)}"
    yield f"Table  {show(one.loose) or 'no loose card'}"
    for i, pile in enumerate(one.piles):
        yield f"Pile {i} {show(pile)}"
    yield ""
    moves = sorted(one.moves(), key=lambda m: (LISTED.index(m.kind), -m.size))
    largest = max((m.size for m in moves if m.kind == "capture"), default=0)
    rows = [(m, _taken(m)) for m in moves]
    width = max(len(HEADING), *(len(taken) for _, taken in rows)) + 2
    yield f"{'move':<9}{'card':<6}{HEADING:<{width}}cards"
    for m, taken in rows:
        mark = "  largest capture" if m.kind == "capture" and m.size == largest else ""
        yield f"{m.kind:<9}{m.card:<6}{taken:<{width}}{m.size or '':>5}{mark}".rstrip()


def _taken(move: Move) -> str:
    words = [show(move.take)] if move.take else []
    return ", ".join(words + [f"pile {i}" for i in move.piles])


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
