"""What holds for every row of a game, whoever wrote it: cards kept, points counted, ends obeyed.

Source: RULES.md, "The order of things"; `sim.columns` says what each number counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.columns import SIXTIETHS
from sim.rules import FirstTo, Rules, round_plan
from sim.view import SEATS


def broken_fact(rules: Rules, players: int, rows: np.ndarray) -> str | None:
    """Return the first fact that some row of `rows` (of `sim.columns.GAME`) breaks, or None."""
    for fact, holds in _facts(rules, players, rows):
        if not np.all(holds):
            return f"not every row holds that {fact}"
    return None


def _facts(rules: Rules, players: int, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    yield from _counts(rules, players, rows)
    yield from _offences(rules, rows)
    yield from _cards(rules, players, rows)
    yield from _rest(rules, players, rows)
    yield from _end(rules, players, rows)


def _best(scores: np.ndarray) -> np.ndarray:
    """Return the mask of the seats with the most, of scores of shape (rows, players)."""
    return ((scores == scores.max(axis=1, keepdims=True)) << np.arange(scores.shape[1])).sum(axis=1)


def _counts(rules: Rules, players: int, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    by_seat = [name for name in rows.dtype.names if rows.dtype[name].shape == (SEATS,)]
    points = rows["taken"] + rows["captures"] + rows["rest"] - rows["penalties"]
    yield "points are cards less penalties", rows["points"] == points
    yield "seats not in play hold 0", np.array([rows[n][:, players:].any() for n in by_seat]) == 0
    yield (
        "what the roles earned is what the seats have",
        rows["role_points"].sum(axis=1) == rows["points"].sum(axis=1),
    )
    yield "a sweep is a capture", rows["sweeps"] <= rows["captures"]
    yield "a joker captures once", rows["joker_captures"] <= rules.jokers * rows["rounds"]
    yield "a game is decided by its last turn", rows["decided"] <= rows["turns"]
    yield "the lead changes at a turn", rows["lead_changes"] <= rows["turns"]


def _offences(rules: Rules, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    of = {"esun": "unclaimed", "miscapture": "caught", "challenge": "false_challenges"}
    of["peek"] = "noticed"
    paid = {offence: rows[f"penalties_{offence}"] for offence in of}
    yield "penalties are for four offences", rows["penalties"] == sum(paid.values())
    for offence, counted in of.items():
        each = getattr(rules.penalty, offence)
        yield f"{counted} cost penalty.{offence} each", paid[offence] == each * rows[counted]
    yield "only miscaptures are caught", rows["caught"] <= rows["miscaptures"]
    yield "only looks are noticed", rows["noticed"] <= rows["peeks"] + rows["spyings"]
    yield "nobody peeks under Isiwo", (rows["peeks"] == 0) | (not rules.isiwo)
    piles = sum(rows[name].sum(axis=1) for name in ("piles_own", "piles_others", "unclaimed"))
    cut = rows["rounds_won"].sum(axis=1) < SIXTIETHS * rows["rounds"]
    yield "a pile built is captured or unclaimed", cut | (piles == rows["built"].sum(axis=1))
    yield "no pile is captured that was not built", piles <= rows["built"].sum(axis=1)


def _cards(rules: Rules, players: int, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    plan = round_plan(rules, players)
    complete = rows["rounds_won"].sum(axis=1) // SIXTIETHS
    yield "a complete round is won once", rows["rounds_won"].sum(axis=1) % SIXTIETHS == 0
    won = (rows["points"] + rows["penalties"]).sum(axis=1)
    there = won + rows["left"] + rows["unused"] + rows["discarded"]
    whole = complete == rows["rounds"]
    yield "no card is lost or doubled", ~whole | (there == (52 + rules.jokers) * rows["rounds"])
    yield "no card is doubled in a round cut short", there <= (52 + rules.jokers) * rows["rounds"]
    yield "at most the last round is cut short", rows["rounds"] - complete <= 1
    turns = plan.turns * players
    yield "every card dealt is played", ~whole | (rows["turns"] == turns * rows["rounds"])
    yield (
        "a round cut short has fewer turns",
        (rows["turns"] > turns * (rows["rounds"] - 1)) & (rows["turns"] <= turns * rows["rounds"]),
    )
    unused = plan.leftover if rules.leftover == "unused" else 0
    yield "leftover cards go where the rule says", rows["unused"] == unused * rows["rounds"]
    thrown = rules.esun and rules.esun_unclaimed == "discard"
    yield "only unclaimed piles are discarded", thrown | (rows["discarded"] == 0)


def _rest(rules: Rules, players: int, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    if rules.rest == "nobody":
        yield "nobody gets the rest", rows["rest"] == 0
    if rules.rest == "last_to_play":
        yield "the last to play gets the rest", rows["left"] == 0
        dealt = (np.arange(SEATS) + 1) % players < rows["rounds"][:, None]
        yield "the last to play is a dealer", dealt | (rows["rest"] == 0)
    if rules.rest == "last_to_capture":
        yield "who gets the rest has captured", (rows["captures"] > 0) | (rows["rest"] == 0)
        yield (
            "the rest is left where nobody captured",
            ((rows["left"] == 0) | (rows["captures"].sum(axis=1) == 0) | (rows["rounds"] > 1)),
        )


def _end(rules: Rules, players: int, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    end = rules.end
    points, rounds_won = rows["points"][:, :players], rows["rounds_won"][:, :players]
    first = rows["first_leaders"] > 0
    yield "somebody leads after round 1", first | (rounds_won.sum(axis=1) == 0)
    if not isinstance(end, FirstTo):
        yield "the game is a number of rounds", rows["rounds"] == end.rounds
        yield "it has no target to miss", rows["unfinished"] == 0
        yield "most points wins, and equal points share", rows["winners"] == _best(points)
        return
    in_cards = end.unit == "cards"
    score, target = (points, end.first_to) if in_cards else (rounds_won, end.first_to * SIXTIETHS)
    missed = rows["unfinished"] == 1
    there = ((score >= target) << np.arange(players)).sum(axis=1)
    yield "who has reached the target wins", missed | ((rows["winners"] == there) & (there > 0))
    yield "a target missed is reached by nobody", ~missed | (there == 0)
    yield "max_rounds are played before it is missed", ~missed | (rows["rounds"] == end.max_rounds)
    yield "then the most wins, and equals share", ~missed | (rows["winners"] == _best(score))
    yield "there are no more rounds than max_rounds", rows["rounds"] <= end.max_rounds
