"""`cautious`: weighs what it wins against what it leaves."""

from sim.sight import CAPTURE, expected_capture, luck, move_kind, move_size, table_after
from sim.strategy import strategy


@strategy(wants="best", uses_unseen=True)
def cautious(view):
    """Wins as many cards as it can, less what the next player can expect to win after it."""
    best = 0
    best_worth = -1000.0
    for move in range(view.n_moves):
        worth = -expected_capture(view, table_after(view, move))
        if move_kind(view, move) == CAPTURE:
            worth += move_size(view, move) + 1
        if worth > best_worth or (worth == best_worth and luck(view, move) > luck(view, best)):
            best, best_worth = move, worth
    return best
