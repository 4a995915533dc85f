"""The strategies that come with the program, one idea a file. To add one, add its word here."""

from strategies.beginner import beginner
from strategies.builder import builder
from strategies.cautious import cautious
from strategies.counter import counter
from strategies.greedy import greedy
from strategies.hoarder import hoarder
from strategies.lookahead import lookahead
from strategies.miser import miser
from strategies.raider import raider
from strategies.random import random
from strategies.saver import saver

CATALOGUE = (
    random,
    beginner,
    greedy,
    miser,
    hoarder,
    saver,
    cautious,
    lookahead,
    raider,
    builder,
    counter,
)
