"""What cannot differ differs by exactly 0, and is told as exactly equal: whole runs, no tolerance.

Smallest defect caught: one card more or less to any seat in any of the games.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from sim.conduct import Conduct
from sim.kernel import Engine
from sim.notes import notes
from sim.rules import PRESETS, Rules
from sim.stats.blocks import Blocks, block_table, by_cell
from sim.stats.estimates import Estimate, Method, State, contrast, estimate
from sim.stats.metrics import BY_NAME, METRICS, PAIR_METRICS
from sim.stats.metrics.fairness import seat_advantages
from sim.stats.metrics.skill import beats
from sim.stats.pairs import pair_blocks
from sim.store import Run
from sim.strategy import catalogue
from tests.runs import one_cell, played

FORGETFUL = "{strategy: %s, with: {recall: 0.5}}"
WATCHFUL = "{strategy: random, with: {vigilance: 0.5}}"
CARELESS = "{strategy: random, with: {miscapture: 0.5}}"
PEEKING = "{strategy: random, with: {peek: 0.5}}"
QUARRELSOME = "{strategy: random, with: {false_challenge: 0.5}}"


@dataclass(frozen=True)
class Case:
    """An option of RULES.md, 2.4, where it cannot act.

    Attributes:
        option: set by the second variant.
        players: how many.
        lineup: who plays.
        rules: of both variants.
    """

    option: str
    players: int = 2
    lineup: str = "random"
    rules: str = "{}"

    def __str__(self) -> str:
        return f"{self.option} {self.players} {self.lineup} {self.rules}"

    def runs(self, folder: Path) -> tuple[Run, Run]:
        """Play without and with the option: apart, for one run would share equal games."""
        off, on = self.asked("without", ""), self.asked("with", self.option)
        return played(folder, off, out="off").run, played(folder, on, out="on").run

    def asked(self, name: str, option: str) -> str:
        """The experiment of one variant, with `option` set."""
        return f"""\
question: Does it do anything?
players: {self.players}
rules: {self.rules}
variants:
  {name}: {{{option}}}
lineups:
  them: {self.lineup}
games: 256
"""


INERT = [
    *(Case("leftover: table", players) for players in (2, 3, 4)),
    *(Case("single_deal: true", players, rules="{jokers: 2}") for players in (3, 4)),
    *(Case("single_deal: true", 2, rules=f"{{jokers: {jokers}}}") for jokers in (0, 1)),
    Case("yoruba_faces: pair", 3),
    Case("yoruba_joker: distinct", 3, rules="{jokers: 2}"),
    Case("yoruba_joker: distinct", 3, rules="{yoruba: true}"),
    Case("esun_unclaimed: discard"),
    Case("penalty: {esun: 9}"),
    Case("isiwo: true", lineup="cautious"),
    Case("isiwo: true", lineup=FORGETFUL % "greedy"),
    Case("penalty: {miscapture: 9}", lineup=WATCHFUL),
    Case("penalty: {miscapture: 9}", lineup=CARELESS),
    Case("penalty: {challenge: 9}", lineup=f"[{CARELESS}, {WATCHFUL}]"),
    Case("penalty: {peek: 9}", lineup=f"[{CARELESS}, {WATCHFUL}]"),
    Case("penalty: {peek: 9}", lineup=PEEKING),
    Case("penalty: {peek: 9}", lineup=f"[{PEEKING}, {WATCHFUL}]", rules="{isiwo: true}"),
]
ALIVE = [
    Case("leftover: table", 5),
    Case("single_deal: true", 2, rules="{jokers: 2}"),
    Case("yoruba_faces: pair", rules="{yoruba: true}"),
    Case("yoruba_joker: distinct", rules="{yoruba: true, jokers: 2}"),
    Case("esun_unclaimed: discard", rules="{esun: true}"),
    Case("penalty: {esun: 9}", rules="{esun: true}"),
    Case("isiwo: true", lineup=FORGETFUL % "cautious"),
    Case("penalty: {miscapture: 9}", lineup=f"[{CARELESS}, {WATCHFUL}]"),
    Case("penalty: {challenge: 9}", lineup=QUARRELSOME),
    Case("penalty: {peek: 9}", lineup=f"[{PEEKING}, {WATCHFUL}]"),
]
"""The same options where they act: a run that ignored the option would pass for inert."""


def differences(off: Run, on: Run) -> dict[str, Estimate]:
    """Every metric of the second run minus the first, for each seat, role or player."""
    without, with_it = (by_cell(run.blocks(), run.cells)[0] for run in (off, on))
    return {
        f"{metric.name} {i}": contrast(with_it, without, metric, i)
        for metric in METRICS
        for i in range(len(metric.parts(without.players)))
    }


def by_game(off: Run, on: Run) -> dict[str, Estimate]:
    """The metrics of pairs of games."""
    blocks = pair_blocks(pl.concat(on.games()), pl.concat(off.games()), on.cells[0])
    assert blocks.columns["games"].sum() == off.cells[0].games
    return {metric.name: estimate(blocks, metric) for metric in PAIR_METRICS}


def told_exact(found: Estimate) -> bool:
    return found.state is State.UNDEFINED or (
        (found.value, found.se, found.low) == (0.0, 0.0, None) and found.state is State.EXACT
    )


@pytest.mark.parametrize("case", INERT, ids=str)
def test_an_inert_option_changes_nothing(case: Case, tmp_path: Path) -> None:
    """2.4: "An option that is set but cannot act in an experiment is inert"."""
    runs = case.runs(tmp_path)
    name = case.option.replace(": {", ".").partition(":")[0]
    told = {note.key: note.text for note in notes(runs[1].experiment)}
    assert told[name].startswith("is inert")
    own, other = differences(*runs), by_game(*runs)
    if "isiwo_turns" in exempt(case):
        counted = {f"{name} 0" for name in exempt(case)}
        assert all(own[name].value > 0 for name in counted)
        own = {name: found for name, found in own.items() if name not in counted}
        assert all(
            told_exact(found) or (found.value, found.method) == (0, Method.NO_CHANGE_SEEN)
            for found in own.values()
        )
        del other["activation"]
    else:
        assert all(map(told_exact, own.values()))
    assert {found.value for found in other.values()} == {0.0}


def exempt(case: Case) -> set[str]:
    """What an inert option changes by its definition: whether Isiwo alone shows a card."""
    forgotten = "isiwo" in case.option and "recall" in case.lineup
    return {"isiwo_turns", "isiwo_games"} if forgotten else set()


@pytest.mark.parametrize("case", ALIVE, ids=str)
def test_the_same_option_acts_where_it_can(case: Case, tmp_path: Path) -> None:
    runs = case.runs(tmp_path)
    assert by_game(*runs)["activation"].value > 0
    assert not all(map(told_exact, differences(*runs).values()))


def test_every_option_that_can_be_inert_is_tried_both_ways() -> None:
    """2.4 names ten options."""
    tried = [{case.option for case in cases} for cases in (INERT, ALIVE)]
    assert tried[0] == tried[1] and len(tried[0]) == 10


@pytest.mark.parametrize("preset", PRESETS)
def test_identical_rule_sets_under_two_names_are_exactly_equal(preset: str, tmp_path: Path) -> None:
    case = Case(
        "", 3, f"[{CARELESS}, {WATCHFUL}, {FORGETFUL % 'cautious'}]", f"{{preset: {preset}}}"
    )
    runs = case.runs(tmp_path)
    assert all(map(told_exact, differences(*runs).values()))
    assert {found.value for found in by_game(*runs).values()} == {0.0}


def against_itself(players: int, hand_rotations: int) -> Blocks:
    """Greedy in every seat; the first named forgets what it never uses, so it is seated apart."""
    greedy = catalogue()["greedy"]
    lineup = [greedy.bind({}, Conduct(recall=0.5)), *[greedy.bind()] * (players - 1)]
    rules = Rules(jokers=2, rest="last_to_capture")
    cell = one_cell(rules, lineup, hand_rotations=hand_rotations, block_deals=2, blocks=64)
    assert len(cell.seatings) == players
    games = Engine(rules, cell.seatings, hand_rotations, 1960).play(0, 128)
    return by_cell(pl.DataFrame(block_table(games, cell, 0)), [cell])[0]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("turned", [False, True])
def test_a_strategy_is_worth_nothing_against_itself_over_all_rotations(
    players: int, turned: bool
) -> None:
    """In every deal each player sits everywhere once: so all have the same, whatever the cards."""
    own = against_itself(players, players if turned else 1)
    for a in range(players):
        for name in ("player_win_share", "player_points", "restricted_play"):
            found = estimate(own, BY_NAME[name], a)
            first = estimate(own, BY_NAME[name], 0)
            assert found.value == first.value
        assert estimate(own, BY_NAME["player_win_share"], a).value == 1 / players
        assert estimate(own, BY_NAME["restricted_play"], a).value == 0
        for b in range(players):
            found = beats(own, a, b)
            assert (found.value, found.state, found.low) == (0.0, State.CONSTANT, None)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_what_seats_gain_others_lose(players: int) -> None:
    """Sum over seats of (win share - 1/n) is 0: in every block, as whole numbers."""
    own = against_itself(players, 1)
    gained = sum(
        own.weighted(part.numerator) for part in BY_NAME["seat_advantage_wins"].parts(players)
    )
    assert not gained.any()  # type: ignore[union-attr]
    assert any(seat.varies for seat in seat_advantages(own))
