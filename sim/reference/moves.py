"""All legal moves of a position.

Source: RULES.md, "The three moves" and what follows it up to "The order of things".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sim.cards import INDEX, pack
from sim.reference.captures import Cards, builds, captures, in_rank_order
from sim.rules import Rules
from sim.view import KINDS


class Move(NamedTuple):
    """What a turn can do.

    Attributes:
        kind: ``trail``, ``capture`` or ``build``.
        card: the card played.
        take: loose cards taken or joined, jokers included, in rank order.
        piles: places of the piles taken, in building order.
        size: cards taken or joined, those of piles counted, the played one not.
    """

    kind: str
    card: str
    take: Cards = ()
    piles: tuple[int, ...] = ()
    size: int = 0

    def numbers(self) -> tuple[int, int, int, int]:
        """Return card, kind, take and piles as the View has them; canonical order is theirs."""
        bits = sum(1 << pile for pile in self.piles)
        return INDEX[self.card], KINDS.index(self.kind), pack(self.take), bits


def legal_moves(
    rules: Rules, hand: Sequence[str], table: Sequence[str], piles: Sequence[Sequence[str]] = ()
) -> list[Move]:
    """Return every legal move once, in canonical order.

    Args:
        rules: the rule set.
        hand: the cards of the player whose turn it is, at least one.
        table: the loose cards.
        piles: the cards of each Esun pile, in building order.
    """
    loose = in_rank_order(table)
    standing = [tuple(pile) for pile in piles]
    moves = list(_captures(rules, hand, loose, standing))
    if moves and rules.must_capture == "most":
        most = max(move.size for move in moves)
        moves = [move for move in moves if move.size == most]
    if not moves or rules.must_capture == "never":
        moves += [Move("trail", card) for card in set(hand)]
        if rules.esun:
            moves += _builds(rules, hand, loose)
    return sorted(moves, key=Move.numbers)


def _captures(
    rules: Rules, hand: Iterable[str], loose: Sequence[str], piles: Sequence[Cards]
) -> Iterator[Move]:
    for card in set(hand):
        for take, chosen in captures(rules, card, loose, piles):
            size = len(take) + sum(len(piles[i]) for i in chosen)
            yield Move("capture", card, take, chosen, size)


def _builds(rules: Rules, hand: Sequence[str], loose: Sequence[str]) -> Iterator[Move]:
    for card in set(hand):
        kept = list(hand)
        kept.remove(card)
        for joined in builds(rules, card, kept, loose):
            yield Move("build", card, joined, (), len(joined))


def best_moves(moves: Sequence[Move]) -> list[Move]:
    """Keep, of each card in hand, its trail, its largest captures and its largest builds.

    Args:
        moves: legal moves; their order is kept.
    """
    most: dict[tuple[str, str], int] = {}
    for move in moves:
        key = move.card, move.kind
        most[key] = max(most.get(key, 0), move.size)
    return [move for move in moves if move.size == most[move.card, move.kind]]
