"""Tune files: every mistake is told with its place and what to write; spaces and what they hold."""

import re
from pathlib import Path

import pytest

from sim.errors import UsageFault
from sim.experiment import load
from sim.goals import GOALS, AtMost, FairWithin, Minimise
from sim.rules import Rounds
from sim.tuning.document import Own
from sim.tuning.tune import load_tune

GOOD = """\
question: Which rules are fair?
players: [2, 3]
rules: {isiwo: true}
space:
  end: [{rounds: 3}, {rounds: 4}]
  yoruba: [false, true]
  yoruba_faces: [strict, pair]
  penalty.esun: [0, 2]
where:
  - never: {yoruba: false, yoruba_faces: pair}
goals:
  - fair_within: 0.01
  - {metric: tie_rate, at_most: 0.1}
  - {minimise: turns, smallest: 4}
lineups: {greedy: greedy, mixed: [greedy, saver]}
"""


@pytest.fixture
def read(tmp_path):
    def read(text=GOOD, *overrides):
        path = tmp_path / "t.yaml"
        path.write_text(text)
        return load_tune(path, overrides)

    return read


def test_the_space_is_every_combination_but_those_that_do_not_go_together(read):
    tune = read()
    found = {one.name: one.rules for one in tune.rule_sets()}
    assert len(found) == 12
    assert all(rules.yoruba or rules.yoruba_faces == "strict" for rules in found.values())
    assert all(rules.isiwo for rules in found.values())
    name = "end=rounds 4, yoruba=true, yoruba_faces=pair, penalty.esun=0"
    assert (found[name].end, found[name].penalty.esun) == (Rounds(rounds=4), 0)
    assert found[name].penalty.miscapture == 2


def test_goals_and_line_ups_are_read(read):
    tune = read()
    assert tune.goals == (
        FairWithin(fair_within=0.01),
        AtMost(metric="tie_rate", at_most=0.1),
        Minimise(minimise="turns", smallest=4),
    )
    assert [lineup.name for lineup in tune.base.lineups] == ["greedy", "mixed"]


def test_overrides_reach_every_key(read):
    tune = read(GOOD, "budget.games=5000", "seed=7")
    assert (tune.budget.games, tune.base.seed) == (5000, 7)
    assert tune.document["budget"] == {"games": 5000}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("fair_within: 0.01", "fair_within: 2", "t.yaml:12:18: goals[0].fair_within: found 2"),
        ("at_most: 0.1", "at_mots: 0.1", "t.yaml:13:5: goals[1]: "),
        ("tie_rate", "tie_rat", "goals[1].metric: found 'tie_rat' (did you mean tie_rate?)"),
        ("tie_rate", "win_share", "goals[1].metric: found 'win_share'"),
        ("yoruba: [false, true]", "yorubo: [false, true]", "space.yorubo: there is no such option"),
        ("[0, 2]", "[0, -1]", "space.penalty.esun[1]: found -1; allowed is at least 0"),
        ("[0, 2]", "[0, 0]", "space.penalty.esun[1]: found 0 twice"),
        ("faces: pair}", "faces: none}", "where[0].never.yoruba_faces: found none; the space has"),
        ("never: {yoruba:", "never: {jokers:", "where[0].never.jokers: the space does not vary it"),
        ("where:", "were:", "were: there is no such key (did you mean where?)"),
        ("at_most: 0.1", "at_least: 0, at_most: 0.1", "goals[1].at_most: cannot stand beside the"),
        ("isiwo: true", "yoruba: true", "t.yaml:3:9: rules.yoruba: space varies it too; keep one"),
        ("isiwo: true", "penalty: {esun: 1}", "rules.penalty.esun: space varies it too; keep one"),
        ("{metric: tie_rate, at_most: 0.1}", "fair_within: 0.01", "goals[1]: is there twice; keep"),
        ("lineups:", "budget: {games: 9, seconds: 9}\nlineups:", "budget.games: cannot stand"),
        ("{yoruba: false, yoruba_faces: pair}", "{}", "where[0].never: found {}; it needs one"),
        ("saver]", "svaer]", "lineups.mixed[1]: found 'svaer' (did you mean saver?)"),
        ("question: Which rules are fair?", "name: x", "question: is missing"),
    ],
)
def test_a_mistake_is_told_with_its_place(read, old, new, told):
    assert old in GOOD
    with pytest.raises(UsageFault) as fault:
        read(GOOD.replace(old, new))
    assert told in str(fault.value), str(fault.value)
    assert str(fault.value).count("t.yaml:") <= 2


def test_what_is_wrong_with_keys_and_with_players_is_told_at_once(read):
    with pytest.raises(UsageFault) as fault:
        read(GOOD.replace("where:", "were:").replace("saver]", "svaer]"))
    assert "were: there is no such key" in str(fault.value)
    assert "lineups.mixed[1]: found 'svaer'" in str(fault.value)


def test_a_preset_is_where_the_space_starts_from(read):
    found = read(GOOD.replace("isiwo: true", "preset: professional, penalty: {peek: 5}"))
    assert {one.rules.esun for one in found.rule_sets()} == {True}
    assert {one.rules.penalty.peek for one in found.rule_sets()} == {5}


def test_an_override_of_what_the_space_varies_is_refused(read):
    with pytest.raises(UsageFault, match=r"--set rules\.yoruba.*space varies it too"):
        read(GOOD, "rules.yoruba=true")


def test_a_space_with_nothing_left_is_refused(read):
    with pytest.raises(UsageFault, match="leaves no rule set"):
        read(
            GOOD.replace("{yoruba: false, yoruba_faces: pair}", "{end: [{rounds: 3}, {rounds: 4}]}")
        )


def test_a_space_that_takes_long_to_list_is_refused(read):
    many = ", ".join(f"{{rounds: {n}}}" for n in range(1, 1001))
    text = GOOD.replace("[{rounds: 3}, {rounds: 4}]", f"[{many}]")
    text = text.replace("[0, 2]", f"{list(range(300))}")
    with pytest.raises(UsageFault, match="space: is more than 1,000,000 combinations"):
        read(text)


def test_run_says_what_a_tune_is_for(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(GOOD)
    with pytest.raises(UsageFault, match="play it with sim tune"):
        load(path)


def test_the_page_of_documentation_holds_a_tune_and_tells_every_key_and_goal(tmp_path):
    page = Path(__file__).parents[1].joinpath("docs/tuning.md").read_text()
    path = tmp_path / "t.yaml"
    path.write_text(re.findall(r"```yaml\n(.*?)```", page, re.S)[0])
    assert len(list(load_tune(path).rule_sets())) == 18
    for word in (*Own.model_fields, *GOALS):
        assert f"`{word}`" in page or f"{word}:" in page
