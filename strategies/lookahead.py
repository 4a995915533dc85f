"""`lookahead`: thinks of its own next turn too."""

from sim.sight import (
    BITS,
    CAPTURE,
    JOKER,
    count,
    expected_capture,
    largest_capture,
    luck,
    move_card,
    move_kind,
    move_size,
    size,
    table_after,
    table_after_reply,
)
from sim.strategy import strategy


@strategy(wants="best", uses_unseen=True)
def lookahead(view):
    """Weighs what it wins, what the next player can then expect, and its own turn after that.

    The worth of a move is ``gain - theirs + mine``. *gain*: the cards a capture wins, the played
    one counted; 0 for a trail or a build. *theirs*: `sim.sight.expected_capture` from the loose
    cards it leaves. *mine*: the next player is taken to play one card, each that is unseen as
    likely as any other, which takes as many loose cards as it can or else is trailed; `mine` is the
    mean, over those cards, of what the best card this player keeps can then win (a capture of k
    loose cards wins k + 1). `mine` is 0 when it keeps no card. Players after the next one, piles
    and later deals are left out of account. Chance decides between equals.
    """
    best = 0
    best_worth = -1000.0
    unseen = size(view.unseen)
    for move in range(view.n_moves):
        left = table_after(view, move)
        worth = -expected_capture(view, left)
        if move_kind(view, move) == CAPTURE:
            worth += move_size(view, move) + 1
        kept = view.hand - (1 << (BITS * move_card(view, move)))
        if kept and unseen:
            won = 0
            for reply in range(JOKER + 1):
                copies = count(view.unseen, reply)
                if copies == 0:
                    continue
                after = table_after_reply(view, left, reply)
                most = 0
                for card in range(JOKER + 1):
                    if count(kept, card):
                        most = max(most, largest_capture(view, after, card))
                if most:
                    won += copies * (most + 1)
            worth += won / unseen
        if worth > best_worth or (worth == best_worth and luck(view, move) > luck(view, best)):
            best, best_worth = move, worth
    return best
