"""What plays a cell: the kernel, or the twin where a strategy is plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from sim.blame import Place, chose_no_move, failed
from sim.columns import GAME
from sim.design import Cell
from sim.errors import WorkerFailed
from sim.rules import Rules
from sim.strategy import Choose, Player
from sim.strategy_file import describe
from sim.watch import Watch


class Engine(Protocol):
    """What plays: `sim.kernel.Engine`, or `TwinEngine`."""

    def play(self, first_deal: int, deals: int, watch: Watch | None = None) -> np.ndarray:
        """Play deals; return GAME rows in order of deal, rotation, hand rotation."""
        ...


def engine_of(cell: Cell, seed: int) -> Engine:
    """Return the engine of a cell, its strategies compiled.

    Raises:
        WorkerFailed: a strategy cannot be compiled; the message has file and line.
    """
    if cell.compiled:
        from sim.kernel import Engine as Kernel

        engine: Engine = Kernel(cell.rules, cell.seatings, cell.hand_rotations, seed, name_of(cell))
        return engine
    return TwinEngine(cell.rules, cell.seatings, cell.hand_rotations, seed, name_of(cell))


def name_of(cell: Cell) -> str:
    """Return what a person needs to find a cell again."""
    return f"variant {cell.variant}, {cell.players} players, line-up {cell.lineup}"


class TwinEngine:
    """Plays deals of one rule set and line-up on the twin; the arguments are the kernel's.

    A game is some thousand times slower than in the kernel, and holds the GIL.
    """

    def __init__(
        self,
        rules: Rules,
        seatings: Sequence[Sequence[Player]],
        hand_rotations: int,
        seed: int,
        name: str = "",
    ) -> None:
        from sim.kernel import twin_choosers

        self.rules = rules
        self.seatings = seatings
        self.hand_rotations = hand_rotations
        self.seed = seed
        self.name = name
        self.captures_address, _ = twin_choosers(())
        self.choosers = [twin_choosers(seating)[1] for seating in seatings]

    def play(self, first_deal: int, deals: int, watch: Watch | None = None) -> np.ndarray:
        """Play `deals` deals from `first_deal` on; see `sim.kernel.Engine.play`."""
        rows = np.zeros(deals * len(self.seatings) * self.hand_rotations, GAME)
        games = (
            (deal, rotation, hand_rotation)
            for deal in range(first_deal, first_deal + deals)
            for rotation in range(len(self.seatings))
            for hand_rotation in range(self.hand_rotations)
        )
        for row, address in zip(rows, games, strict=True):
            game = _TwinGame(self, *address)
            if watch is None:
                game.play_into(row)
            else:
                with watch.over(game.where):
                    game.play_into(row)
        return rows


class _TwinGame:
    """One game on the twin, which knows at every moment who is choosing."""

    def __init__(self, engine: TwinEngine, deal: int, rotation: int, hand_rotation: int) -> None:
        self.engine = engine
        self.place = Place(engine.name, engine.seed, deal, rotation, hand_rotation)
        self.seating = engine.seatings[rotation]
        self.problem = ""

    def play_into(self, row: np.void) -> None:
        from sim.reference import play_game

        place = self.place
        choosers = [self.noting(one) for one in self.engine.choosers[place.rotation]]
        try:
            told = play_game(
                self.engine.rules,
                self.seating,
                self.engine.seed,
                place.deal,
                place.hand_rotation,
                captures_address=self.engine.captures_address,
                choosers=choosers,
            )
        except WorkerFailed as fault:
            raise WorkerFailed(self.problem or f"{fault}, in {self.engine.name}") from fault
        row["rotation"] = place.rotation
        for column, value in told.items():
            row[column] = value

    def noting(self, choose: Choose) -> Choose:
        """Return `choose`, which notes where it is asked and what it does wrong."""

        def noted(view: Any) -> int:
            now: dict[str, Any] = {key: int(view[key]) for key in ("round", "turn", "seat")}
            self.place = replace(self.place, **now)
            offered = int(view["n_moves"])
            player = self.seating[self.place.seat]
            try:
                index = choose(view)
            except Exception as fault:
                told = describe(fault, player.strategy.file)
                self.problem = failed(player, self.place, told)
                raise
            whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
            if not whole or not 0 <= index < offered:
                self.problem = chose_no_move(player, self.place, repr(index))
            return index

        return noted

    def where(self) -> tuple[Player, Place]:
        """Return who is choosing, and where."""
        return self.seating[self.place.seat], self.place
