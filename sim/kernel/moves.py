"""The list of moves that a player is offered, in canonical order.

Everything a list depends on is in the View: what is legal never depends on what is hidden.

Source: RULES.md, "The three moves", "Yoruba rules" and `must_capture`.
"""

from numba import njit

from sim.kernel.captures import VALUE_RANKS, list_takes, pairing, repeats_some, sort_words
from sim.kernel.memory import load_word, store_word
from sim.kernel.piles import all_differ, cards_of_piles, faces_pair, list_joined, open_piles
from sim.sight import (
    BITS,
    FORBIDDEN,
    JACK,
    JOKER,
    LOOSE_RANKS,
    NIBBLE,
    TAKE,
    TIES_SHIFT,
    TIES_WORD,
    UNLISTED,
    below,
    best_take,
    count,
    crowded,
    has_row,
    lowest,
    plain_row,
    presence,
    row_of,
    size,
    taken_by,
)
from sim.view import BUILD, CAPTURE, TRAIL

NEVER, ANY, MOST = 0, 1, 2
MOST_MOVES = 2 * JOKER
"""Moves that are listed at most when each card of a hand has a trail and one capture."""

CROWDING = 3
"""Ranks a group can hold three times: a set that repeats a higher one repeats it with two."""


@njit(forceinline=True)
def _put(moves, n, kind, card, take, piles, cards):
    """Write move `n` of the list at an address."""
    place = moves + 16 * n
    store_word(place, 0, take)
    store_word(place, 1, piles | cards << 32 | card << 48 | kind << 56)


@njit(forceinline=True)
def _write(state, view, n, kind, card, take, piles, cards):
    """Write move `n`; return how many there are now. A full list counts on, so that it is seen."""
    if n < state.capacity:
        _put(view.moves, n, kind, card, take, piles, cards)
    return n + 1


@njit(forceinline=True)
def _size(view, move):
    """Return `sim.sight.move_size` of a list that is still being made."""
    return load_word(view.moves, 2 * move + 1) >> 32 & 0xFFFF


@njit
def _find_largest(view):
    """Set `view.most` and `view.largest` from the list."""
    view.most = 0
    view.largest = -1
    for i in range(view.n_moves):
        if load_word(view.moves, 2 * i + 1) >> 56 == CAPTURE and _size(view, i) >= view.most:
            view.largest = i if _size(view, i) > view.most else -1
            view.most = _size(view, i)


@njit
def _keep_largest(state, view, first, n):
    """Of the moves from `first` on keep those of as many cards as any; return how many there are.

    A list that is over its end is left alone: what would be read is not there.
    """
    if n > state.capacity:
        return n
    least = 0
    for i in range(first, n):
        least = max(least, _size(view, i))
    kept = first
    for i in range(first, n):
        if _size(view, i) >= least:
            store_word(view.moves, 2 * kept, load_word(view.moves, 2 * i))
            store_word(view.moves, 2 * kept + 1, load_word(view.moves, 2 * i + 1))
            kept += 1
    return kept


@njit
def _with_piles(state, view, n, card, take, open_, distinct):
    """Add the captures of `take`, jokers included, with every choice among the open piles.

    Args:
        distinct: all cards of the turn must differ in rank.
    """
    piles = 0
    while True:
        nothing = take & LOOSE_RANKS == 0 and piles == 0
        if not nothing and (not distinct or all_differ(view, take, piles)):
            cards = size(take) + cards_of_piles(view, piles)
            n = _write(state, view, n, CAPTURE, card, take, piles, cards)
        if piles == open_:
            return n
        piles = (piles - open_) & open_


@njit
def _joker_captures(state, view, n, best_only):
    """Add what a joker can take."""
    if not (view.yoruba and view.distinct_joker):
        piles = (1 << view.n_piles) - 1
        cards = size(view.loose) + cards_of_piles(view, piles)
        return _write(state, view, n, CAPTURE, JOKER, view.loose, piles, cards) if cards else n
    along = view.loose & ~LOOSE_RANKS
    kinds = presence(view.loose & LOOSE_RANKS)
    take = 0
    if best_only and kinds:
        take = kinds
        n = _write(state, view, n, CAPTURE, JOKER, kinds | along, 0, size(kinds | along))
    while take != kinds:
        take = (take - kinds) & kinds
        n = _write(state, view, n, CAPTURE, JOKER, take | along, 0, size(take | along))
    return n


@njit
def _face_captures(state, view, n, card, open_):
    """Add what a jack, queen or king can take: some or all of its own rank, and piles of it."""
    if not faces_pair(view):
        return n
    along = view.loose & ~LOOSE_RANKS
    for taken in range(count(view.loose, card) + 1):
        n = _with_piles(state, view, n, card, taken << (BITS * card) | along, open_, False)
    return n


@njit
def _value_captures(state, view, n, card, open_):
    """Add what a value card can take; -1 when the work arrays are too short."""
    along = view.loose & ~LOOSE_RANKS
    found = list_takes(state, view.yoruba, view.loose, card, 0)
    if found < 0:
        return -1
    sort_words(state.found, found)
    distinct = view.yoruba != 0
    if open_:
        n = _with_piles(state, view, n, card, along, open_, distinct)
    for i in range(found):
        take = load_word(state.found, i) | along
        n = _with_piles(state, view, n, card, take, open_, distinct)
    return n


@njit
def _tied_captures(state, view, n, card, ties):
    """Add the largest captures of a value card, where the capture table lists several."""
    with_them = view.loose & ~LOOSE_RANKS
    if not view.yoruba:
        with_them |= view.loose & (15 << (BITS * card))
    first = TIES_WORD + ties
    for i in range(load_word(view.captures, first)):
        take = load_word(view.captures, first + 1 + i) | with_them
        n = _write(state, view, n, CAPTURE, card, take, 0, size(take))
    return n


@njit
def _all_captures(state, view, n, card, best_only):
    """Add every capture of a card that is no joker, or the largest; -1 as above."""
    open_ = open_piles(view, card)
    if card >= JACK:
        after = _face_captures(state, view, n, card, open_)
    else:
        after = _value_captures(state, view, n, card, open_)
    return _keep_largest(state, view, n, after) if best_only else after


@njit
def _builds(state, view, n, card, best_only):
    """Add what a card can build; -1 when the work arrays are too short."""
    found = list_joined(state, view, card)
    if found < 0:
        return -1
    after = n
    for i in range(found):
        joined = load_word(state.found, i)
        after = _write(state, view, after, BUILD, card, joined, 0, size(joined))
    return _keep_largest(state, view, n, after) if best_only else after


@njit
def _only_captures(state, view, n):
    """Apply `must_capture`: drop what it forbids when a capture exists."""
    captures = 0
    for i in range(n):
        if load_word(view.moves, 2 * i + 1) >> 56 & 0xFF == CAPTURE:
            store_word(view.moves, 2 * captures, load_word(view.moves, 2 * i))
            store_word(view.moves, 2 * captures + 1, load_word(view.moves, 2 * i + 1))
            captures += 1
    if captures == 0:
        return n
    return _keep_largest(state, view, 0, captures) if view.must_capture == MOST else captures


@njit
def _list_each(state, view, best_only):
    """List the moves of one card of the hand after the other; see `list_moves`."""
    n = 0
    hand = view.hand
    every = not best_only or view.n_piles != 0
    pairs = pairing(view, view.loose)
    along = view.loose & ~LOOSE_RANKS
    while hand:
        card = lowest(hand)
        own = NIBBLE << (BITS * card)
        hand &= ~own
        n = _write(state, view, n, TRAIL, card, 0, 0, 0)
        if card == JOKER:
            n = _joker_captures(state, view, n, best_only)
            continue
        found = best_take(view, view.loose, card)
        ties = found >> TIES_SHIFT
        if every or ties == UNLISTED:
            n = _all_captures(state, view, n, card, best_only)
        elif ties:
            n = _tied_captures(state, view, n, card, ties)
        elif found & TAKE | pairs & own:
            take = found & TAKE | pairs & own | along
            n = _write(state, view, n, CAPTURE, card, take, 0, size(take))
        if view.esun and n >= 0:
            n = _builds(state, view, n, card, best_only)
        if n < 0:
            return False
    if n > state.capacity:
        return False
    if view.must_capture != NEVER:
        n = _only_captures(state, view, n)
    view.n_moves = n
    _find_largest(view)
    return True


@njit(forceinline=True)
def _list_largest(view):
    """List each card's trail and its largest capture, all read off one row of the capture table.

    Returns:
        Whether the list is complete: no card has several captures as large.
    """
    n = most = ties = 0
    largest = -1
    hand, moves = view.hand, view.moves
    row = view.captures + 8 * row_of(view, view.loose)
    pairs = pairing(view, view.loose)
    while hand:
        card = lowest(hand)
        own = NIBBLE << (BITS * card)
        hand &= ~own
        found = load_word(row, card)
        ties |= found >> TIES_SHIFT
        taken = taken_by(found) + count(pairs, card)
        _put(moves, n, TRAIL, card, 0, 0, 0)
        n += 1
        _put(moves, n, CAPTURE, card, found & TAKE | pairs & own, 0, taken)
        largest = n if taken > most else (-1 if taken == most else largest)
        most = max(most, taken)
        n += taken > 0
    view.n_moves = n
    view.most = most
    view.largest = largest
    return ties == 0


@njit(forceinline=True)
def list_moves(state, view, best_only):
    """List the moves of a View in canonical order, and tell what the View says of the list.

    Args:
        state: for its work arrays only.
        view: the View, otherwise complete.
        best_only: only each card's trail and largest captures (see `sim.strategy.Strategy.wants`).

    Returns:
        Whether the work arrays sufficed.
    """
    special = view.esun | view.n_piles | view.must_capture | count(view.hand | view.loose, JOKER)
    plain = best_only and not special and has_row(view, view.loose)
    if plain and state.capacity >= MOST_MOVES and _list_largest(view):
        return True
    return _list_each(state, view, best_only)


@njit
def yoruba_forbids(view):
    """Say whether a card in hand has a capture of loose cards that only Yoruba rules forbid."""
    loose = view.loose & LOOSE_RANKS
    pairs = presence(loose & (VALUE_RANKS if view.pair_faces else LOOSE_RANKS))
    hand = presence(view.hand)
    if hand & (pairs | load_word(view.captures, plain_row(loose) + FORBIDDEN)):
        return True
    if crowded(below(loose, CROWDING)):
        hand &= VALUE_RANKS
        while hand:
            card = lowest(hand)
            hand &= hand - 1
            if repeats_some(card, below(loose, card)):
                return True
    joker = view.distinct_joker != 0 and count(view.hand, JOKER) != 0
    return joker and (loose != presence(loose) or (loose == 0 and view.loose != 0))
