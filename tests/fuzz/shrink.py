"""From a game on which the engines disagree to the smallest position, or game, that shows it.

Greedy: whatever can be left out, or put back to its default, without the disagreement going away,
is; until nothing can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from sim.cards import JOKER, RANKS, pack, unpack
from sim.conduct import PERFECT
from sim.kernel.position import moves_of
from sim.reference import best_moves, legal_moves
from sim.reference.moves import Move
from sim.reference.views import openers
from sim.rules import Penalty, Rounds, Rules
from sim.strategy import Player, catalogue
from sim.view import KINDS
from tests.differential import Case, MismatchError, Position, compare

Thing = TypeVar("Thing", Case, Position)


def shrink(
    thing: Thing, smaller: Callable[[Thing], Iterator[Thing]], disagree: Callable[[Thing], bool]
) -> Thing:
    """Return the smallest thing on which the engines disagree that steps of `smaller` lead to."""
    while True:
        found = next((other for other in smaller(thing) if disagree(other)), None)
        if found is None:
            return thing
        thing = found


def simpler_rules(rules: Rules, end: Rounds) -> Iterator[Rules]:
    """Yield `rules` with one option put back to its default; the simplest end is `end`."""
    simplest = Rules(end=end)
    for key in Rules.model_fields:
        if key != "penalty" and getattr(rules, key) != getattr(simplest, key):
            yield rules.model_copy(update={key: getattr(simplest, key)})
    if rules.jokers == 2:
        yield rules.model_copy(update={"jokers": 1})
    for key in Penalty.model_fields:
        if getattr(rules.penalty, key) != getattr(simplest.penalty, key):
            usual = {key: getattr(simplest.penalty, key)}
            yield rules.model_copy(update={"penalty": rules.penalty.model_copy(update=usual)})


# Positions


def told_by_twin(position: Position) -> list[Move]:
    """Return the legal moves that the twin lists."""
    return legal_moves(position.rules, position.hand, position.table, position.piles)


def told_by_kernel(position: Position, best_only: bool = False) -> list[Move]:
    """Return the legal moves, or the best, that the kernel lists."""
    piles = [pack(pile) for pile in position.piles]
    moves = moves_of(
        position.rules, pack(position.hand), pack(position.table), piles, best_only=best_only
    )
    return [
        Move(
            KINDS[m["kind"]],
            RANKS[m["card"]],
            tuple(unpack(int(m["take"]))),
            tuple(p for p in range(len(piles)) if int(m["piles"]) >> p & 1),
            int(m["size"]),
        )
        for m in moves
    ]


def moves_differ(position: Position) -> bool:
    """Say whether the engines list other moves for a position."""
    twin = told_by_twin(position)
    best = best_moves(twin)
    return twin != told_by_kernel(position) or best != told_by_kernel(position, best_only=True)


def smaller_positions(position: Position) -> Iterator[Position]:
    """Yield positions with one thing less that could still arise in a game."""
    for pile in range(len(position.piles)):
        yield replace(position, piles=_without(position.piles, pile))
    for rules in simpler_rules(position.rules, Rounds()):
        if _possible(other := replace(position, rules=rules)):
            yield other
    if len(position.hand) > 1:
        for card in range(len(position.hand)):
            yield replace(position, hand=_without(position.hand, card))
    for card in range(len(position.table)):
        yield replace(position, table=_without(position.table, card))
    for i, pile in enumerate(position.piles):
        for card in range(len(pile)):
            piles = (*position.piles[:i], _without(pile, card), *position.piles[i + 1 :])
            if _possible(other := replace(position, piles=piles)):
                yield other


def _without(items: tuple, place: int) -> tuple:
    return items[:place] + items[place + 1 :]


def _possible(position: Position) -> bool:
    """Say whether the pack has so many jokers, and whether some card could have built each pile."""
    rules = position.rules
    if [*position.hand, *position.table].count(JOKER) > rules.jokers:
        return False
    if position.piles and not rules.esun:
        return False
    joker = 1 << RANKS.index(JOKER)
    return all(len(pile) > 1 and openers(rules, pile) & ~joker for pile in position.piles)


# Games


def difference(case: Case) -> MismatchError | None:
    """Return what the engines disagree on in a game, or None."""
    try:
        compare(case)
    except MismatchError as mismatch:
        return mismatch
    return None


def simpler_players(player: Player) -> Iterator[Player]:
    """Yield players who play at random, or err in one way less."""
    plain = Player(catalogue()["random"], conduct=player.conduct)
    if player != plain:
        yield plain
    for rate in player.conduct.changed():
        yield replace(player, conduct=replace(player.conduct, **{rate: getattr(PERFECT, rate)}))


def smaller_cases(case: Case) -> Iterator[Case]:
    """Yield games with one thing less."""
    if case.hand_rotations > 1:
        yield replace(case, hand_rotations=1)
    for rules in simpler_rules(case.rules, Rounds(rounds=1)):
        yield replace(case, rules=rules)
    players = len(case.lineup)
    if players > 2 and case.hand_rotations == 1:
        for seat in range(players):
            yield replace(case, lineup=_without(case.lineup, seat))
    for seat, player in enumerate(case.lineup):
        for simpler in simpler_players(player):
            lineup = (*case.lineup[:seat], simpler, *case.lineup[seat + 1 :])
            yield replace(case, lineup=lineup)
    if case.seed:
        yield replace(case, seed=0)
    for deal in range(min(case.deal, 20)):
        yield replace(case, deal=deal)


def smallest(case: Case, told: str) -> MismatchError:
    """Return the smallest disagreement that a game leads to: of a position, or of a whole game.

    Args:
        case: the game.
        told: what was found wrong with it; returned as it is when the engines agree on it now.
    """
    mismatch = difference(case)
    if mismatch is None:
        return MismatchError(case, told)
    if not _of_moves(mismatch):
        small = shrink(case, smaller_cases, lambda other: difference(other) is not None)
        mismatch = difference(small) or mismatch
    if mismatch.position is None or not _of_moves(mismatch):
        return mismatch
    position = shrink(mismatch.position, smaller_positions, moves_differ)
    return MismatchError(mismatch.case, mismatch.difference, position)


def _of_moves(mismatch: MismatchError) -> bool:
    """Say whether the engines list other moves for the position at which they part."""
    return mismatch.position is not None and moves_differ(mismatch.position)
