"""One turn: what the player sees, the moves it is offered, its choice, and what that does.

Source: RULES.md, "The three moves" and "The order of things".
"""

import numpy as np
from numba import njit

from sim.kernel.conduct import (
    any_move,
    challenger,
    forgotten,
    leave,
    look,
    penalise,
    plays_at_random,
    slip,
)
from sim.kernel.moves import list_moves, yoruba_forbids
from sim.kernel.piles import add_pile, remove_piles, show_piles
from sim.kernel.rng import noise
from sim.kernel.state import ILLEGAL_CHOICE, PLAYED, TOO_SHORT
from sim.rules import HAND_SIZE
from sim.sight import BITS, JOKER, move_card, move_kind, move_piles, move_size, move_take
from sim.view import BUILD, CAPTURE, SEATS, TRAIL


@njit(forceinline=True)
def few(players):
    """Return `players`; tells the compiler that a loop over them is too short for vectors."""
    return min(players, SEATS)


@njit(forceinline=True)
def _next_hand(job, state, seat):
    """Return how many cards the next player will hold at its turn, 0 when the round is over."""
    following = np.uint32(seat + 1 if seat + 1 < job.players else 0)
    held = state.hand_sizes[following]
    if held > 0 or state.deal + 1 == job.deals:
        return held
    return job.last_hand if state.deal + 2 == job.deals else HAND_SIZE


@njit(forceinline=True)
def show(job, state, seat, player, view):
    """Fill the View with what `seat`, a player of the line-up, may know now."""
    role = seat - state.leader
    view.hand = state.hands[seat]
    view.loose = state.loose
    view.unseen = state.hidden - state.hands[seat]
    view.noise = noise(state, np.uint32(state.turn))
    view.seat = seat
    view.role = role + job.players * (role < 0)
    view.round = state.round
    view.deal = state.deal
    view.turn = state.turn
    view.next_hand = _next_hand(job, state, seat)
    for s in range(SEATS):
        view.hand_sizes[s] = state.hand_sizes[s]
        view.points[s] = state.points[s]
    if job.esun:
        show_piles(state, view)
    for i in range(job.n_parameters[player]):
        view.parameters[i] = job.parameters[player, i]


@njit
def _settle_capture(job, state, seat, view, move, game):
    """Let a capture slip and be challenged; return the packed card too many, if it stands."""
    extra = slip(job, state, seat, view, move)
    wrong = extra != 0
    game.miscaptures[seat] += wrong
    by = challenger(job, state, seat, wrong)
    if by < 0:
        return extra, True
    if wrong:
        game.caught[seat] += 1
        penalise(state, seat, job.miscapture_penalty, game.penalties_miscapture, game)
        return 0, False
    game.false_challenges[by] += 1
    penalise(state, by, job.challenge_penalty, game.penalties_challenge, game)
    return 0, True


@njit
def _capture_piles(state, seat, piles, game):
    """Take piles (bit p) off the table; return their cards, packed."""
    cards = 0
    for p in range(state.n_piles):
        if piles >> p & 1:
            cards += state.pile_cards[p]
            own = state.pile_builder[p] == seat
            game.piles_own[seat] += own
            game.piles_others[seat] += not own
    remove_piles(state, piles)
    return cards


@njit(forceinline=True)
def make_move(job, state, seat, view, move, game):
    """Play a move of the View: move the cards, count the points."""
    card, kind = move_card(view, move), move_kind(view, move)
    take, piles = move_take(view, move), move_piles(view, move)
    taken = move_size(view, move)
    played = 1 << (BITS * card)
    state.hands[seat] -= played
    state.hand_sizes[seat] -= 1
    state.hidden -= played
    game.turns += 1
    extra = 0
    stands = True
    if job.conduct and kind == CAPTURE:
        extra, stands = _settle_capture(job, state, seat, view, move, game)
    if kind == TRAIL or not stands:
        state.loose += played
        return
    take += extra
    state.loose -= take
    if kind == BUILD:
        add_pile(state, view, take + played, seat)
        game.built[seat] += 1
        return
    taken += extra != 0
    piled = 0
    if piles:
        piled = _capture_piles(state, seat, piles, game)
    if job.conduct:
        leave(job, state, take + piled + played, seat)
    state.points[seat] += taken + 1
    state.scored = 1
    state.last_to_capture = seat
    game.captures[seat] += 1
    game.taken[seat] += taken
    game.sweeps[seat] += state.loose == 0 and state.n_piles == 0
    game.joker_captures += card == JOKER


@njit(forceinline=True)
def note_standing(job, state, game):
    """Follow the lead after points were won or lost: who leads, how far the others are behind."""
    state.scored = 0
    players = few(job.players)
    best = state.points[0]
    for s in range(1, players):
        best = max(best, state.points[s])
    leaders = 0
    for s in range(players):
        behind = best - state.points[s]
        leaders |= (behind == 0) << s
        state.deficits[s] = max(state.deficits[s], behind)
    if leaders != state.leaders:
        state.leaders = leaders
        game.lead_changes += 1
        if not job.target_in_rounds:
            game.decided = game.turns


@njit(forceinline=True)
def play_turn(job, state, seat, player, strategy, view, game):
    """Let `player` play one card at `seat`; return PLAYED or what went wrong."""
    state.seat = seat
    at_random = False
    if job.conduct:
        look(job, state, seat, game)
        at_random = plays_at_random(job, state, seat)
    show(job, state, seat, player, view)
    if job.conduct:
        view.unseen += forgotten(job, state, seat, game)
    if not list_moves(state, view, job.best_only[player] != 0 and not at_random):
        return TOO_SHORT
    if view.yoruba:
        game.yoruba_turns += yoruba_forbids(view)
    if view.must_capture and move_kind(view, 0) == CAPTURE:
        game.must_capture_turns += 1
    offered = view.n_moves
    choice = any_move(view) if at_random else strategy(view)
    if choice < 0 or choice >= offered:
        return ILLEGAL_CHOICE
    make_move(job, state, seat, view, choice, game)
    return PLAYED
