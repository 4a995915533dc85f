"""What a random draw is for: part of its address, so that no use disturbs another."""

DECK = 1
JOKER_SLOT = 2
PLAY = 3
