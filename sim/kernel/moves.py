"""The list of moves that a player is offered, in canonical order.

Everything a list depends on is in the View: what is legal never depends on what is hidden.

Source: RULES.md, "The three moves", "Yoruba rules" and `must_capture`.
"""

from numba import njit

from sim.kernel.captures import largest_take, list_takes
from sim.kernel.memory import load_word, store_word
from sim.sight import (
    BITS,
    JACK,
    JOKER,
    LOOSE_RANKS,
    count,
    lowest,
    move_kind,
    move_size,
    presence,
    size,
)
from sim.view import CAPTURE, TRAIL

NEVER, ANY, MOST = 0, 1, 2


@njit(forceinline=True)
def _write(state, view, kind, card, take, cards):
    """Append a move; a list that is full counts on, so that the overflow is seen."""
    if view.n_moves < state.capacity:
        store_word(view.moves, 2 * view.n_moves, take)
        store_word(view.moves, 2 * view.n_moves + 1, cards << 32 | card << 48 | kind << 56)
    view.n_moves += 1


@njit
def _joker_captures(state, view, best_only):
    """Add what a joker can take."""
    if not (view.yoruba and view.distinct_joker):
        if view.loose:
            _write(state, view, CAPTURE, JOKER, view.loose, size(view.loose))
        return
    along = view.loose & ~LOOSE_RANKS
    kinds = presence(view.loose & LOOSE_RANKS)
    take = 0
    if best_only and kinds:
        _write(state, view, CAPTURE, JOKER, kinds | along, size(kinds | along))
        take = kinds
    while take != kinds:
        take = (take - kinds) & kinds
        _write(state, view, CAPTURE, JOKER, take | along, size(take | along))


@njit(forceinline=True)
def _face_captures(state, view, card, best_only):
    """Add what a jack, queen or king can take: some or all of its own rank."""
    if view.yoruba and not view.pair_faces:
        return
    along = view.loose & ~LOOSE_RANKS
    there = count(view.loose, card)
    for taken in range(there if best_only and there else 1, there + 1):
        take = taken << (BITS * card) | along
        _write(state, view, CAPTURE, card, take, size(take))


@njit(forceinline=True)
def _value_captures(state, view, card, best_only):
    """Add what a value card can take; say whether the work arrays sufficed."""
    largest, only = largest_take(view, view.loose, card)
    if largest == 0:
        return True
    along = view.loose & ~LOOSE_RANKS
    if best_only and only:
        _write(state, view, CAPTURE, card, largest | along, size(largest | along))
        return True
    most = size(largest)
    n = list_takes(state, view.yoruba, view.loose, card)
    for i in range(n):
        take = load_word(state.found, i)
        if not best_only or size(take) == most:
            _write(state, view, CAPTURE, card, take | along, size(take | along))
    return n >= 0


@njit
def _only_captures(view):
    """Apply `must_capture`: drop what it forbids when a capture exists."""
    least = 0
    for i in range(view.n_moves):
        if move_kind(view, i) == CAPTURE:
            least = max(least, move_size(view, i)) if view.must_capture == MOST else 1
    if least == 0:
        return
    kept = 0
    for i in range(view.n_moves):
        if move_kind(view, i) == CAPTURE and move_size(view, i) >= least:
            store_word(view.moves, 2 * kept, load_word(view.moves, 2 * i))
            store_word(view.moves, 2 * kept + 1, load_word(view.moves, 2 * i + 1))
            kept += 1
    view.n_moves = kept


@njit(forceinline=True)
def list_moves(state, view, best_only):
    """List the moves of a View in canonical order, at `view.moves`; set `view.n_moves`.

    Args:
        state: for its work arrays only.
        view: the View, otherwise complete.
        best_only: only each card's trail and largest captures (see `sim.strategy.Strategy.wants`).

    Returns:
        Whether the work arrays sufficed.
    """
    view.n_moves = 0
    hand = view.hand
    sufficed = True
    while hand:
        card = lowest(hand)
        hand &= ~(15 << (BITS * card))
        _write(state, view, TRAIL, card, 0, 0)
        if card == JOKER:
            _joker_captures(state, view, best_only)
        elif card >= JACK:
            _face_captures(state, view, card, best_only)
        else:
            sufficed &= _value_captures(state, view, card, best_only)
    if not sufficed or view.n_moves > state.capacity:
        return False
    if view.must_capture != NEVER:
        _only_captures(view)
    return True
