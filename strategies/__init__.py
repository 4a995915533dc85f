"""The strategies that come with the program, one idea a file. To add one, add its word here."""

from strategies.cautious import cautious
from strategies.greedy import greedy
from strategies.random import random

CATALOGUE = (random, greedy, cautious)
