"""What a card can take, and what can be joined into a pile.

Source: RULES.md, "The three moves", "Yoruba rules", "Esun". Groups of value cards are handled as
the counts of A..10, a tuple of ten numbers, so that equal groups are found to be equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations

from sim.cards import FACES, INDEX, JOKER, RANKS, VALUE
from sim.rules import Rules

Cards = tuple[str, ...]
Counts = tuple[int, ...]
Group = tuple[tuple[int, int], ...]
"""(place in counts, how many) pairs."""

NOTHING: Counts = (0,) * len(VALUE)


def in_rank_order(cards: Iterable[str]) -> Cards:
    """Return cards in rank order, jokers last."""
    return tuple(sorted(cards, key=INDEX.__getitem__))


def count_values(cards: Iterable[str]) -> Counts:
    """Count the value cards among `cards`, by value."""
    counts = list(NOTHING)
    for card in cards:
        if card in VALUE:
            counts[VALUE[card] - 1] += 1
    return tuple(counts)


def cards_of(counts: Counts) -> Cards:
    """Return the cards of `counts` in rank order."""
    return tuple(rank for rank, n in zip(RANKS, counts, strict=False) for _ in range(n))


@cache
def groups(value: int) -> tuple[Group, ...]:
    """Return every way to add cards up to `value`."""

    def ways(rest: int, largest: int) -> Iterator[Group]:
        if rest == 0:
            yield ()
        for part in range(min(rest, largest), 0, -1):
            for number in range(1, rest // part + 1):
                for way in ways(rest - part * number, part - 1):
                    yield ((part - 1, number), *way)

    return tuple(ways(value, value))


def splitting_sets(counts: Counts, value: int) -> set[Counts]:
    """Find every set within `counts` that splits into groups that each sum to `value`.

    The empty set is among them. It grows group by group: each group in turn is added, as often as
    the cards allow, to all that was found before it.
    """
    found = {NOTHING}
    for group in groups(value):
        if any(counts[place] < number for place, number in group):
            continue
        grown = found
        while grown:
            grown = _grown(grown, [group], counts) - found
            found |= grown
    return found


def _grown(parts: Iterable[Counts], ways: Iterable[Group], within: Counts) -> set[Counts]:
    """Return each part with each group added that `within` has the cards for."""
    return {
        larger
        for part in parts
        for group in ways
        if (larger := _add(part, group, within)) is not None
    }


def _add(part: Counts, group: Group, within: Counts) -> Counts | None:
    larger = list(part)
    for place, number in group:
        larger[place] += number
        if larger[place] > within[place]:
            return None
    return tuple(larger)


def all_differ(cards: Sequence[str]) -> bool:
    """Say whether no rank is there twice."""
    return len(set(cards)) == len(cards)


def usable(rules: Rules, counts: Counts, card: str) -> Counts:
    """Return the value cards that one capture with `card` could use at all.

    Under Yoruba rules that is one of each rank, and none of the rank of `card`.
    """
    if not rules.yoruba:
        return counts
    return tuple(min(n, 1) if RANKS[i] != card else 0 for i, n in enumerate(counts))


def faces_pair(rules: Rules) -> bool:
    """Say whether faces take their own rank at all."""
    return not rules.yoruba or rules.yoruba_faces == "pair"


def takes_together(rules: Rules, card: str, cards: Sequence[str]) -> bool:
    """Say whether `card`, no joker, validly captures all of `cards`, none a joker, together."""
    if card in FACES:
        return faces_pair(rules) and all(other == card for other in cards)
    if not all(other in VALUE for other in cards):
        return False
    counts = count_values(cards)
    return counts in splitting_sets(usable(rules, counts, card), VALUE[card])


def loose_sets(rules: Rules, card: str, loose: Sequence[str]) -> list[Cards]:
    """Return every set of loose cards that `card`, no joker, can take; the empty one too.

    Jokers that go along are not in them.
    """
    if card in FACES:
        most = loose.count(card) if faces_pair(rules) else 0
        return [(card,) * n for n in range(most + 1)]
    counts = usable(rules, count_values(loose), card)
    return [cards_of(found) for found in splitting_sets(counts, VALUE[card])]


def yoruba_forbids(rules: Rules, card: str, loose: Sequence[str]) -> bool:
    """Say whether some set of loose cards could be captured with `card` but for Yoruba rules.

    A value card's set that repeats a rank holds a group that does, or two groups that do together,
    or a card of the played rank; so larger sets need not be looked at.
    """
    if card == JOKER:
        everything = in_rank_order(loose)
        return bool(loose) and (everything, ()) not in _joker_captures(rules, everything, ())
    if card in FACES:
        return card in loose and not faces_pair(rules)
    counts, ways = count_values(loose), groups(VALUE[card])
    one = _grown([NOTHING], ways, counts)
    allowed = splitting_sets(usable(rules, counts, card), VALUE[card])
    return any(found not in allowed for found in (*one, *_grown(one, ways, counts)))


def subsets(items: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every subset, the empty one first."""
    return chain.from_iterable(combinations(items, n) for n in range(len(items) + 1))


def captures(
    rules: Rules, card: str, loose: Sequence[str], piles: Sequence[Cards]
) -> Iterator[tuple[Cards, tuple[int, ...]]]:
    """Yield each capture with `card` once: the loose cards, jokers among them, and the piles."""
    if card == JOKER:
        yield from _joker_captures(rules, loose, piles)
        return
    jokers = tuple(other for other in loose if other == JOKER)
    open_piles = [i for i, pile in enumerate(piles) if takes_together(rules, card, pile)]
    exempt = card in FACES
    for taken in loose_sets(rules, card, loose):
        for chosen in subsets(open_piles):
            everything = taken + tuple(other for i in chosen for other in piles[i])
            if not everything or (rules.yoruba and not exempt and not all_differ(everything)):
                continue
            yield taken + jokers, chosen


def _joker_captures(
    rules: Rules, loose: Sequence[str], piles: Sequence[Cards]
) -> Iterator[tuple[Cards, tuple[int, ...]]]:
    if not (rules.yoruba and rules.yoruba_joker == "distinct"):
        if loose or piles:
            yield tuple(loose), tuple(range(len(piles)))
        return
    jokers = tuple(other for other in loose if other == JOKER)
    ranks = [i for i, rank in enumerate(RANKS) if rank != JOKER and rank in loose]
    for chosen in subsets(ranks):
        if chosen:
            yield tuple(RANKS[i] for i in chosen) + jokers, ()


def builds(rules: Rules, card: str, kept: Sequence[str], loose: Sequence[str]) -> set[Cards]:
    """Return each set of loose cards that `card` can be joined with, `kept` staying in hand."""
    found: set[Cards] = set()
    for capturer in set(kept) - {JOKER}:
        if capturer in FACES:
            if card == capturer and faces_pair(rules):
                found |= {(card,) * n for n in range(1, loose.count(card) + 1)}
        elif card in VALUE:
            found |= _value_builds(rules, card, capturer, loose)
    return found


def _value_builds(rules: Rules, card: str, capturer: str, loose: Sequence[str]) -> set[Cards]:
    place = VALUE[card] - 1
    counts = usable(rules, count_values([card, *loose]), capturer)
    return {
        cards_of((*pile[:place], pile[place] - 1, *pile[place + 1 :]))
        for pile in splitting_sets(counts, VALUE[capturer])
        if pile[place] and sum(pile) > 1
    }
