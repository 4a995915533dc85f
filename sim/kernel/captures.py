"""Captures of value cards: the table of largest ones, and the list of all of them.

The largest capture of a value card depends only on the counts of the ranks below it: cards of its
own rank are always taken, each alone. The counts of the ranks below ten, read as a number, are a
row of a table, with a word for each rank that may be played, so that a whole hand reads one row.
Almost always no rank lies there more than twice, and the number is in base 3 (under Yoruba rules
presence is enough: base 2). The rest has a table for each card, in base 5: 2.4 million entries,
half as wide. `sim.sight.best_take` reads all of them.

Source: RULES.md, "The three moves" and "Yoruba rules".
"""

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from numba import njit

from sim.kernel.cache import CACHE
from sim.kernel.memory import load_word, store_word
from sim.sight import (
    BITS,
    CROWDED_SHIFT,
    CROWDED_SIZE,
    CROWDED_TIED,
    CROWDED_WORD,
    FIRST_CROWDED,
    FORBIDDEN,
    JACK,
    LOOSE_RANKS,
    NIBBLE,
    ROW,
    TAKE,
    TAKE_BITS,
    TEN,
    TIES_SHIFT,
    TIES_WORD,
    UNLISTED,
    YORUBA_WORD,
    below,
    best_take,
    count,
    fits,
    presence,
    size,
    taken_by,
)

VALUE_RANKS = (1 << (BITS * JACK)) - 1


def _partitions(total, largest):
    """Yield every way to write `total` as a sum of parts up to `largest`, parts descending."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in _partitions(total - part, part):
            yield (part, *rest)


def _groups(value):
    """Return the packed groups of a value card; its own rank, alone, comes first.

    No group holds more than the four cards of a rank.
    """
    return [
        sum(1 << (BITS * (part - 1)) for part in parts)
        for parts in _partitions(value, value)
        if max(parts.count(part) for part in parts) <= 4
    ]


_GROUPS = [_groups(value) for value in range(1, JACK + 1)]


def _flat(lists):
    """Return lists of packed cards end to end, and where each begins."""
    begins = np.cumsum([0, *map(len, lists)])
    return np.array([item for part in lists for item in part], np.int64), begins


def _repeating(groups):
    """Return the smallest sets made of `groups` that repeat a rank: single groups, or pairs."""
    found = {g for g in groups if presence(g) != g}
    for a, b in combinations_with_replacement(groups, 2):
        if presence(a) & presence(b):
            found.add(a + b)
    sets = [s for s in found if all(count(s, rank) <= 4 for rank in range(JACK))]
    return [s for s in sets if not any(t != s and fits(t, s) for t in sets)]


def _number(counts, base):
    """Read packed counts as a number in `base`."""
    return sum(count(counts, rank) * base**rank for rank in range(JACK))


GROUPS, GROUP_BEGINS = _flat(_GROUPS)
NUMBERS = np.array([[_number(group, base) for group in GROUPS.tolist()] for base in range(6)])
"""The groups read as numbers, by base."""

REPEATING, REPEATING_BEGINS = _flat([_repeating(groups[1:]) for groups in _GROUPS])


@njit
def _next_counts(counts, base):
    """Return the counts whose number in `base` is one higher."""
    rank = 0
    while count(counts, rank) == base - 1:
        counts -= (base - 1) << (BITS * rank)
        rank += 1
    return counts + (1 << (BITS * rank))


@njit
def _fill_crowded(entries, card):
    """Fill the entries of `card` for crowded tables, by dynamic programming over its groups."""
    counts = 0
    for code in range(5**card):
        best = tied = take = 0
        for g in range(GROUP_BEGINS[card] + 1, GROUP_BEGINS[card + 1]):
            if not fits(GROUPS[g], counts):
                continue
            rest = np.int64(entries[code - NUMBERS[5, g]])
            whole = size(GROUPS[g]) + (rest & CROWDED_SIZE)
            taken = NUMBERS[5, g] + (rest >> CROWDED_SHIFT)
            if whole > best:
                best, take, tied = whole, taken, rest & CROWDED_TIED
            elif whole == best and (taken != take or rest & CROWDED_TIED):
                tied = CROWDED_TIED
        entries[code] = best | tied | take << CROWDED_SHIFT
        counts = _next_counts(counts, 5)


@njit
def _list_ties(words, ties, base, here, card, counts):
    """List the largest takes of `card` from `counts` at the end of `ties`; return their size.

    The list is its length, then the takes, ascending. The word of `counts` is to be at `here`;
    those of what each group leaves have been filled before.
    """
    start = ties[0]
    best = n = 0
    for g in range(GROUP_BEGINS[card] + 1, GROUP_BEGINS[card + 1]):
        if not fits(GROUPS[g], counts):
            continue
        rest = words[here - ROW * NUMBERS[base, g]]
        whole = size(GROUPS[g]) + taken_by(rest)
        if whole < best:
            continue
        if whole > best:
            best, n = whole, 0
        at = rest >> TIES_SHIFT
        for i in range(ties[at] if at else 1):
            take = GROUPS[g] + (ties[at + 1 + i] if at else rest & TAKE)
            place = start + 1 + n
            while place > start + 1 and ties[place - 1] > take:
                place -= 1
            if place > start + 1 and ties[place - 1] == take:
                continue
            ties[place + 1 : start + 2 + n] = ties[place : start + 1 + n].copy()
            ties[place] = take
            n += 1
    ties[start] = n
    return best


@njit(forceinline=True)
def repeats_some(card, counts):
    """Say whether some set of lower ranks that `card` could take but for Yoruba repeats a rank."""
    for i in range(REPEATING_BEGINS[card], REPEATING_BEGINS[card + 1]):
        if fits(REPEATING[i], counts):
            return True
    return False


@njit
def _fill_words(words, ties, base, first, card):
    """Fill the words of `card` in the rows from `first` on, by dynamic programming over its groups.

    Args:
        ties: the lists of ties; its first item is where the next list goes.
    """
    counts = 0
    for code in range(base**card):
        start = ties[0]
        here = first + ROW * code + card
        best = _list_ties(words, ties, base, here, card, counts)
        take = ties[start + 1] if best else 0
        tied = ties[start] > 1
        words[here] = take | best << TAKE_BITS | (start << TIES_SHIFT if tied else 0)
        if tied:
            ties[0] = start + 1 + ties[start]
        counts = _next_counts(counts, base)
    for code in range(base**card, base**TEN):
        words[first + ROW * code + card] = words[first + ROW * (code % base**card) + card]


@njit
def _fill_forbidden(words):
    """Fill the last word of each row in base 3: the ranks that could repeat one, packed."""
    counts = 0
    for code in range(3**TEN):
        for card in range(JACK):
            if repeats_some(card, below(counts, card)):
                words[ROW * code + FORBIDDEN] |= 1 << (BITS * card)
        counts = _next_counts(counts, 3)


@njit("void(int64[::1], int64[::1], uint32[::1])", cache=CACHE.usable, nogil=True)
def _fill_table(words, ties, crowded):
    for card in range(JACK):
        _fill_words(words, ties, 3, 0, card)
        _fill_words(words, ties, 2, YORUBA_WORD, card)
        _fill_crowded(crowded[FIRST_CROWDED[card] - FIRST_CROWDED[0] :], card)
    _fill_forbidden(words)


@cache
def capture_table():
    """Return the capture table, built once in a process: int64 words, ties, uint32 entries."""
    table = np.zeros(CROWDED_WORD + 5**10 // 8 + 1, np.int64)
    words, ties, crowded = np.split(table, [TIES_WORD, CROWDED_WORD])
    ties[0] = UNLISTED + 1
    _fill_table(words, ties, crowded.view(np.uint32))
    assert ties[0] <= len(ties)
    return table


@njit(forceinline=True)
def pairing(view, loose):
    """Return the loose cards, packed and no jokers, that fall to a card of their own rank."""
    if not view.yoruba:
        return loose & LOOSE_RANKS
    return loose & LOOSE_RANKS & ~VALUE_RANKS if view.pair_faces else 0


@njit(forceinline=True)
def largest_take(view, loose, card):
    """Return a largest set that any card but a joker can take, packed, no jokers; 0: no capture."""
    return best_take(view, loose, card) & TAKE | pairing(view, loose) & (NIBBLE << (BITS * card))


@njit
def _insert(state, n, item):
    """Append `item` to the sets found unless it is there; return how many, -1 when full.

    The marks are a hash table of the sets of this listing: each bears the listing's stamp, so that
    the table never needs to be cleared between listings.
    """
    mask = 2 * state.capacity - 1
    key = item | state.stamp << 40
    slot = ((item * 0x9E3779B97F4A7) >> 20) & mask
    while True:
        mark = load_word(state.marks, slot)
        if mark == key:
            return n
        if mark >> 40 != state.stamp:
            break
        slot = (slot + 1) & mask
    if n == state.capacity:
        return -1
    store_word(state.marks, slot, key)
    store_word(state.found, n, item)
    return n + 1


@njit
def _new_stamp(state):
    state.stamp += 1
    if state.stamp >> 22:
        for slot in range(2 * state.capacity):
            store_word(state.marks, slot, 0)
        state.stamp = 1


@njit
def sort_words(address, n):
    """Sort the first `n` words at an address, ascending (Shell's method, gaps of Knuth)."""
    gap = 1
    while 3 * gap < n:
        gap = 3 * gap + 1
    while gap:
        for i in range(gap, n):
            item = load_word(address, i)
            j = i
            while j >= gap and load_word(address, j - gap) > item:
                store_word(address, j, load_word(address, j - gap))
                j -= gap
            store_word(address, j, item)
        gap //= 3


@njit
def list_takes(state, yoruba, loose, card, first):
    """List every set that a value card can take, without jokers, at `state.found`.

    Args:
        state: for its work arrays: `capacity` words at `found`, twice as many (a power of two)
            at `marks`.
        yoruba: whether all cards of a turn must differ.
        loose: packed loose cards.
        card: rank of the value card.
        first: where in the list to begin; what is before it stays.

    Returns:
        Where the list ends, or -1 when the work arrays are too short.
    """
    usable = loose & ((1 << (BITS * (card + 1))) - 1)
    if yoruba:
        usable = presence(usable) & ~(15 << (BITS * card))
    _new_stamp(state)
    n = first
    for g in range(GROUP_BEGINS[card], GROUP_BEGINS[card + 1]):
        group = GROUPS[g]
        known = n
        for i in range(first - 1, known):
            item = group + (load_word(state.found, i) if i >= first else 0)
            while fits(item, usable):
                n = _insert(state, n, item)
                if n < 0:
                    return -1
                item += group
    return n
