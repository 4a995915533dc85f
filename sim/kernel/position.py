"""One position: the moves that the kernel lists for it, for tests and for the curious."""

import numpy as np
from numba import from_dtype, njit, types

from sim.kernel.cache import CACHE
from sim.kernel.engine import WorkArrays, blank_view
from sim.kernel.moves import list_moves
from sim.kernel.piles import openers_of
from sim.kernel.state import STATE
from sim.view import VIEW

_LIST = types.boolean(from_dtype(STATE)[::1], from_dtype(VIEW)[::1], types.boolean)


@njit(_LIST, cache=CACHE.usable)
def list_position(states, views, best_only):
    """List the moves of a View that lacks only its piles' openers; say whether there was room."""
    view = views[0]
    for p in range(view.n_piles):
        view.pile_openers[p] = openers_of(view, view.pile_cards[p])
    return list_moves(states[0], view, best_only)


def moves_of(rules, hand, loose, piles=(), best_only=False):
    """Return the moves (array of `sim.view.MOVE`) of a position, all its cards packed."""
    capacity = 1 << 10
    while True:
        work = WorkArrays(capacity)
        view = blank_view(rules, 2)
        view["moves"] = work.moves.ctypes.data
        view["hand"] = hand
        view["loose"] = loose
        view["n_piles"] = len(piles)
        view["pile_cards"][0, : len(piles)] = piles
        if list_position(work.state(), view, best_only):
            return np.array(work.moves[: view["n_moves"][0]])
        capacity *= 2
