"""What a random draw is for: part of its address (docs/chance.md)."""

DECK = 1
JOKER_SLOT = 2
PLAY = 3
RECALL = 4
SLIP = 5
VIGILANCE = 6
CHALLENGE = 7
PEEK = 8
SPY = 9
NOISE = 10
