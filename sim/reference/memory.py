"""What a player has not seen. So far everybody remembers everything.

Source: RULES.md, "Players as they are: memory and conduct", recall 1.
"""

from __future__ import annotations

from sim.cards import pack
from sim.reference.state import Round, whole_pack
from sim.rules import Rules


def unseen(rules: Rules, round_: Round, seat: int) -> int:
    """Return the cards that `seat` has not seen this round, packed.

    Trailed and released cards lie loose, captured and discarded ones were seen by all. Unused
    leftovers are never seen, and so stay among these cards.
    """
    seen = round_.hands[seat] + round_.loose + round_.discarded
    for pile in round_.piles:
        seen += pile.cards
    for captured in round_.captured:
        seen += captured
    return pack(whole_pack(rules)) - pack(seen)
