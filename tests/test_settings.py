"""Rules from what a person writes; every refusal says where, what was found, what is allowed."""

import pytest

from sim.errors import UsageFault
from sim.rules import PRESETS, FirstTo, Penalty, Rounds, Rules
from sim.settings import apply, flatten, options, overrides, parse_settings, preset


def rules_of(*texts, base=None):
    return apply(base or Rules(), parse_settings(texts), "--set ")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], Rules()),
        (["jokers=2", "yoruba=true"], Rules(jokers=2, yoruba=True)),
        (
            ["must_capture=most", "rest=last_to_play"],
            Rules(must_capture="most", rest="last_to_play"),
        ),
        (["penalty.esun=0", "penalty.peek=7"], Rules(penalty=Penalty(esun=0, peek=7))),
        (["end.rounds=3"], Rules(end=Rounds(rounds=3))),
        (["end.first_to=20"], Rules(end=FirstTo(first_to=20))),
        (
            ["end.unit=rounds", "end.first_to=3", "end.max_rounds=9"],
            Rules(end=FirstTo(first_to=3, unit="rounds", max_rounds=9)),
        ),
    ],
)
def test_settings_become_rules(texts, expected):
    assert rules_of(*texts) == expected


def test_settings_keep_what_they_do_not_name():
    base = Rules(penalty=Penalty(esun=9), end=FirstTo(first_to=40), isiwo=True)
    changed = rules_of("penalty.peek=1", "end.max_rounds=8", base=base)
    assert changed == Rules(
        penalty=Penalty(esun=9, peek=1), end=FirstTo(first_to=40, max_rounds=8), isiwo=True
    )
    assert rules_of("end.rounds=2", base=base).end == Rounds(rounds=2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("yorub=true", ["yorub: there is no such option", "did you mean yoruba?", "must_capture"]),
        ("penalty.esum=1", ["did you mean penalty.esun?"]),
        ("yoruba=yes", ["yoruba: found 'yes'", "true or false"]),
        ("yoruba=True", ["found 'True'"]),
        ("yoruba=1", ["found '1'"]),
        ("jokers=3", ["jokers: found '3'", "0 to 2"]),
        ("jokers=-1", ["found '-1'"]),
        ("jokers=02", ["found '02'"]),
        ("jokers=1.0", ["found '1.0'"]),
        ("jokers=٢", ["found '٢'"]),
        ("jokers=", ["found ''"]),
        ("rest=dealer", ["nobody or last_to_play or last_to_capture"]),
        ("penalty.esun=1001", ["0 to 1000"]),
        ("end.rounds=0", ["1 to 1000"]),
        ("penalty=2", ["no such option"]),
        ("jokers", ["OPTION=VALUE"]),
        ("=2", ["no such option"]),
    ],
)
def test_a_wrong_setting_is_refused_with_what_is_allowed(text, words):
    with pytest.raises(UsageFault) as refusal:
        rules_of(text)
    assert str(refusal.value).startswith("--set ")
    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["jokers=1", "jokers=2"], "set twice"),
        (["end.rounds=3", "end.first_to=3"], "contradict"),
        (["end.unit=rounds"], "needs end.first_to"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(texts, words):
    with pytest.raises(UsageFault, match=words):
        rules_of(*texts)


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"jokers": True}, "jokers: found True"),
        ({"jokers": "2"}, "found '2'"),
        ({"yoruba": 1}, "found 1"),
        ({"yoruba": None}, "found None"),
        ({"rest": ["nobody"]}, "found"),
        ({"penalty": 2}, "holds keys and values"),
        ({"penalty": {"esum": 2}}, "penalty.esum: there is no such option"),
        ({"penalty": {"esun": -1}}, "penalty.esun: found -1"),
        ({"penalty.esun": 1}, "penalty.esun: there is no such option; options are jokers"),
        ({"jokrs": 2}, "did you mean jokers?"),
    ],
    ids=str,
)
def test_wrong_keys_and_values_are_refused(mapping, words):
    with pytest.raises(UsageFault) as refusal:
        flatten(mapping, "here: ")
    assert str(refusal.value).startswith("here: ")
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    "rules",
    [
        *PRESETS.values(),
        Rules(penalty=Penalty(esun=0)),
        Rules(end=FirstTo(first_to=3, unit="rounds")),
        Rules(end=Rounds(rounds=1), must_capture="any"),
    ],
)
def test_overrides_lead_back_to_the_rules(rules):
    assert apply(Rules(), flatten(overrides(rules), "")) == rules


def test_overrides_name_only_what_differs():
    assert overrides(Rules(penalty=Penalty(esun=3), jokers=1)) == {
        "jokers": 1,
        "penalty": {"esun": 3},
    }


def test_presets_go_by_name():
    assert preset("professional") == Rules(esun=True, isiwo=True)
    with pytest.raises(UsageFault, match=r"'casul' \(did you mean casual\?\); presets are default"):
        preset("casul")


def test_every_key_of_the_rules_is_an_option():
    named = {key.partition(".")[0] for key in options()}
    assert named == set(Rules.model_fields)
    assert len(options()) == 11 + 4 + 4
