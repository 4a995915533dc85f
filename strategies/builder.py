"""`builder`: protects what it means to win."""

from sim.foresight import chance_unopened, net_gain
from sim.sight import (
    BITS,
    BUILD,
    count_among,
    luck,
    move_card,
    move_kind,
    pile_after,
    piles_after,
    size,
)
from sim.strategy import strategy


@strategy(wants="best", uses_unseen=True)
def builder(view):
    """Builds a pile when the others are unlikely to hold a card that opens it.

    The worth of a move is `sim.foresight.net_gain`, as for `cautious`: what it wins less what the
    next player can expect of what then lies there, loose or in piles. To that it adds, for each own
    pile that stands after the move (one that the move builds, too), the chance that no other player
    holds a card that opens it, times what the pile then brings: its cards and the card that
    captures it, at a later turn; or minus the penalty when no card that it keeps opens the pile.
    Nobody is dealt a card while the pile stands, and whoever keeps a card has a turn to play it in,
    so nothing else can come between. Chance decides between equals.
    """
    best = 0
    best_worth = -1000.0
    for move in range(view.n_moves):
        worth = net_gain(view, move)
        if view.n_piles or move_kind(view, move) == BUILD:
            kept = view.hand - (1 << (BITS * move_card(view, move)))
            standing = piles_after(view, move)
            for pile in range(view.n_piles + 1):
                if not standing >> pile & 1:
                    continue
                if pile < view.n_piles and view.pile_builder[pile] != view.seat:
                    continue
                cards, openers = pile_after(view, move, pile)
                brings = size(cards) + 1 if count_among(kept, openers) else -view.esun_penalty
                worth += chance_unopened(view, openers) * brings
        if worth > best_worth or (worth == best_worth and luck(view, move) > luck(view, best)):
            best, best_worth = move, worth
    return best
