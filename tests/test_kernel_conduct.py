"""Memory, conduct and penalties on the kernel: what must change nothing changes nothing."""

import numpy as np
import pytest
from numba import njit

from sim.cards import pack, parse
from sim.columns import GAME
from sim.conduct import Conduct
from sim.kernel import Engine
from sim.kernel.compile import compiled
from sim.kernel.conduct import forgotten, leave
from sim.kernel.engine import WorkArrays, blank_view
from sim.kernel.position import list_position
from sim.kernel.turn import show
from sim.rules import Penalty, Rounds, Rules
from sim.strategy import catalogue
from sim.view import VIEW

DEALS = 300
OFFENCES = ("esun", "miscapture", "challenge", "peek")
RATES = Conduct(0.2, 0.5, 0.4, 0.3, 0.1, 0.15, 0.15)
BY_POINTS = {"points", "penalties", "role_points", "rounds_won", "winners", "first_leaders"}
BY_POINTS |= {"lead_changes", "decided", "comeback", *(f"penalties_{name}" for name in OFFENCES)}
"""Columns that follow from points."""


def rows(rules, players=3, conduct=RATES, strategy="random"):
    """Return the rows of games of one player in every seat."""
    player = catalogue()[strategy].bind({}, conduct)
    return Engine(rules, [[player] * players], 1, 1960).play(0, DEALS)


# Hidden cards


@njit
def fill(jobs, states, views, games, captured):
    """Let the captured cards of both seats leave, and fill the View of seat 0."""
    for seat in range(2):
        leave(jobs[0], states[0], captured[seat], seat)
    show(jobs[0], states[0], 0, 0, views[0])
    views[0].unseen += forgotten(jobs[0], states[0], 0, games[0])


def seen(engine, name, hidden_hand, captured, deck):
    """Return the View of seat 0, move for move, and what a strategy chooses in it."""
    rules, work = engine.rules, WorkArrays(1 << 10)
    view, state = blank_view(rules, 2), work.state()
    view["moves"] = work.moves.ctypes.data
    hand, loose, gone = pack(parse("2 7 9")), pack(parse("3 6 10 K")), [*map(pack, captured)]
    state["loose"], state["hidden"] = loose, engine._job["whole"] - loose - sum(gone)
    state["hands"][0, :2] = hand, pack(hidden_hand)
    state["hand_sizes"][0, :2] = 3, 3
    state["deck"][0, : len(deck)] = deck
    state["points"][0, :2] = 2, 3
    fill(engine._job, state, view, np.zeros(1, GAME), np.array(gone))
    assert list_position(state, view, catalogue()[name].wants == "best")
    told = {field: view[field].tolist() for field in VIEW.names if field != "moves"}
    moves = work.moves[: view["n_moves"][0]].tolist()
    return told, moves, compiled(catalogue()[name])(view[0])


@pytest.mark.parametrize("name", ["cautious", "counter", "builder"])
def test_hidden_cards_change_neither_the_view_nor_the_choice(name):
    """What differs is in the other's hand, in the pack, and in captured piles not remembered."""
    player = catalogue()[name].bind({}, Conduct(recall=0.0))
    engine = Engine(Rules(), [[player] * 2], 1, 1960)
    as_dealt = seen(engine, name, parse("4 4 J"), (parse("5 5"), parse("9 A 8")), [6, 11, 1])
    swapped = seen(engine, name, parse("9 A J"), (parse("5 5"), parse("4 4 8")), [1, 6, 11])
    assert as_dealt == swapped
    remembers = Engine(Rules(), [[catalogue()[name].bind()] * 2], 1, 1960)
    told = [
        seen(remembers, name, parse(hand), (parse("5 5"), parse(pile)), [])[0]["unseen"]
        for hand, pile in (("4 4 J", "9 A 8"), ("9 A J", "4 4 8"))
    ]
    assert told[0] != told[1]


# Penalties


@pytest.mark.parametrize("offence", OFFENCES)
def test_penalty_size_alone_changes_no_captured_card_only_points(offence):
    rules = Rules(esun=True, jokers=1, end=Rounds(rounds=2))
    sizes = [
        rows(rules.model_copy(update={"penalty": Penalty(**{offence: size})})) for size in (0, 7)
    ]
    free, dear = sizes
    for name in set(GAME.names) - BY_POINTS:
        assert (free[name] == dear[name]).all(), name
    assert (free["points"] + free["penalties"] == dear["points"] + dear["penalties"]).all()
    assert (dear["points"] == free["points"] - dear[f"penalties_{offence}"]).all()
    assert dear[f"penalties_{offence}"].sum() > 0 == free[f"penalties_{offence}"].sum()


@pytest.mark.parametrize("strategy", ["random", "builder"])
@pytest.mark.parametrize("esun", [False, True])
def test_with_penalties_of_0_and_perfect_conduct_nothing_changes_at_all(esun, strategy):
    """Not even when every draw of conduct is asked for."""
    free = Penalty(esun=0, miscapture=0, challenge=0, peek=0)
    rules = Rules(jokers=2, esun=esun, penalty=free)
    player = catalogue()[strategy].bind()
    engine = Engine(rules, [[player] * 3], 1, 1960)
    plain = engine.play(0, DEALS)
    assert not plain["penalties"].any()
    engine._job["conduct"] = True
    assert (engine.play(0, DEALS) == plain).all()
    offences = [offence for offence in OFFENCES if not (esun and offence == "esun")]
    dear = rules.model_copy(update={"penalty": free.model_copy(update=dict.fromkeys(offences, 9))})
    assert (rows(dear, conduct=Conduct(), strategy=strategy) == plain).all()
