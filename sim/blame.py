"""What a strategy did wrong, and where: in words, the same whichever engine plays."""

from __future__ import annotations

from dataclasses import dataclass

from sim.strategy import Player


@dataclass(frozen=True)
class Place:
    """The address of a decision. Numbers count from 0 here, rounds and turns from 1 in words.

    Attributes:
        cell: which rule set and line-up; may be empty.
        seed, deal, rotation, hand_rotation: which game of it.
        round, turn, seat: which decision; `turn` is the turn in the round.
    """

    cell: str
    seed: int
    deal: int
    rotation: int
    hand_rotation: int
    round: int = 0
    turn: int = 0
    seat: int = 0

    def __str__(self) -> str:
        cell = f"{self.cell}, " if self.cell else ""
        return (
            f"{cell}seed {self.seed}, deal {self.deal}, rotation {self.rotation}, hand rotation "
            f"{self.hand_rotation}, round {self.round + 1}, turn {self.turn + 1}, seat {self.seat}"
        )


def chose_no_move(player: Player, place: Place, chosen: str = "") -> str:
    """Say that a strategy returned no index of its list; `chosen` is what it returned."""
    returned = f" but {chosen}" if chosen else ""
    return (
        f"the strategy {player} chose no move of its list{returned} ({place}); "
        "it must return an index from 0 to view.n_moves - 1"
    )


def failed(player: Player, place: Place, told: str) -> str:
    """Say that a strategy raised an exception; `told` says which."""
    return (
        f"the strategy {player} failed: {told} ({place}); mend it, and try it out with sim "
        "check-strategy"
    )


def never_ends(player: Player, place: Place, seconds: float) -> str:
    """Say that a strategy has thought about one move for `seconds`."""
    return (
        f"the strategy {player} has thought about one move for {seconds:g} s and seems never to "
        f"end ({place}); see that each of its loops ends"
    )
