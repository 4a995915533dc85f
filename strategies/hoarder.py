"""`hoarder`: saves its jokers for a rich table."""

from sim.sight import BUILD, JOKER, luck, move_card, move_kind, move_size, size
from sim.strategy import Parameter, strategy

TABLE = Parameter(
    "table", 6, 1, 20, "a joker is kept until this many cards are on the table", whole=True
)


@strategy(wants="best", parameters=(TABLE,))
def hoarder(view):
    """Captures as many cards as it can, but keeps a joker until the table is worth it.

    With fewer cards on the table (loose or in piles) than `table` it plays as if it held no joker,
    unless it can move nothing else. With no capture it trails any card. Never builds.
    """
    on_table = size(view.loose)
    for pile in range(view.n_piles):
        on_table += size(view.pile_cards[pile])
    # jokers come last in the list, so another first card is a card to play instead
    keeps = on_table < view.parameters[0] and move_card(view, 0) != JOKER
    best = -1
    most = -1
    for move in range(view.n_moves):
        if move_kind(view, move) == BUILD or (keeps and move_card(view, move) == JOKER):
            continue
        taken = move_size(view, move)
        if taken > most or (taken == most and luck(view, move) > luck(view, best)):
            best, most = move, taken
    return best
