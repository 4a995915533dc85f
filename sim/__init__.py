"""Elewenjewe, played by the million: what do the house rules do to the game?"""

__version__ = "0.1.0"
