"""A worked strategy, compiled: a magpie goes for what glitters.

How to read this page. A strategy is one function of one argument, the View: all that a player may
know at its turn (docs/strategies.md lists it). It returns the index of the move it makes, from 0 to
``view.n_moves - 1``. Everything it may ask of a move, or of cards, is a function of `sim.sight`.

Groups of cards are packed in one number and a rank is a small number (A is 0, J, Q and K are 10, 11
and 12, the joker is 13), so a strategy is plain arithmetic and loops; that is why it can be
compiled, and plays as fast as those that come with the program. A helper such as `glitter` is
compiled along.

    sim check-strategy examples/magpie.py:magpie --allow-code
    sim run examples/magpie_and_scribe.yaml --allow-code
"""

from sim.sight import CAPTURE, count, luck, move_card, move_kind, move_size, move_take
from sim.strategy import Parameter, strategy

JACK, KING = 10, 12

SHINE = Parameter("shine", 1, 0, 10, "cards that it would forgo for one more face card")
"""A number that experiments can set: ``{strategy: magpie.py:magpie, shine: 2}``."""


def glitter(cards):
    """Return how many face cards are among packed cards."""
    faces = 0
    for rank in range(JACK, KING + 1):
        faces += count(cards, rank)
    return faces


@strategy(wants="best", parameters=(SHINE,))
def magpie(view):
    """Captures as many cards as it can, and counts each face card `shine` times more.

    With nothing to capture it trails, and rather a card that does not glitter. `wants="best"` says
    that the largest captures of each card are enough to choose among, which is quicker than being
    offered every legal move (`wants="all"`). Among equals the luckiest move wins: `luck` is all the
    chance a strategy needs, and is the same for the same move under every rule set, so that rule
    sets are compared on equal terms.
    """
    best = 0
    best_worth = -100.0
    for move in range(view.n_moves):
        card = move_card(view, move)
        faces = 1 if JACK <= card <= KING else 0
        if move_kind(view, move) == CAPTURE:
            faces += glitter(move_take(view, move))
            worth = move_size(view, move) + 1 + view.parameters[0] * faces
        else:
            worth = -view.parameters[0] * faces
        if worth > best_worth or (worth == best_worth and luck(view, move) > luck(view, best)):
            best, best_worth = move, worth
    return best
