"""What players do at a turn beside choosing a move, and what they remember.

A card that leaves the game is a *copy*: bit ``4 * rank + number`` of a mask, where number counts
the cards of its rank that left before it in this round. All of this is skipped when everybody's
conduct is perfect (`JOB.conduct`).

Source: RULES.md, "Players as they are: memory and conduct"; docs/chance.md for the draws.
"""

import numpy as np
from numba import njit

from sim.kernel.captures import largest_take
from sim.kernel.piles import all_differ
from sim.kernel.purposes import CHALLENGE, NOISE, PEEK, RECALL, SLIP, SPY, VIGILANCE
from sim.kernel.rng import bounded, draw_block
from sim.sight import (
    BITS,
    JACK,
    JOKER,
    LOOSE_RANKS,
    NIBBLE,
    count,
    lowest,
    move_card,
    move_piles,
    move_take,
    presence,
    size,
)
from strategies.random import random

CERTAIN = 1 << 32
"""Rates are whole numbers: an event happens when its 32-bit word is below its rate."""


@njit
def _word(job, state, purpose, entity, place):
    """Return the word at `place` of an address of this round."""
    words = draw_block(job.seed, state.deal_id, state.round, purpose, np.uint64(entity), place >> 2)
    return words[place & 3]


@njit
def _happens(job, state, rate, purpose, entity, place):
    """Draw whether an event of this rate happens."""
    if rate == 0 or rate == CERTAIN:
        return rate == CERTAIN
    return np.int64(_word(job, state, purpose, entity, place)) < rate


@njit
def _next_seat(job, seat):
    return seat + 1 if seat + 1 < job.players else 0


@njit
def forget_all(job, state):
    """Start a round: nothing has left the game, nothing is remembered."""
    state.gone = 0
    for s in range(job.players):
        state.piled[s] = 0
        state.known[s] = 0


@njit
def cards_of(copies):
    """Return how many copies of each rank a mask holds, packed."""
    pairs = copies - ((copies >> 1) & 0x55555555555555)
    return (pairs & 0x33333333333333) + ((pairs >> 2) & 0x33333333333333)


@njit
def leave(job, state, cards, owner):
    """Let packed cards leave the game, to the captured pile of `owner` (-1: discarded)."""
    copies = 0
    rest = cards
    while rest:
        rank = lowest(rest)
        rest &= ~(NIBBLE << (BITS * rank))
        first = BITS * rank + count(state.gone, rank)
        copies |= ((1 << count(cards, rank)) - 1) << first
    state.gone += cards
    if owner >= 0:
        state.piled[owner] |= copies
    for s in range(job.players):
        recall = job.recall[state.player_of[s]]
        if recall == CERTAIN:
            state.known[s] |= copies
        elif recall:
            for copy in range(BITS * (JOKER + 1)):
                if copies >> copy & 1 and _happens(job, state, recall, RECALL, s, copy):
                    state.known[s] |= 1 << copy


@njit
def forgotten(job, state, seat, game):
    """Return the cards that left the game and that `seat` does not remember, packed."""
    known = state.known[seat]
    if job.isiwo:
        game.isiwo_turns += state.piled[seat] & ~known != 0
        known |= state.piled[seat]
    return state.gone - cards_of(known)


@njit
def _pay_for_look(job, state, seat, purpose, game):
    """Let the opponents notice a peek or a spying, and its penalty be paid."""
    noticed = False
    for s in range(job.players):
        vigilance = job.vigilance[state.player_of[s]]
        if s != seat and _happens(job, state, vigilance, purpose, state.turn, 4 + s):
            noticed = True
    if noticed:
        game.noticed[seat] += 1
        penalise(state, seat, job.peek_penalty, game.penalties_peek, game)


@njit
def penalise(state, seat, points, kind, game):
    """Take the points of a penalty from a seat; `kind` is its column."""
    state.points[seat] -= points
    state.scored = 1
    game.penalties[seat] += points
    kind[seat] += points


@njit
def look(job, state, seat, game):
    """Before a turn: peek and spy."""
    player = state.player_of[seat]
    may_peek = not job.isiwo and state.piled[seat] != 0
    if may_peek and _happens(job, state, job.peek[player], PEEK, state.turn, 0):
        game.peeks[seat] += 1
        state.known[seat] |= state.piled[seat]
        _pay_for_look(job, state, seat, PEEK, game)
    piles = 0
    for s in range(job.players):
        piles += s != seat and state.piled[s] != 0
    if piles and _happens(job, state, job.spy[player], SPY, state.turn, 0):
        nth = bounded(_word(job, state, SPY, state.turn, 1), piles)
        of = _next_seat(job, seat)
        while nth or state.piled[of] == 0:
            nth -= state.piled[of] != 0
            of = _next_seat(job, of)
        game.spyings[seat] += 1
        state.known[seat] |= state.piled[of]
        _pay_for_look(job, state, seat, SPY, game)


@njit
def plays_at_random(job, state, seat):
    """Draw whether `seat` plays this turn at random."""
    rate = job.noise[state.player_of[seat]]
    return _happens(job, state, rate, NOISE, state.turn >> 2, state.turn & 3)


any_move = njit(random.choose)
"""Chooses for who plays at random, as `random` does."""


@njit
def _can_capture(view, card, take, piles):
    """Say whether `card` can capture these loose cards (no jokers) and open piles in one turn."""
    if card == JOKER:
        return take == presence(take)
    if view.yoruba and not (card >= JACK and view.pair_faces):
        own = count(take, card) != 0
        if own or card >= JACK or not all_differ(view, take, piles):
            return False
    if card >= JACK:
        return take == take & (NIBBLE << (BITS * card))
    return largest_take(view, take, card) == take


@njit
def slip(job, state, seat, view, move):
    """Return the card that `seat` takes too many with a capture, packed; 0: none."""
    rate = job.miscapture[state.player_of[seat]]
    if not _happens(job, state, rate, SLIP, state.turn, 0):
        return 0
    card, piles = move_card(view, move), move_piles(view, move)
    take = move_take(view, move) & LOOSE_RANKS
    left = (state.loose & LOOSE_RANKS) - take
    wrong = 0
    while left:
        rank = lowest(left)
        left_of_rank = left & (NIBBLE << (BITS * rank))
        left -= left_of_rank
        if not _can_capture(view, card, take + (1 << (BITS * rank)), piles):
            wrong |= left_of_rank
    if wrong == 0:
        return 0
    nth = bounded(_word(job, state, SLIP, state.turn, 1), size(wrong))
    while nth >= count(wrong, lowest(wrong)):
        rank = lowest(wrong)
        nth -= count(wrong, rank)
        wrong &= ~(NIBBLE << (BITS * rank))
    return 1 << (BITS * lowest(wrong))


@njit
def challenger(job, state, seat, wrong):
    """Return the first seat clockwise that challenges a capture of `seat`, or -1."""
    s = _next_seat(job, seat)
    while s != seat:
        player = state.player_of[s]
        rate = job.vigilance[player] if wrong else job.false_challenge[player]
        if _happens(job, state, rate, VIGILANCE if wrong else CHALLENGE, state.turn, s):
            return s
        s = _next_seat(job, s)
    return -1
