"""The state of a round: where every card is, and what a move does to it.

Source: RULES.md, "Set-up of a round", "The three moves", "Esun", "The order of things".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sim.cards import JOKER, SET_OUT, fresh_pack
from sim.reference.captures import Cards
from sim.reference.chance import shuffled, with_jokers
from sim.reference.moves import Move
from sim.rules import RoundPlan, Rules, round_plan


@dataclass(frozen=True)
class Pile:
    """A protected pile: its cards, and the seat that built it."""

    cards: Cards
    builder: int


@dataclass
class Round:
    """One round. Every card of the pack is in exactly one of its places.

    Attributes:
        number: 0-based.
        leader: the seat that plays first; the dealer sits before it.
        plan: the sizes of its deals.
        hands, captured: cards by seat.
        pack: cards still to be dealt, the next one first.
        loose, piles: the table; piles in building order.
        discarded: cards of unclaimed piles that are out of play.
        unused: leftover cards that take no part.
        deal, turn: 0-based, in the round.
        last_capturer: the seat that captured last, if any did.
    """

    number: int
    leader: int
    plan: RoundPlan
    hands: list[list[str]]
    captured: list[list[str]]
    pack: list[str]
    loose: list[str] = field(default_factory=lambda: list(SET_OUT))
    piles: list[Pile] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    deal: int = 0
    turn: int = 0
    last_capturer: int | None = None

    @property
    def players(self) -> int:
        """Seats in play."""
        return len(self.hands)

    def role(self, seat: int) -> int:
        """Place of a seat in the order of play: 0 leads, players - 1 deals."""
        return (seat - self.leader) % self.players

    def deal_hands(self, rules: Rules, number: int, hand_rotation: int) -> list[str]:
        """Deal for the `number`-th time; return the leftover cards that are laid on the table.

        Seat s gets the packet that seat ``s + hand_rotation`` would get without rotation.
        """
        self.deal = number
        size = self.plan.deals[number]
        for seat in range(self.players):
            packet = self.role(seat + hand_rotation)
            self.hands[seat] = self.pack[packet * size : (packet + 1) * size]
        del self.pack[: self.players * size]
        if number < len(self.plan.deals) - 1 or rules.leftover == "unused":
            return []
        to_table, self.pack = self.pack, []
        self.loose += to_table
        return to_table

    def make(self, seat: int, move: Move) -> list[str]:
        """Make a move; return the cards it wins, the played one first."""
        self.hands[seat].remove(move.card)
        if move.kind == "trail":
            self.loose.append(move.card)
            return []
        for card in move.take:
            self.loose.remove(card)
        if move.kind == "build":
            self.piles.append(Pile((move.card, *move.take), seat))
            return []
        won = [move.card, *move.take]
        for place in move.piles:
            won += self.piles[place].cards
        self.piles = [pile for place, pile in enumerate(self.piles) if place not in move.piles]
        self.captured[seat] += won
        self.last_capturer = seat
        return won

    def rest_goes_to(self, rules: Rules) -> int | None:
        """Say which seat gets the loose cards at the round's end, or None."""
        if rules.rest == "last_to_play":
            return (self.leader - 1) % self.players
        return self.last_capturer if rules.rest == "last_to_capture" else None

    def everything(self) -> Counter[str]:
        """Count all cards, wherever they are."""
        places = [self.pack, self.loose, self.discarded, self.unused, *self.hands, *self.captured]
        counts = Counter(card for place in places for card in place)
        counts.update(card for pile in self.piles for card in pile.cards)
        return counts


def whole_pack(rules: Rules) -> list[str]:
    """Return every card that a round is played with: 52, and the jokers."""
    return [*fresh_pack(), *SET_OUT, *[JOKER] * rules.jokers]


def begin_round(rules: Rules, players: int, seed: int, deal: int, number: int) -> Round:
    """Set up a round: the four diamonds on the table, the pack shuffled, nothing dealt yet."""
    plan = round_plan(rules, players)
    cards = with_jokers(shuffled(seed, deal, number), rules.jokers, seed, deal, number)
    unused: list[str] = []
    if rules.leftover == "unused" and plan.leftover:
        cards, unused = cards[: -plan.leftover], cards[-plan.leftover :]
    return Round(
        number=number,
        leader=number % players,
        plan=plan,
        hands=[[] for _ in range(players)],
        captured=[[] for _ in range(players)],
        pack=cards,
        unused=unused,
    )
