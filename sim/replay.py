"""One game from its address, told turn by turn: as objects for programs, in words for a person.

Seats are numbered as in the data, from 0; rounds and deals are told from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sim.cards import show
from sim.reference import play_game
from sim.reference.events import (
    Challenge,
    Dealt,
    Event,
    GameEnds,
    Look,
    Rest,
    RoundBegins,
    RoundEnds,
    Turn,
    Unclaimed,
)
from sim.rules import Rules
from sim.strategy import Choose, Player


def replay(
    rules: Rules,
    seating: Sequence[Player],
    seed: int,
    deal: int,
    hand_rotation: int = 0,
    captures_address: int = 0,
    choosers: Sequence[Choose] | None = None,
) -> Iterator[Event]:
    """Play the game at an address and yield what happens in it, in order.

    The arguments, and the errors, are those of `sim.reference.play_game`.
    """
    happened: list[Event] = []
    play_game(
        rules,
        seating,
        seed,
        deal,
        hand_rotation,
        watch=happened.append,
        captures_address=captures_address,
        choosers=choosers,
    )
    yield from happened


def as_object(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object, cards in the notation of `sim.cards`.

    In a ``turn`` hand, table and piles are those before the move, points those after it;
    ``take_piles`` are places among the piles, and ``slip``, where there is one, is the card taken
    beside ``take``, one too many. What a ``challenge`` tells is as it is after it.
    """
    match event:
        case RoundBegins():
            return {
                "event": "round",
                "round": event.round + 1,
                "leader": event.leader,
                "table": show(event.table),
            }
        case Dealt():
            return {
                "event": "deal",
                "deal": event.deal + 1,
                "hands": [show(hand) for hand in event.hands],
                "to_table": show(event.to_table),
            }
        case Look():
            return {
                "event": "peek" if event.of == event.seat else "spy",
                "seat": event.seat,
                "of": event.of,
                "noticed": event.noticed,
                "penalty": event.penalty,
            }
        case Turn():
            return _turn_object(event)
        case Challenge():
            return {
                "event": "challenge",
                "by": event.by,
                "right": event.right,
                "penalty": event.penalty,
                "table": show(event.loose),
                "piles": [show(pile) for pile in event.piles],
                "points": list(event.points),
            }
        case Unclaimed():
            return {
                "event": "unclaimed",
                "pile": show(event.pile),
                "builder": event.builder,
                "penalty": event.penalty,
                "becomes": event.becomes,
            }
        case Rest():
            return {"event": "rest", "cards": show(event.cards), "seat": event.seat}
        case RoundEnds():
            return {"event": "round_end", "points": list(event.points)}
        case GameEnds():
            return {
                "event": "game_end",
                "points": list(event.points),
                "winners": list(event.winners),
            }


def _turn_object(turn: Turn) -> dict[str, Any]:
    slip = {"slip": turn.slip} if turn.slip else {}
    return {
        "event": "turn",
        "seat": turn.seat,
        "hand": show(turn.hand),
        "table": show(turn.loose),
        "piles": [show(pile) for pile in turn.piles],
        "move": turn.move.kind,
        "card": turn.move.card,
        "take": show(turn.move.take),
        "take_piles": list(turn.move.piles),
        **slip,
        "points": list(turn.points),
    }


def in_words(event: Event) -> str:
    """Return an event as a player would tell it."""
    match event:
        case RoundBegins():
            return f"\nRound {event.round + 1}: seat {event.leader} leads. {_table(event.table)}"
        case Dealt():
            hands = "; ".join(f"seat {s} gets {show(h)}" for s, h in enumerate(event.hands))
            extra = f" Left over, to the table: {show(event.to_table)}." if event.to_table else ""
            return f"  Deal {event.deal + 1}: {hands}.{extra}"
        case Look():
            return f"    {_look(event)}"
        case Turn():
            return f"    {_table(event.loose, event.piles)} {_deed(event)}"
        case Challenge():
            return f"    {_challenge(event)}"
        case Unclaimed():
            fate = "turns loose" if event.becomes == "loose" else "is out of play"
            price = f"; its builder, seat {event.builder}, pays {_price(event.penalty)}"
            return f"  Nobody captured the pile {show(event.pile)}: it {fate}{price}."
        case Rest():
            return f"  {_rest(event)}"
        case RoundEnds():
            return f"  The round is over: {_points(event.points)}."
        case GameEnds():
            return f"\n{_ending(event)}"


def _table(loose: Iterable[str], piles: Sequence[Iterable[str]] = ()) -> str:
    parts = [show(loose) or "no loose card", *(f"the pile {show(pile)}" for pile in piles)]
    return f"On the table: {', '.join(parts)}."


def _deed(turn: Turn) -> str:
    move = turn.move
    who = f"Seat {turn.seat}, holding {show(turn.hand)},"
    if move.kind == "trail":
        return f"{who} lays down the {move.card}."
    if move.kind == "build":
        return f"{who} builds a pile with the {move.card} and {show(move.take)}."
    piles = [_taken_pile(turn, place) for place in move.piles]
    slip = [] if turn.slip is None else [f"the {turn.slip}, one card too many"]
    taken = " and ".join([show(move.take)] * bool(move.take) + piles + slip)
    won = _count(move.size + 1 + len(slip), "card")
    left = len(turn.loose) - len(move.take) - len(slip)
    cleared = not left and len(piles) == len(turn.piles)
    swept = ", and the table is empty" if cleared else ""
    return f"{who} plays the {move.card} and takes {taken} ({won}){swept}; {_points(turn.points)}."


def _taken_pile(turn: Turn, place: int) -> str:
    cards, builder = show(turn.piles[place]), turn.builders[place]
    return (
        f"its own pile {cards}" if builder == turn.seat else f"the pile {cards} of seat {builder}"
    )


def _look(look: Look) -> str:
    whose = (
        "its own captured pile" if look.of == look.seat else f"the captured pile of seat {look.of}"
    )
    seen = f"is noticed and pays {_price(look.penalty)}" if look.noticed else "and is not noticed"
    return f"Seat {look.seat} looks through {whose}, {seen}."


def _challenge(challenge: Challenge) -> str:
    paid = f"seat {challenge.payer} pays {_price(challenge.penalty)}"
    if challenge.right:
        verdict = "is right: it is no capture, the played card stays on the table"
    else:
        verdict = "is wrong: the capture stands"
    now = _table(challenge.loose, challenge.piles).removesuffix(".")
    told = f"Seat {challenge.by} challenges and {verdict}, and {paid}."
    return f"{told} {now}; {_points(challenge.points)}."


def _rest(rest: Rest) -> str:
    if not rest.cards:
        return "No loose card is left."
    to = "nobody" if rest.seat is None else f"seat {rest.seat}"
    return f"The rest goes to {to}: {show(rest.cards)} ({_count(len(rest.cards), 'card')})."


def _ending(end: GameEnds) -> str:
    winners = " and ".join(f"seat {seat}" for seat in end.winners)
    verb = "share the win" if len(end.winners) > 1 else "wins"
    missed = " Nobody reached the target." if end.unfinished else ""
    return f"The game is over.{missed} {winners.capitalize()} {verb}: {_points(end.points)}."


def _points(points: Iterable[int]) -> str:
    return f"points {', '.join(str(number) for number in points)}"


def _price(points: int) -> str:
    return _count(points, "point") if points else "nothing"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
