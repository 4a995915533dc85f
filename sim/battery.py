"""What any strategy owes, tried out: legal play, by its View alone, and by its address alone."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import numpy as np

from sim.engines import Engine, TwinEngine
from sim.errors import WorkerFailed
from sim.plain_view import plainly
from sim.rules import FirstTo, Penalty, Rounds, Rules
from sim.strategy import Choose, Player, Strategy, catalogue
from sim.strategy_file import describe
from sim.view import MOVE, VIEW
from sim.watch import Watch

PLAYERS = (2, 3, 4, 5)
RULE_SETS = 12
SEED = 1960
JUNK = 64
"""Moves that no list has, laid behind each list that is shown again."""


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Attributes:
        good: it is as it must be.
        check: what was looked at, in a word or two.
        told: what was found, in words.
    """

    good: bool
    check: str
    told: str


def rule_sets() -> list[Rules]:
    """Return rule sets in which every value of every option comes up about equally often."""
    choose = random.Random(SEED)
    columns = {}
    for key, values in option_values().items():
        column = [values[i % len(values)] for i in range(RULE_SETS)]
        choose.shuffle(column)
        columns[key] = column
    return [Rules(**{key: column[i] for key, column in columns.items()}) for i in range(RULE_SETS)]


def option_values() -> dict[str, Sequence[Any]]:
    """Return for each option the values that are tried."""
    found: dict[str, Sequence[Any]] = {}
    for key, field in Rules.model_fields.items():
        if get_origin(field.annotation) is Literal:
            found[key] = get_args(field.annotation)
        elif field.annotation is bool:
            found[key] = (False, True)
    ends = (Rounds(rounds=2), FirstTo(first_to=40), FirstTo(first_to=2, unit="rounds"))
    penalties = (Penalty(), Penalty(esun=0), Penalty(esun=9))
    return {"jokers": (0, 1, 2), **found, "penalty": penalties, "end": ends}


def battery(strategy: Strategy, games: int, watch: Watch) -> Iterator[Finding]:
    """Try a strategy out; yield what each check found, until one makes the others meaningless.

    Args:
        strategy: which; its file is read.
        games: deals in each game set, that is for each rule set, number of players and setting
            of its parameters.
        watch: looks on while games are played.
    """
    try:
        choose = chooser_of(strategy)
        kind = "compiles" if strategy.compiled else "plain Python"
        yield Finding(True, kind, "played by the kernel" if strategy.compiled else "by the twin")
        played, turns, seconds = _plays(strategy, games, watch)
    except WorkerFailed as fault:
        yield Finding(False, "plays", str(fault))
        return
    everywhere = "under every option, with 2 to 5 players"
    yield Finding(True, "legal", f"{played:,} games and {turns:,} turns {everywhere}")
    yield Finding(True, "in range", "every index it returned was in its list")
    yield _same_address(strategy, games, watch)
    yield Finding(True, "time", f"{seconds / turns * 1e6:,.2f} µs a turn, all players and the game")
    asked = _asked(strategy, choose, watch)
    blind = _by_its_view(asked, choose)
    yield blind
    if not blind.good:
        return
    if strategy.compiled:
        yield _in_plain_python(strategy, asked)
    if not strategy.uses_unseen:
        yield _without_unseen(asked, choose)


def chooser_of(strategy: Strategy) -> Choose:
    """Return what chooses, of a record of `sim.view.VIEW`.

    Raises:
        WorkerFailed: it cannot be compiled, or reads what no View has.
    """
    from sim.kernel import twin_choosers

    choose: Choose = twin_choosers((strategy.bind(),))[1][0]
    return choose


def engine_for(rules: Rules, lineup: Sequence[Player]) -> Engine:
    """Return what plays a line-up, seated as it is."""
    name = f"{len(lineup)} players, rules {rules.model_dump(exclude_defaults=True)}"
    if all(player.strategy.compiled for player in lineup):
        from sim.kernel import Engine as Kernel

        engine: Engine = Kernel(rules, [lineup], 1, SEED, name)
        return engine
    return TwinEngine(rules, [lineup], 1, SEED, name)


def settings(strategy: Strategy) -> list[Player]:
    """Return players with the parameters at their defaults, all lowest, and all highest."""
    kinds = {p.name: int if p.whole else float for p in strategy.parameters}
    low = {p.name: kinds[p.name](p.low) for p in strategy.parameters}
    high = {p.name: kinds[p.name](p.high) for p in strategy.parameters}
    return list(dict.fromkeys(strategy.bind(values) for values in (None, low, high)))


def _lineup(player: Player, players: int, number: int) -> list[Player]:
    """Return a table of `player` alone, or with others who play at random."""
    others = player if number % 2 else catalogue()["random"].bind()
    lineup = [player] + [others] * (players - 1)
    return lineup[-number % players :] + lineup[: -number % players]


def _plays(strategy: Strategy, games: int, watch: Watch) -> tuple[int, int, float]:
    """Play everything once; return games, turns and seconds.

    Raises:
        WorkerFailed: a game could not be played to its end.
    """
    played = turns = 0
    seconds = 0.0
    for number, rules in enumerate(rule_sets()):
        for players in PLAYERS:
            for player in settings(strategy):
                engine = engine_for(rules, _lineup(player, players, number))
                start = time.perf_counter()
                rows = engine.play(0, games, watch)
                seconds += time.perf_counter() - start
                played += len(rows)
                turns += int(rows["turns"].sum())
    return played, turns, seconds


def _same_address(strategy: Strategy, games: int, watch: Watch) -> Finding:
    """Play the same games twice, the second time in another order, one by one."""
    check = "same address"
    deals = max(games, 3)
    for number, rules in enumerate(rule_sets()[:4]):
        lineup = _lineup(strategy.bind(), PLAYERS[number], number)
        first = engine_for(rules, lineup).play(0, deals, watch)
        engine = engine_for(rules, lineup)
        for deal in reversed(range(deals)):
            if not np.array_equal(engine.play(deal, 1, watch), first[deal : deal + 1]):
                return Finding(
                    False,
                    check,
                    f"deal {deal} of seed {SEED} was played otherwise after other games; a choice "
                    "may depend on the View alone, and chance is sim.sight.luck",
                )
    return Finding(True, check, "same play: twice, and in another order")


@dataclass(frozen=True)
class Asked:
    """A decision: what was shown, and what was chosen.

    Attributes:
        fields: the bytes of the View.
        moves: its list.
        chosen: the index.
        where: in which game, for messages.
    """

    fields: bytes
    moves: np.ndarray
    chosen: int
    where: str

    def again(self, choose: Choose, **changes: int) -> Any:
        """Show the same View, but for `changes`, at another place in memory; return the choice."""
        moves = np.full(len(self.moves) + JUNK, -1, MOVE)
        moves[: len(self.moves)] = self.moves
        view = np.frombuffer(self.fields, VIEW).copy()
        view["moves"] = moves.ctypes.data
        for name, value in changes.items():
            view[name] = value
        return choose(view.view(np.recarray)[0])


def _asked(strategy: Strategy, choose: Choose, watch: Watch) -> list[Asked]:
    """Play a game of each rule set on the twin, and keep every decision of the strategy."""
    found: list[Asked] = []
    for number, rules in enumerate(rule_sets()):
        players = PLAYERS[number % len(PLAYERS)]
        lineup = _lineup(strategy.bind(), players, number)
        engine = TwinEngine(rules, [lineup], 1, SEED, f"rules {number}, {players} players")
        noted = _noted(choose, engine.name, found)
        mine = [player.strategy is strategy for player in lineup]
        engine.choosers = [
            [noted if own else other for own, other in zip(mine, engine.choosers[0], strict=True)]
        ]
        engine.play(0, 1, watch)
    return found


def _noted(choose: Choose, where: str, found: list[Asked]) -> Choose:
    import ctypes

    def noted(view: Any) -> int:
        fields = view.tobytes()
        size = int(view["n_moves"]) * MOVE.itemsize
        moves = np.frombuffer(ctypes.string_at(int(view["moves"]), size), MOVE)
        chosen = choose(view)
        turn = f"{where}, round {view['round'] + 1}, turn {view['turn'] + 1}"
        found.append(Asked(fields, moves, chosen, turn))
        return chosen

    return noted


def _compare(
    asked: Sequence[Asked], choose: Callable[[Asked], Any], check: str, good: str, bad: str
) -> Finding:
    for one in asked:
        try:
            again: Any = choose(one)
        except Exception as fault:
            again = describe(fault)
        if again != one.chosen or not isinstance(again, int | np.integer):
            return Finding(False, check, f"{bad} ({one.where}: {one.chosen}, then {again})")
    return Finding(True, check, f"{len(asked):,} {good}")


def _by_its_view(asked: Sequence[Asked], choose: Choose) -> Finding:
    """Ask again outside all games, in another order: nothing hidden is there to be looked at."""
    return _compare(
        asked[::-1],
        lambda one: one.again(choose),
        "blind",
        "choices were the same with every hidden card taken away",
        "it chose otherwise when shown the same View with every hidden card taken away; a choice "
        "may depend on the View alone",
    )


def _in_plain_python(strategy: Strategy, asked: Sequence[Asked]) -> Finding:
    plain = plainly(strategy.choose)
    return _compare(
        asked,
        lambda one: one.again(plain),
        "well read",
        "choices were the same in plain Python, where every index is checked",
        "in plain Python it does otherwise; look for an index out of range, a choice that is no "
        "whole number, or numbers that overflow",
    )


def _without_unseen(asked: Sequence[Asked], choose: Choose) -> Finding:
    return _compare(
        asked,
        lambda one: one.again(choose, unseen=0),
        "unseen",
        "choices were the same without view.unseen, as uses_unseen=False says",
        "it looks at view.unseen; say so with uses_unseen=True, or memory would not reach it",
    )
