"""The score of a game and all that is counted about it; `sim.columns` says what each count means.

Source: RULES.md, "The order of things" ("Scores", "The end").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from sim.cards import JOKER
from sim.columns import SIXTIETHS
from sim.reference.captures import yoruba_forbids
from sim.reference.moves import Move
from sim.reference.state import Round
from sim.rules import FirstTo, Rules
from sim.view import SEATS

BY_SEAT = (
    "points",
    "penalties",
    "captures",
    "taken",
    "sweeps",
    "rest",
    "role_points",
    "rounds_won",
    "built",
    "piles_own",
    "piles_others",
    "unclaimed",
    "miscaptures",
    "caught",
    "false_challenges",
    "peeks",
    "spyings",
    "noticed",
    "penalties_esun",
    "penalties_miscapture",
    "penalties_challenge",
    "penalties_peek",
)
BY_GAME = (
    "first_leaders",
    "rounds",
    "turns",
    "left",
    "unused",
    "discarded",
    "joker_captures",
    "yoruba_turns",
    "must_capture_turns",
    "isiwo_turns",
)


def leaders(scores: Sequence[int]) -> list[int]:
    """Return the seats that have most."""
    return [seat for seat, score in enumerate(scores) if score == max(scores)]


def mask(seats: Iterable[int]) -> int:
    """Write a set of seats as a number, bit s for seat s."""
    return sum(1 << seat for seat in seats)


class Tally:
    """Counts of one game.

    Attributes:
        by_seat: for each name of `BY_SEAT` a number a seat (``role_points``: a role).
        by_game: for each name of `BY_GAME` one number.
    """

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules = rules
        self.players = players
        self.by_seat: dict[str, list[int]] = {name: [0] * players for name in BY_SEAT}
        self.by_game: dict[str, int] = dict.fromkeys(BY_GAME, 0)
        self._points_history: list[tuple[int, ...]] = []
        self._standing_history: list[tuple[int, ...]] = []
        self.turn_is_over()

    @property
    def points(self) -> list[int]:
        """Points by seat so far."""
        return self.by_seat["points"]

    @property
    def standing(self) -> list[int]:
        """What decides the game, by seat: points, or sixtieths of rounds won."""
        end = self.rules.end
        in_rounds = isinstance(end, FirstTo) and end.unit == "rounds"
        return self.by_seat["rounds_won" if in_rounds else "points"]

    def turn_is_over(self) -> None:
        """Remember how the game stands after a turn and all that followed from it."""
        self._points_history.append(tuple(self.points))
        self._standing_history.append(tuple(self.standing))

    def begin_round(self, round_: Round) -> None:
        """Count a round that was set up."""
        self.by_game["rounds"] += 1
        self.by_game["unused"] += len(round_.unused)

    def change_points(self, round_: Round, seat: int, points: int) -> None:
        """Give points to a seat, or take them away."""
        self.points[seat] += points
        self.by_seat["role_points"][round_.role(seat)] += points

    def penalise(self, round_: Round, seat: int, offence: str) -> int:
        """Take the penalty for an offence, a field of `sim.rules.Penalty`; return its points."""
        points: int = getattr(self.rules.penalty, offence)
        self.change_points(round_, seat, -points)
        self.by_seat["penalties"][seat] += points
        self.by_seat[f"penalties_{offence}"][seat] += points
        return points

    def count(self, name: str, seat: int) -> None:
        """Count one more of something that a seat did."""
        self.by_seat[name][seat] += 1

    def count_choice(
        self, round_: Round, seat: int, legal: Sequence[Move], forgotten: Sequence[str]
    ) -> None:
        """Count what the rules forbid at a turn that is about to be played, and what they recall.

        Args:
            round_: as it is before the move.
            seat: whose turn it is.
            legal: all legal moves.
            forgotten: the cards of its own captured pile that the seat does not remember.
        """
        cards = set(round_.hands[seat])
        self.by_game["yoruba_turns"] += self.rules.yoruba and any(
            yoruba_forbids(self.rules, card, round_.loose) for card in cards
        )
        can_capture = any(move.kind == "capture" for move in legal)
        self.by_game["must_capture_turns"] += can_capture and self.rules.must_capture != "never"
        self.by_game["isiwo_turns"] += self.rules.isiwo and bool(forgotten)

    def count_piles(self, seat: int, builders: Iterable[int]) -> None:
        """Count piles that a seat captured, each by its builder."""
        for builder in builders:
            self.count("piles_own" if builder == seat else "piles_others", seat)

    def count_move(self, round_: Round, seat: int, move: Move, won: int) -> None:
        """Count a move that was made and the number of cards it won."""
        self.by_game["turns"] += 1
        if move.kind == "build":
            self.count("built", seat)
        if move.kind != "capture":
            return
        self.change_points(round_, seat, won)
        self.count("captures", seat)
        self.by_seat["taken"][seat] += move.size
        self.by_seat["sweeps"][seat] += not round_.loose and not round_.piles
        self.by_game["joker_captures"] += move.card == JOKER

    def count_rest(self, round_: Round, seat: int, cards: int) -> None:
        """Give a seat the rest of a round."""
        self.change_points(round_, seat, cards)
        self.by_seat["rest"][seat] += cards

    def end_round(self, round_: Round, points_before: Sequence[int]) -> None:
        """Count a round that was played to its end."""
        self.by_game["left"] += len(round_.loose)
        earned = [now - then for now, then in zip(self.points, points_before, strict=True)]
        best = leaders(earned)
        for seat in best:
            self.by_seat["rounds_won"][seat] += SIXTIETHS // len(best)
        if round_.number == 0:
            self.by_game["first_leaders"] = mask(leaders(self.points))

    def at_target(self, unit: str) -> list[int]:
        """Return the seats that have reached the game's target, if it is counted in `unit`."""
        end = self.rules.end
        if not isinstance(end, FirstTo) or end.unit != unit:
            return []
        target = end.first_to * (SIXTIETHS if unit == "rounds" else 1)
        return [seat for seat, score in enumerate(self.standing) if score >= target]

    def row(self, winners: Sequence[int]) -> dict[str, Any]:
        """Return what was counted under the names of `sim.columns`, five numbers for seats."""
        return {
            **{
                name: numbers + [0] * (SEATS - self.players)
                for name, numbers in self.by_seat.items()
            },
            **self.by_game,
            "winners": mask(winners),
            "lead_changes": self._lead_changes(),
            "decided": self._decided(winners),
            "comeback": self._comeback(winners),
        }

    def _lead_changes(self) -> int:
        sets = [leaders(points) for points in self._points_history]
        return sum(then != now for then, now in pairwise(sets))

    def _decided(self, winners: Sequence[int]) -> int:
        turns = len(self._standing_history) - 1
        others_lead = [
            turn
            for turn, standing in enumerate(self._standing_history)
            if leaders(standing) != list(winners)
        ]
        return min(max(others_lead, default=-1) + 1, turns)

    def _comeback(self, winners: Sequence[int]) -> int:
        return max(max(points) - points[w] for points in self._points_history for w in winners)
