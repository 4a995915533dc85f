"""`counter`: counts cards, and solves the end of a round."""

from sim.endgame import endgame_value, knows_all
from sim.foresight import net_gain
from sim.sight import BUILD, luck, move_kind
from sim.strategy import strategy


@strategy(wants="best", uses_unseen=True)
def counter(view):
    """Plays the end of a two-player round out in its mind once it knows all cards of the other.

    That is when the cards that it has not seen are just as many as the other holds: in the round's
    last deal, if it remembers every card and none is left over unseen, and no pile stands. The
    worth of a move is then `sim.endgame.endgame_value`: points won less points lost until the end
    of the round, both playing as well as they can. Before that, and with more players, it is
    `sim.foresight.net_gain`, as for `cautious`. Chance decides between equals. Never builds.
    """
    solves = knows_all(view)
    best = 0
    best_worth = -1000.0
    for move in range(view.n_moves):
        if move_kind(view, move) == BUILD:
            continue
        worth = endgame_value(view, move, int(best_worth)) if solves else net_gain(view, move)
        if worth > best_worth or (worth == best_worth and luck(view, move) > luck(view, best)):
            best, best_worth = move, worth
    return best
