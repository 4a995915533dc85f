"""A worked strategy in plain Python: a scribe, who keeps lists and sorts them.

`compiled=False` frees a strategy from what can be compiled: lists, dictionaries, sorting, any
library. The price is speed. It is played by the twin, the rulebook in plain Python, which needs
thousands of times as long for a game, and so does everyone at its table. `sim run` with
``--backend loky`` spreads such games over processes.

What a strategy owes is the same either way: it chooses by its View alone. It keeps nothing between
turns, draws chance only from `sim.sight.luck`, and never asks for the time, a file or another
module's state. Otherwise the same game would not be the same game twice.

    sim check-strategy examples/scribe.py:scribe --allow-code
    sim run examples/magpie_and_scribe.yaml --allow-code --backend loky
"""

from sim.sight import (
    CAPTURE,
    JOKER,
    capture_of,
    captures_by_rank,
    count,
    luck,
    move_kind,
    move_size,
    table_after,
)
from sim.strategy import strategy


def danger(view, move):
    """Return how many cards it has not seen could capture something after a move."""
    low, high = captures_by_rank(view, table_after(view, move))
    able = [rank for rank in range(JOKER + 1) if capture_of(low, high, rank)]
    return sum(count(view.unseen, rank) for rank in able)


@strategy(wants="best", uses_unseen=True, compiled=False)
def scribe(view):
    """Captures as many cards as it can, and among equal moves leaves the least to capture.

    `uses_unseen` says that it looks at ``view.unseen``, the cards that it has not seen, as it
    remembers them; an experiment that makes players forget (``with: {recall: 0.5}``) then matters
    to it.
    """

    def merit(move):
        won = move_size(view, move) + 1 if move_kind(view, move) == CAPTURE else 0
        return won, -danger(view, move), luck(view, move)

    return max(range(view.n_moves), key=merit)
