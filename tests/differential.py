"""The two engines side by side: what every player saw at every turn, and the final row.

A recording strategy keeps each View with its list of moves; the kernel and the twin play the same
address with it and must have shown the same, field for field. The last View of a round and the row
together fix every next state, so nothing the engines hold escapes comparison.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from sim.kernel import Engine
from sim.kernel.captures import capture_table
from sim.kernel.compile import compiled
from sim.kernel.memory import load_word, store_word
from sim.reference import play_game
from sim.rules import Rules
from sim.sight import luck, word
from sim.strategy import Parameter, Player, Strategy, catalogue

LOG_WORDS = 1 << 20

NOT_YET_IN_KERNEL = (
    *("built", "piles_own", "piles_others", "unclaimed", "miscaptures", "caught"),
    *("false_challenges", "peeks", "spyings", "noticed", "penalties_esun"),
    *("penalties_miscapture", "penalties_challenge", "penalties_peek"),
    *("yoruba_turns", "must_capture_turns", "isiwo_turns"),
)
"""Columns that only the twin counts so far."""


def _uniform(view):
    """Play at random, and write the moves offered and the View's place in the log."""
    log = np.int64(view.parameters[0])
    at = load_word(log, 0)
    store_word(log, at, view.n_moves)
    store_word(log, at + 1, view.hand)
    store_word(log, at + 2, view.loose)
    store_word(log, at + 3, view.unseen)
    store_word(log, at + 4, np.int64(view.noise))
    store_word(log, at + 5, view.seat)
    store_word(log, at + 6, view.role)
    store_word(log, at + 7, view.round)
    store_word(log, at + 8, view.deal)
    store_word(log, at + 9, view.turn)
    store_word(log, at + 10, view.next_hand)
    for s in range(5):
        store_word(log, at + 11 + s, view.hand_sizes[s])
        store_word(log, at + 16 + s, view.points[s])
    at += 21
    for p in range(view.n_piles):
        store_word(log, at, view.pile_cards[p])
        store_word(log, at + 1, view.pile_builder[p])
        store_word(log, at + 2, view.pile_openers[p])
        at += 3
    for i in range(2 * view.n_moves):
        store_word(log, at + i, word(view.moves, i))
    store_word(log, 0, at + 2 * view.n_moves)
    best = 0
    for move in range(1, view.n_moves):
        if luck(view, move) > luck(view, best):
            best = move
    return best


RECORDER = Strategy(
    "recorder", _uniform, "all", True, (Parameter("log", 0, 0, 2.0**52, "address"),), ""
)


@dataclass(frozen=True)
class Case:
    """A game's address, its rules, and who plays ("recorder" records)."""

    rules: Rules
    lineup: tuple[str, ...]
    seed: int
    deal: int


def random_rules(choose: random.Random) -> Rules:
    """Return a rule set with every option drawn."""
    ends = [
        {"rounds": choose.randint(1, 4)},
        {"first_to": choose.randint(3, 60), "max_rounds": choose.randint(1, 5)},
        {"first_to": choose.randint(1, 3), "unit": "rounds", "max_rounds": choose.randint(1, 5)},
    ]
    return Rules(
        jokers=choose.randint(0, 2),
        yoruba=choose.random() < 0.5,
        yoruba_faces=choose.choice(["strict", "pair"]),
        yoruba_joker=choose.choice(["exempt", "distinct"]),
        must_capture=choose.choice(["never", "never", "any", "most"]),
        leftover=choose.choice(["unused", "table"]),
        single_deal=choose.random() < 0.5,
        rest=choose.choice(["nobody", "last_to_play", "last_to_capture"]),
        esun=choose.random() < 0.4,
        esun_unclaimed=choose.choice(["release", "discard"]),
        penalty={"esun": choose.randint(0, 3)},
        end=choose.choice(ends),
    )


def random_case(choose: random.Random, players: int | None = None) -> Case:
    """Return a random game of random rules."""
    players = players or choose.randint(2, 5)
    names = ["recorder", "recorder", *sorted(catalogue())]
    lineup = tuple(choose.choice(names) for _ in range(players))
    return Case(
        random_rules(choose),
        lineup,
        choose.getrandbits(64),
        choose.getrandbits(48),
    )


def _seating(case: Case, log: int) -> list[Player]:
    return [
        RECORDER.bind({"log": log}) if name == "recorder" else catalogue()[name].bind()
        for name in case.lineup
    ]


class MismatchError(AssertionError):
    """The engines disagree; the message holds the case and the first difference."""


def compare(case: Case) -> int:
    """Play `case` in both engines, every hand rotation; return the turns compared.

    Raises:
        MismatchError: they showed a player something else, or counted something else.
    """
    logs = [np.zeros(LOG_WORDS, np.int64) for _ in range(2)]
    seatings = [_seating(case, log.ctypes.data) for log in logs]
    for log in logs:
        log[0] = 1
    engine = Engine(case.rules, [seatings[0]], len(case.lineup), case.seed)
    engine.capacity = 1 << 14
    rows = engine.play(case.deal, 1)
    turns = 0
    for row in rows:
        told = play_game(
            case.rules,
            seatings[1],
            case.seed,
            case.deal,
            int(row["hand_rotation"]),
            captures_address=capture_table().ctypes.data,
            choosers=[compiled(player.strategy) for player in seatings[1]],
        )
        turns += told["turns"]
        for name, value in told.items():
            if name not in NOT_YET_IN_KERNEL and not np.array_equal(row[name], value):
                raise MismatchError(f"{case}\n{name}: kernel {row[name]}, twin {value}")
    kernel, twin = (log[: log[0]] for log in logs)
    if not np.array_equal(kernel, twin):
        length = min(len(kernel), len(twin))
        first = int(np.argmax(kernel[:length] != twin[:length]))
        raise MismatchError(
            f"{case}\nthe records differ from word {first} on: {kernel[first]}, {twin[first]}"
        )
    return turns
