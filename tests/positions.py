"""Positions and short matches for the tests of strategies."""

from __future__ import annotations

import random

import numpy as np

from sim.cards import RANKS, pack, parse
from sim.kernel import Engine
from sim.kernel.compile import compiled
from sim.kernel.engine import blank_view
from sim.kernel.position import moves_of
from sim.reference.state import whole_pack
from sim.reference.views import openers
from sim.rules import Rules
from sim.strategy import catalogue
from sim.view import CAPTURE, KINDS
from tests.random_games import random_rules

PLAYERS = (2, 3, 4, 5)
RULE_SETS = 12


def rule_sets(seed):
    """Yield rule sets with every option drawn; the first ones surely have Esun or Yoruba."""
    choose = random.Random(seed)
    for k in range(RULE_SETS):
        rules = random_rules(choose)
        yield rules.model_copy(update={"esun": bool(k & 1), "yoruba": bool(k & 2)} if k < 4 else {})


def games(strategy, rules, players, values=None, seed=9, deals=10):
    """Return rows of a strategy against itself."""
    return Engine(rules, [[strategy.bind(values)] * players], 1, seed).play(0, deals)


def duel(one, other, rules, deals, seed=1960):
    """Return what `one` is ahead of `other` by, in points, in two-player games.

    Shape (deals, 4): both seatings of each deal, with both hand rotations.
    """
    players = [catalogue()[one].bind(), catalogue()[other].bind()]
    rows = Engine(rules, [players, players[::-1]], 2, seed).play(0, deals).reshape(deals, 4)
    ahead = rows["points"][..., 0] - rows["points"][..., 1]
    return np.where(rows["rotation"] == 0, ahead, -ahead)


def view_of(
    hand,
    table="",
    unseen=None,
    *,
    rules=None,
    best=True,
    values=(),
    piles=(),
    builders=(),
    **more,
):
    """Return a View of a position, and the array that its moves lie in.

    The player sits in seat 0 and has two players or as many as `players` says; every other holds
    `next_hand` cards, and unless `builders` says who, piles are by seat 1.
    """
    rules = rules or Rules()
    held, loose = pack(parse(hand)), pack(parse(table))
    standing = [pack(parse(pile)) for pile in piles]
    moves = moves_of(rules, held, loose, standing, best_only=best)
    view = blank_view(rules, players := more.pop("players", 2))
    rest = pack(whole_pack(rules)) - held - loose - sum(standing)
    more = {"next_hand": 4, **more}
    for name, value in more.items():
        view[name] = value
    view["hand_sizes"][0, :players] = [len(parse(hand)), *[more["next_hand"]] * (players - 1)]
    view["hand"], view["loose"] = held, loose
    view["unseen"] = rest if unseen is None else pack(parse(unseen))
    view["n_moves"], view["moves"] = len(moves), moves.ctypes.data
    captures = np.where(moves["kind"] == CAPTURE, moves["size"], 0).tolist()
    view["most"] = most = max(captures, default=0)
    view["largest"] = captures.index(most) if captures.count(most) == 1 and most else -1
    view["parameters"][0, : len(values)] = values
    view["n_piles"] = len(piles)
    view["pile_cards"][0, : len(piles)] = standing
    view["pile_openers"][0, : len(piles)] = [openers(rules, parse(pile)) for pile in piles]
    view["pile_builder"][0, : len(piles)] = builders or [1] * len(piles)
    return view.view(np.recarray)[0], moves


def cards(packed):
    """Return the names of packed cards."""
    return [rank for i, rank in enumerate(RANKS) for _ in range(int(packed) >> 4 * i & 15)]


def in_words(move, piles=()):
    """Say a move in words: the card, what it does, the loose cards, the piles in brackets."""
    words = [RANKS[move["card"]], f"{KINDS[move['kind']]}s".replace("captures", "takes")]
    taken = [f"[{pile}]" for p, pile in enumerate(piles) if move["piles"] >> p & 1]
    return " ".join([*words, *cards(move["take"]), *taken])


def played(name, *position, values=None, piles=(), **fields):
    """Return all that a strategy plays in a position, whatever its luck, as words."""
    player = catalogue()[name].bind(values)
    best = player.strategy.wants == "best"
    view, moves = view_of(*position, best=best, values=player.values, piles=piles, **fields)
    words = set()
    for noise in range(40):
        view.noise = noise
        index = compiled(player.strategy)(view)
        assert 0 <= index < len(moves)
        words.add(in_words(moves[index], piles))
    return words
