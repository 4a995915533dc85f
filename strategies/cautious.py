"""`cautious`: weighs what it wins against what it leaves."""

from sim.foresight import captures_after, chance_of_no_capture, expected_capture
from sim.sight import BUILD, CAPTURE, luck, move_kind, move_size
from sim.strategy import Parameter, strategy

RISK = Parameter("risk", 1, 0, 3, "weight of what the players after it can expect to win")
HORIZON = Parameter("horizon", 1, 1, 4, "how many of the players after it are counted", whole=True)


@strategy(wants="best", uses_unseen=True, parameters=(RISK, HORIZON))
def cautious(view):
    """Wins as many cards as it can, less what the next player can expect to win after it.

    The worth of a move is the cards a capture wins (the played one counted; 0 for a trail) minus
    `risk` times the sum, over the next `horizon` players, of what each can expect from the loose
    cards and piles left: `sim.foresight.expected_capture`, as if each met this same table with as
    many cards as the next player, times the chance that nobody counted before it could capture.
    Only other players are counted, and only those with a turn left in the round. Chance decides
    between equals. Never builds.
    """
    risk = view.parameters[0]
    horizon = min(int(view.parameters[1]), view.players - 1, view.turns - view.turn - 1)
    best = 0
    best_worth = -10000.0
    for move in range(view.n_moves):
        if move_kind(view, move) == BUILD:
            continue
        low, high = captures_after(view, move)
        worth = -risk * expected_capture(view, low, high)
        if horizon > 1:
            passed = chance_of_no_capture(view, low, high)
            reached = worth
            for _ in range(1, horizon):
                reached *= passed
                worth += reached
        if move_kind(view, move) == CAPTURE:
            worth += move_size(view, move) + 1
        if worth > best_worth or (worth == best_worth and luck(view, move) > luck(view, best)):
            best, best_worth = move, worth
    return best
