"""The two engines side by side: what every player saw and chose at every turn, and the final row.

A recorded strategy writes down each View with its list of moves and its choice; the kernel and the
twin play the same address with it and must have written the same, word for word. The last View of
a round and the row together fix every next state, so nothing the engines hold escapes comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache

import numpy as np
from numba import njit
from numba.extending import register_jitable

from sim.cards import RANKS, show, unpack
from sim.errors import WorkerFailed
from sim.kernel import Engine
from sim.kernel.captures import capture_table
from sim.kernel.compile import compiled
from sim.kernel.memory import load_word, store_word
from sim.reference import play_game
from sim.rules import Rules
from sim.sight import word
from sim.strategy import Parameter, Player, Strategy
from sim.view import KINDS, SEATS
from tests.facts import broken_fact

LOG_WORDS = 1 << 24
USED, FULL, FIRST = 0, 1, 2
"""Words of a log: how many are used, whether one more View had no room, the first View."""

FIELDS = ("n_moves", "n_piles", "hand", "loose", "unseen", "noise", "seat", "role", "round")
FIELDS += ("deal", "turn", "next_hand", "choice", "most", "largest")
HEAD = len(FIELDS) + 2 * SEATS


@njit
def _write(view, log, choice):
    at = load_word(log, USED)
    if at + HEAD + 3 * view.n_piles + 2 * view.n_moves > LOG_WORDS:
        store_word(log, FULL, 1)
        return
    store_word(log, at, view.n_moves)
    store_word(log, at + 1, view.n_piles)
    store_word(log, at + 2, view.hand)
    store_word(log, at + 3, view.loose)
    store_word(log, at + 4, view.unseen)
    store_word(log, at + 5, np.int64(view.noise))
    store_word(log, at + 6, view.seat)
    store_word(log, at + 7, view.role)
    store_word(log, at + 8, view.round)
    store_word(log, at + 9, view.deal)
    store_word(log, at + 10, view.turn)
    store_word(log, at + 11, view.next_hand)
    store_word(log, at + 12, choice)
    store_word(log, at + 13, view.most)
    store_word(log, at + 14, view.largest)
    at += 15
    for s in range(SEATS):
        store_word(log, at + s, view.hand_sizes[s])
        store_word(log, at + SEATS + s, view.points[s])
    at += 2 * SEATS
    for p in range(view.n_piles):
        store_word(log, at, view.pile_cards[p])
        store_word(log, at + 1, view.pile_builder[p])
        store_word(log, at + 2, view.pile_openers[p])
        at += 3
    for i in range(2 * view.n_moves):
        store_word(log, at + i, word(view.moves, i))
    store_word(log, USED, at + 2 * view.n_moves)


@cache
def recorded(strategy: Strategy) -> Strategy:
    """Return a strategy that plays as `strategy` does and writes to the log, its last parameter.

    Its function has a name of its own: cached code is linked by name, and two functions of one name
    that were compiled in different processes would be taken for each other.
    """
    plays = register_jitable(strategy.choose)
    log = len(strategy.parameters)

    def choose(view):
        choice = plays(view)
        _write(view, np.int64(view.parameters[log]), choice)
        return choice

    name = f"recorded {strategy.choose.__module__} {strategy.choose.__qualname__}"
    choose.__qualname__ = "".join(c if c.isalnum() else "_" for c in name)
    where = Parameter("log", 0, 0, 2.0**52, "address")
    return replace(strategy, choose=choose, parameters=(*strategy.parameters, where))


def recording(lineup: tuple[Player, ...], log: np.ndarray) -> list[Player]:
    """Return the players of `lineup` writing to `log`."""
    return [
        replace(
            player,
            strategy=recorded(player.strategy),
            values=(*player.values, float(log.ctypes.data)),
        )
        for player in lineup
    ]


@dataclass(frozen=True)
class Case:
    """A deal's address, its rules and who plays; with hand rotations it is several games."""

    rules: Rules
    lineup: tuple[Player, ...]
    seed: int
    deal: int
    hand_rotations: int

    def __str__(self) -> str:
        return (
            f"{' '.join(str(player) for player in self.lineup)}; seed {self.seed}, "
            f"deal {self.deal}, {self.hand_rotations} hand rotations; {self.rules}"
        )


@dataclass(frozen=True)
class Position:
    """What the moves of a turn depend on, cards in the notation of `sim.cards`."""

    rules: Rules
    hand: tuple[str, ...]
    table: tuple[str, ...]
    piles: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Seen:
    """A turn as its player saw it and what it chose; groups of cards packed."""

    n_moves: int
    n_piles: int
    hand: int
    loose: int
    unseen: int
    noise: int
    seat: int
    role: int
    round: int
    deal: int
    turn: int
    next_hand: int
    choice: int
    most: int
    largest: int
    hand_sizes: tuple[int, ...]
    points: tuple[int, ...]
    piles: tuple[tuple[int, ...], ...]  # cards, builder, openers
    moves: tuple[tuple[int, int, int, int], ...]  # card, kind, take, piles

    @property
    def move(self) -> tuple[int, int, int, int]:
        """The move that was chosen."""
        return self.moves[self.choice]


def read(log: np.ndarray) -> list[Seen]:
    """Return the turns of a log, in the order in which they were played."""
    words, turns, at = log[: log[USED]].tolist(), [], FIRST
    while at < len(words):
        head = words[at : at + HEAD]
        n_moves, n_piles = head[:2]
        at += HEAD
        piles = tuple(tuple(words[at + 3 * p : at + 3 * p + 3]) for p in range(n_piles))
        at += 3 * n_piles
        moves = tuple(
            (code >> 48 & 255, code >> 56, take, code & 0xFFFFFFFF)
            for take, code in zip(*[iter(words[at : at + 2 * n_moves])] * 2, strict=True)
        )
        at += 2 * n_moves
        by_seat = head[len(FIELDS) :]
        arrays = tuple(by_seat[:SEATS]), tuple(by_seat[SEATS:]), piles, moves
        turns.append(Seen(*head[: len(FIELDS)], *arrays))
    return turns


class MismatchError(AssertionError):
    """The engines disagree.

    Attributes:
        case: where.
        position: where it is the moves of a turn, that turn.
    """

    def __init__(self, case: Case, difference: str, position: Position | None = None) -> None:
        super().__init__(f"{difference}\n{case}")
        self.case = case
        self.difference = difference
        self.position = position


def new_log() -> np.ndarray:
    """Return an empty log."""
    log = np.zeros(LOG_WORDS, np.int64)
    log[USED] = FIRST
    return log


def play_kernel(case: Case, log: np.ndarray) -> np.ndarray:
    """Play `case` in the kernel, recorded; return its rows, one a hand rotation.

    A kernel that needs more room begins anew, and so does the log.
    """
    lineup = recording(case.lineup, log)
    engine = Engine(case.rules, [lineup], case.hand_rotations, case.seed)
    room = 0
    while room < engine.capacity:
        room, log[USED] = engine.capacity, FIRST
        rows = engine.play(case.deal, 1)
    return rows


def play_twin(case: Case, log: np.ndarray) -> list[dict[str, object]]:
    """Play `case` in the twin, recorded; return its rows, one a hand rotation."""
    lineup = recording(case.lineup, log)
    return [
        play_game(
            case.rules,
            lineup,
            case.seed,
            case.deal,
            rotation,
            captures_address=capture_table().ctypes.data,
            choosers=[compiled(player.strategy) for player in lineup],
        )
        for rotation in range(case.hand_rotations)
    ]


def compare(case: Case) -> np.ndarray:
    """Play `case` in both engines; return its rows, one a hand rotation.

    Raises:
        MismatchError: they showed a player something else, or counted something else, or what they
            counted cannot be.
    """
    logs = new_log(), new_log()
    try:
        rows = play_kernel(case, logs[0])
        told = play_twin(case, logs[1])
    except WorkerFailed as failure:
        raise MismatchError(case, str(failure)) from failure
    assert not any(log[FULL] for log in logs), f"a record needs more than {LOG_WORDS} words: {case}"
    kernel, twin = (log[: log[USED]] for log in logs)
    if not np.array_equal(kernel, twin):
        raise _first_difference(case, read(kernel), read(twin))
    for row, counted in zip(rows, told, strict=True):
        for name, value in counted.items():
            if not np.array_equal(row[name], value):
                raise MismatchError(case, f"{name}: kernel {row[name]}, twin {value}")
    if fact := broken_fact(case.rules, len(case.lineup), rows):
        raise MismatchError(case, f"both engines: {fact}")
    return rows


def _first_difference(case: Case, kernel: list[Seen], twin: list[Seen]) -> MismatchError:
    for ours, theirs in zip(kernel, twin, strict=False):
        if ours == theirs:
            continue
        where = f"round {theirs.round + 1}, turn {theirs.turn + 1}, seat {theirs.seat}"
        differ = [
            field.name
            for field in fields(Seen)
            if getattr(ours, field.name) != getattr(theirs, field.name)
        ]
        of_moves = {"n_moves", "moves", "choice", "most", "largest"}
        if ours.moves != theirs.moves and {*differ} <= of_moves:
            piles = tuple(tuple(unpack(cards)) for cards, _, _ in theirs.piles)
            hand, table = tuple(unpack(theirs.hand)), tuple(unpack(theirs.loose))
            position = Position(case.rules, hand, table, piles)
            return MismatchError(case, f"{where}: {_moves_apart(ours, theirs)}", position)
        told = "; ".join(
            f"{name}: kernel {getattr(ours, name)}, twin {getattr(theirs, name)}" for name in differ
        )
        return MismatchError(case, f"{where}: {told}")
    return MismatchError(case, f"turns played: kernel {len(kernel)}, twin {len(twin)}")


def _moves_apart(ours: Seen, theirs: Seen) -> str:
    def told(moves):
        return ", ".join(f"{KINDS[k]} {RANKS[c]} {show(unpack(t))}" for c, k, t, _ in moves)

    only_ours = [move for move in ours.moves if move not in theirs.moves]
    only_theirs = [move for move in theirs.moves if move not in ours.moves]
    return f"only the kernel offers [{told(only_ours)}], only the twin [{told(only_theirs)}]"
