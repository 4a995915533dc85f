"""Positions, draws and rates for the tests of RULES.md, section 8.

Rates of 0 and 1 force the draws; where a draw itself is tested, its word is read from its address
as docs/chance.md gives it.
"""

from collections import Counter
from dataclasses import replace

from sim.cards import unpack
from sim.conduct import Conduct
from sim.reference.chance import Draws
from sim.reference.conduct import Deeds
from sim.reference.philox import philox
from sim.reference.state import Pile, begin_round
from sim.rules import FirstTo, Penalty, Rounds, Rules
from sim.strategy import strategy
from tests.games import behaving, told

SEED = 1960
ONE = Rounds(rounds=1)
FREE = Penalty(esun=0, miscapture=0, challenge=0, peek=0)
OFFENCES = ("esun", "miscapture", "challenge", "peek")
RATES = {
    "noise": 0.2,
    "recall": 0.5,
    "miscapture": 0.4,
    "vigilance": 0.3,
    "false_challenge": 0.1,
    "peek": 0.15,
    "spy": 0.15,
}
QUIET = {name: rate for name, rate in RATES.items() if name != "noise"}
VARIETY = [
    (Rules(jokers=2, end=ONE), 2),
    (Rules(esun=True, esun_unclaimed="discard", end=Rounds(rounds=2)), 3),
    (Rules(esun=True, yoruba=True, yoruba_faces="pair", jokers=1, isiwo=True, end=ONE), 5),
    (Rules(rest="last_to_capture", must_capture="any", end=FirstTo(first_to=30)), 4),
]


def drawn(purpose, entity, block, word, deal=0, round_number=0):
    """Return a draw's 32 bits, read from its address in docs/chance.md."""
    return philox((deal, 0, purpose << 24 | round_number << 8 | block, entity), (SEED, 0))[word]


def position(hand="", loose="", piles=(), captured=("", ""), turn=0):
    """Return a round that stands at a hand-made position, seat 0 to play; piles: (cards, seat)."""
    round_ = begin_round(Rules(), len(captured), SEED, 0, 0)
    return replace(
        round_,
        hands=[hand.split(), *[[] for _ in captured[1:]]],
        loose=loose.split(),
        piles=[Pile(tuple(cards.split()), seat) for cards, seat in piles],
        captured=[pile.split() for pile in captured],
        turn=turn,
    )


def deeds(*rates):
    """Return the deeds of seats with these rates."""
    return Deeds(Rules(), [Conduct.of(one) for one in rates], Draws(SEED, 0, 0))


def shown(rules, players):
    """Play a game of `players` rates; return the unseen cards of every View, and the events."""
    seen = []

    @strategy(wants="all", uses_unseen=True)
    def watcher(view):
        seen.append(Counter(unpack(int(view.unseen))))
        return int(view.noise) % int(view.n_moves)

    _, events = told(rules, [behaving(watcher, **rates) for rates in players])
    return seen, events
