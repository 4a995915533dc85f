"""One position: the moves that the kernel lists for it, for tests and for the curious."""

import numpy as np
from numba import from_dtype, njit, types

from sim.kernel.cache import CACHE
from sim.kernel.engine import WorkArrays, blank_view
from sim.kernel.moves import list_moves
from sim.kernel.state import STATE
from sim.view import VIEW


@njit(
    types.boolean(from_dtype(STATE)[::1], from_dtype(VIEW)[::1], types.boolean), cache=CACHE.usable
)
def _list(states, views, best_only):
    return list_moves(states[0], views[0], best_only)


def moves_of(rules, hand, loose, best_only=False):
    """Return the moves (array of `sim.view.MOVE`) of a packed hand and packed loose cards."""
    capacity = 1 << 10
    while True:
        work = WorkArrays(capacity)
        view = blank_view(rules, 2)
        view["moves"] = work.moves.ctypes.data
        view["hand"] = hand
        view["loose"] = loose
        if _list(work.state(), view, best_only):
            return np.array(work.moves[: view["n_moves"][0]])
        capacity *= 2
