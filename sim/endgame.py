"""The last turns of a round between two players who know each other's cards: solved by search.

Plain functions of a View, like those of `sim.sight` and compiled like them; compiled code cannot
recurse here, so the search keeps its own stack.
"""

from __future__ import annotations

import numpy as np

from sim.foresight import table_after_reply
from sim.sight import (
    BITS,
    CAPTURE,
    JOKER,
    NIBBLE,
    View,
    count,
    largest_capture,
    lowest,
    move_card,
    move_kind,
    move_size,
    size,
    table_after,
)

__all__ = ["endgame_value", "knows_all"]

LEVELS = 8
"""Positions on a line: after this turn two players have at most seven cards to play."""

LOOSE, HAND, OTHER, CAPTOR, LEAST, CAPTURES, TRAILS, BEST, FLOOR, CEILING, WON = range(11)
"""Fields of a position, seen by who is to play: the packed cards; who captured last (1: the player,
-1: the other, 0: neither in sight); the fewest cards that `must_capture` asks for; the packed cards
still to be tried, as captures and as trails; the best result so far; results that are too low or
too high to matter; and the points that the move under way has won."""

LAST_TO_PLAY, LAST_TO_CAPTURE = 1, 2
NO_LIMIT = 1000


def knows_all(view: View) -> bool:
    """Say whether two play, no pile stands, and the other holds just what this one has not seen."""
    if view.players != 2 or view.n_piles:
        return False
    others: int = view.hand_sizes[1 - view.seat]
    return size(view.unseen) == others


def least_capture(view: View, loose: int, hand: int) -> int:
    """Return how many cards a player must capture at least; 0: it may trail."""
    most = 0
    if view.must_capture:
        for card in range(JOKER + 1):
            if count(hand, card):
                most = max(most, largest_capture(view, loose, card))
    return most if view.must_capture == 2 else min(most, 1)


def rest_of(view: View, loose: int, captor: int) -> int:
    """Return what the rest is worth to a player, who captured last being `captor`.

    The other player has played the round's last card.
    """
    if view.rest == LAST_TO_PLAY:
        return -size(loose)
    return captor * size(loose) if view.rest == LAST_TO_CAPTURE else 0


def endgame_value(view: View, move: int, floor: int) -> int:
    """Return the points that a move and all that follow win, less those of the other player.

    Both play as well as can be, to win points: each card may be trailed, or take as many cards as
    it can (of several such sets, always the same one). Nobody builds. The rest is counted; where it
    goes to who captured last and nobody does any more, it counts for neither.

    Args:
        view: a View with `knows_all`.
        move: no build.
        floor: results below it need not be exact, only below it.
    """
    captures = move_kind(view, move) == CAPTURE
    won = move_size(view, move) + 1 if captures else 0
    line = np.zeros((LEVELS, 11), np.int64)
    line[0, LOOSE] = table_after(view, move)
    line[0, HAND] = view.unseen
    line[0, OTHER] = view.hand - (1 << (BITS * move_card(view, move)))
    line[0, CAPTOR] = -1 if captures else 0
    line[0, FLOOR] = won - NO_LIMIT
    line[0, CEILING] = won - floor + 1
    return won - best_result(view, line)


def best_result(view: View, line: np.ndarray) -> int:
    """Return the result of the position in `line[0]` for who is to play: alpha-beta search."""
    level = 0
    open_position(view, line, 0)
    while True:
        undecided = line[level, BEST] < line[level, CEILING]
        if undecided and line[level, CAPTURES]:
            level += try_capture(view, line, level)
        elif undecided and line[level, TRAILS]:
            level += try_trail(view, line, level)
        elif level == 0:
            return int(line[0, BEST])
        else:
            level -= 1
            result = line[level, WON] - line[level + 1, BEST]
            line[level, BEST] = max(line[level, BEST], result)


def open_position(view: View, line: np.ndarray, level: int) -> None:
    """Set what a position begins with, its cards, limits and captor being there."""
    loose, hand = line[level, LOOSE], line[level, HAND]
    least = least_capture(view, loose, hand)
    line[level, LEAST] = least
    line[level, CAPTURES] = hand
    line[level, TRAILS] = 0 if least else hand
    line[level, BEST] = -NO_LIMIT if hand else rest_of(view, loose, line[level, CAPTOR])


def try_capture(view: View, line: np.ndarray, level: int) -> int:
    """Try the next capture: open the position after it and return 1, or 0 when there is none."""
    card = lowest(line[level, CAPTURES])
    line[level, CAPTURES] &= ~(NIBBLE << (BITS * card))
    loose = line[level, LOOSE]
    after = table_after_reply(view, loose, card, 0)
    taken = size(loose) - size(after)
    if taken < max(line[level, LEAST], 1):
        return 0
    follow(view, line, level, card, after, taken + 1)
    return 1


def try_trail(view: View, line: np.ndarray, level: int) -> int:
    """Try the next trail: open the position after it and return 1."""
    card = lowest(line[level, TRAILS])
    line[level, TRAILS] &= ~(NIBBLE << (BITS * card))
    follow(view, line, level, card, line[level, LOOSE] + (1 << (BITS * card)), 0)
    return 1


def follow(view: View, line: np.ndarray, level: int, card: int, after: int, won: int) -> None:
    """Open the position that a move leads to."""
    line[level, WON] = won
    line[level + 1, LOOSE] = after
    line[level + 1, HAND] = line[level, OTHER]
    line[level + 1, OTHER] = line[level, HAND] - (1 << (BITS * card))
    line[level + 1, CAPTOR] = -1 if won else -line[level, CAPTOR]
    line[level + 1, FLOOR] = won - line[level, CEILING]
    line[level + 1, CEILING] = won - max(line[level, FLOOR], line[level, BEST])
    open_position(view, line, level + 1)
