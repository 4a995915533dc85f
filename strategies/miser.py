"""`miser`: gives away as little as it can."""

from sim.foresight import captures_after
from sim.sight import (
    CAPTURE,
    JOKER,
    TRAIL,
    capture_of,
    count,
    luck,
    luckiest,
    most_taken,
    move_kind,
)
from sim.strategy import strategy


@strategy(wants="best", uses_unseen=True)
def miser(view):
    """Captures as many cards as it can; with no capture, trails the card least likely to be taken.

    That is the card after which the fewest cards that it has not seen could capture anything.
    Chance decides between equals. Never builds.
    """
    most = most_taken(view)
    if most:
        return luckiest(view, CAPTURE, most)
    best = -1
    fewest = 0
    for move in range(view.n_moves):
        if move_kind(view, move) != TRAIL:
            continue
        low, high = captures_after(view, move)
        takers = 0
        for rank in range(JOKER + 1):
            if capture_of(low, high, rank):
                takers += count(view.unseen, rank)
        if (
            best < 0
            or takers < fewest
            or (takers == fewest and luck(view, move) > luck(view, best))
        ):
            best, fewest = move, takers
    return best
