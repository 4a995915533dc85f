"""What a person should know of an experiment before it is played: what cannot act, and why.

Source: RULES.md, 2.4 and "Players as they are: memory and conduct".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sim.experiment import Experiment, Lineup
from sim.rules import Inert, Occurs, Rules, differences, inert_options
from sim.strategy import Player, catalogue


@dataclass(frozen=True)
class Note:
    """Something a person should know before running: an inert option, a line-up left out."""

    key: str
    text: str


def notes(experiment: Experiment) -> list[Note]:
    """List inert options and rates, for which variants and players, and line-ups left out."""
    inert: dict[tuple[Inert, tuple[int, ...]], list[str]] = {}
    for variant in experiment.variants:
        counts: dict[Inert, list[int]] = {}
        for players in experiment.players:
            occurring = what_occurs(one for one in experiment.lineups if one.fits(players))
            for option in inert_options(variant.rules, players, occurring):
                counts.setdefault(option, []).append(players)
        for option, where in counts.items():
            inert.setdefault((option, tuple(where)), []).append(variant.name)
    found = [
        Note(_named(names, len(experiment.variants)) + option.key, _is_inert(option, experiment, n))
        for (option, n), names in inert.items()
    ]
    for lineup in experiment.lineups:
        if missing := [n for n in experiment.players if not lineup.fits(n)]:
            found.append(
                Note(
                    f"line-up {lineup.name}",
                    f"seats {len(lineup.entries)}, so it is not played with {_listed(missing)}",
                )
            )
        found += _inert_rates(experiment, lineup)
    return found


def never_acting(
    options: Iterable[str],
    rule_sets: Iterable[Rules],
    players: Iterable[int],
    lineups: Sequence[Lineup],
) -> dict[str, list[str]]:
    """Return the options that act in no rule set, with no number of players, each with the reasons.

    Args:
        options: which; penalties as ``penalty.esun``. One always at its default is not told.
        rule_sets, players, lineups: all combinations of them are looked at.
    """
    occurring = {n: what_occurs(one for one in lineups if one.fits(n)) for n in players}
    reasons: dict[str, list[str]] = {option: [] for option in options}
    for rules in rule_sets:
        changed = {key for key, _, _ in differences(Rules(), rules)} & reasons.keys()
        for number, occurs in occurring.items():
            inert = {one.key: one.reason for one in inert_options(rules, number, occurs)}
            for key in changed & reasons.keys():
                if key not in inert:
                    del reasons[key]
                elif inert[key] not in reasons[key]:
                    reasons[key].append(inert[key])
    return {key: why for key, why in reasons.items() if why}


def what_occurs(lineups: Iterable[Lineup]) -> Occurs:
    """Return which kinds of imperfect play some player of these line-ups shows."""
    players = [player for lineup in lineups for player in lineup.entries]
    rates = [player.conduct for player in players]
    return Occurs(
        forgets=any(p.conduct.recall < 1 and p.strategy.uses_unseen for p in players),
        miscaptures=any(rate.miscapture for rate in rates),
        vigilant=any(rate.vigilance for rate in rates),
        challenges=any(rate.false_challenge for rate in rates),
        peeks=any(rate.peek for rate in rates),
        spies=any(rate.spy for rate in rates),
    )


def _inert_rates(experiment: Experiment, lineup: Lineup) -> Iterator[Note]:
    where: dict[tuple[str, str], list[str]] = {}
    for variant in experiment.variants:
        for place, player in enumerate(lineup.entries):
            others = lineup.entries[:place] + lineup.entries[place + 1 :] or (player,)
            for key, reason in inert_rates(player, others, variant.rules):
                names = where.setdefault((f"{key} of {player.strategy.name}", reason), [])
                if variant.name not in names:
                    names.append(variant.name)
    for (key, reason), names in where.items():
        variants = _named(names, len(experiment.variants))
        yield Note(f"{variants}line-up {lineup.name}: {key}", f"is inert: {reason}")


def inert_rates(
    player: Player, others: Iterable[Player], rules: Rules
) -> Iterator[tuple[str, str]]:
    """Yield the rates of a player that are set and cannot change any game, each with its reason.

    Args:
        player: whose rates.
        others: who sits at the other seats.
        rules: the rule set they play.
    """
    rates, name = player.conduct, player.strategy.name
    others = list(others)
    watched = any(other.conduct.vigilance for other in others)
    forgets = rates.recall < 1 and player.strategy.uses_unseen
    if rates.noise and player.strategy == catalogue()["random"]:
        yield "noise", f"{name} plays every turn at random"
    if rates.recall < 1 and not player.strategy.uses_unseen:
        yield "recall", f"{name} never uses what is unseen"
    if rates.vigilance and not any(_offends(other, rules) for other in others):
        yield "vigilance", "no other player miscaptures, peeks or spies"
    if rates.false_challenge and not rules.penalty.challenge:
        yield "false_challenge", "penalty.challenge is 0"
    if rates.peek and rules.isiwo:
        yield "peek", "Isiwo lets everybody look through their own captured pile"
    for key, looks in (("peek", rates.peek and not rules.isiwo), ("spy", rates.spy)):
        if looks and not forgets and not (watched and rules.penalty.peek):
            yield key, f"{name} forgets nothing that it uses, and nobody would make it pay"


def _offends(player: Player, rules: Rules) -> bool:
    rates = player.conduct
    return bool(rates.miscapture or rates.spy or (rates.peek and not rules.isiwo))


def _named(names: list[str], of: int) -> str:
    if len(names) == of:
        return "" if of == 1 else "every variant: "
    return f"{', '.join(names)}: "


def _is_inert(option: Inert, experiment: Experiment, players: tuple[int, ...]) -> str:
    everywhere = players == experiment.players
    where = "" if everywhere else f" with {_listed(players)} players"
    return f"is inert{where}: {option.reason}"


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(str(n) for n in numbers)
