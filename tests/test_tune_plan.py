"""What a tune will take: told, and refused where it must be, before any of it is played."""

import json

import pytest

from sim.commands.tune import cannot_act, forecast
from sim.goals import StopAtGoals
from sim.tuning import directory
from sim.tuning import plan as planning
from sim.tuning.plan import FRESH_DEAL, exploration, plan, proof
from sim.tuning.tune import load_tune
from tests.runs import said

ASKED = """\
question: Which rules make for many changes of the lead?
players: 2
space:
  rest: [nobody, last_to_play]
  leftover: [unused, table]
  jokers: [0, 2]
  end: [{rounds: 1}, {rounds: 2}]
goals: [{maximise: lead_changes, smallest: 4}]
lineups: {greedy: greedy, saver: saver}
budget: {games: 2000000}
"""


@pytest.fixture
def read(tmp_path):
    def read(text=ASKED, *overrides):
        path = tmp_path / "t.yaml"
        path.write_text(text)
        return load_tune(path, overrides)

    return read


def test_a_huge_space_is_forecast_and_refused_before_any_work(tmp_path):
    path = tmp_path / "huge.yaml"
    levels = {
        "penalty.esun": list(range(10)), "penalty.peek": list(range(10)),
        "penalty.challenge": list(range(10)), "penalty.miscapture": list(range(10)),
        "end": [{"rounds": n} for n in range(1, 11)],
    }  # fmt: skip
    document = {"question": "All?", "space": levels, "goals": [{"fair_within": 0.01}]}
    path.write_text(json.dumps(document))
    told = said("tune", path, "--out", tmp_path / "out", code=2)
    assert "100,000 rule sets" in told and "--yes" in told
    assert "games" in told and " s with " in told and " MB" in told
    assert not (tmp_path / "out").exists()


def test_what_of_a_space_cannot_act_is_told_before_it_is_played(read):
    """Two players leave cards over with two jokers alone, and then a joker's reading acts too.

    Of 32 rule sets one plays without jokers, four play with them.
    """
    tune = read(
        """\
question: Fair?
players: 2
space:
  leftover: [unused, table]
  isiwo: [false, true]
  penalty.esun: [2, 10]
  yoruba: [true]
  jokers: [0, 2]
  yoruba_joker: [exempt, distinct]
goals: [{fair_within: 0.01}]
lineups: {greedy: greedy, careless: {strategy: greedy, with: {noise: 0.1}}}
budget: {games: 40000}
"""
    )
    told = list(cannot_act(tune, plan(tune, 2)))
    assert [line.split(" is inert: ")[0] for line in told[:2]] == ["isiwo", "penalty.esun"]
    assert told[1:] == [
        "penalty.esun is inert: Esun is off, so no piles are built",
        "27 rule sets share the games of another, from which nothing that acts differs",
    ]


def test_a_factorial_is_chosen_where_it_fits_and_says_so(read):
    tune = read()
    found = plan(tune, 2)
    assert found.method == "factorial"
    stop = exploration(tune, found).stop
    assert isinstance(stop, StopAtGoals)
    per_block = found.per_deal * found.block_deals
    assert stop.blocks * per_block * found.rule_sets <= found.explored


@pytest.mark.parametrize("rest", ["nobody", "nobody, last_to_play"])
def test_one_is_one_and_two_are_two(read, rest):
    tune = read(
        f"question: Fair?\nplayers: 3\nspace: {{rest: [{rest}]}}\ngoals: [{{fair_within: 0.1}}]\n"
        "lineups: {greedy: greedy}\n"
    )
    told = "\n".join(forecast(tune, plan(tune, 2), 1))
    assert "3 players, 1 line-up: " in told and "with 1 worker on" in told
    if rest == "nobody":
        assert "\n1 rule set, " in told and ": 1 cell;" in told
    else:
        assert "\n2 rule sets, " in told and ": 2 cells;" in told


def test_seconds_become_games_that_are_kept(read, tmp_path):
    tune = read(ASKED.replace("games: 2000000", "seconds: 20"))
    found = plan(tune, 2)
    assert found.games > 10_000
    directory.begin(tmp_path / "out", tune, found)
    assert directory.begun(tmp_path / "out", tune, resume=True) == found


@pytest.mark.parametrize("values", ["[nobody]", "[nobody, last_to_play]"])
def test_few_rule_sets_leave_room_for_fresh_deals(read, monkeypatch, values):
    """A fifth of the games is little where one rule set explores: never more than the budget."""
    text = (
        f"question: Fair?\nspace: {{rest: {values}}}\ngoals: [{{fair_within: 0.01}}]\n"
        "lineups: {greedy: greedy}\n"
    )
    tune = read(text)
    pilot = planning._play(tune, len(list(tune.chosen())))
    monkeypatch.setattr(planning, "_play", lambda *_: pilot)
    for games in (45, 799, 900, 1_000, 16_000, 17_000, 25_000, 300_000):
        tune = read(text, f"budget.games={games}")
        found = plan(tune, 2)
        assert found.too_small == (games < found.least)
        if not found.too_small:
            asked = exploration(tune, found)
            names = [one.name for one in asked.variants]
            fresh = proof(asked, found, names, found.explored)
            assert found.explored + fresh.stop.budget <= games
    few, enough = (plan(read(text, f"budget.games={n}"), 2) for n in (799, 800))
    assert few.too_small and not enough.too_small


def test_an_exploration_never_reaches_the_fresh_deals(read):
    tune = read(
        "question: Fair?\nspace: {rest: [nobody]}\ngoals: [{fair_within: 0.00002}]\n"
        "lineups: {greedy: greedy}\nbudget: {games: 1000000000000}\n"
    )
    found = plan(tune, 2)
    assert found.needed * found.block_deals > FRESH_DEAL >= found.blocks * found.block_deals
