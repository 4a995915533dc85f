"""One game from its address, played by the rulebook.

Source: RULES.md, "Set-up of a round", "The order of things".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sim.errors import WorkerFailed
from sim.reference import events
from sim.reference.chance import Draws, deck_check, noise, shuffled
from sim.reference.conduct import Deeds, with_slip
from sim.reference.memory import Memory, unseen
from sim.reference.moves import Move, best_moves, legal_moves
from sim.reference.state import Round, begin_round, whole_pack
from sim.reference.tally import Tally, leaders
from sim.reference.views import ViewFiller
from sim.rules import FirstTo, Rules
from sim.strategy import Choose, Player, catalogue

Watch = Callable[[events.Event], None]


def play_game(
    rules: Rules,
    seating: Sequence[Player],
    seed: int,
    deal: int,
    hand_rotation: int = 0,
    watch: Watch | None = None,
    captures_address: int = 0,
    choosers: Sequence[Choose] | None = None,
) -> dict[str, Any]:
    """Play the game at an address to its end.

    Args:
        rules: the rule set.
        seating: 2 to 5 players, seat 0 first.
        seed, deal: the address of its chance.
        hand_rotation: seat s gets the packet of seat s + this.
        watch: is told every `sim.reference.events.Event` as it happens.
        captures_address: the kernel's capture table, for strategies that read it.
        choosers: for each seat the function that chooses, in place of its strategy's.

    Returns:
        The columns of `sim.columns.GAME` but ``rotation``; five numbers for columns by seat.

    Raises:
        WorkerFailed: a strategy chose no move of its list, or failed; or cards were lost. The
            message has the game's address.
    """
    game = _Game(rules, seating, (seed, deal, hand_rotation), watch or (lambda event: None))
    game.views = ViewFiller(rules, len(seating), captures_address)
    game.choosers = choosers or [player.strategy.choose for player in seating]
    winners, unfinished = game.play()
    return {
        "deal": deal,
        "hand_rotation": hand_rotation,
        "deck_check": deck_check(shuffled(seed, deal, 0)),
        "unfinished": int(unfinished),
        **game.tally.row(winners),
    }


class _Game:
    views: ViewFiller
    choosers: Sequence[Choose]
    memory: Memory
    deeds: Deeds

    def __init__(
        self,
        rules: Rules,
        seating: Sequence[Player],
        address: tuple[int, int, int],
        watch: Watch,
    ) -> None:
        self.rules = rules
        self.seating = seating
        self.seed, self.deal, self.hand_rotation = address
        self.watch = watch
        self.tally = Tally(rules, len(seating))

    def play(self) -> tuple[list[int], bool]:
        """Play all rounds; return the winners, and whether a target was missed."""
        end = self.rules.end
        most = end.max_rounds if isinstance(end, FirstTo) else end.rounds
        winners: list[int] = []
        for number in range(most):
            winners = self.play_round(number)
            if winners:
                break
        unfinished = isinstance(end, FirstTo) and not winners
        winners = winners or leaders(self.tally.standing)
        self.watch(events.GameEnds(tuple(self.tally.points), tuple(winners), unfinished))
        return winners, unfinished

    def play_round(self, number: int) -> list[int]:
        """Play a round, or as much of it as the game lasts; return who has reached the target."""
        round_ = begin_round(self.rules, len(self.seating), self.seed, self.deal, number)
        draws, rates = Draws(self.seed, self.deal, number), [p.conduct for p in self.seating]
        self.memory = Memory([rate.recall for rate in rates], draws)
        self.deeds = Deeds(self.rules, rates, draws)
        self.tally.begin_round(round_)
        self.watch(events.RoundBegins(number, round_.leader, tuple(round_.loose)))
        points_before = list(self.tally.points)
        for deal in range(len(round_.plan.deals)):
            to_table = round_.deal_hands(self.rules, deal, self.hand_rotation)
            hands = tuple(tuple(hand) for hand in round_.hands)
            self.watch(events.Dealt(deal, hands, tuple(to_table)))
            winners = self.play_deal(round_, points_before)
            self.check_cards(round_)
            if winners:
                return winners
        return self.tally.at_target("rounds")

    def play_deal(self, round_: Round, points_before: Sequence[int]) -> list[int]:
        """Play the hands just dealt, and what follows them; return who has reached the target."""
        turns = sum(len(hand) for hand in round_.hands)
        for left in range(turns - 1, -1, -1):
            self.play_turn(round_)
            winners = self.tally.at_target("cards")
            if not winners and left == 0:
                self.end_deal(round_, points_before)
                winners = self.tally.at_target("cards")
            self.tally.turn_is_over()
            if winners:
                return winners
        return []

    def play_turn(self, round_: Round) -> None:
        """Let the player whose turn it is look, choose and play, and let others challenge it."""
        seat = (round_.leader + round_.turn) % round_.players
        self.look(round_, seat)
        hand, loose = tuple(round_.hands[seat]), tuple(round_.loose)
        piles, builders = _piles(round_)
        legal = legal_moves(self.rules, hand, loose, piles)
        self.tally.count_choice(round_, seat, legal, self.memory.forgotten_own(seat))
        move = self.choice(round_, seat, legal)
        slip, challenger = self.play_move(round_, seat, move)
        self.watch(
            events.Turn(
                round=round_.number,
                deal=round_.deal,
                turn=round_.turn,
                seat=seat,
                hand=hand,
                loose=loose,
                piles=piles,
                builders=builders,
                legal=tuple(legal),
                move=move,
                points=tuple(self.tally.points),
                slip=slip,
            )
        )
        if challenger is not None:
            self.settle(round_, seat, challenger, slip is not None)
        round_.turn += 1

    def look(self, round_: Round, seat: int) -> None:
        """Let a seat look through captured piles before its turn."""
        for of, noticed in self.deeds.looks(round_, seat):
            self.memory.look(seat, of)
            self.tally.count("peeks" if of == seat else "spyings", seat)
            if noticed:
                self.tally.count("noticed", seat)
            penalty = self.tally.penalise(round_, seat, "peek") if noticed else 0
            self.watch(events.Look(seat, of, noticed, penalty))

    def choice(self, round_: Round, seat: int, legal: list[Move]) -> Move:
        """Ask the strategy of a seat for its move, or play at random."""
        if self.deeds.at_random(seat, round_.turn):
            random = catalogue()["random"]
            return legal[random.choose(self.view(round_, seat, legal))]
        player = self.seating[seat]
        offered = best_moves(legal) if player.strategy.wants == "best" else legal
        view = self.view(round_, seat, offered)
        try:
            index = self.choosers[seat](view)
        except Exception as error:
            problem = f"failed: {type(error).__name__}: {error}"
            raise WorkerFailed(self.blame(round_, seat, problem)) from error
        whole = isinstance(index, int | np.integer) and not isinstance(index, bool)
        if not whole or not 0 <= index < len(offered):
            problem = f"chose {index!r}; it must return a whole number from 0 to {len(offered) - 1}"
            raise WorkerFailed(self.blame(round_, seat, problem))
        return offered[index]

    def view(self, round_: Round, seat: int, offered: list[Move]) -> Any:
        """Return what a seat sees at its turn."""
        return self.views.fill(
            round_,
            seat,
            self.tally.points,
            offered,
            noise=noise(self.seed, self.deal, round_.number, round_.turn),
            unseen=unseen(self.rules, round_, seat, self.memory),
            parameters=self.seating[seat].values,
        )

    def play_move(self, round_: Round, seat: int, move: Move) -> tuple[str | None, int | None]:
        """Make a move; return the card taken too many and the challenger, if there are any."""
        slip = self.deeds.slip(round_, seat, move)
        capture = move.kind == "capture"
        challenger = self.deeds.challenger(round_, seat, slip) if capture else None
        if slip is not None:
            self.tally.count("miscaptures", seat)
            caught = challenger is not None
            move = Move("trail", move.card) if caught else with_slip(move, slip)
        self.tally.count_piles(seat, [round_.piles[place].builder for place in move.piles])
        won = round_.make(seat, move)
        self.memory.leave(won, seat)
        self.tally.count_move(round_, seat, move, len(won))
        return slip, challenger

    def settle(self, round_: Round, seat: int, challenger: int, right: bool) -> None:
        """Let whoever was wrong pay: the seat that captured, or its challenger."""
        if right:
            self.tally.count("caught", seat)
            payer, penalty = seat, self.tally.penalise(round_, seat, "miscapture")
        else:
            self.tally.count("false_challenges", challenger)
            payer, penalty = challenger, self.tally.penalise(round_, challenger, "challenge")
        piles, _ = _piles(round_)
        loose, points = tuple(round_.loose), tuple(self.tally.points)
        self.watch(events.Challenge(challenger, right, payer, penalty, loose, piles, points))

    def end_deal(self, round_: Round, points_before: Sequence[int]) -> None:
        """Pay for unclaimed piles; after the round's last deal give the rest away and count."""
        out = self.rules.esun_unclaimed == "discard"
        for pile in round_.piles:
            self.tally.count("unclaimed", pile.builder)
            penalty = self.tally.penalise(round_, pile.builder, "esun")
            becomes = "out" if out else "loose"
            self.watch(events.Unclaimed(pile.cards, pile.builder, penalty, becomes))
        cards = [card for pile in round_.piles for card in pile.cards]
        round_.piles = []
        if out:
            round_.discarded += cards
            self.memory.leave(cards, None)
            self.tally.by_game["discarded"] += len(cards)
        else:
            round_.loose += cards
        if round_.deal == len(round_.plan.deals) - 1:
            self.end_round(round_, points_before)

    def end_round(self, round_: Round, points_before: Sequence[int]) -> None:
        """Give the rest away and count the round."""
        seat = round_.rest_goes_to(self.rules)
        rest = tuple(round_.loose)
        if seat is not None:
            round_.captured[seat] += rest
            round_.loose = []
            self.tally.count_rest(round_, seat, len(rest))
        self.watch(events.Rest(rest, seat))
        self.tally.end_round(round_, points_before)
        self.watch(events.RoundEnds(tuple(self.tally.points)))

    def check_cards(self, round_: Round) -> None:
        """Stop if a card was lost or doubled."""
        if round_.everything() != Counter(whole_pack(self.rules)):
            where = self.address(round_)
            raise WorkerFailed(f"cards were lost or doubled ({where}); this is a fault of the twin")

    def address(self, round_: Round) -> str:
        """Say where in all games this is."""
        return (
            f"seed {self.seed}, deal {self.deal}, hand rotation {self.hand_rotation}, "
            f"round {round_.number + 1}, turn {round_.turn + 1}"
        )

    def blame(self, round_: Round, seat: int, problem: str) -> str:
        """Say what a strategy did wrong, and where."""
        return f"the strategy {self.seating[seat]} {problem} ({self.address(round_)}, seat {seat})"


def _piles(round_: Round) -> tuple[tuple[tuple[str, ...], ...], tuple[int, ...]]:
    return tuple(p.cards for p in round_.piles), tuple(p.builder for p in round_.piles)
