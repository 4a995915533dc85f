"""`greedy`: the anchor in the middle. Source: RULES.md, "Two strategies, exactly"."""

from sim.sight import CAPTURE, TRAIL, luckiest, most_taken
from sim.strategy import strategy


@strategy(wants="best")
def greedy(view):
    """Captures as many cards as it can; with no capture, trails any card of its hand."""
    most = most_taken(view)
    return luckiest(view, CAPTURE if most else TRAIL, most)
