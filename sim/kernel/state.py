"""The kernel's records: what a batch of games is about, and where a game stands.

Counts and packed cards are int64 throughout, so that nothing wraps and no type is promoted.
Work arrays are passed as addresses inside a record: an array argument costs a hot function more
than the work it does (docs/engine.md).
"""

import numpy as np

from sim.conduct import MEANINGS
from sim.view import MAX_PARAMETERS, MAX_PILES, SEATS

PACK = 50
"""Cards that are shuffled at most: 48 and two jokers."""

JOB = np.dtype(
    [
        ("seed", "<u8"),
        ("players", "<i8"),
        ("rotations", "<i8"),  # seatings
        ("hand_rotations", "<i8"),
        # the round (sim.rules.round_plan)
        ("jokers", "<i8"),
        ("deals", "<i8"),
        ("last_hand", "<i8"),  # cards each player gets in the last deal
        ("turns", "<i8"),  # turns in a round, all players together
        ("leftover", "<i8"),
        ("leftover_to_table", "<i8"),
        ("rest", "<i8"),  # as in the View
        ("esun", "<i8"),
        ("esun_penalty", "<i8"),
        ("discard_unclaimed", "<i8"),
        ("isiwo", "<i8"),
        ("miscapture_penalty", "<i8"),
        ("challenge_penalty", "<i8"),
        ("peek_penalty", "<i8"),
        # the end
        ("rounds", "<i8"),  # the most rounds there can be
        ("target", "<i8"),  # 0: no target
        ("target_in_rounds", "<i8"),
        # the pack
        ("fresh", "u1", (48,)),  # ranks before the shuffle
        ("set_out", "<i8"),  # the four diamonds, packed
        ("whole", "<i8"),  # every card of a round, packed
        ("crc", "<u4", (256,)),  # byte table of CRC-32
        # by player of the line-up
        ("best_only", "<i8", (SEATS,)),
        ("n_parameters", "<i8", (SEATS,)),
        ("parameters", "<f8", (SEATS, MAX_PARAMETERS)),
        # their conduct: rates in 2**32nds
        ("conduct", "<i8"),  # somebody's is not perfect
        *((rate, "<i8", (SEATS,)) for rate in MEANINGS),
    ],
    align=True,
)
"""What all games of a batch share."""

STATE = np.dtype(
    [
        # the address of the decision, for whoever must report it
        ("deal_id", "<u8"),
        ("rotation", "<i8"),
        ("hand_rotation", "<i8"),
        ("round", "<i8"),
        ("turn", "<i8"),
        ("seat", "<i8"),
        # the cards
        ("deck", "u1", (PACK,)),
        ("dealt", "<i8"),  # cards of the deck that are dealt
        ("deal", "<i8"),  # deal within the round
        ("complete", "<i8"),  # the round was played to its end
        ("loose", "<i8"),
        ("hidden", "<i8"),  # cards that not everybody has seen
        ("hands", "<i8", (SEATS,)),
        ("hand_sizes", "<i8", (SEATS,)),
        # piles, in building order, as in the View
        ("n_piles", "<i8"),
        ("pile_cards", "<i8", (MAX_PILES,)),
        ("pile_builder", "<i8", (MAX_PILES,)),
        ("pile_openers", "<i8", (MAX_PILES,)),
        # the standing
        ("player_of", "<i8", (SEATS,)),  # player of the line-up at each seat
        ("leader", "<i8"),
        ("last_to_capture", "<i8"),  # seat, -1: nobody in this round
        ("points", "<i8", (SEATS,)),
        ("scored", "<i8"),  # points have changed since the lead was last looked at
        ("points_before", "<i8", (SEATS,)),  # at the start of the round
        ("leaders", "<i8"),  # mask, by points
        ("ahead", "<i8"),  # mask, by what decides the game
        ("deficits", "<i8", (SEATS,)),  # largest so far
        # memory (sim.kernel.conduct)
        ("gone", "<i8"),  # cards that left the game this round, packed
        ("piled", "<i8", (SEATS,)),  # copies in each captured pile
        ("known", "<i8", (SEATS,)),  # copies that each seat remembers
        # random words of the round
        ("words", "<u8", (4, 26)),  # see sim.kernel.rng
        # work arrays of int64: where they are and how long
        ("found", "<i8"),
        ("marks", "<i8"),
        ("capacity", "<i8"),
        ("stamp", "<i8"),
    ],
    align=True,
)
"""Where a game stands."""

PLAYED, ILLEGAL_CHOICE, NOT_CONSERVED, TOO_SHORT = 0, 1, 2, 3
"""How a game ended for the kernel; all but the first stop the batch."""
