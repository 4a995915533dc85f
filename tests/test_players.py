"""Players as they are written and stored: `with:`, its checks, and what of it cannot act."""

import json

import pytest

from sim.conduct import MEANINGS, PERFECT, Conduct
from sim.errors import UsageFault
from sim.experiment import Experiment, load
from sim.notes import notes
from tests.runs import said


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "asked.yaml"
        path.write_text(f"question: What happens?\nname: n\n{text}\n")
        return load(path)

    return read


def inert(read, players, rules=""):
    """Return the notes on the rates of a line-up `a`, as {"RATE of STRATEGY": reason}."""
    found = notes(read(f"{rules}\nlineups: {{a: {players}}}"))
    begin = "line-up a: "
    return {n.key.partition(begin)[2]: n.text for n in found if begin in n.key}


@pytest.mark.parametrize(
    ("player", "told"),
    [
        ("{strategy: greedy, with: {nose: 1}}", "lineups.a.with.nose: there is no rate 'nose'"),
        ("{strategy: greedy, with: {nose: 1}}", "(did you mean noise?)"),
        ("{strategy: greedy, with: {noise: 2}}", "lineups.a.with.noise: 2 is not allowed"),
        ("{strategy: greedy, with: {noise: -0.1}}", "noise is a number from 0 to 1"),
        ("{strategy: greedy, with: {noise: lots}}", "lineups.a.with.noise: 'lots' is not"),
        ("{strategy: greedy, with: {noise: true}}", "lineups.a.with.noise: True is not"),
        ("{strategy: greedy, with: 0.5}", "lineups.a.with: found 0.5; allowed is keys and"),
        ("[greedy, {strategy: greedy, with: {recall: 9}}]", "lineups.a[1].with.recall: 9"),
        ("{strategy: greedy, noise: 0.1}", "lineups.a.noise: is a rate of conduct; write with"),
        ("{strategy: gredy}", "lineups.a.strategy: found 'gredy' (did you mean greedy?)"),
    ],
)
def test_a_wrong_rate_is_refused_with_its_key_path(read, player, told):
    with pytest.raises(UsageFault) as fault:
        read(f"lineups: {{a: {player}}}")
    assert told in str(fault.value)


def test_rates_are_read_and_stored_when_they_are_not_the_default(read):
    text = "lineups: {a: {strategy: cautious, risk: 2, with: {noise: 0.05, recall: 1, spy: 0}}}"
    experiment = read(text)
    (player,) = experiment.lineups[0].entries
    assert player.conduct == Conduct(noise=0.05)
    assert str(player) == "cautious(risk=2, noise=0.05)"
    stored = json.loads(json.dumps(experiment.to_dict()))
    (written,) = stored["lineups"][0]["players"]
    assert written == {"strategy": "cautious", "risk": 2, "horizon": 1, "with": {"noise": 0.05}}
    assert Experiment.from_dict(stored) == experiment


def test_the_identity_changes_with_a_rate_and_not_with_a_default_one(read):
    plain = read("lineups: {a: greedy}").identity
    assert read("lineups: {a: {strategy: greedy, with: {}}}").identity == plain
    assert read("lineups: {a: {strategy: greedy, with: {recall: 1}}}").identity == plain
    assert read("lineups: {a: {strategy: greedy, with: {vigilance: 0.1}}}").identity != plain


def test_recall_is_inert_for_who_never_uses_what_is_unseen(read):
    found = inert(read, "[{strategy: greedy, with: {recall: 0.5}}, greedy]")
    assert found == {"recall of greedy": "is inert: greedy never uses what is unseen"}
    assert inert(read, "[{strategy: cautious, with: {recall: 0.5}}, greedy]") == {}


def test_noise_is_inert_for_random_alone(read):
    assert list(inert(read, "{strategy: random, with: {noise: 0.5}}")) == ["noise of random"]
    assert inert(read, "{strategy: beginner, with: {noise: 0.5}}") == {}


def test_vigilance_is_inert_where_nobody_else_offends(read):
    watcher = "{strategy: greedy, with: {vigilance: 1}}"
    assert list(inert(read, f"[{watcher}, greedy]")) == ["vigilance of greedy"]
    for rate in ("miscapture", "peek", "spy"):
        other = f"{{strategy: greedy, with: {{{rate}: 0.5}}}}"
        assert "vigilance of greedy" not in inert(read, f"[{watcher}, {other}]")
    peeker = "{strategy: greedy, with: {peek: 0.5}}"
    assert "vigilance of greedy" in inert(read, f"[{watcher}, {peeker}]", "rules: {isiwo: true}")
    alone = "{strategy: greedy, with: {vigilance: 1, miscapture: 0.1}}"
    assert inert(read, alone) == {}
    assert list(inert(read, f"[{alone}, random]")) == ["vigilance of greedy"]


def test_peeking_is_inert_under_isiwo_and_where_it_neither_helps_nor_costs(read):
    peeker = "{strategy: cautious, with: {peek: 0.5, recall: 0.5}}"
    watcher = "{strategy: greedy, with: {vigilance: 1}}"
    assert inert(read, f"[{peeker}, greedy]") == {}
    told = inert(read, f"[{peeker}, greedy]", "rules: {isiwo: true}")
    assert told["peek of cautious"].startswith("is inert: Isiwo lets everybody look")
    idle = "{strategy: greedy, with: {peek: 0.5}}"
    assert list(inert(read, f"[{idle}, greedy]")) == ["peek of greedy"]
    assert inert(read, f"[{idle}, {watcher}]") == {}
    free = inert(read, f"[{idle}, {watcher}]", "rules: {penalty: {peek: 0}}")
    assert list(free) == ["peek of greedy"]


def test_spying_acts_under_isiwo_too(read):
    spy = "{strategy: cautious, with: {spy: 0.5, recall: 0.5}}"
    assert inert(read, f"[{spy}, greedy]", "rules: {isiwo: true}") == {}
    assert list(inert(read, "[{strategy: greedy, with: {spy: 0.5}}, greedy]")) == ["spy of greedy"]


def test_false_challenges_are_inert_when_they_cost_nothing(read):
    text = "{strategy: greedy, with: {false_challenge: 0.5}}"
    assert inert(read, text) == {}
    found = inert(read, text, "rules: {penalty: {challenge: 0}}")
    assert found == {"false_challenge of greedy": "is inert: penalty.challenge is 0"}


def test_an_inert_rate_names_the_variants_where_it_is(read):
    text = (
        "variants: {a: {isiwo: true}, b: {}}\n"
        "lineups: {x: {strategy: cautious, with: {recall: 0.5, peek: 0.5}}}"
    )
    (note,) = [n for n in notes(read(text)) if "peek" in n.key]
    assert note.key == "a: line-up x: peek of cautious"


def test_conduct_wakes_the_rules_that_were_inert_without_it(read):
    rules = "rules: {isiwo: true, penalty: {miscapture: 5, challenge: 5, peek: 5}}\n"
    keys = {"isiwo", "penalty.miscapture", "penalty.challenge", "penalty.peek"}
    assert {n.key for n in notes(read(rules))} == keys
    rates = "recall: 0.5, miscapture: 0.1, vigilance: 0.5, false_challenge: 0.1, spy: 0.1"
    awake = read(f"{rules}lineups: {{a: {{strategy: cautious, with: {{{rates}}}}}}}")
    assert {n.key for n in notes(awake)} == set()


def test_every_rate_is_listed_with_its_meaning_and_default():
    told = said("list", "strategies")
    for name, meaning in MEANINGS.items():
        line = next(line for line in told.splitlines() if line.startswith(f"  {name}: "))
        assert f"{getattr(PERFECT, name):g} by default" in line
        assert meaning[1:] in line
