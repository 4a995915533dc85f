"""The engine: from rules and players to rows. Checks and memory here; the loops are compiled."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from sim.blame import Place, chose_no_move, failed
from sim.cards import RANKS, SET_OUT, fresh_pack, pack
from sim.columns import GAME
from sim.conduct import MEANINGS, PERFECT
from sim.errors import WorkerFailed
from sim.kernel.batch import play_batch
from sim.kernel.captures import capture_table
from sim.kernel.compile import compiled
from sim.kernel.conduct import CERTAIN
from sim.kernel.state import ILLEGAL_CHOICE, JOB, NOT_CONSERVED, PLAYED, STATE
from sim.rules import FirstTo, Rounds, Rules, round_plan
from sim.strategy import Player
from sim.strategy_file import describe
from sim.view import MOVE, SEATS, VIEW
from sim.watch import Watch

FIRST_CAPACITY = 1 << 10
MUST_CAPTURE = ("never", "any", "most")
REST = ("nobody", "last_to_play", "last_to_capture")


def _crc_table() -> np.ndarray:
    """Return the byte table of CRC-32, read off zlib."""
    ones = 0xFFFFFFFF
    return np.array(
        [zlib.crc32(bytes([i ^ 255])) ^ ones ^ (ones >> 8) for i in range(256)], np.uint32
    )


class Engine:
    """Plays deals of one rule set and line-up.

    Args:
        rules: the rule set.
        seatings: distinct seatings of one line-up, seat 0 first, all of 2 to 5 players.
        hand_rotations: 1, or the number of players to give each packet to every seat in turn.
        seed: 64 bits.
        name: what messages call the cell.
    """

    def __init__(
        self,
        rules: Rules,
        seatings: Sequence[Sequence[Player]],
        hand_rotations: int,
        seed: int,
        name: str = "",
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.name = name
        self.players = len(seatings[0])
        self.rows_per_deal = len(seatings) * hand_rotations
        self._lineup = list(dict.fromkeys(p for seating in seatings for p in seating))
        self._job = _job(rules, self.players, len(seatings), hand_rotations, seed)
        self._view = blank_view(rules, self.players)
        padded = self._lineup + self._lineup[:1] * (SEATS - len(self._lineup))
        self._functions = tuple(compiled(player.strategy) for player in padded)
        for i, player in enumerate(self._lineup):
            self._job["best_only"][0, i] = player.strategy.wants == "best"
            self._job["n_parameters"][0, i] = len(player.values)
            self._job["parameters"][0, i, : len(player.values)] = player.values
            self._job["conduct"] |= player.conduct != PERFECT
            for rate in MEANINGS:
                self._job[rate][0, i] = math.ceil(getattr(player.conduct, rate) * CERTAIN)
        self._seatings = np.zeros((len(seatings), SEATS), np.int64)
        for rotation, seating in enumerate(seatings):
            self._seatings[rotation, : self.players] = [self._lineup.index(p) for p in seating]
        self.capacity = FIRST_CAPACITY

    def play(self, first_deal: int, deals: int, watch: Watch | None = None) -> np.ndarray:
        """Play `deals` deals from `first_deal` on, while `watch` looks on.

        Returns:
            Rows of `sim.columns.GAME` in order of deal, rotation, hand rotation. The GIL is
            released meanwhile; any number of threads may play at once.

        Raises:
            WorkerFailed: a strategy chose no move of its list, or failed, or cards were lost; the
                message has the game's address.
        """
        while True:
            work = WorkArrays(self.capacity)
            view = self._view.copy()
            view["moves"] = work.moves.ctypes.data
            state = work.state()
            games = np.zeros(deals * self.rows_per_deal, GAME)
            batch = (self._job, self._functions, self._seatings, view, state, first_deal, games)
            status = self._play_batch(batch, state[0], watch)
            if status == PLAYED:
                return games
            if status in (ILLEGAL_CHOICE, NOT_CONSERVED):
                raise WorkerFailed(self._what_failed(status, state[0]))
            self.capacity = max(self.capacity, 2 * work.capacity)

    def _play_batch(self, batch: tuple[Any, ...], state: np.void, watch: Watch | None) -> int:
        watching = watch.over(lambda: self._where(state)) if watch else nullcontext()
        try:
            with watching:
                return int(play_batch(*batch))
        except MemoryError:
            raise
        except Exception as fault:
            player, place = self._where(state)
            told = describe(fault, player.strategy.file)
            raise WorkerFailed(failed(player, place, told)) from fault

    def _where(self, state: np.void) -> tuple[Player, Place]:
        """Return who is choosing in a game, and where."""
        numbers = ("rotation", "hand_rotation", "round", "turn", "seat")
        place = Place(
            self.name, self.seed, int(state["deal_id"]), **{key: int(state[key]) for key in numbers}
        )
        return self._lineup[self._seatings[place.rotation, place.seat]], place

    def _what_failed(self, status: int, state: np.void) -> str:
        player, place = self._where(state)
        if status == NOT_CONSERVED:
            return f"cards were lost or doubled ({place}); this is a fault of the engine"
        return chose_no_move(player, place)


class WorkArrays:
    """Room for the listing of moves; grows by powers of two when a list needs more."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.moves = np.zeros(capacity, MOVE)
        self.found = np.zeros(capacity, np.int64)
        self.marks = np.zeros(2 * capacity, np.int64)

    def state(self) -> np.ndarray:
        """Return a fresh STATE that uses these arrays; it does not keep them alive."""
        state = np.zeros(1, STATE)
        state["found"] = self.found.ctypes.data
        state["marks"] = self.marks.ctypes.data
        state["capacity"] = self.capacity
        return state


def _job(rules: Rules, players: int, rotations: int, hand_rotations: int, seed: int) -> np.ndarray:
    plan = round_plan(rules, players)
    job = np.zeros(1, JOB)
    job["seed"] = seed
    job["players"] = players
    job["rotations"] = rotations
    job["hand_rotations"] = hand_rotations
    job["jokers"] = rules.jokers
    job["deals"] = len(plan.deals)
    job["last_hand"] = plan.deals[-1]
    job["turns"] = plan.turns * players
    job["leftover"] = plan.leftover
    job["leftover_to_table"] = rules.leftover == "table"
    job["esun"] = rules.esun
    job["esun_penalty"] = rules.penalty.esun
    job["discard_unclaimed"] = rules.esun_unclaimed == "discard"
    job["isiwo"] = rules.isiwo
    job["miscapture_penalty"] = rules.penalty.miscapture
    job["challenge_penalty"] = rules.penalty.challenge
    job["peek_penalty"] = rules.penalty.peek
    job["rest"] = REST.index(rules.rest)
    job["fresh"] = [RANKS.index(card) for card in fresh_pack()]
    job["set_out"] = pack(SET_OUT)
    job["whole"] = pack(fresh_pack()) + pack(SET_OUT)
    job["crc"] = _crc_table()
    match rules.end:
        case Rounds(rounds=rounds):
            job["rounds"] = rounds
        case FirstTo(first_to=target, unit=unit, max_rounds=most):
            job["rounds"] = most
            job["target"] = target
            job["target_in_rounds"] = unit == "rounds"
    return job


def blank_view(rules: Rules, players: int) -> np.ndarray:
    """Return the View with all that a game does not change."""
    plan = round_plan(rules, players)
    view = np.zeros(1, VIEW)
    view["captures"] = capture_table().ctypes.data
    view["players"] = players
    view["deals"] = len(plan.deals)
    view["turns"] = plan.turns * players
    view["jokers"] = rules.jokers
    view["yoruba"] = rules.yoruba
    view["pair_faces"] = rules.yoruba_faces == "pair"
    view["distinct_joker"] = rules.yoruba_joker == "distinct"
    view["must_capture"] = MUST_CAPTURE.index(rules.must_capture)
    view["rest"] = REST.index(rules.rest)
    view["esun"] = rules.esun
    view["esun_penalty"] = rules.penalty.esun
    match rules.end:
        case Rounds(rounds=rounds):
            view["rounds"] = rounds
        case FirstTo(first_to=target, max_rounds=most):
            view["rounds"] = most
            view["target"] = target
    return view
