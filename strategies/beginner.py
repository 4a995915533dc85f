"""`beginner`: sees a capture, and looks no further."""

from sim.sight import CAPTURE, move_kind
from sim.strategy import strategy


@strategy(wants="all")
def beginner(view):
    """Plays the first card that captures anything, the first way it can; else trails its first.

    Moves are in the canonical order of `sim.view.MOVE`, so cards come in rank order, ace first,
    and the first move of a list without captures is the trail of the lowest card.
    """
    for move in range(view.n_moves):
        if move_kind(view, move) == CAPTURE:
            return move
    return 0
