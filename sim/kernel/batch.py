"""A batch of games: the one compiled entry point, with one explicit signature."""

import numpy as np
from numba import from_dtype, njit, types

from sim.columns import GAME
from sim.kernel.cache import CACHE
from sim.kernel.game import play_game
from sim.kernel.state import JOB, PLAYED, STATE
from sim.view import SEATS, VIEW

View = from_dtype(VIEW)
CHOOSE = types.int64(View)
"""The signature of every compiled strategy."""

_BATCH = types.int64(
    from_dtype(JOB)[::1],
    types.UniTuple(types.FunctionType(CHOOSE), SEATS),
    types.int64[:, ::1],
    View[::1],
    from_dtype(STATE)[::1],
    types.int64,
    from_dtype(GAME)[::1],
)


@njit(_BATCH, cache=CACHE.usable, nogil=True)
def play_batch(
    jobs,
    strategies,
    seatings,
    views,
    states,
    first_deal,
    games,
):
    """Play the deals from `first_deal` on until `games` is full.

    Rows are in order of deal, rotation, hand rotation.

    Args:
        jobs, views, states: arrays of one record; the View's rules and the work arrays are set.
        strategies: one function for each player of the line-up, padded to five.
        seatings: player at each seat, shape (rotations, 5).
        games: receives the rows; zeroed by the caller.

    Returns:
        PLAYED, or what went wrong in the game that `states[0]` is at.
    """
    job = jobs[0]
    state = states[0]
    row = 0
    deal = first_deal
    while row < len(games):
        for rotation in range(job.rotations):
            for s in range(job.players):
                state.player_of[s] = seatings[rotation, s]
            for hand_rotation in range(job.hand_rotations):
                game = games[row]
                game.deal = deal
                game.rotation = rotation
                game.hand_rotation = hand_rotation
                state.deal_id = np.uint64(deal)
                state.rotation = rotation
                state.hand_rotation = hand_rotation
                status = play_game(job, state, strategies, views[0], game)
                if status != PLAYED:
                    return status
                row += 1
        deal += 1
    return PLAYED
