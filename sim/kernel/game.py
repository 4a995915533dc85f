"""One game: rounds of deals of turns, from the set-up to the count.

Source: RULES.md, "Set-up of a round", "The order of things".
"""

import numpy as np
from numba import njit

from sim.columns import SIXTIETHS
from sim.kernel.conduct import forget_all, leave, penalise
from sim.kernel.rng import draw_round, put_in_jokers, shuffle
from sim.kernel.state import NOT_CONSERVED, PLAYED
from sim.kernel.turn import few, note_standing, play_turn
from sim.rules import HAND_SIZE
from sim.sight import BITS, JOKER, size

NOBODY, LAST_TO_PLAY, LAST_TO_CAPTURE = 0, 1, 2
GOES_ON, OVER, BROKEN = 0, 1, 2


@njit
def deck_check(job, state):
    """Return the CRC-32 of the 48 shuffled cards."""
    check = np.uint32(0xFFFFFFFF)
    for i in range(48):
        check = job.crc[(check ^ state.deck[i]) & np.uint32(255)] ^ (check >> np.uint32(8))
    return check ^ np.uint32(0xFFFFFFFF)


@njit
def set_up_round(job, state, game):
    """Shuffle, lay out the four diamonds, pass the deal on."""
    draw_round(state, job.seed, job.turns)
    shuffle(state, job.fresh)
    if state.round == 0:
        game.deck_check = deck_check(job, state)
    if job.jokers:
        put_in_jokers(state, job.seed, job.jokers)
    state.dealt = 0
    state.turn = 0
    state.n_piles = 0
    state.complete = 0
    state.loose = job.set_out
    state.hidden = job.whole - job.set_out
    state.hidden += job.jokers << (BITS * JOKER)
    state.leader = state.round % job.players
    state.last_to_capture = -1
    if job.conduct:
        forget_all(job, state)
    for s in range(job.players):
        state.points_before[s] = state.points[s]
    game.rounds += 1
    if not job.leftover_to_table:
        game.unused += job.leftover


@njit
def deal_hands(job, state):
    """Give every player its packet; after the last one the leftover may go to the table."""
    last = state.deal + 1 == job.deals
    cards = job.last_hand if last else HAND_SIZE
    packet = (state.hand_rotation - state.leader) % job.players
    for s in range(job.players):
        first = np.uint32(state.dealt + packet * cards)
        hand = 0
        for i in range(cards):
            hand += 1 << (BITS * state.deck[first + np.uint32(i)])
        state.hands[s] = hand
        state.hand_sizes[s] = cards
        packet = packet + 1 if packet + 1 < job.players else 0
    state.dealt += cards * job.players
    if last and job.leftover_to_table:
        for i in range(job.leftover):
            card = 1 << (BITS * state.deck[state.dealt + i])
            state.loose += card
            state.hidden -= card


@njit
def settle_unclaimed(job, state, game):
    """At a deal's end: builders pay for piles that nobody captured; release or discard them."""
    out = 0
    for p in range(state.n_piles):
        builder = state.pile_builder[p]
        game.unclaimed[builder] += 1
        penalise(state, builder, job.esun_penalty, game.penalties_esun, game)
        if job.discard_unclaimed:
            out += state.pile_cards[p]
        else:
            state.loose += state.pile_cards[p]
    state.n_piles = 0
    game.discarded += size(out)
    if job.conduct:
        leave(job, state, out, -1)


@njit
def give_rest(job, state, game):
    """Give away the loose cards at the round's end."""
    to = -1
    if job.rest == LAST_TO_PLAY:
        to = state.seat
    elif job.rest == LAST_TO_CAPTURE:
        to = state.last_to_capture
    cards = size(state.loose)
    if to < 0:
        game.left += cards
    else:
        state.points[to] += cards
        state.scored = 1
        game.rest[to] += cards
    state.loose = 0
    state.complete = 1


@njit(forceinline=True)
def reached_points(job, state):
    """Return the mask of seats at or past a target in points."""
    mask = 0
    if job.target and not job.target_in_rounds:
        for s in range(few(job.players)):
            if state.points[s] >= job.target:
                mask |= 1 << s
    return mask


@njit
def play_deal(job, state, strategies, view, game):
    """Play the hands of one deal; return GOES_ON, OVER or BROKEN (see `state.seat`), and why."""
    last = state.deal + 1 == job.deals
    turns = state.hand_sizes[0] * job.players
    seat = np.uint32(state.leader)
    for i in range(turns):
        player = np.uint32(state.player_of[seat])
        status = play_turn(job, state, seat, player, strategies[player], view, game)
        if status != PLAYED:
            return BROKEN, status
        state.turn += 1
        game.winners = reached_points(job, state)
        if game.winners == 0 and i + 1 == turns:
            if job.esun:
                settle_unclaimed(job, state, game)
            if last:
                give_rest(job, state, game)
            game.winners = reached_points(job, state)
        if state.scored:
            note_standing(job, state, game)
        if game.winners:
            return OVER, PLAYED
        seat = np.uint32(seat + 1 if seat + 1 < job.players else 0)
    return GOES_ON, PLAYED


@njit
def _most(values, players):
    """Return the mask of seats with the most."""
    best = values[0]
    for s in range(1, players):
        best = max(best, values[s])
    mask = 0
    for s in range(players):
        if values[s] == best:
            mask |= 1 << s
    return mask


@njit
def _bits(mask):
    number = 0
    while mask:
        mask &= mask - 1
        number += 1
    return number


@njit
def count_roles(job, state, game):
    """Book the round's points by role; also for a round that a target cut short."""
    for s in range(job.players):
        role = (s - state.leader) % job.players
        game.role_points[role] += state.points[s] - state.points_before[s]


@njit
def count_round(job, state, game):
    """Book who won a complete round, and whether that ends the game."""
    for s in range(job.players):
        state.points_before[s] = state.points[s] - state.points_before[s]
    won = _most(state.points_before, job.players)
    for s in range(job.players):
        if won >> s & 1:
            game.rounds_won[s] += SIXTIETHS // _bits(won)
    if state.round == 0:
        game.first_leaders = state.leaders
    if not job.target_in_rounds:
        return
    ahead = _most(game.rounds_won, job.players)
    if ahead != state.ahead:
        state.ahead = ahead
        game.decided = game.turns
    for s in range(job.players):
        if game.rounds_won[s] >= job.target * SIXTIETHS:
            game.winners |= 1 << s


@njit
def conserved(job, state, game):
    """Say whether every card of every round so far is accounted for."""
    won = 0
    for s in range(job.players):
        won += state.points[s] + game.penalties[s]
    pack = 52 + job.jokers
    return won + game.left + game.unused + game.discarded == pack * game.rounds


@njit
def start_game(job, state):
    """Set everything that a game begins with."""
    everybody = (1 << job.players) - 1
    state.round = 0
    state.leaders = everybody
    state.ahead = everybody
    for s in range(job.players):
        state.points[s] = 0
        state.deficits[s] = 0
    state.scored = 0


@njit
def finish_game(job, state, game):
    """Name the winners and write what is known only at the end."""
    if game.winners == 0:
        game.unfinished = job.target > 0
        by_rounds = job.target_in_rounds
        game.winners = _most(game.rounds_won if by_rounds else game.points, job.players)
    leading = state.ahead if job.target_in_rounds else state.leaders
    if leading != game.winners:
        game.decided = game.turns
    for s in range(job.players):
        if game.winners >> s & 1:
            game.comeback = max(game.comeback, state.deficits[s])


@njit
def play_game(job, state, strategies, view, game):
    """Play one game into `game`; return PLAYED or what went wrong."""
    start_game(job, state)
    outcome = GOES_ON
    while outcome == GOES_ON and state.round < job.rounds:
        set_up_round(job, state, game)
        state.deal = 0
        while outcome == GOES_ON and state.deal < job.deals:
            deal_hands(job, state)
            outcome, status = play_deal(job, state, strategies, view, game)
            state.deal += 1
        if outcome == BROKEN:
            return status
        count_roles(job, state, game)
        if state.complete:
            count_round(job, state, game)
            if not conserved(job, state, game):
                return NOT_CONSERVED
            state.round += 1
        if game.winners:
            outcome = OVER
    for s in range(job.players):
        game.points[s] = state.points[s]
    finish_game(job, state, game)
    return PLAYED
