"""What each player remembers of the cards that left the game, and so what it has not seen.

Source: RULES.md, "Players as they are: memory and conduct"; the draws are those of docs/chance.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sim.cards import INDEX, pack
from sim.reference.chance import RECALL, Draws
from sim.reference.state import Round, whole_pack
from sim.rules import Rules


class Copy(NamedTuple):
    """A card that left the game in this round.

    Attributes:
        card: its rank.
        number: how many of its rank had left before it.
        owner: the seat in whose captured pile it lies; None if it was discarded.
    """

    card: str
    number: int
    owner: int | None


class Memory:
    """What every seat remembers in one round.

    Args:
        recalls: for each seat the chance of remembering a card.
        draws: the chance of the round.
    """

    def __init__(self, recalls: Sequence[float], draws: Draws) -> None:
        self._recalls = recalls
        self._draws = draws
        self._copies: list[Copy] = []
        self._known: list[set[Copy]] = [set() for _ in recalls]

    def leave(self, cards: Iterable[str], owner: int | None) -> None:
        """Let cards leave the game together; each seat draws whether it remembers each of them."""
        numbers = Counter(copy.card for copy in self._copies)
        for card in cards:
            copy = Copy(card, numbers[card], owner)
            numbers[card] += 1
            self._copies.append(copy)
            place = 4 * INDEX[card] + copy.number
            for seat, recall in enumerate(self._recalls):
                if self._draws.happens(recall, RECALL, seat, place):
                    self._known[seat].add(copy)

    def look(self, seat: int, owner: int) -> None:
        """Let `seat` look through the captured pile of `owner`."""
        self._known[seat].update(copy for copy in self._copies if copy.owner == owner)

    def remembered(self, seat: int) -> list[str]:
        """Return the cards that `seat` remembers."""
        return [copy.card for copy in self._known[seat]]

    def forgotten_own(self, seat: int) -> list[str]:
        """Return the cards of its own captured pile that `seat` does not remember."""
        own = [copy for copy in self._copies if copy.owner == seat]
        return [copy.card for copy in own if copy not in self._known[seat]]


def unseen(rules: Rules, round_: Round, seat: int, memory: Memory) -> int:
    """Return the cards that `seat` has not seen this round, as it remembers, packed.

    Trailed and released cards lie loose. Unused leftovers are never seen, and so stay among these.
    """
    seen = round_.hands[seat] + round_.loose + memory.remembered(seat)
    for pile in round_.piles:
        seen += pile.cards
    if rules.isiwo:
        seen += memory.forgotten_own(seat)
    return pack(whole_pack(rules)) - pack(seen)
