"""`lookahead`: thinks of its own next turn too."""

from sim.foresight import largest_capture_with_piles, net_gain, table_after_reply
from sim.sight import (
    BITS,
    BUILD,
    JOKER,
    count,
    luck,
    move_card,
    move_kind,
    open_piles,
    piles_after,
    size,
    table_after,
)
from sim.strategy import strategy


@strategy(wants="best", uses_unseen=True)
def lookahead(view):
    """Weighs what it wins, what the next player can then expect, and its own turn after that.

    The worth of a move is ``gain - theirs + mine``. *gain*: the cards a capture wins, the played
    one counted; 0 for a trail. *theirs*: `sim.foresight.expected_capture` from what it leaves.
    *mine*: the next player is taken to play one card, each that is unseen as likely as any other,
    which takes as many loose cards as it can and every pile it can open, or else is trailed; `mine`
    is the mean, over those cards, of what the best card this player keeps can then win (a capture
    of k cards wins k + 1). `mine` is 0 when it keeps no card. Players after the next one and later
    deals are left out of account. Chance decides between equals. Never builds.
    """
    best = 0
    best_worth = -1000.0
    unseen = size(view.unseen)
    for move in range(view.n_moves):
        if move_kind(view, move) == BUILD:
            continue
        worth = net_gain(view, move)
        left = table_after(view, move)
        standing = piles_after(view, move) if view.n_piles else 0
        kept = view.hand - (1 << (BITS * move_card(view, move)))
        if kept and unseen:
            won = 0
            for reply in range(JOKER + 1):
                copies = count(view.unseen, reply)
                if copies == 0:
                    continue
                opened = standing & open_piles(view, reply)
                after = table_after_reply(view, left, reply, opened)
                most = 0
                for card in range(JOKER + 1):
                    if count(kept, card):
                        most = max(
                            most, largest_capture_with_piles(view, after, standing & ~opened, card)
                        )
                if most:
                    won += copies * (most + 1)
            worth += won / unseen
        if worth > best_worth or (worth == best_worth and luck(view, move) > luck(view, best)):
            best, best_worth = move, worth
    return best
