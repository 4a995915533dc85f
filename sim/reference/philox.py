"""Philox4x32-10 in Python integers.

Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
"""

from __future__ import annotations

MASK = 0xFFFFFFFF
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10

Words = tuple[int, int, int, int]


def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Return the four 32-bit words of a 128-bit counter under a 64-bit key, lowest word first."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        left = MULTIPLIERS[0] * c0
        right = MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (right >> 32) ^ c1 ^ k0, right & MASK, (left >> 32) ^ c3 ^ k1, left & MASK
        k0 = (k0 + KEY_STEPS[0]) & MASK
        k1 = (k1 + KEY_STEPS[1]) & MASK
    return c0, c1, c2, c3
