"""What players do at a turn beside choosing a move; everything here is drawn.

Source: RULES.md, "Players as they are: memory and conduct"; the draws are those of docs/chance.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.conduct import Conduct
from sim.reference.captures import captures, in_rank_order
from sim.reference.chance import CHALLENGE, NOISE, PEEK, SLIP, SPY, VIGILANCE, Draws, bounded
from sim.reference.moves import Move
from sim.reference.state import Round
from sim.rules import Rules


class Deeds:
    """The deeds of the players of one round.

    Args:
        rules: the rule set.
        rates: the conduct of each seat.
        draws: the chance of the round.
    """

    def __init__(self, rules: Rules, rates: Sequence[Conduct], draws: Draws) -> None:
        self._rules = rules
        self._rates = rates
        self._draws = draws

    def at_random(self, seat: int, turn: int) -> bool:
        """Say whether `seat` plays this turn at random."""
        return self._draws.happens(self._rates[seat].noise, NOISE, turn // 4, turn % 4)

    def looks(self, round_: Round, seat: int) -> Iterator[tuple[int, bool]]:
        """Yield whose captured pile `seat` looks through before its turn, and if it is noticed."""
        rates, turn = self._rates[seat], round_.turn
        may_not = not self._rules.isiwo and round_.captured[seat]
        if may_not and self._draws.happens(rates.peek, PEEK, turn):
            yield seat, self._noticed(seat, PEEK, turn)
        with_pile = [other for other in self._others(seat) if round_.captured[other]]
        if with_pile and self._draws.happens(rates.spy, SPY, turn):
            of = with_pile[bounded(self._draws.word(SPY, turn, 1), len(with_pile))]
            yield of, self._noticed(seat, SPY, turn)

    def slip(self, round_: Round, seat: int, move: Move) -> str | None:
        """Return the card that `seat` takes too many with its move, if it does."""
        turn = round_.turn
        if move.kind != "capture":
            return None
        if not self._draws.happens(self._rates[seat].miscapture, SLIP, turn):
            return None
        wrong = too_many(self._rules, round_, move)
        return wrong[bounded(self._draws.word(SLIP, turn, 1), len(wrong))] if wrong else None

    def challenger(self, round_: Round, seat: int, slip: str | None) -> int | None:
        """Return the first seat clockwise that challenges the capture of `seat`, if any does."""
        for other in self._others(seat):
            rates = self._rates[other]
            rate, purpose = (
                (rates.vigilance, VIGILANCE) if slip else (rates.false_challenge, CHALLENGE)
            )
            if self._draws.happens(rate, purpose, round_.turn, other):
                return other
        return None

    def _noticed(self, seat: int, purpose: int, turn: int) -> bool:
        return any(
            self._draws.happens(self._rates[other].vigilance, purpose, turn, 4 + other)
            for other in self._others(seat)
        )

    def _others(self, seat: int) -> list[int]:
        players = len(self._rates)
        return [(seat + step) % players for step in range(1, players)]


def too_many(rules: Rules, round_: Round, move: Move) -> list[str]:
    """Return the loose cards with each of which a capture is no valid one, in rank order.

    What the played card can capture decides, and not what `must_capture` asks for.
    """
    loose = in_rank_order(round_.loose)
    piles = [pile.cards for pile in round_.piles]
    valid = set(captures(rules, move.card, loose, piles))
    left = list(loose)
    for card in move.take:
        left.remove(card)
    return [card for card in left if (with_slip(move, card).take, move.piles) not in valid]


def with_slip(move: Move, slip: str) -> Move:
    """Return a capture that takes one more loose card."""
    take = in_rank_order((*move.take, slip))
    return move._replace(take=take, size=move.size + 1)
