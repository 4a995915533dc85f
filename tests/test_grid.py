"""Grids: rule options and keys of players, every combination, and what is wrong at its place."""

import pytest

from sim.errors import UsageFault
from sim.experiment import load

BASE = """\
question: What penalty makes cheating not pay?
players: [2, 3]
lineups:
  honest: greedy
  one.two: [{strategy: greedy, with: {vigilance: 0.5}}, greedy]
"""


@pytest.fixture
def read(tmp_path):
    def read(text, *overrides):
        path = tmp_path / "asked.yaml"
        path.write_text(BASE + text)
        return load(path, overrides)

    return read


def rates(experiment, rate):
    return {
        lineup.name: [getattr(player.conduct, rate) for player in lineup.entries]
        for lineup in experiment.lineups
    }


def test_a_factor_of_a_lineup_makes_a_lineup_of_each_value_and_leaves_the_others(read):
    found = rates(read("factors: {lineups.honest.with.recall: [0.5, 1]}\n"), "recall")
    assert found == {"honest, recall=0.5": [0.5], "honest, recall=1": [1], "one.two": [1, 1]}


def test_a_place_means_one_player_and_none_means_all(read):
    one = read("factors: {lineups.one.two.0.with.miscapture: [0.1]}\n")
    assert rates(one, "miscapture")["one.two, 0.with.miscapture=0.1"] == [0.1, 0]
    assert rates(one, "vigilance")["one.two, 0.with.miscapture=0.1"] == [0.5, 0]
    both = read("factors: {lineups.one.two.with.miscapture: [0.1]}\n")
    assert rates(both, "miscapture")["one.two, miscapture=0.1"] == [0.1, 0.1]


def test_factors_of_rules_and_of_players_are_crossed(read):
    found = read(
        "factors: {penalty.miscapture: [0, 2], lineups.honest.with.miscapture: [0, 0.1], "
        "lineups.honest.with.vigilance: [0, 1], yoruba: [false, true]}\n"
    )
    assert [variant.name for variant in found.variants] == [
        "penalty.miscapture=0, yoruba=false",
        "penalty.miscapture=0, yoruba=true",
        "penalty.miscapture=2, yoruba=false",
        "penalty.miscapture=2, yoruba=true",
    ]
    assert [lineup.name for lineup in found.lineups] == [
        "honest, miscapture=0, vigilance=0",
        "honest, miscapture=0, vigilance=1",
        "honest, miscapture=0.1, vigilance=0",
        "honest, miscapture=0.1, vigilance=1",
        "one.two",
    ]


def test_strategies_and_parameters_are_keys_of_players_too(read):
    found = read("factors: {lineups.honest.strategy: [greedy, cautious]}\n")
    assert [str(lineup.entries[0]) for lineup in found.lineups[:2]] == ["greedy", "cautious"]


def test_variants_and_factors_of_players_go_together(read):
    found = read("variants: {a: {}, b: {jokers: 1}}\nfactors: {lineups.honest.with.recall: [0]}\n")
    assert (len(found.variants), len(found.lineups)) == (2, 2)


def test_a_factor_can_be_set_from_the_command_line(read):
    found = read("", "factors.lineups.honest.with.recall=[0.25]")
    assert rates(found, "recall")["honest, recall=0.25"] == [0.25]


REFUSED = {
    "lineups.honset.with.recall: [1]": "lineups.honset.with.recall: there is no such line-up",
    "lineups.honest.with.recal: [1]": "there is no rate 'recal'",
    "lineups.honest.with.recall: [1, 2]": "factors.lineups.honest.with.recall[1]: 2 is not allowed",
    "lineups.honest.depth: [1]": "greedy has no such parameter",
    "lineups.one.two.2.with.recall: [1]": "found place 2; the players of one.two are counted",
    "lineups.one.two.1: [greedy]": "names no key of the player",
    "lineups.honest.with.recall: [1, 1]": "found 1 twice",
    "lineups.honest.with.recall: []": "found no values",
    "players: [2, 3]": "players are crossed with everything anyway; write players: beside",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_at_its_place(read, text):
    with pytest.raises(UsageFault) as fault:
        read(f"factors: {{{text}}}\n")
    assert REFUSED[text] in str(fault.value)


def test_of_two_lineups_that_a_factor_could_mean_it_means_the_longer_name(tmp_path):
    path = tmp_path / "asked.yaml"
    path.write_text(
        "question: q\nlineups: {a: greedy, a.b: greedy}\nfactors: {lineups.a.b.with.recall: [0]}\n"
    )
    assert [lineup.name for lineup in load(path).lineups] == ["a", "a.b, recall=0"]
