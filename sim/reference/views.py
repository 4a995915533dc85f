"""The View (`sim.view`) as the twin fills it: a real numpy record, and the moves it points to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.cards import INDEX, JOKER, RANKS, pack
from sim.reference.captures import Cards, takes_together
from sim.reference.moves import Move
from sim.reference.state import Round
from sim.rules import FirstTo, Rules, round_plan
from sim.view import MAX_PARAMETERS, MAX_PILES, MOVE, SEATS, VIEW

MUST_CAPTURE = ("never", "any", "most")
REST = ("nobody", "last_to_play", "last_to_capture")


class ViewFiller:
    """Fills the View of any player at any turn of one game.

    Args:
        rules: the rule set.
        players: how many play.
        captures_address: where the kernel's capture table is, for strategies that read it; 0
            when none does.
    """

    def __init__(self, rules: Rules, players: int, captures_address: int = 0) -> None:
        self._rules = rules
        self._fields = np.zeros(1, VIEW)
        self._view = self._fields.view(np.recarray)[0]
        self._moves = np.zeros(0, MOVE)
        plan = round_plan(rules, players)
        end = rules.end
        self._set(
            captures=captures_address,
            players=players,
            rounds=end.max_rounds if isinstance(end, FirstTo) else end.rounds,
            target=end.first_to if isinstance(end, FirstTo) else 0,
            deals=len(plan.deals),
            turns=plan.turns * players,
            jokers=rules.jokers,
            yoruba=rules.yoruba,
            pair_faces=rules.yoruba_faces == "pair",
            distinct_joker=rules.yoruba_joker == "distinct",
            must_capture=MUST_CAPTURE.index(rules.must_capture),
            rest=REST.index(rules.rest),
            esun=rules.esun,
            esun_penalty=rules.penalty.esun,
        )

    def fill(
        self,
        round_: Round,
        seat: int,
        points: Sequence[int],
        moves: Sequence[Move],
        noise: int,
        unseen: int,
        parameters: Sequence[float],
    ) -> Any:
        """Return the View of `seat` at its turn, offering `moves`; valid until the next call."""
        self._moves = move_records(moves)
        captures = [move.size if move.kind == "capture" else 0 for move in moves]
        most = max(captures, default=0)
        standing = round_.piles
        self._set(
            hand=pack(round_.hands[seat]),
            loose=pack(round_.loose),
            unseen=unseen,
            n_moves=len(moves),
            moves=self._moves.ctypes.data,
            most=most,
            largest=captures.index(most) if captures.count(most) == 1 and most else -1,
            noise=noise,
            seat=seat,
            role=round_.role(seat),
            round=round_.number,
            deal=round_.deal,
            turn=round_.turn,
            next_hand=_next_hand(round_, seat),
            hand_sizes=_padded([len(hand) for hand in round_.hands], SEATS),
            points=_padded(points, SEATS),
            n_piles=len(standing),
            pile_cards=_padded([pack(pile.cards) for pile in standing], MAX_PILES),
            pile_openers=_padded(
                [openers(self._rules, pile.cards) for pile in standing], MAX_PILES
            ),
            pile_builder=_padded([pile.builder for pile in standing], MAX_PILES),
            parameters=_padded(parameters, MAX_PARAMETERS),
        )
        return self._view

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            self._fields[name] = value


def move_records(moves: Sequence[Move]) -> np.ndarray:
    """Return moves as an array of `sim.view.MOVE`, shape (len(moves),)."""
    records = np.zeros(len(moves), MOVE)
    for record, move in zip(records, moves, strict=True):
        card, kind, take, piles = move.numbers()
        record["take"], record["piles"], record["size"] = take, piles, move.size
        record["card"], record["kind"] = card, kind
    return records


def openers(rules: Rules, pile: Cards) -> int:
    """Return the ranks that can capture a pile, bit r for rank r."""
    able = [r for r in RANKS[:-1] if takes_together(rules, r, pile)]
    if not (rules.yoruba and rules.yoruba_joker == "distinct"):
        able.append(JOKER)
    return sum(1 << INDEX[rank] for rank in able)


def _next_hand(round_: Round, seat: int) -> int:
    """Return how many cards the next player will hold at its turn; 0 when the round is over."""
    held = round_.hands[(seat + 1) % round_.players]
    if held:
        return len(held)
    later = round_.plan.deals[round_.deal + 1 :]
    return later[0] if later else 0


def _padded(values: Sequence[float], length: int) -> list[float]:
    return [*values, *[0] * (length - len(values))]
