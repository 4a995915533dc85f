"""The data: one row a game. Both engines produce it, the run directory stores it.

Arrays by seat are stored as five columns, ``points_0 .. points_4``; seats that are not in play
hold 0. Shares are whole numbers of sixtieths, so that 1/2, 1/3, 1/4, 1/5 and their sums are exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.view import SEATS

SIXTIETHS = 60


@dataclass(frozen=True)
class Column:
    """A column of the game rows.

    Attributes:
        name: its name; with `per_seat`, ``name_0 .. name_4``.
        dtype: numpy type of one value.
        unit: what one value counts.
        meaning: what it says, in a sentence.
        per_seat: it has one value for each of five seats (or roles, where `meaning` says so).
    """

    name: str
    dtype: str
    unit: str
    meaning: str
    per_seat: bool = False


COLUMNS: tuple[Column, ...] = (
    Column("deal", "<i8", "id", "which deal; with seed and round it fixes the pack's order"),
    Column("rotation", "u1", "index", "which seating of the line-up"),
    Column("hand_rotation", "u1", "seats", "seat s gets the packet of seat s + this"),
    Column("deck_check", "<u4", "hash", "hash of the first round's 48 shuffled cards"),
    Column("points", "<i4", "points", "points at the end: cards won minus penalties", True),
    Column("penalties", "<i4", "points", "points lost to penalties", True),
    Column("captures", "<i4", "turns", "turns that captured", True),
    Column("taken", "<i4", "cards", "cards taken by captures, the played cards not counted", True),
    Column("sweeps", "<i4", "turns", "captures that left no card on the table", True),
    Column("rest", "<i4", "cards", "cards received as the rest", True),
    Column("role_points", "<i4", "points", "points earned in each role, all rounds", True),
    Column("rounds_won", "<i4", "sixtieths", "rounds won, shared when tied", True),
    Column("winners", "u1", "mask", "bit s: seat s is among the winners"),
    Column("first_leaders", "u1", "mask", "bit s: seat s leads after round 1"),
    Column("unfinished", "u1", "0 or 1", "max_rounds ended the game, not the target"),
    Column("rounds", "<i4", "rounds", "rounds begun"),
    Column("turns", "<i4", "turns", "turns played, all seats"),
    Column("left", "<i4", "cards", "loose cards at round ends that went to nobody"),
    Column("unused", "<i4", "cards", "leftover cards that took no part"),
    Column("discarded", "<i4", "cards", "cards of unclaimed piles put out of play"),
    Column("lead_changes", "<i4", "turns", "turns at which the set of leaders changed"),
    Column("decided", "<i4", "turns", "turns after which the eventual winners lead for good"),
    Column("comeback", "<i4", "points", "largest deficit that a winner overcame"),
    Column("joker_captures", "<i4", "turns", "captures made by playing a joker"),
    Column("built", "<i4", "turns", "turns that built a pile", True),
    Column("piles_own", "<i4", "piles", "own piles captured", True),
    Column("piles_others", "<i4", "piles", "piles of others captured", True),
    Column("unclaimed", "<i4", "piles", "own piles nobody had captured at their deal's end", True),
    Column("miscaptures", "<i4", "turns", "captures of a card too many, by slip or cheat", True),
    Column("caught", "<i4", "turns", "miscaptures that were challenged", True),
    Column("false_challenges", "<i4", "turns", "right captures of others challenged", True),
    Column("peeks", "<i4", "turns", "turns that began with a look at the own captured pile", True),
    Column("spyings", "<i4", "turns", "turns that began with a look at another's pile", True),
    Column("noticed", "<i4", "looks", "peeks and spyings that somebody noticed", True),
    Column("penalties_esun", "<i4", "points", "points lost for unclaimed piles", True),
    Column("penalties_miscapture", "<i4", "points", "points lost for miscaptures", True),
    Column("penalties_challenge", "<i4", "points", "points lost for false challenges", True),
    Column("penalties_peek", "<i4", "points", "points lost for peeks and spyings", True),
    Column("yoruba_turns", "<i4", "turns", "turns with a capture that only Yoruba rules forbade"),
    Column("must_capture_turns", "<i4", "turns", "turns with a move that must_capture forbade"),
    Column("isiwo_turns", "<i4", "turns", "turns with own cards known through Isiwo alone"),
)

GAME = np.dtype([(c.name, c.dtype, (SEATS,)) if c.per_seat else (c.name, c.dtype) for c in COLUMNS])
"""One game, as the engines write it."""


def flat_names() -> list[str]:
    """Names of the stored columns in order, arrays by seat flattened."""
    return [
        name
        for c in COLUMNS
        for name in ([f"{c.name}_{s}" for s in range(SEATS)] if c.per_seat else [c.name])
    ]
