"""What a strategy may expect of the others, judging by the cards it has not seen.

Plain functions of a View, like those of `sim.sight` and compiled like them.
"""

from __future__ import annotations

from sim.sight import (
    BITS,
    BUILD,
    CAPTURE,
    JACK,
    JOKER,
    LOOSE_RANKS,
    NIBBLE,
    TAKE,
    View,
    best_take,
    capture_of,
    captures_by_rank,
    count,
    count_among,
    largest_capture,
    move_kind,
    move_size,
    open_piles,
    pile_after,
    piles_after,
    presence,
    size,
    table_after,
)

__all__ = [
    "captures_after",
    "chance_of_no_capture",
    "chance_unopened",
    "expected_capture",
    "largest_capture_with_piles",
    "net_gain",
    "table_after_reply",
]


def with_pile(view: View, card: int, taken: int, pile: int, jokers: int) -> int:
    """Return how many cards `card` can take when it can open a pile of `pile` cards too.

    `taken` is what it can take without; `jokers` lie loose. Under Yoruba rules a value card is
    taken to win one or the other, for what lies there seldom differs so much in rank.
    """
    if taken == 0:
        return pile + jokers
    if view.yoruba and card < JACK:
        return max(taken, pile + jokers)
    return taken + pile


def largest_capture_with_piles(view: View, loose: int, piles: int, card: int) -> int:
    """Return how many cards `card` can take at most from `loose` and from some piles (bit p)."""
    taken = largest_capture(view, loose, card)
    piles &= open_piles(view, card)
    for pile in range(view.n_piles):
        if piles >> pile & 1:
            cards = size(view.pile_cards[pile])
            taken = with_pile(view, card, taken, cards, count(loose, JOKER))
    return taken


def captures_after(view: View, move: int) -> tuple[int, int]:
    """Return what `captures_by_rank` does, of all that lies there after a move, piles counted."""
    left = table_after(view, move)
    low, high = captures_by_rank(view, left)
    if view.n_piles or move_kind(view, move) == BUILD:
        standing = piles_after(view, move)
        for pile in range(view.n_piles + 1):
            if not standing >> pile & 1:
                continue
            cards, openers = pile_after(view, move, pile)
            for rank in range(JOKER + 1):
                if openers >> rank & 1:
                    taken = capture_of(low, high, rank)
                    more = with_pile(view, rank, taken, size(cards), count(left, JOKER)) - taken
                    if rank < 7:
                        low += more << (8 * rank)
                    else:
                        high += more << (8 * (rank - 7))
    return low, high


def chance_of_none(cards: int, of_kind: int, drawn: int) -> float:
    """Return the chance that of `cards`, `of_kind` of them of a kind, none of those is `drawn`."""
    none = 1.0
    for i in range(drawn):
        none *= max(cards - of_kind - i, 0) / max(cards - i, 1)
    return none


def expected_capture(view: View, low: int, high: int) -> float:
    """Return the points that the next player can expect to win with its best card.

    Its hand is taken as drawn from the cards this player has not seen, each as likely as any
    other; a capture of k cards wins k + 1 points. `low` and `high` are the captures that lie there
    for it (`captures_after`). 0 when the round is over.
    """
    unseen = size(view.unseen)
    expected = 0.0
    level = 255
    at_least = 0
    previous = 0.0
    while True:
        below = 0
        for rank in range(JOKER + 1):
            won = capture_of(low, high, rank)
            if below < won < level and count(view.unseen, rank):
                below = won
        if below == 0:
            return expected
        level = below
        for rank in range(JOKER + 1):
            won = capture_of(low, high, rank)
            if won == level:
                at_least += count(view.unseen, rank)
        none = chance_of_none(unseen, at_least, view.next_hand)
        expected += (1.0 - none - previous) * (level + 1)
        previous = 1.0 - none


def chance_of_no_capture(view: View, low: int, high: int) -> float:
    """Return the chance that the next player holds none of the cards that can capture.

    Its hand is taken as drawn from the cards this player has not seen; `low` and `high` are as in
    `expected_capture`.
    """
    able = 0
    for rank in range(JOKER + 1):
        if capture_of(low, high, rank):
            able += count(view.unseen, rank)
    return chance_of_none(size(view.unseen), able, view.next_hand)


def net_gain(view: View, move: int) -> float:
    """Return the points that a move wins less those that the next player can then expect.

    A capture wins its cards, the played one counted; a trail or a build wins 0.
    """
    low, high = captures_after(view, move)
    gain = -expected_capture(view, low, high)
    if move_kind(view, move) == CAPTURE:
        gain += move_size(view, move) + 1
    return gain


def chance_unopened(view: View, openers: int) -> float:
    """Return the chance that no other player holds a card of the ranks `openers` (bit r) now.

    Every other player with a card has a turn before this one's next, so it is the chance that a
    pile with these openers surely stands until then. The hands are taken as drawn from the cards
    this player has not seen.
    """
    held = -view.hand_sizes[view.seat]
    for seat in range(view.players):
        held += view.hand_sizes[seat]
    return chance_of_none(size(view.unseen), count_among(view.unseen, openers), held)


def table_after_reply(view: View, loose: int, card: int, opened: int) -> int:
    """Return the packed loose cards that lie there when `card` is played on `loose`.

    It takes as many loose cards as it can (where several sets are as large, always the same one).
    When it can take none it is trailed, unless it opens piles: `opened` is not 0.
    """
    if largest_capture(view, loose, card) == 0:
        return loose & LOOSE_RANKS if opened else loose + (1 << (BITS * card))
    loose &= LOOSE_RANKS
    if card == JOKER:
        return loose - presence(loose) if view.yoruba and view.distinct_joker else 0
    own = loose & (NIBBLE << (BITS * card))
    if card >= JACK:
        return loose - own
    taken = best_take(view, loose, card) & TAKE
    return loose - taken if view.yoruba else loose - own - taken
