"""The plain twin: the rulebook in readable Python, cards as strings, written from RULES.md alone.

It shares with `sim.kernel` the cards, the rules and the View's layout, and nothing else, so that
the two can be compared: a game at one address is the same game, turn for turn.
"""

from sim.reference.moves import Move, best_moves, legal_moves
from sim.reference.play import play_game

__all__ = ["Move", "best_moves", "legal_moves", "play_game"]
