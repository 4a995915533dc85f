"""What a strategy may ask about what it sees.

Plain functions of a View (`sim.view`), usable from a strategy in plain Python and, once
`sim.kernel` is loaded, from compiled code. Groups of cards are packed integers, ranks are indices
(`sim.cards`); a *size* is a number of cards.

Example: ``luckiest(view, TRAIL, 0)`` picks any card to trail, each rank as likely as any other.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from sim.view import BUILD, CAPTURE, TRAIL

__all__ = [
    "BUILD",
    "CAPTURE",
    "JOKER",
    "TEN",
    "TRAIL",
    "capture_of",
    "captures_by_rank",
    "count",
    "count_among",
    "fits",
    "largest_capture",
    "luck",
    "luckiest",
    "move_card",
    "move_kind",
    "move_piles",
    "move_size",
    "move_take",
    "most_taken",
    "open_piles",
    "openers_of",
    "pile_after",
    "piles_after",
    "size",
    "table_after",
]

View = Any

BITS = 4
NIBBLE = 15
TOPS = 0x88888888888888
ODD_NIBBLES = 0x0F0F0F0F0F0F0F0F
TEN, JACK, JOKER = 9, 10, 13
LOOSE_RANKS = (1 << (BITS * JOKER)) - 1
"""Mask of the packed cards that are no jokers."""

ROW = 16
"""Words in a row of the capture table: what each rank takes; the last: what Yoruba forbids."""

FORBIDDEN = ROW - 1
YORUBA_WORD = 3**TEN * ROW
TIES_WORD = YORUBA_WORD + 2**TEN * ROW
CROWDED_WORD = TIES_WORD + (1 << 14)
FIRST_CROWDED = np.array([2 * CROWDED_WORD + (5**card - 1) // 4 for card in range(11)])
"""Where the entries of a value card begin in the capture table (`sim.kernel.captures`)."""

TAKE_BITS, SIZE_BITS = 36, 6
TAKE = (1 << TAKE_BITS) - 1
TIES_SHIFT = TAKE_BITS + SIZE_BITS
"""A word of the capture table: what is taken, packed; how many cards; where the sets as large are
listed, or 0."""

CROWDED_SIZE = 63
CROWDED_TIED = 64
CROWDED_SHIFT = 7
"""An entry for crowded tables, 32 bits: how many cards, whether tied, what is taken in base 5."""

UNLISTED = 1
"""Ties of a crowded table are not listed."""

_TRIPLES = [(i & 15, i >> 4 & 15, i >> 8) for i in range(4096)]
TWOS = np.array([(a > 0) + 2 * (b > 0) + 4 * (c > 0) for a, b, c in _TRIPLES], np.int32)
THREES = np.array([min(a, 2) + 3 * min(b, 2) + 9 * min(c, 2) for a, b, c in _TRIPLES], np.int32)
FIVES = np.array([a + 5 * b + 25 * c for a, b, c in _TRIPLES], np.int32)
"""Three counts, packed: their presence read as a number in base 2; they in base 3, those above 2 as
2, and in base 5."""

UNFIVES = np.array([a | b << 4 | c << 8 for c in range(5) for b in range(5) for a in range(5)])
"""Undoes `FIVES`."""

MASK64 = 0xFFFFFFFFFFFFFFFF


def word(address: int, index: int) -> int:
    """Read the int64 at `index` of the array at `address`."""
    return ctypes.c_int64.from_address(int(address) + 8 * int(index)).value


def entry(address: int, index: int) -> int:
    """Read the uint32 at `index` of the capture table at `address`."""
    return ctypes.c_uint32.from_address(int(address) + 4 * int(index)).value


def lowest(packed: int) -> int:
    """Return the lowest rank of `packed`, which holds a card."""
    return ((int(packed) & -int(packed)).bit_length() - 1) // BITS


def size(packed: int) -> int:
    """Return how many cards `packed` holds."""
    pairs = (int(packed) & ODD_NIBBLES) + ((int(packed) >> BITS) & ODD_NIBBLES)
    return (pairs * 0x0101010101010101 & MASK64) >> 56


def mix(noise: int, take: int, piles: int, card: int, kind: int) -> int:
    """Hash a move with a decision's random word: 63 bits, the same for the same move anywhere."""
    key = (int(take) | int(card) << 56 | int(kind) << 60) ^ (int(piles) * 0xD1B54A32D192ED03)
    x = (int(noise) + key * 0x9E3779B97F4A7C15) & MASK64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return (x ^ (x >> 31)) >> 1


def listed(view: View, move: int) -> int:
    """Return `move`, the index of a move of the list.

    Raises:
        IndexError: the list has no such move.
    """
    if move < 0 or move >= view.n_moves:
        raise IndexError("the list has no such move; moves are 0 to view.n_moves - 1")
    return move


def move_take(view: View, move: int) -> int:
    """Return the packed loose cards that a move takes or joins, jokers included."""
    return word(view.moves, 2 * listed(view, move))


def move_piles(view: View, move: int) -> int:
    """Return the piles that a move takes: bit p for pile p."""
    return word(view.moves, 2 * listed(view, move) + 1) & 0xFFFFFFFF


def move_size(view: View, move: int) -> int:
    """Return how many cards a move takes or joins, pile cards counted, the played card not."""
    return (word(view.moves, 2 * listed(view, move) + 1) >> 32) & 0xFFFF


def move_card(view: View, move: int) -> int:
    """Return the rank that a move plays."""
    return (word(view.moves, 2 * listed(view, move) + 1) >> 48) & 0xFF


def move_kind(view: View, move: int) -> int:
    """Return TRAIL, CAPTURE or BUILD."""
    return (word(view.moves, 2 * listed(view, move) + 1) >> 56) & 0xFF


def luck(view: View, move: int) -> int:
    """Return a random number of 63 bits for a move, independent between moves and decisions.

    The same move at the same turn of the same deal has the same luck under every rule set, so that
    variants are compared with common random numbers.
    """
    return mix(
        view.noise,
        move_take(view, move),
        move_piles(view, move),
        move_card(view, move),
        move_kind(view, move),
    )


def most_taken(view: View) -> int:
    """Return how many cards the largest capture takes; 0 when there is none."""
    return int(view.most)


def luckiest(view: View, kind: int, size: int) -> int:
    """Return the luckiest of the moves of this kind and size: a uniform choice among them."""
    if kind == CAPTURE and size == view.most and view.largest >= 0:
        return int(view.largest)
    best = -1
    best_luck = -1
    for move in range(view.n_moves):
        if move_kind(view, move) == kind and move_size(view, move) == size:
            chance = luck(view, move)
            if chance > best_luck:
                best, best_luck = move, chance
    return best


def count(packed: int, rank: int) -> int:
    """Return how many cards of `rank` are among `packed`."""
    return (packed >> (BITS * rank)) & NIBBLE


def count_among(packed: int, ranks: int) -> int:
    """Return how many cards of some ranks, bit r for rank r, are among `packed`."""
    cards = 0
    for rank in range(JOKER + 1):
        if ranks >> rank & 1:
            cards += count(packed, rank)
    return cards


def fits(part: int, whole: int) -> bool:
    """Say whether every card of `part` is among `whole`."""
    return (((whole | TOPS) - part) & TOPS) == TOPS


def presence(packed: int) -> int:
    """Return `packed` with every count above 1 made 1."""
    return (packed | packed >> 1 | packed >> 2) & 0x11111111111111


def table_after(view: View, move: int) -> int:
    """Return the packed loose cards that lie there after a move, for the next player to capture.

    When the move ends the deal, the piles that nobody captured are among them (the View does not
    say whether the house discards them).
    """
    if move_kind(view, move) == TRAIL:
        loose = view.loose + (1 << (BITS * move_card(view, move)))
    else:
        loose = view.loose - move_take(view, move)
    if view.n_piles and ends_deal(view):
        for pile in range(view.n_piles):
            if not move_piles(view, move) >> pile & 1:
                loose += view.pile_cards[pile]
    return loose


def ends_deal(view: View) -> bool:
    """Say whether this turn is the last of its deal."""
    return view.hand_sizes[(view.seat + 1) % view.players] == 0


def piles_after(view: View, move: int) -> int:
    """Return the piles that stand after a move: bit p for pile p, bit n_piles for one it builds."""
    if ends_deal(view):
        return 0
    building = move_kind(view, move) == BUILD
    return ((1 << view.n_piles) - 1) & ~move_piles(view, move) | building << view.n_piles


def pile_after(view: View, move: int, pile: int) -> tuple[int, int]:
    """Return the packed cards of a pile and the ranks that can capture it, bit r for rank r.

    `pile` is a place on the table, or n_piles for the pile that the move builds.
    """
    if pile < view.n_piles:
        return view.pile_cards[pile], view.pile_openers[pile]
    cards = move_take(view, move) + (1 << (BITS * move_card(view, move)))
    return cards, openers_of(view, cards)


def below(packed: int, card: int) -> int:
    """Return the cards of `packed` that rank below a value card."""
    return packed & ((1 << (BITS * card)) - 1)


def base_two(low: int) -> int:
    """Read the presence of the lowest nine ranks as a number in base 2."""
    return TWOS[low & 4095] + 8 * TWOS[low >> 12 & 4095] + 64 * TWOS[low >> 24]


def base_three(low: int) -> int:
    """Read the counts of the lowest nine ranks, those above 2 as 2, as a number in base 3."""
    return THREES[low & 4095] + 27 * THREES[low >> 12 & 4095] + 729 * THREES[low >> 24]


def base_five(low: int) -> int:
    """Read the counts of the lowest nine ranks as a number in base 5."""
    return FIVES[low & 4095] + 125 * FIVES[low >> 12 & 4095] + 15625 * FIVES[low >> 24]


def from_base_five(code: int) -> int:
    """Undo `base_five`."""
    high = code // 125
    return UNFIVES[code % 125] | UNFIVES[high % 125] << 12 | UNFIVES[high // 125] << 24


def crowded(loose: int) -> bool:
    """Say whether three or four cards of one of the lowest nine ranks are there."""
    return (loose >> 2 | (loose & loose >> 1)) & 0x111111111 != 0


def plain_row(loose: int) -> int:
    """Return where the row of the capture table for these loose cards begins, but for Yoruba."""
    return ROW * base_three(below(loose, TEN))


def has_row(view: View, loose: int) -> bool:
    """Say whether the capture table has a row for these loose cards: they are not crowded."""
    return view.yoruba != 0 or not crowded(loose)


def row_of(view: View, loose: int) -> int:
    """Return where the row of the capture table for loose cards that have one begins."""
    if view.yoruba:
        return YORUBA_WORD + ROW * base_two(below(loose, TEN))
    return plain_row(loose)


def best_take(view: View, loose: int, card: int) -> int:
    """Return a largest set of cards of lower ranks that a card can take, as a word of the table.

    See `TIES_SHIFT`. A face takes none.
    """
    if has_row(view, loose):
        return word(view.captures, row_of(view, loose) + card)
    if card >= JACK:
        return 0
    found = entry(view.captures, FIRST_CROWDED[card] + base_five(below(loose, card)))
    ties = UNLISTED if found & CROWDED_TIED else 0
    cards = found & CROWDED_SIZE
    return from_base_five(found >> CROWDED_SHIFT) | cards << TAKE_BITS | ties << TIES_SHIFT


def taken_by(found: int) -> int:
    """Return how many cards a word of the capture table takes."""
    return found >> TAKE_BITS & ((1 << SIZE_BITS) - 1)


def largest_capture(view: View, loose: int, card: int) -> int:
    """Return how many loose cards `card` can take at most from the packed cards `loose`.

    Jokers that go along are counted; piles are not. 0: no capture.
    """
    jokers = count(loose, JOKER)
    if card == JOKER:
        if view.yoruba and view.distinct_joker:
            kinds = size(presence(loose & LOOSE_RANKS))
            return kinds + jokers if kinds else 0
        return size(loose)
    if card >= JACK:
        taken = 0 if view.yoruba and not view.pair_faces else count(loose, card)
    else:
        taken = taken_by(best_take(view, loose, card))
        if not view.yoruba:
            taken += count(loose, card)
    return taken + jokers if taken else 0


def captures_by_rank(view: View, loose: int) -> tuple[int, int]:
    """Return the largest capture of every rank from `loose`, as two words of bytes.

    The first word holds ranks 0..6, the second 7..13; see `capture_of`. One pass over the ranks,
    so cheaper than fourteen calls of `largest_capture`.
    """
    low = high = code = 0
    power = 1
    jokers = count(loose, JOKER)
    listed = has_row(view, loose)
    row = row_of(view, loose)
    for card in range(JACK):
        here = count(loose, card)
        if listed:
            taken = taken_by(word(view.captures, row + card))
        else:
            taken = entry(view.captures, FIRST_CROWDED[card] + code) & CROWDED_SIZE
            code += power * here
            power *= 5
        if not view.yoruba:
            taken += here
        if taken:
            if card < 7:
                low |= (taken + jokers) << (8 * card)
            else:
                high |= (taken + jokers) << (8 * (card - 7))
    for card in range(JACK, JOKER + 1):
        high |= largest_capture(view, loose, card) << (8 * (card - 7))
    return low, high


def capture_of(low: int, high: int, rank: int) -> int:
    """Return the largest capture of `rank` from the two words of `captures_by_rank`."""
    return ((low >> (8 * rank)) if rank < 7 else (high >> (8 * (rank - 7)))) & 255


def openers_of(view: View, cards: int) -> int:
    """Return which ranks can capture a pile of these packed cards: bit r for rank r."""
    low, high = captures_by_rank(view, cards)
    openers = 0 if view.yoruba and view.distinct_joker else 1 << JOKER
    for rank in range(JOKER):
        if capture_of(low, high, rank) == size(cards):
            openers |= 1 << rank
    return openers


def open_piles(view: View, card: int) -> int:
    """Return the piles that `card` can capture: bit p for pile p."""
    piles = 0
    for pile in range(view.n_piles):
        piles |= (view.pile_openers[pile] >> card & 1) << pile
    return piles
