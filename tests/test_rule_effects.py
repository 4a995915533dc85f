"""What a run says of each rule: against its rows in pandas, its cells' numbers, and its words."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import sim
from reports import alone, factors, opening, report
from reports.material import Material
from reports.options import NAMES
from sim.answers.factors import RuleEffects, means_of, options_of, robust, rule_effects
from sim.answers.findings import Findings
from sim.answers.switched import switched
from sim.commands import show
from sim.errors import UsageFault
from sim.rules import Rules
from sim.stats.estimates import State, estimate
from sim.stats.metrics import BY_NAME, PAIR_METRICS
from sim.store import Run
from tests.report_oracle import Games, compared, read
from tests.runs import played

GRID = """\
question: Which rule matters most?
players: [2, 3]
factors:
  rest: [nobody, last_to_play, last_to_capture]
  yoruba: [false, true]
  leftover: [unused, table]
lineups: {greedy: greedy, mixed: [random, greedy], saver: saver}
games: 400
"""
HOLES = """\
question: What do rest and Yoruba rules do?
players: 2
variants:
  plain: {}
  rest: {rest: last_to_play}
  yoruba: {yoruba: true}
  both: {rest: last_to_play, yoruba: true}
  pairs: {rest: last_to_play, yoruba: true, yoruba_faces: pair}
  other: {jokers: 2, isiwo: true}
games: 600
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return played(tmp_path_factory.mktemp("grid"), GRID).run


@pytest.fixture(scope="module")
def found(run: Run) -> list[RuleEffects]:
    return rule_effects(Findings(run))


@pytest.fixture(scope="module")
def holes(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return played(tmp_path_factory.mktemp("holes"), HOLES).run


def test_effects_are_mean_differences_of_the_cells(run: Run, found: list[RuleEffects]) -> None:
    """Every change of every option in pandas, from the values that the API tells of cells."""
    values = sim.open(run.path).estimate().to_pandas()
    assert len(found) == 2 + 3 and all(own.full for own in found)
    for own in found:
        here = values.query("players == @own.setting.players and lineup == @own.setting.lineup")
        assert len(own.effects) == 3 + 1 + 1
        for effect in own.effects:
            (change,) = effect.changes
            after, before = (
                here[here["variant"].str.contains(f"{change.option}={json.loads(v)!s}", case=False)]
                for v in (change.after, change.before)
            )
            assert len(after) == len(before) == 12 // len(own.levels[change.option])
            difference = after["value"].mean() - before["value"].mean()
            assert effect.finding.estimate.value == pytest.approx(difference, abs=1e-12)


def test_an_option_that_cannot_act_is_exactly_nothing(found: list[RuleEffects]) -> None:
    """Two and three players get every card dealt, so `leftover` cannot act (RULES.md, 2.4)."""
    for own in found:
        for effect in (*own.effects, *own.interactions):
            exact = "leftover" in effect.options
            state = effect.finding.estimate.state
            assert (state is State.EXACT) == exact and (effect.size == 0) == exact
        assert own.ranking[-1].options == ("leftover",)
        assert own.shares is not None
        for kind in (own.shares.first, own.shares.total, own.shares.shapley):
            assert kind["leftover"].value == 0 and kind["leftover"].state is State.EXACT
        assert sum(s.value for s in own.shares.shapley.values()) == pytest.approx(1)


def test_the_ranking_has_the_largest_change_of_each_option(found: list[RuleEffects]) -> None:
    for own in found:
        sizes = [effect.size for effect in own.ranking]
        assert sizes == sorted(sizes, reverse=True)
        for effect in own.ranking:
            assert effect.size == max(e.size for e in own.effects if e.options == effect.options)


def test_intervals_of_one_number_of_players_are_one_family(found: list[RuleEffects]) -> None:
    for players, lineups in ((2, 3), (3, 2)):
        here = [own for own in found if own.setting.players == players]
        for kind in ("effects", "interactions"):
            every = [e.finding for own in here for e in getattr(own, kind)]
            every = [f for f in every if f.estimate.state is State.INTERVAL]
            assert {f.family for f in every} == {len(every)}
            by_blocks = itertools.groupby(
                sorted(every, key=lambda f: f.estimate.blocks), lambda f: f.estimate.blocks
            )
            assert len({own.setting.lineup for own in here}) == lineups
            for _, same in by_blocks:
                widths = [f.estimate.half_width / f.estimate.se for f in same]
                assert max(widths) == pytest.approx(min(widths)) and min(widths) > 2.2


def test_it_holds_in_as_many_lineups_as_have_its_sign(found: list[RuleEffects]) -> None:
    every = robust(found)
    assert {each.players for each in every} == {2, 3} and len(every) == 2 * 5
    for each in every:
        ends = [(e.finding.estimate.low, e.finding.estimate.high) for e in each.effects.values()]
        up = sum(low is not None and low > 0 for low, _ in ends)
        down = sum(high is not None and high < 0 for _, high in ends)
        assert each.robustness.holds == max(up, down)
        assert each.robustness.of == len(ends) == (3 if each.players == 2 else 2)


def test_switched_games_follow_from_the_rows_in_pandas(run: Run, found: list[RuleEffects]) -> None:
    """The share over all pairs of rule sets that differ in the option alone."""
    rows = read(run.path)
    stored = pd.read_parquet(run.path / "cells.parquet").set_index("cell")
    own = found[0]
    games = {
        cell.id: Games(rows[stored.loc[cell.id, "stored"]], cell.players, cell.block_deals)
        for cell in own.cells.values()
    }
    games_of = switched(run, own)
    assert list(games_of) == [effect.options[0] for effect in own.ranking]
    for effect in own.ranking:
        for metric in PAIR_METRICS:
            mine = estimate(games_of[effect.options[0]], metric).value
            theirs = [
                compared(games[on.id], games[off.id], metric.name)[0] for on, off in effect.corners
            ]
            assert mine == pytest.approx(sum(theirs) / len(theirs), rel=1e-9, abs=1e-12)


def test_means_are_those_of_the_cells(run: Run, found: list[RuleEffects]) -> None:
    own = found[0]
    interaction = own.largest_interactions[0]
    means = means_of(Findings(run), own, interaction)
    assert means.options == ("yoruba", "rest") or means.options == ("rest", "yoruba")
    at = {
        (a, b): each.estimate.value
        for a, row in zip(means.values[0], means.findings, strict=True)
        for b, each in zip(means.values[1], row, strict=True)
    }
    one, two = interaction.changes
    both = at[one.after, two.after] - at[one.before, two.after]
    alone = at[one.after, two.before] - at[one.before, two.before]
    assert interaction.finding.estimate.value == pytest.approx(both - alone)
    assert len(at) == 6


def test_another_metric_can_be_asked_for(run: Run) -> None:
    found = rule_effects(Findings(run), BY_NAME["margin"])
    assert {own.metric.name for own in found} == {"margin"}
    section = factors.build(Material(run), BY_NAME["margin"])
    assert section is not None and "for the margin" in section.lead
    assert section.lead[:60] in told(run.path, "factors", "--metric", "margin")
    with pytest.raises(UsageFault, match="seat_points is no single number"):
        told(run.path, "factors", "--metric", "seat_points")
    with pytest.raises(UsageFault, match=r"there is no metric 'margn'.*margin"):
        told(run.path, "factors", "--metric", "margn")
    with pytest.raises(UsageFault, match="--by goes with --metric NAME, and with no section"):
        told(run.path, "factors", "--metric", "margin", "--by", "players")


def told(*args: str | Path) -> str:
    """What `sim show` prints."""
    done = CliRunner().invoke(show.command, [*map(str, args)])
    if done.exception:
        raise done.exception
    return done.stdout


def test_a_space_with_holes_has_effects_but_no_shares(holes: Run) -> None:
    (own,) = rule_effects(Findings(holes))
    assert {effect.options: len(effect.corners) for effect in own.effects} == {
        ("rest",): 2, ("yoruba",): 2, ("yoruba_faces",): 1,
    }  # fmt: skip
    assert [effect.options for effect in own.interactions] == [("yoruba", "rest")]
    assert sorted(own.untold) == ["isiwo", "jokers"] and own.shares is None
    means = means_of(Findings(holes), own, own.interactions[0])
    assert all(len(each.asked.on) == 1 for row in means.findings for each in row)
    section = factors.build(Material(holes))
    assert section is not None
    words = str(section.parts[-1])
    assert "2 players, greedy: 6 of 32 combinations of the options are there" in words
    assert "No two rule sets differ in these alone: jokers, isiwo." in words
    with pytest.raises(UsageFault, match="needs all cells of a full factorial"):
        told(holes.path, "--metric", "factor_shares")


def test_numbers_of_players_are_never_mixed(found: list[RuleEffects]) -> None:
    for own in found:
        assert {cell.players for cell in own.cells.values()} == {own.setting.players}
        for effect in (*own.effects, *own.interactions):
            cells = {cell for corner in effect.corners for cell in corner}
            assert {(c.players, c.lineup) for c in cells} == {
                (own.setting.players, own.setting.lineup)
            }


def test_the_measures_tell_the_same(run: Run, found: list[RuleEffects]) -> None:
    data: dict[str, Any] = json.loads(told(run.path, "--metric", "interaction", "--json"))
    values = [e.finding.estimate.value for own in found for e in own.interactions]
    assert [each["value"] for each in data["estimates"]] == values
    assert data["estimates"][0]["what"].startswith("yoruba: true minus false × leftover: ")
    text = told(run.path, "--metric", "robustness")
    assert "of 3" in text and "3 players, all line-ups" in text


def test_shares_of_skill_and_cards_are_told_where_lineups_are_crossed(run: Run) -> None:
    """They add up to 1, and are those of the report (tests/test_report_numbers.py)."""
    data = json.loads(told(run.path, "--metric", "variance_shares", "--json"))
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for each in data["estimates"]:
        groups.setdefault((each["variant"], each["players"]), []).append(each)
    assert len(groups) == 12 * 2
    for shares in groups.values():
        assert [s["what"] for s in shares][:1] == ["skill, among greedy, saver"]
        assert sum(s["value"] for s in shares) == pytest.approx(1)


def test_the_section_says_first_which_rule_matters_most(run: Run) -> None:
    material = Material(run)
    section = factors.build(material)
    assert section is not None and factors in report.SECTIONS
    data = section.as_json()["tables"]
    assert list(data)[:3] == ["ranking", "switches", "interactions"] and "robustness" in data
    rows = data["ranking"]["rows"]
    assert len(rows) == 5 * 3 and all("variant" not in row[3] for row in rows)
    first = section.lead.partition(" matters most for the dealer advantage in wins")[0]
    assert first.lower() in {name.lower() for name in NAMES.values()}
    page = report.page(opening.opening(material), [section])
    assert page.count('id="figure-rules_') == 2 and 'id="figure-interaction_' in page


def test_a_run_of_one_option_has_no_such_section(tmp_path: Path) -> None:
    one = played(tmp_path, "question: q?\nfactors: {jokers: [0, 2]}\ngames: 200\n").run
    assert factors.build(Material(one)) is None
    assert len(rule_effects(Findings(one))) == 1


def test_every_option_has_a_name_for_people() -> None:
    assert set(NAMES) == set(options_of(Rules()))


INERT = "question: q?\nfactors: {leftover: [unused, table], esun_unclaimed: [release, discard]}\n"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (f"{INERT}games: 200\n", "No rule matters for the dealer advantage in wins."),
        (
            "question: q?\nfactors: {yoruba: [false, true], jokers: [0, 1]}\ngames: 2\n",
            "It is not yet known which rule matters most for the dealer advantage in wins.",
        ),
        (
            "question: q?\nfactors: {end: [{rounds: 1}, {rounds: 4}], jokers: [0, 1]}\n"
            "games: 400\nprimary: turns\n",
            "When the game ends matters most for the turns.",
        ),
    ],
    ids=["inert", "two games", "constant"],
)
def test_where_nothing_differs_or_little_was_played_it_says_so(
    tmp_path: Path, text: str, first: str
) -> None:
    section = factors.build(Material(played(tmp_path, text).run))
    assert section is not None and section.lead.startswith(first)
    for picture in section.figures:
        picture.draw()
    alone.show(section)
