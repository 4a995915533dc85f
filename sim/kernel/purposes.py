"""What a random draw is for: part of its address, so that no use disturbs another."""

RNG_VERSION = "philox4x32-10/v1"
"""Recorded in every run; any change of the layout of addresses changes it."""

DECK = 1
JOKER_SLOT = 2
PLAY = 3
