"""Cards, packs and their notation.

Suits never matter after the set-up, so a card is its rank: ``A 2 .. 10 J Q K`` and ``*``, the
joker. In text a group of cards is its ranks separated by spaces: ``"6 3 3 7 9 A A"``. In compiled
code a rank is its index in `RANKS`, and a group of cards is a *packed* integer: four bits for the
count of each rank, the ace lowest (56 bits in all, so it fits a non-negative int64).

Source: RULES.md, "Vocabulary" and "Set-up of a round".
"""

from __future__ import annotations

from collections.abc import Iterable

RANKS: tuple[str, ...] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "*")
"""Every rank in order; a rank's index is its number in compiled code and in packed integers."""

INDEX: dict[str, int] = {rank: index for index, rank in enumerate(RANKS)}
JOKER = "*"
FACES: tuple[str, ...] = ("J", "Q", "K")
VALUE: dict[str, int] = {rank: index + 1 for index, rank in enumerate(RANKS[:10])}
"""Values of A..10; J, Q, K and the joker have none."""

SET_OUT: tuple[str, ...] = ("9", "J", "Q", "K")
"""The diamonds laid on the table before the shuffle (RULES.md, 3.1)."""

BITS = 4
"""Bits for each rank in a packed integer."""


def fresh_pack() -> list[str]:
    """Return the 48 cards that are shuffled, in the order they have before the shuffle."""
    return [rank for rank in RANKS[:13] for _ in range(3 if rank in SET_OUT else 4)]


class NotationError(ValueError):
    """A text that names no cards; the message says which word, and what is allowed."""


def parse(text: str) -> list[str]:
    """Read cards from text such as ``"6 3 3 7 9 A A"``, in the order written.

    Raises:
        NotationError: a word is no card.
    """
    cards = text.split()
    for card in cards:
        if card not in INDEX:
            raise NotationError(
                f"{card!r} is no card; cards are written {' '.join(RANKS)} (* is a joker), "
                "separated by spaces"
            )
    return cards


def show(cards: Iterable[str]) -> str:
    """Write cards in rank order, jokers last: the inverse of `parse` up to order."""
    return " ".join(sorted(cards, key=INDEX.__getitem__))


def pack(cards: Iterable[str]) -> int:
    """Pack cards into an integer of four-bit counts, the ace lowest."""
    return sum(1 << (BITS * INDEX[card]) for card in cards)


def unpack(packed: int) -> list[str]:
    """Return the cards of a packed integer in rank order: the inverse of `pack`."""
    return [rank for i, rank in enumerate(RANKS) for _ in range((packed >> (BITS * i)) & 15)]
