"""`raider`: lives on the piles of others."""

from sim.foresight import net_gain
from sim.sight import BUILD, luck, move_kind, move_piles, size
from sim.strategy import Parameter, strategy

SPITE = Parameter("spite", 10, 0, 10, "extra worth of each card of another player's pile")


@strategy(wants="best", uses_unseen=True, parameters=(SPITE,))
def raider(view):
    """Takes the piles that others have built.

    The worth of a move is `sim.foresight.net_gain`, as for `cautious`, and `spite` for each card of
    a pile that it takes from another player; by default that outweighs anything else. Chance
    decides between equals. Never builds.
    """
    best = 0
    best_worth = -1000.0
    for move in range(view.n_moves):
        if move_kind(view, move) == BUILD:
            continue
        worth = net_gain(view, move)
        for pile in range(view.n_piles):
            if move_piles(view, move) >> pile & 1 and view.pile_builder[pile] != view.seat:
                worth += view.parameters[0] * size(view.pile_cards[pile])
        if worth > best_worth or (worth == best_worth and luck(view, move) > luck(view, best)):
            best, best_worth = move, worth
    return best
