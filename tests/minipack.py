"""Games with a pack of a few cards: played by the twin, and solved exactly by another program.

The solver knows nothing of `sim`: it was written from RULES.md ("Set-up of a round", "The three
moves", "Yoruba rules", "The rest") for players that choose uniformly among all legal moves, and
adds up the chances of everything that can happen in one round.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import combinations

Cards = tuple[str, ...]
Chances = dict[tuple[int, ...], float]
"""Points that each seat gains from here on -> how likely that is."""


@dataclass(frozen=True)
class Mini:
    """A small game.

    Attributes:
        cards: what is shuffled, jokers (``*``) last.
        set_out: what lies on the table from the start.
        hand: cards in a hand.
        players: seats.
        yoruba: Yoruba rules, faces strict, jokers exempt.
        rest: ``nobody``, ``last_to_play`` or ``last_to_capture``.
        to_table: leftover cards are laid on the table after the last hands.
    """

    cards: Cards
    hand: int
    players: int
    set_out: Cards = ()
    yoruba: bool = False
    rest: str = "nobody"
    to_table: bool = False


VALUE = {"A": 1, **{str(n): n for n in range(2, 11)}}


def sorted_cards(cards: list[str] | Cards) -> Cards:
    return tuple(sorted(cards))


def without(cards: Cards, gone: Cards) -> Cards:
    left = Counter(cards)
    left.subtract(gone)
    assert min(left.values(), default=0) >= 0
    return sorted_cards(list(left.elements()))


def groups(values: tuple[int, ...], target: int) -> bool:
    """Whether `values` split into groups that each sum to `target`."""
    if not values:
        return True
    first, others = values[0], values[1:]
    for size in range(len(others) + 1):
        for chosen in combinations(range(len(others)), size):
            if first + sum(others[i] for i in chosen) == target:
                rest = tuple(v for i, v in enumerate(others) if i not in chosen)
                if groups(rest, target):
                    return True
    return False


@cache
def captures(mini: Mini, card: str, table: Cards) -> frozenset[Cards]:
    """Every group of table cards that `card` can take."""
    jokers = tuple(c for c in table if c == "*")
    loose = tuple(c for c in table if c != "*")
    if card == "*":
        return frozenset([table] if table else [])
    found = set()
    for size in range(1, len(loose) + 1):
        for chosen in combinations(loose, size):
            if card in VALUE:
                fits = all(c in VALUE for c in chosen) and groups(
                    tuple(VALUE[c] for c in chosen), VALUE[card]
                )
            else:
                fits = all(c == card for c in chosen)
            if fits and mini.yoruba:
                fits = len({card, *chosen}) == 1 + len(chosen)
            if fits:
                found.add(sorted_cards(chosen + jokers))
    return frozenset(found)


@cache
def deals(pack: Cards, hand: int, players: int) -> dict[tuple[tuple[Cards, ...], Cards], int]:
    """Return each way to deal, hands and what stays, and in how many ways that happens."""
    if players == 0:
        return {((), pack): 1}
    found: dict[tuple[tuple[Cards, ...], Cards], int] = defaultdict(int)
    for first, times in Counter(sorted_cards(c) for c in combinations(pack, hand)).items():
        for (others, left), more in deals(without(pack, first), hand, players - 1).items():
            found[(first, *others), left] += times * more
    return dict(found)


def solve(mini: Mini) -> Chances:
    """Return the exact chances of the final points of one round; seat 0 leads."""
    full, leftover = divmod(len(mini.cards), mini.hand * mini.players)

    @cache
    def turn(
        hands: tuple[Cards, ...], table: Cards, seat: int, pack: Cards, left: int, last: int
    ) -> Chances:
        if not hands[seat]:
            return deal(table, pack, left, last)
        moves: list[tuple[str, Cards]] = []
        for card in dict.fromkeys(hands[seat]):
            moves.append((card, ()))
            moves += [(card, taken) for taken in captures(mini, card, table)]
        chances: dict[tuple[int, ...], float] = defaultdict(float)
        for card, taken in moves:
            own = without(hands[seat], (card,))
            after = (*hands[:seat], own, *hands[seat + 1 :])
            lies = without(table, taken) if taken else sorted_cards((*table, card))
            won = 1 + len(taken) if taken else 0
            later = turn(
                after, lies, (seat + 1) % mini.players, pack, left, seat if taken else last
            )
            for gains, chance in later.items():
                total = tuple(g + won * (s == seat) for s, g in enumerate(gains))
                chances[total] += chance / len(moves)
        return dict(chances)

    @cache
    def deal(table: Cards, pack: Cards, left: int, last: int) -> Chances:
        if left == 0:
            to = {"nobody": -1, "last_to_play": mini.players - 1, "last_to_capture": last}
            receiver = to[mini.rest]
            return {tuple(len(table) * (s == receiver) for s in range(mini.players)): 1.0}
        chances: dict[tuple[int, ...], float] = defaultdict(float)
        ways = 0
        for (hands, stays), times in deals(pack, mini.hand, mini.players).items():
            lies, rest = table, stays
            if left == 1 and leftover:
                lies, rest = (sorted_cards(table + stays) if mini.to_table else table), ()
            ways += times
            for gains, chance in turn(hands, lies, 0, rest, left - 1, last).items():
                chances[gains] += chance * times
        return {gains: chance / ways for gains, chance in chances.items()}

    found = deal(sorted_cards(mini.set_out), sorted_cards(mini.cards), full, -1)
    assert math.isclose(sum(found.values()), 1)
    return found


def mean_points(found: Chances, seat: int) -> float:
    return sum(gains[seat] * chance for gains, chance in found.items())


def win_share(found: Chances, seat: int) -> float:
    shared = {gains: gains.count(max(gains)) for gains in found}
    return sum(
        chance / shared[gains] for gains, chance in found.items() if gains[seat] == max(gains)
    )


EIGHT = Mini(("A", "A", "2", "2", "3", "3", "J", "J"), hand=2, players=2)
TEN = Mini(
    ("A", "2", "2", "3", "3", "4", "J", "Q", "Q", "*"),
    hand=2,
    players=2,
    set_out=("Q",),
    rest="last_to_capture",
    to_table=True,
)
TWELVE = Mini(
    ("A", "A", "A", "2", "2", "2", "3", "3", "3", "J", "J", "J"),
    hand=2,
    players=3,
    set_out=("3", "J"),
    yoruba=True,
)
