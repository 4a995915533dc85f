"""Philox4x32-10 (Salmon et al., 2011): random words by address, not by sequence.

The counter is the address (deal, round, purpose, entity, block), the key is the seed. Published
vectors hold it to the original; `sim.experiment.RNG_VERSION` is recorded in every run.
"""

import numpy as np
from numba import njit

from sim.kernel.purposes import DECK, JOKER_SLOT, PLAY

DECK_BLOCKS = 12
M32 = np.uint64(0xFFFFFFFF)
S32 = np.uint64(32)
MULTIPLIER_A, MULTIPLIER_B = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
WEYL_A, WEYL_B = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)


@njit(forceinline=True)
def philox(c0, c1, c2, c3, k0, k1):
    """Return four 32-bit words (as uint64) for a counter of four and a key of two (all uint64)."""
    for _ in range(10):
        a = MULTIPLIER_A * (c0 & M32)
        b = MULTIPLIER_B * (c2 & M32)
        c0, c1, c2, c3 = (b >> S32) ^ c1 ^ k0, b & M32, (a >> S32) ^ c3 ^ k1, a & M32
        k0 = (k0 + WEYL_A) & M32
        k1 = (k1 + WEYL_B) & M32
    return c0, c1, c2, c3


@njit
def draw_block(seed, deal, round_, purpose, entity, block):
    """Return block `block` of the words at an address (all integers; `seed`, `deal` uint64)."""
    place = np.uint64(purpose) << np.uint64(24) | np.uint64(round_) << np.uint64(8)
    return philox(
        deal & M32,
        deal >> S32,
        place | np.uint64(block),
        np.uint64(entity),
        seed & M32,
        seed >> S32,
    )


@njit(forceinline=True)
def bounded(word, limit):
    """Return a number below `limit` from a 32-bit word."""
    return np.int64((word * np.uint64(limit)) >> S32)


@njit
def draw_round(state, seed, turns):
    """Draw all random words of a round: 48 for the deck, one for each decision.

    The loop over blocks runs in vector registers, several blocks side by side.
    """
    words = state.words
    place = np.uint64(state.round) << np.uint64(8)
    low, high = state.deal_id & M32, state.deal_id >> S32
    for block in range(DECK_BLOCKS + (turns + 3) // 4):
        deck = block < DECK_BLOCKS
        purpose = np.uint64(DECK if deck else PLAY) << np.uint64(24)
        words[0, block], words[1, block], words[2, block], words[3, block] = philox(
            low,
            high,
            purpose | place | np.uint64(block if deck else 0),
            np.uint64(0 if deck else block - DECK_BLOCKS),
            seed & M32,
            seed >> S32,
        )


@njit(forceinline=True)
def deck_word(state, k):
    """Return draw `k` of the round's shuffle."""
    return state.words[k & 3, k >> 2]


@njit(forceinline=True)
def noise(state, turn):
    """Return the random word of the decision at `turn` of the round."""
    return state.words[turn & 3, DECK_BLOCKS + (turn >> 2)]


@njit(forceinline=True)
def shuffle(state, fresh):
    """Put the 48 cards of `fresh` into the deck, in the order of this deal and round."""
    for i in range(48):
        state.deck[i] = fresh[i]
    for i in range(47, 0, -1):
        j = bounded(deck_word(state, 47 - i), i + 1)
        card = state.deck[i]
        state.deck[i] = state.deck[j]
        state.deck[j] = card


@njit
def put_in_jokers(state, seed, jokers):
    """Put jokers into the shuffled deck.

    Each goes to a uniform position and the card there moves to the end, so that a joker changes
    one slot of the joker-free order.
    """
    words = draw_block(seed, state.deal_id, state.round, JOKER_SLOT, 0, 0)
    for joker in range(jokers):
        end = 48 + joker
        j = bounded(words[joker], end + 1)
        state.deck[end] = state.deck[j]
        state.deck[j] = 13
