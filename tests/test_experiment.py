"""From YAML to an experiment: what is accepted, what is refused and how it is said."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import DataDamaged, UsageFault
from sim.experiment import Experiment, load
from sim.notes import notes
from sim.rules import FirstTo, Rounds

EXPERIMENTS = [
    path
    for path in sorted(Path(__file__).parents[1].joinpath("experiments").glob("*.yaml"))
    if "\nspace:" not in path.read_text()
]
LEAST = "question: What happens?\n"


@pytest.fixture
def read(tmp_path):
    def read(text, *overrides):
        path = tmp_path / "asked.yaml"
        path.write_text(text if "question:" in text else LEAST + text)
        return load(path, overrides)

    return read


REFUSED = {
    "gmaes: 5": "asked.yaml:2:1: gmaes: there is no such key (did you mean games?)",
    "rules: casul": "rules: found 'casul'; allowed is keys and values, such as rules: {preset: ",
    "lineups: greedy": "allowed is keys and values, such as lineups: {careful: cautious}",
    "jokers: 2": "jokers: is an option of the rules; write it there: rules: {jokers: ...}",
    "stop: {half_width: 0.5%}": "a share is a fraction of 1: half a percent is 0.005",
    "games: lots": "2:8: games: found 'lots'; allowed is a whole number",
    "games: 1.5": "games: found 1.5; allowed is a whole number",
    "games: 0": "games: found 0; allowed is at least 1",
    "games: true": "games: found true; allowed is a whole number",
    "seed: -1": "seed: found -1; allowed is at least 0",
    "players: 6": "players[0]: found 6; allowed is at most 5",
    "players: [2, 1]": "players[1]: found 1; allowed is at least 2",
    "players: [2, 2]": "each number once",
    "players: []": "players: found []",
    "rules: {jokers: 3}": "rules.jokers: found 3; allowed is at most 2",
    "rules: {jokres: 1}": "rules.jokres: there is no such key (did you mean jokers?)",
    "rules: {yoruba: yes}": "allowed is true or false (yes, no, on and off are words here)",
    "rules: {rest: last}": "rules.rest: found 'last'; allowed is nobody, last_to_play or last_to",
    "rules: {preset: casul}": "rules.preset: found 'casul' (did you mean casual?)",
    "rules: {end: {rounds: 3, first_to: 9}}": "rules.end: rounds and first_to exclude each other",
    "rules: {end: {rounds: 0}}": "rules.end.rounds: found 0; allowed is at least 1",
    "rules: {end: 4}": "rules.end",
    "rules: {penalty: {esun: -1}}": "rules.penalty.esun: found -1; allowed is at least 0",
    "variants: {a: {penalty: {peek: -2}}}": "variants.a.penalty.peek: found -2; allowed is at",
    "lineups: {a: {strategy: greedy, with: {vigilance: 1.5}}}": "lineups.a.with.vigilance: 1.5",
    "rules: {jokers: null}": "rules.jokers: found nothing",
    "variants: {a: {jokers: 9}}": "variants.a.jokers: found 9",
    "variants: {}": "variants: found {}",
    "variants: {a: {}}\nfactors: {jokers: [0]}": "variants and factors of the rules exclude each",
    "rules: {jokers: 2}\nfactors: {jokers: [0, 1]}": "rules.jokers: factors varies it too; keep",
    "rules: {penalty: {esun: 1}}\nfactors: {penalty.esun: [0]}": "rules.penalty.esun: factors",
    "factors: {jokers: [0, 3]}": "factors.jokers[1]: found 3; allowed is at most 2",
    "factors: {jokers: []}": "factors.jokers: found no values",
    "factors: {jokers: [1, 1]}": "factors.jokers[1]: found 1 twice",
    "factors: {jokrs: [1]}": "factors.jokrs: there is no such option (did you mean jokers?)",
    "factors: {penalty.esun: [0, -2]}": "factors.penalty.esun[1]: found -2",
    "lineups: {a: gredy}": "lineups.a: found 'gredy' (did you mean greedy?); strategies are",
    "lineups: {a: [greedy, greedy, greedy]}": "lineups.a: found 3 players; a line-up has 1",
    "lineups: {a: {strategy: greedy, depth: 2}}": "lineups.a.depth: greedy has no such parameter",
    "lineups: {a: 3}": "lineups.a: found 3; strategies are",
    "primary: fun": "primary: found 'fun'",
    "primary: win_share": "primary: found 'win_share', no single number of every game: see it",
    "primary: fairness": "primary: found 'fairness' (did you mean unfairness?), no single number",
    "smallest: 0": "smallest: found 0; allowed is more than 0",
    'name: "a\\nb"': "the character U+000A",
    "name: '   '": "found an empty text",
    "keep: {games: -1}": "keep.games: found -1",
    "keep: {rows: 1}": "keep.rows: there is no such key",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_with_place_found_and_allowed(read, text):
    with pytest.raises(UsageFault) as fault:
        read(text)
    assert REFUSED[text] in str(fault.value)


def test_all_problems_are_told_at_once_up_to_ten(read):
    wrong = "\n".join(f"wrong{i}: 1" for i in range(14))
    with pytest.raises(UsageFault) as fault:
        read(wrong)
    assert str(fault.value).count("there is no such key") == 10
    assert str(fault.value).endswith("and 4 more")


def test_faults_of_writing_form_and_players_are_told_together_each_once(read):
    with pytest.raises(UsageFault) as fault:
        read("games: 1e6\ngmaes: 5\nlineups: {a: [gredy, {strategy: greedy, with: {recal: 1}}]}\n")
    told = str(fault.value)
    for part in ("games: found 1e6", "gmaes: there is no such key", "lineups.a[0]: found 'gredy'"):
        assert part in told
    assert "lineups.a[1].with.recal: there is no rate" in told
    assert told.count("asked.yaml:") == 4


def test_a_seed_of_nineteen_digits_is_read(read):
    assert read(f"seed: {2**63 - 1}").seed == 2**63 - 1


STORED = {
    "name": ["", "a\x1b[31m", 7],
    "seed": [-1, "1960", 2**63, 1.5],
    "players": [[], [1], [2, 2], [10**9], "2"],
    "variants": [[], [{"name": "a", "rules": {"jokers": 9}}], {}],
    "lineups": [[], [{"name": "a", "players": []}], [{"name": "a", "players": [{}]}]],
    "games": [0, "5", 10**13],
    "primary": ["fun", None],
    "smallest": [0, float("nan"), float("inf")],
    "keep_games": [-1],
    "stop": [{"half_width": -1.0}, 3],
    "strategies": [{"mine.py:x": {}}, []],
}


@pytest.mark.parametrize(("key", "value"), [(k, v) for k, vs in STORED.items() for v in vs])
def test_a_stored_value_that_was_never_written_is_damage(read, key, value):
    with pytest.raises(DataDamaged):
        Experiment.from_dict({**read("").to_dict(), key: value})


def test_a_stored_strategy_leads_to_no_file_but_its_copy(read):
    stored = read("").to_dict()
    told = {"sha256": "../../../../x", "says": "", "wants": "best", "uses_unseen": False}
    told |= {"compiled": True, "parameters": []}
    for name, change in (("a.py:x", {}), ("/a.py:x", {"sha256": "0" * 64})):
        with pytest.raises(DataDamaged):
            Experiment.from_dict({**stored, "strategies": {name: told | change}})


def test_a_question_is_required(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("games: 5\n")
    with pytest.raises(UsageFault, match="question: is missing"):
        load(path)


@pytest.mark.parametrize("text", ["", "- a\n", "word\n", "null\n"])
def test_a_file_that_holds_no_keys_is_refused(tmp_path, text):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(UsageFault, match="an experiment is a list of keys and values"):
        load(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UsageFault, match="cannot be read"):
        load(tmp_path / "none.yaml")


def test_variants_start_from_the_base_rules_or_their_own_preset(read):
    base = "rules: {jokers: 1, rest: last_to_play}\n"
    text = base + "variants: {a: {}, b: {preset: yoruba}, c: {jokers: 0}}"
    a, b, c = (v.rules for v in read(text).variants)
    assert (a.jokers, a.rest) == (1, "last_to_play")
    assert (b.jokers, b.rest, b.yoruba) == (2, "nobody", True)
    assert (c.jokers, c.rest) == (0, "last_to_play")


def test_an_end_replaces_the_end_and_a_penalty_one_penalty(read):
    text = (
        "rules: {penalty: {esun: 5}}\nvariants: {a: {end: {first_to: 30}}, b: {penalty: {peek: 0}}}"
    )
    a, b = (v.rules for v in read(text).variants)
    assert a.end == FirstTo(first_to=30, unit="cards", max_rounds=100)
    assert (b.penalty.esun, b.penalty.peek, b.end) == (5, 0, Rounds(rounds=4))


def test_factors_make_every_combination(read):
    variants = read("factors: {jokers: [0, 2], penalty.esun: [0, 1], end: [{rounds: 3}]}").variants
    assert [v.name for v in variants] == [
        "jokers=0, penalty.esun=0, end=rounds 3",
        "jokers=0, penalty.esun=1, end=rounds 3",
        "jokers=2, penalty.esun=0, end=rounds 3",
        "jokers=2, penalty.esun=1, end=rounds 3",
    ]
    assert variants[3].rules.penalty.esun == 1


def test_a_lineup_that_fits_some_player_counts_is_noted(read):
    experiment = read("players: [2, 3]\nlineups: {duel: [greedy, random]}")
    assert "not played with 3" in notes(experiment)[0].text


def test_inert_options_are_told_with_the_players_they_are_inert_for(read):
    experiment = read("players: [2, 5]\nrules: {leftover: table, yoruba_joker: distinct}")
    told = {note.key: note.text for note in notes(experiment)}
    assert "with 2 players" in told["leftover"]
    assert told["yoruba_joker"] == "is inert: Yoruba rules are off"


NO_ESUN = "is inert: Esun is off, so no piles are built"
UNCAUGHT = "is inert: no seat miscaptures, or nobody is vigilant"
UNWATCHED = "is inert: nobody looks at captured cards against the rules, or nobody would notice"


@pytest.mark.parametrize(
    ("rules", "rates", "told"),
    [
        ("esun_unclaimed: discard", "", {"esun_unclaimed": NO_ESUN}),
        ("penalty: {esun: 3}", "", {"penalty.esun": NO_ESUN}),
        ("penalty: {esun: 3}, esun_unclaimed: discard, esun: true", "", {}),
        ("penalty: {miscapture: 3}", "", {"penalty.miscapture": UNCAUGHT}),
        ("penalty: {miscapture: 3}", "miscapture: 0.1", {"penalty.miscapture": UNCAUGHT}),
        ("penalty: {miscapture: 3}", "miscapture: 0.1, vigilance: 1", {}),
        ("penalty: {challenge: 3}", "", {"penalty.challenge": "is inert: no seat makes false"}),
        ("penalty: {challenge: 3}", "false_challenge: 0.1", {}),
        ("penalty: {peek: 3}", "peek: 0.1, recall: 0.5", {"penalty.peek": UNWATCHED}),
        ("penalty: {peek: 3}", "peek: 0.1, vigilance: 1", {}),
        ("penalty: {peek: 3}, isiwo: true", "spy: 0.1, vigilance: 1, recall: 0.5", {}),
        ("isiwo: true", "", {"isiwo": "is inert: everybody remembers everything"}),
        ("isiwo: true", "recall: 0.9", {}),
    ],
)
def test_rules_about_conduct_that_cannot_act_are_noted_by_key(read, rules, rates, told):
    lineup = f"{{strategy: cautious, with: {{{rates}}}}}"
    found = notes(read(f"rules: {{{rules}}}\nlineups: {{a: {lineup}}}"))
    assert {note.key for note in found} == set(told)
    assert all(note.text.startswith(told[note.key]) for note in found)


def test_isiwo_acts_on_whoever_would_peek(read):
    """With it nobody peeks, and so nobody is noticed peeking."""
    rates = "with: {peek: 0.5, vigilance: 1}"
    found = notes(read(f"rules: {{isiwo: true}}\nlineups: {{a: {{strategy: greedy, {rates}}}}}"))
    assert "isiwo" not in {note.key for note in found}


def test_set_overrides_a_key_as_if_it_were_written(read):
    experiment = read("rules: {preset: casual}", "rules.jokers=1", "players=[3, 4]", "games=7")
    assert (experiment.variants[0].rules.jokers, experiment.players, experiment.games) == (
        1,
        (3, 4),
        7,
    )


def test_a_rule_that_is_set_holds_in_every_variant_whatever_its_preset(read):
    text = "variants: {a: {preset: casual}, b: {preset: yoruba, jokers: 1}, c: {}}"
    assert [v.rules.jokers for v in read(text, "rules.jokers=0").variants] == [0, 0, 0]
    ends = [v.rules.end for v in read(text, "rules.end.rounds=3").variants]
    assert ends == [Rounds(rounds=3)] * 3


def test_a_wrong_override_is_told_by_its_key_and_not_by_a_line_of_the_file(read):
    with pytest.raises(UsageFault) as fault:
        read("variants: {a: {preset: casual}, b: {}}", "rules.jokers=3")
    assert str(fault.value) == "--set rules.jokers: found 3; allowed is at most 2"


def test_an_override_does_not_invent_a_variant(read):
    with pytest.raises(UsageFault, match=r"no variant is called 'casul' \(did you mean casual\?\)"):
        read("variants: {casual: {}, b: {}}", "variants.casul.jokers=0")


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("games=1e6", "--set games"),
        ("games=", "games: found nothing"),
        ("rules.jokers=3", "rules.jokers: found 3"),
        ("jokers", "write KEY=VALUE"),
        ("question.x=1", "holds no keys"),
    ],
)
def test_a_wrong_override_is_refused(read, override, told):
    with pytest.raises(UsageFault) as fault:
        read("", override)
    assert told in str(fault.value)


def test_identity_ignores_comments_and_order_and_nothing_else(read):
    first = read("name: n\ngames: 5\nseed: 7\n").identity
    assert read("# why\nseed: 7\nname: n\ngames: 5\n").identity == first
    assert read("seed: 8\nname: n\ngames: 5\n").identity != first
    assert read("seed: 7\nname: n\ngames: 6\n").identity != first


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_every_shipped_experiment_opens_with_its_question_and_survives_storage(path):
    experiment = load(path)
    assert path.read_text().startswith("# ")
    stored = json.loads(json.dumps(experiment.to_dict()))
    assert Experiment.from_dict(stored) == experiment
    assert Experiment.from_dict(stored).identity == experiment.identity


def test_a_damaged_stored_experiment_is_told(read):
    stored = read("").to_dict()
    del stored["seed"]
    with pytest.raises(DataDamaged):
        Experiment.from_dict(stored)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = ["question", "name", "seed", "players", "rules", "variants", "factors", "lineups", "games"]
KEYS += ["primary", "smallest", "keep", "other"]


@settings(max_examples=400, deadline=None)
@given(document=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5))
def test_any_structure_loads_or_is_refused(tmp_path_factory, document):
    path = tmp_path_factory.mktemp("any") / "any.yaml"
    path.write_text(json.dumps({"question": "x", **document}))
    try:
        load(path)
    except UsageFault as fault:
        assert str(fault).startswith(str(path))


LAZY = ["numba", "pandas", "polars", "matplotlib", "scipy"]


@pytest.mark.parametrize(
    "args", [["--help"], ["check", str(EXPERIMENTS[0])]], ids=["help", "check"]
)
def test_light_commands_import_no_heavy_library(args):
    script = (
        "import sys; sys.argv[0] = 'sim'\n"
        "from sim.cli import main\n"
        "try: main()\nexcept SystemExit as end: assert not end.code, end.code\n"
        f"print([name for name in {LAZY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *args], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"
