"""Plain players and told games for the tests of the twin."""

from __future__ import annotations

from sim.conduct import Conduct
from sim.reference import play_game
from sim.reference.events import Turn
from sim.sight import BUILD, CAPTURE, TRAIL, luck, move_kind
from sim.strategy import Player, strategy


@strategy(wants="all")
def anything(view):
    """Plays any legal move."""
    return max(range(view.n_moves), key=lambda move: luck(view, move))


@strategy(wants="all")
def passive(view):
    """Trails whenever it may."""
    trails = [move for move in range(view.n_moves) if move_kind(view, move) == TRAIL]
    return trails[0] if trails else 0


@strategy(wants="all")
def hoarder(view):
    """Builds whenever it can, else trails, and never captures."""
    kinds = [move_kind(view, move) for move in range(view.n_moves)]
    return kinds.index(BUILD) if BUILD in kinds else kinds.index(TRAIL)


@strategy(wants="best")
def taker(view):
    """Captures whenever it can."""
    kinds = [move_kind(view, move) for move in range(view.n_moves)]
    return kinds.index(CAPTURE) if CAPTURE in kinds else 0


def told(rules, players, seed=1960, deal=0, hand_rotation=0):
    """Play a game; return its row and its events. `players`: strategies or players, one a seat."""
    seating = [one if isinstance(one, Player) else Player(one) for one in players]
    events = []
    row = play_game(rules, seating, seed, deal, hand_rotation, watch=events.append)
    return row, events


def behaving(strategy, **rates):
    """Return a player of a strategy with rates of conduct."""
    return Player(strategy, (), Conduct.of(rates))


def of_kind(events, kind):
    """Return the events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def turns_of(events):
    """Return the turns of a game."""
    return of_kind(events, Turn)
