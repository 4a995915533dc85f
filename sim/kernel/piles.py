"""Esun: what can be built, who can open a pile, and what taking, leaving and losing it does.

Piles are kept in building order in parallel arrays of the state, with the ranks that can capture
each (its *openers*). They live for one deal, and a build keeps a card in hand, so there are never
more than `sim.view.MAX_PILES`.

Source: RULES.md, "Esun".
"""

from numba import njit

from sim.kernel.captures import largest_take, list_takes, sort_words
from sim.kernel.memory import load_word, store_word
from sim.sight import BITS, JACK, JOKER, LOOSE_RANKS, count, lowest, presence, size
from sim.view import MAX_PILES


@njit
def faces_pair(view):
    """Say whether faces take their own rank at all."""
    return view.pair_faces or not view.yoruba


@njit
def openers_of(view, cards):
    """Return which ranks can capture all of a pile's cards together: bit r for rank r."""
    openers = 0
    if not (view.yoruba and view.distinct_joker):
        openers |= 1 << JOKER
    rank = lowest(cards)
    if rank >= JACK:
        if faces_pair(view):
            openers |= 1 << rank
        return openers
    if view.yoruba and presence(cards) != cards:
        return openers
    for card in range(JACK):
        if largest_take(view, cards, card) == cards:
            openers |= 1 << card
    return openers


@njit
def open_piles(view, card):
    """Return the piles that `card` can capture: bit p for pile p."""
    mask = 0
    for p in range(view.n_piles):
        if view.pile_openers[p] >> card & 1:
            mask |= 1 << p
    return mask


@njit
def cards_of_piles(view, mask):
    """Return how many cards some piles hold."""
    cards = 0
    for p in range(view.n_piles):
        if mask >> p & 1:
            cards += size(view.pile_cards[p])
    return cards


@njit
def all_differ(view, take, mask):
    """Say whether loose cards (jokers apart) and the cards of piles all differ in rank."""
    together = take & LOOSE_RANKS
    for p in range(view.n_piles):
        if mask >> p & 1:
            if together & (view.pile_cards[p] * 15):
                return False
            together |= view.pile_cards[p]
    return True


@njit
def list_joined(state, view, card):
    """List what `card` can be joined with into a pile, ascending, each once, at `state.found`.

    Returns:
        How many there are, or -1 when the work arrays are too short.
    """
    played = 1 << (BITS * card)
    kept = (view.hand - played) & LOOSE_RANKS
    n = 0
    if card >= JACK:
        if count(kept, card) and faces_pair(view):
            for joined in range(1, count(view.loose, card) + 1):
                store_word(state.found, n, joined << (BITS * card))
                n += 1
        return n
    while kept:
        capturer = lowest(kept)
        kept &= ~(15 << (BITS * capturer))
        if capturer >= JACK:
            break
        first = n
        end = list_takes(state, view.yoruba, view.loose + played, capturer, first)
        if end < 0:
            return -1
        for i in range(first, end):
            pile = load_word(state.found, i)
            if count(pile, card) and pile != played:
                store_word(state.found, n, pile - played)
                n += 1
    sort_words(state.found, n)
    distinct = 0
    for i in range(n):
        joined = load_word(state.found, i)
        if distinct == 0 or joined != load_word(state.found, distinct - 1):
            store_word(state.found, distinct, joined)
            distinct += 1
    return distinct


@njit
def add_pile(state, view, cards, builder):
    """Put a new pile on the table."""
    p = state.n_piles
    assert p < MAX_PILES
    state.pile_cards[p] = cards
    state.pile_builder[p] = builder
    state.pile_openers[p] = openers_of(view, cards)
    state.n_piles += 1


@njit
def remove_piles(state, mask):
    """Take piles off the table; the others keep their order."""
    kept = 0
    for p in range(state.n_piles):
        if not mask >> p & 1:
            state.pile_cards[kept] = state.pile_cards[p]
            state.pile_builder[kept] = state.pile_builder[p]
            state.pile_openers[kept] = state.pile_openers[p]
            kept += 1
    state.n_piles = kept


@njit
def show_piles(state, view):
    """Copy the piles into a View."""
    view.n_piles = state.n_piles
    for p in range(state.n_piles):
        view.pile_cards[p] = state.pile_cards[p]
        view.pile_builder[p] = state.pile_builder[p]
        view.pile_openers[p] = state.pile_openers[p]
