"""`saver`: tidies the table as it captures."""

from sim.foresight import captures_after
from sim.sight import (
    BUILD,
    CAPTURE,
    TEN,
    capture_of,
    luck,
    move_kind,
    move_size,
)
from sim.strategy import Parameter, strategy

FEAR = Parameter(
    "fear", 0.5, 0, 5, "cards it would forgo to leave one value card fewer that can capture"
)


@strategy(wants="best", parameters=(FEAR,))
def saver(view):
    """Prefers captures that leave no easy sums behind.

    It maximises the cards it wins (the played one counted; 0 for a trail) minus `fear` times the
    number of ranks from ace to 10 of which a card could capture any of the loose cards or piles
    that are left, whether or not such a card is still out. Chance decides between equals. Never
    builds.
    """
    best = -1
    best_worth = 0.0
    for move in range(view.n_moves):
        if move_kind(view, move) == BUILD:
            continue
        low, high = captures_after(view, move)
        easy = 0
        for rank in range(TEN + 1):
            if capture_of(low, high, rank):
                easy += 1
        worth = -view.parameters[0] * easy
        if move_kind(view, move) == CAPTURE:
            worth += move_size(view, move) + 1
        if (
            best < 0
            or worth > best_worth
            or (worth == best_worth and luck(view, move) > luck(view, best))
        ):
            best, best_worth = move, worth
    return best
