"""`random`: the anchor at the bottom. Source: RULES.md, "Two strategies, exactly"."""

from sim.sight import luck
from sim.strategy import strategy


@strategy(wants="all")
def random(view):
    """Plays any legal move, each as likely as any other."""
    best = 0
    for move in range(1, view.n_moves):
        if luck(view, move) > luck(view, best):
            best = move
    return best
