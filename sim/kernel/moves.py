"""The list of moves that a player is offered, in canonical order.

Everything a list depends on is in the View: what is legal never depends on what is hidden.

Source: RULES.md, "The three moves", "Yoruba rules" and `must_capture`.
"""

from numba import njit

from sim.kernel.captures import largest_take, list_takes, sort_words
from sim.kernel.memory import load_word, store_word
from sim.kernel.piles import all_differ, cards_of_piles, list_joined, open_piles
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
from sim.view import BUILD, CAPTURE, TRAIL

NEVER, ANY, MOST = 0, 1, 2


@njit(forceinline=True)
def _write(state, view, kind, card, take, piles, cards):
    """Append a move; a list that is full counts on, so that the overflow is seen."""
    if view.n_moves < state.capacity:
        store_word(view.moves, 2 * view.n_moves, take)
        word = piles | cards << 32 | card << 48 | kind << 56
        store_word(view.moves, 2 * view.n_moves + 1, word)
    view.n_moves += 1


@njit
def _keep_largest(state, view, first):
    """Of the moves from `first` on keep those of as many cards as any.

    A list that is over its end is left alone: what would be read is not there.
    """
    if view.n_moves > state.capacity:
        return
    least = 0
    for i in range(first, view.n_moves):
        least = max(least, move_size(view, i))
    kept = first
    for i in range(first, view.n_moves):
        if move_size(view, i) >= least:
            store_word(view.moves, 2 * kept, load_word(view.moves, 2 * i))
            store_word(view.moves, 2 * kept + 1, load_word(view.moves, 2 * i + 1))
            kept += 1
    view.n_moves = kept


@njit
def _with_piles(state, view, card, take, open_, distinct):
    """Add the captures of `take`, jokers included, with every choice among the open piles.

    Args:
        distinct: all cards of the turn must differ in rank.
    """
    piles = 0
    while True:
        nothing = take & LOOSE_RANKS == 0 and piles == 0
        if not nothing and (not distinct or all_differ(view, take, piles)):
            cards = size(take) + cards_of_piles(view, piles)
            _write(state, view, CAPTURE, card, take, piles, cards)
        if piles == open_:
            break
        piles = (piles - open_) & open_


@njit
def _joker_captures(state, view, best_only):
    """Add what a joker can take."""
    if not (view.yoruba and view.distinct_joker):
        piles = (1 << view.n_piles) - 1
        cards = size(view.loose) + cards_of_piles(view, piles)
        if cards:
            _write(state, view, CAPTURE, JOKER, view.loose, piles, cards)
        return
    along = view.loose & ~LOOSE_RANKS
    kinds = presence(view.loose & LOOSE_RANKS)
    take = 0
    if best_only and kinds:
        _write(state, view, CAPTURE, JOKER, kinds | along, 0, size(kinds | along))
        take = kinds
    while take != kinds:
        take = (take - kinds) & kinds
        _write(state, view, CAPTURE, JOKER, take | along, 0, size(take | along))


@njit(forceinline=True)
def _face_captures(state, view, card, best_only):
    """Add what a jack, queen or king can take: some or all of its own rank, and piles of it."""
    if view.yoruba and not view.pair_faces:
        return
    along = view.loose & ~LOOSE_RANKS
    there = count(view.loose, card)
    open_ = open_piles(view, card) if view.n_piles else 0
    if open_ == 0:
        for taken in range(there if best_only and there else 1, there + 1):
            take = taken << (BITS * card) | along
            _write(state, view, CAPTURE, card, take, 0, size(take))
        return
    first = view.n_moves
    for taken in range(there + 1):
        _with_piles(state, view, card, taken << (BITS * card) | along, open_, False)
    if best_only:
        _keep_largest(state, view, first)


@njit
def _all_value_captures(state, view, card, open_, best_only):
    """Add every capture of a value card, or the largest; say whether the work arrays sufficed."""
    along = view.loose & ~LOOSE_RANKS
    first = view.n_moves
    n = list_takes(state, view.yoruba, view.loose, card, 0)
    if n < 0:
        return False
    sort_words(state.found, n)
    if open_:
        _with_piles(state, view, card, along, open_, view.yoruba != 0)
    for i in range(n):
        take = load_word(state.found, i) | along
        if open_:
            _with_piles(state, view, card, take, open_, view.yoruba != 0)
        else:
            _write(state, view, CAPTURE, card, take, 0, size(take))
    if best_only:
        _keep_largest(state, view, first)
    return True


@njit(forceinline=True)
def _value_captures(state, view, card, best_only):
    """Add what a value card can take; say whether the work arrays sufficed."""
    largest, only = largest_take(view, view.loose, card)
    open_ = open_piles(view, card) if view.n_piles else 0
    if open_ == 0:
        if largest == 0:
            return True
        if best_only and only:
            take = largest | (view.loose & ~LOOSE_RANKS)
            _write(state, view, CAPTURE, card, take, 0, size(take))
            return True
    return _all_value_captures(state, view, card, open_, best_only)


@njit
def _builds(state, view, card, best_only):
    """Add what a card can build; say whether the work arrays sufficed."""
    first = view.n_moves
    n = list_joined(state, view, card)
    for i in range(n):
        joined = load_word(state.found, i)
        _write(state, view, BUILD, card, joined, 0, size(joined))
    if n < 0:
        return False
    if best_only:
        _keep_largest(state, view, first)
    return True


@njit
def _only_captures(state, view):
    """Apply `must_capture`: drop what it forbids when a capture exists."""
    captures = 0
    for i in range(view.n_moves):
        if move_kind(view, i) == CAPTURE:
            store_word(view.moves, 2 * captures, load_word(view.moves, 2 * i))
            store_word(view.moves, 2 * captures + 1, load_word(view.moves, 2 * i + 1))
            captures += 1
    if captures:
        view.n_moves = captures
        if view.must_capture == MOST:
            _keep_largest(state, view, 0)


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
        _write(state, view, TRAIL, card, 0, 0, 0)
        if card == JOKER:
            _joker_captures(state, view, best_only)
        elif card >= JACK:
            _face_captures(state, view, card, best_only)
        else:
            sufficed &= _value_captures(state, view, card, best_only)
        if view.esun and card != JOKER:
            sufficed &= _builds(state, view, card, best_only)
    if not sufficed or view.n_moves > state.capacity:
        return False
    if view.must_capture != NEVER:
        _only_captures(state, view)
    return True
