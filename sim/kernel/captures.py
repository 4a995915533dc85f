"""Captures of value cards: the table of largest ones, and the list of all of them.

The largest capture of a value card depends only on the counts of the ranks below it: cards of its
own rank are always taken, each alone. Those counts, read in base 5 (under Yoruba rules their
presence, in base 2), index one table of 32-bit entries: size in the low six bits, then one bit
that says no other capture is as large, then what is taken, in the same base.

Source: RULES.md, "The three moves" and "Yoruba rules".
"""

from functools import cache

import numpy as np
from numba import njit

from sim.kernel.cache import CACHE
from sim.kernel.memory import load_word, store_word
from sim.sight import (
    BITS,
    FIRST_PLAIN,
    FIRST_YORUBA,
    JACK,
    PLAIN_ENTRIES,
    SIZE_BITS,
    TAKE_SHIFT,
    base_five,
    base_two,
    count,
    entry,
    fits,
    presence,
    size,
)

SIZE_MASK = (1 << SIZE_BITS) - 1
ONLY_ONE = 1 << SIZE_BITS
ENTRIES = PLAIN_ENTRIES + 2**10 - 1


def _partitions(total, largest):
    """Yield every way to write `total` as a sum of parts up to `largest`, parts descending."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in _partitions(total - part, part):
            yield (part, *rest)


def _groups():
    """Return the packed groups of every value card, and where each card's groups begin.

    A card's own rank, alone, comes first. No group holds more than the four cards of a rank.
    """
    packed, begins = [], [0]
    for value in range(1, JACK + 1):
        for parts in _partitions(value, value):
            if max(parts.count(part) for part in parts) <= 4:
                packed.append(sum(1 << (BITS * (part - 1)) for part in parts))
        begins.append(len(packed))
    return np.array(packed, np.int64), np.array(begins, np.int64)


GROUPS, GROUP_BEGINS = _groups()
FIVES = np.array([a | b << 4 | c << 8 for c in range(5) for b in range(5) for a in range(5)])
"""Packed form of three digits in base 5."""
TWOS = np.array([sum((i >> bit & 1) << (4 * bit) for bit in range(9)) for i in range(512)])
"""Packed form of nine digits in base 2."""


@njit
def _fill(table, first, card, base):
    """Fill the entries of `card` from `first` on, by dynamic programming over its groups."""
    counts = 0
    for code in range(base**card):
        best = only = take = 0
        for g in range(GROUP_BEGINS[card] + 1, GROUP_BEGINS[card + 1]):
            if not fits(GROUPS[g], counts):
                continue
            group = 0
            for rank in range(card - 1, -1, -1):
                group = base * group + count(GROUPS[g], rank)
            below = np.int64(table[first + code - group])
            whole = size(GROUPS[g]) + (below & SIZE_MASK)
            taken = group + (below >> TAKE_SHIFT)
            if whole > best:
                best, take, only = whole, taken, below & ONLY_ONE
            elif whole == best and (taken != take or not below & ONLY_ONE):
                only = 0
        table[first + code] = best | take << TAKE_SHIFT | (only if best else ONLY_ONE)
        rank = 0
        while count(counts, rank) == base - 1:
            counts -= (base - 1) << (BITS * rank)
            rank += 1
        counts += 1 << (BITS * rank)


@njit("void(uint32[::1])", cache=CACHE.usable, nogil=True)
def _fill_table(table):
    for card in range(JACK):
        _fill(table, FIRST_PLAIN[card], card, 5)
        _fill(table, FIRST_YORUBA[card], card, 2)


@cache
def capture_table():
    """Return the capture table (uint32, about 2.4 million entries), built once in a process."""
    table = np.zeros(ENTRIES, np.uint32)
    _fill_table(table)
    return table


@njit(forceinline=True)
def from_base_five(code):
    """Return the packed form of nine digits in base 5."""
    high, low = code // 125, code % 125
    return FIVES[low] | FIVES[high % 125] << 12 | FIVES[high // 125] << 24


@njit(forceinline=True)
def largest_take(view, loose, card):
    """Return ``(take, only)`` for a value card: a largest set, and whether no other is as large.

    `take` is packed, without jokers; 0: no capture.
    """
    if view.yoruba:
        found = entry(view.captures, FIRST_YORUBA[card] + base_two(loose, card))
        return TWOS[found >> TAKE_SHIFT], found & ONLY_ONE
    found = entry(view.captures, FIRST_PLAIN[card] + base_five(loose, card))
    own = loose & (15 << (BITS * card))
    return from_base_five(found >> TAKE_SHIFT) | own, found & ONLY_ONE


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
