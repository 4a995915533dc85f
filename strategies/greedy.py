"""`greedy`: the anchor in the middle. Source: RULES.md, "Two strategies, exactly"."""

from sim.sight import CAPTURE, TRAIL, luckiest, move_kind, move_size
from sim.strategy import strategy


@strategy(wants="best")
def greedy(view):
    """Captures as many cards as it can; with no capture, trails any card of its hand."""
    most = 0
    for move in range(view.n_moves):
        if move_kind(view, move) == CAPTURE:
            most = max(most, move_size(view, move))
    return luckiest(view, CAPTURE if most else TRAIL, most)
