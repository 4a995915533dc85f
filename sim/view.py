"""The View: all that a player may know at its turn, and the one signature of a strategy.

A strategy is a function ``choose(view) -> int``: the index of the move it makes, in the list of
moves that the View offers. Both engines fill the same record. Groups of cards are packed integers
(`sim.cards`); a rank is its index there. Nothing in a View tells of another hand, of the order of
the pack, or of the future.
"""

from __future__ import annotations

import numpy as np

SEATS = 5
"""Arrays by seat always have five places; unused ones are 0."""

MAX_PILES = 15
"""Piles live for one deal, a build keeps a card in hand, so each player builds at most 3 in it."""

MAX_PARAMETERS = 8

TRAIL, CAPTURE, BUILD = 0, 1, 2
KINDS: tuple[str, ...] = ("trail", "capture", "build")

MOVE = np.dtype(
    [
        ("take", "<i8"),  # packed loose cards taken (capture) or joined (build), jokers included
        ("piles", "<i4"),  # bit p: pile p is taken
        ("size", "<i2"),  # cards taken or joined, pile cards counted, the played card not
        ("card", "i1"),  # rank played
        ("kind", "i1"),  # TRAIL, CAPTURE or BUILD
    ]
)
"""One legal move. Canonical order of a list: by card, kind, take, piles, all ascending."""

VIEW = np.dtype(
    [
        # what lies there, and what is held
        ("hand", "<i8"),  # packed own hand
        ("loose", "<i8"),  # packed loose cards, jokers included
        ("unseen", "<i8"),  # packed cards this player has not seen, as it remembers
        # the moves: read through sim.sight, never directly
        ("n_moves", "<i8"),
        ("moves", "<i8"),  # address of n_moves MOVE records
        ("most", "<i8"),  # cards that the largest capture offered takes; 0: there is none
        ("largest", "<i8"),  # the one capture that takes so many; -1: there is none, or several
        ("captures", "<i8"),  # address of the capture table
        ("noise", "<u8"),  # this decision's random word
        # who and when
        ("players", "<i8"),
        ("seat", "<i8"),
        ("role", "<i8"),  # 0 leads this round, players - 1 deals
        ("round", "<i8"),  # 0-based
        ("rounds", "<i8"),  # rounds in the game; the most there can be when a target ends it
        ("target", "<i8"),  # points or rounds to reach; 0: the game is a number of rounds
        ("deal", "<i8"),  # 0-based deal in this round
        ("deals", "<i8"),  # deals in a round
        ("turn", "<i8"),  # 0-based turn in this round
        ("turns", "<i8"),  # turns in a round, all players together
        ("next_hand", "<i8"),  # cards the next player will hold at its turn; 0: the round is over
        ("hand_sizes", "<i8", (SEATS,)),
        ("points", "<i8", (SEATS,)),
        # the rules it needs
        ("jokers", "<i8"),
        ("yoruba", "<i8"),
        ("pair_faces", "<i8"),  # yoruba_faces: pair
        ("distinct_joker", "<i8"),  # yoruba_joker: distinct
        ("must_capture", "<i8"),  # 0 never, 1 any, 2 most
        ("rest", "<i8"),  # 0 nobody, 1 last_to_play, 2 last_to_capture
        ("esun", "<i8"),
        ("esun_penalty", "<i8"),
        # piles, in building order
        ("n_piles", "<i8"),
        ("pile_cards", "<i8", (MAX_PILES,)),  # packed
        ("pile_builder", "<i8", (MAX_PILES,)),  # seat
        ("pile_openers", "<i8", (MAX_PILES,)),  # bit r: a card of rank r can capture it
        # the strategy's own
        ("parameters", "<f8", (MAX_PARAMETERS,)),
    ],
    align=True,
)
"""Layout of the View. Every field but the arrays by seat and pile is one number."""
