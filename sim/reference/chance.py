"""All chance in a game, each source at its own address (rng `philox4x32-10/v1`).

The counter is the address of a draw: the deal, the purpose, the round, the block of four words, and
the entity that draws. So nothing here has a state, and no draw depends on another having been made.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from sim.cards import INDEX, JOKER, fresh_pack
from sim.reference.philox import MASK, Words, philox

DECK, JOKERS, PLAY = 1, 2, 3
"""Purposes of a game in which everybody remembers everything and nobody errs."""

RECALL, SLIP, VIGILANCE, CHALLENGE, PEEK, SPY, NOISE = 4, 5, 6, 7, 8, 9, 10
"""Purposes of memory and conduct."""


def block(
    seed: int, deal: int, purpose: int, round_number: int, index: int, entity: int = 0
) -> Words:
    """Return block `index` of the random words of one purpose; everything counts from 0."""
    place = purpose << 24 | round_number << 8 | index
    return philox((deal & MASK, deal >> 32, place, entity), (seed & MASK, seed >> 32))


def draws(seed: int, deal: int, purpose: int, round_number: int) -> Iterator[int]:
    """Yield draw 0, 1, 2 ... of a purpose that has the table for its entity; 32 bits each."""
    index = 0
    while True:
        yield from block(seed, deal, purpose, round_number, index)
        index += 1


def bounded(word: int, below: int) -> int:
    """Turn a 32-bit word into a number from 0 to `below` - 1."""
    return word * below >> 32


def shuffled(seed: int, deal: int, round_number: int) -> list[str]:
    """Return the 48 cards of a round in their order, the first to be dealt first."""
    cards = fresh_pack()
    words = draws(seed, deal, DECK, round_number)
    for i in range(len(cards) - 1, 0, -1):
        j = bounded(next(words), i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def with_jokers(
    cards: list[str], jokers: int, seed: int, deal: int, round_number: int
) -> list[str]:
    """Return `cards` with jokers put in: each takes a random slot, whose card moves to the end."""
    cards = list(cards)
    words = draws(seed, deal, JOKERS, round_number)
    for _ in range(jokers):
        j = bounded(next(words), len(cards) + 1)
        cards.append(JOKER)
        cards[j], cards[-1] = cards[-1], cards[j]
    return cards


def deck_check(cards: list[str]) -> int:
    """Return the CRC-32 of the shuffled cards, a byte a card, the index of its rank."""
    return zlib.crc32(bytes(INDEX[card] for card in cards))


def noise(seed: int, deal: int, round_number: int, turn: int) -> int:
    """Return the 32-bit random word of one decision; four turns share a block."""
    return block(seed, deal, PLAY, round_number, 0, turn // 4)[turn % 4]


@dataclass(frozen=True)
class Draws:
    """The draws of memory and conduct in one round.

    A draw's *place* counts the words of its entity: word k of block b is at place 4 b + k.
    """

    seed: int
    deal: int
    round_number: int

    def word(self, purpose: int, entity: int, place: int = 0) -> int:
        """Return the 32 bits of a draw."""
        index, word = divmod(place, 4)
        return block(self.seed, self.deal, purpose, self.round_number, index, entity)[word]

    def happens(self, rate: float, purpose: int, entity: int, place: int = 0) -> bool:
        """Say whether an event of chance `rate` happens; what is certain needs no draw."""
        if rate in (0, 1):
            return rate == 1
        return self.word(purpose, entity, place) < rate * 2**32
