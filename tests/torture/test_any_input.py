"""Any input at all: an experiment is loaded or refused, a notation is read or refused.

`make torture` tries 100,000 inputs in all, `make test` a few hundred. Whatever these found is
mended, and kept as a case of its own in tests/test_experiment.py or tests/test_yaml_source.py.
"""

import json
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.answers.questions import parse_by
from sim.cards import NotationError, parse, show
from sim.commands.moves import check_copies, position, read_cases, told_moves
from sim.errors import SimError, UsageFault
from sim.experiment import Experiment, load, load_mapping
from sim.rules import Rules
from sim.settings import apply, parse_settings
from sim.strategy_file import parse_reference

ROOT = Path(__file__).parents[2]
SHIPPED = [path.read_bytes() for path in sorted((ROOT / "experiments").glob("*.yaml"))]
CPU_SECONDS = 5
"""What one input may take; the largest that is accepted takes less than one."""


@contextmanager
def bounded():
    """Fail if the input takes longer than any may, in processor time of this process."""
    start = time.process_time()
    yield
    assert time.process_time() - start < CPU_SECONDS


def tried(path, overrides=()):
    """Load an experiment file; what is loaded is sound, what is refused is told."""
    with bounded():
        try:
            found = load(path, overrides)
        except UsageFault as fault:
            assert str(fault)
            return
        stored = json.loads(json.dumps(found.to_dict()))
        assert Experiment.from_dict(stored).identity == found.identity


WORDS = st.sampled_from(
    ["question: x\n", "name: n\n", "games: ", "games: 5\n", "seed: ", "players: ", "variants:\n",
     "  a: ", "rules: ", "{preset: casual}", "factors: ", "lineups: ", "lineups.a.with.recall",
     "greedy", "mine.py:x", "strategy: ", "with: ", "recall", "end: ", "first_to: ", "penalty: ",
     "stop: ", "half_width: ", "decide: ", "smallest: ", "keep: ", "design: ", "{", "}", "[", "]",
     ",", ": ", "\n", "\n  ", "\n    ", "- ", "? ", "| \n", ">-\n", "&a ", "*a ", "!!str ", "!t ",
     "<<: ", "'", '"', "\\u0000", "\\x1b", "\\ud800", "%", "---\n", "...\n", "#", "é", "\x85",
     "\u2028", "\x0c", "\t", "\r", "\r\n", "\ufeff", "\ufffe", "\x9b", "\u202e", "0", "1e6", "010",
     "0.5", "-", "~", "null", "true", "9" * 19, "1" * 30 + ".0"]
)  # fmt: skip
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | WORDS
ANY = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
RATES = st.dictionaries(
    st.sampled_from(["recall", "noise", "peek", "vigilance", "nerve"]),
    ANY | st.just(0.5),
    max_size=2,
)
PLAYER = ANY | st.sampled_from(["greedy", "random", "mine.py:x", "a.py:b:c"])
PLAYER |= st.fixed_dictionaries(
    {"strategy": PLAYER}, optional={"with": RATES | ANY, "risk": ANY, "horizon": ANY | st.just(2)}
)
NAME = st.text(max_size=6) | st.sampled_from(["a", "b", "no", "àṣà", "àṣà"])
PRESETS = st.sampled_from(["casual", "yoruba", "professional", "default", "x"])
RULES = st.fixed_dictionaries(
    {},
    optional={
        "preset": PRESETS, "jokers": st.integers(-1, 3) | ANY, "yoruba": st.booleans() | ANY,
        "end": ANY | st.dictionaries(
            st.sampled_from(["rounds", "first_to", "unit"]), ANY, max_size=3),
        "penalty": st.dictionaries(st.sampled_from(["esun", "peek", "x"]), ANY, max_size=2) | ANY,
        "rest": st.sampled_from(["nobody", "last_to_play"]) | ANY,
    },
)  # fmt: skip
FACTOR = st.sampled_from(
    ["jokers", "yoruba", "end", "penalty.esun", "penalty.", "lineups.a", "lineups.a.", "lineups.",
     "lineups.a.with", "lineups.a.with.recall", "lineups.a.0", "lineups.a.0.strategy",
     "lineups.a.²", "lineups.b.1.with.noise", "lineups.no.strategy", "players", "preset"]
)  # fmt: skip
STOPPING = st.dictionaries(
    st.sampled_from(["games", "half_width", "decide", "metric", "smallest", "max_games"]),
    ANY | st.sampled_from([5, 0.5, "win_share", "dealer_advantage_wins", "tie_rate"]),
    max_size=3,
)  # fmt: skip
DOCUMENT = st.fixed_dictionaries(
    {"question": st.just("x") | ANY},
    optional={
        "name": NAME | ANY,
        "seed": st.integers(-1, 2**63) | ANY,
        "players": st.integers(1, 6) | st.lists(st.integers(2, 5), max_size=3) | ANY,
        "rules": RULES | ANY,
        "variants": st.dictionaries(NAME, RULES | ANY, max_size=3) | ANY,
        "factors": st.dictionaries(
            FACTOR | st.text(max_size=6), st.lists(ANY, max_size=3) | ANY, max_size=3
        ),
        "lineups": st.dictionaries(NAME, PLAYER | st.lists(PLAYER, max_size=3), max_size=3) | ANY,
        "games": st.integers(0, 10**13) | ANY,
        "stop": STOPPING | ANY,
        "design": ANY
        | st.fixed_dictionaries({"lineups": st.sampled_from(["balanced", "given", "x"])}),
        "primary": st.sampled_from(["tie_rate", "margin"]) | ANY,
        "smallest": ANY,
        "keep": ANY | st.fixed_dictionaries({"games": ANY}),
        "other": ANY,
    },
)
CUT = st.tuples(
    st.integers(0, 4000),
    st.integers(0, 40),
    st.binary(max_size=4) | WORDS.map(lambda word: word.encode("utf-8", "surrogatepass")),
)
PARTS = ["rules", "variants", "a", "jokers", "factors", "lineups", "0", "with", "recall", "players"]
PARTS += ["games", "question", "stop", "end", "name", ""]
KEYS = st.lists(st.sampled_from(PARTS) | st.text(max_size=4), max_size=4).map(".".join)
CARDS = st.lists(
    st.sampled_from([*"A23456789JQK*", "10", "11", "a", "1", ""]) | st.text(max_size=3)
)
CARDS = CARDS.map(" ".join)


def raw_bytes(path):
    @given(st.binary(max_size=300))
    def case(data):
        path.write_bytes(data)
        tried(path)

    return case


def words_of_yaml(path):
    @given(st.lists(WORDS | st.text(max_size=3), max_size=30))
    def case(words):
        path.write_bytes("".join(words).encode("utf-8", "surrogatepass"))
        tried(path)

    return case


def mutated_files(path):
    @given(st.sampled_from(SHIPPED), st.lists(CUT, min_size=1, max_size=5))
    def case(data, cuts):
        for at, length, put in cuts:
            at %= len(data) + 1
            data = data[:at] + put + data[at + length :]
        path.write_bytes(data)
        tried(path)

    return case


def documents_of_wrong_types(path):
    @given(DOCUMENT)
    def case(document):
        with bounded():
            try:
                load_mapping(document)
            except UsageFault as fault:
                assert str(fault).startswith("experiment: ")

    return case


def documents_as_files(path):
    @given(DOCUMENT)
    def case(document):
        path.write_text(json.dumps(document))
        tried(path)

    return case


def stored_experiments(path):
    path.write_text("question: x\nvariants: {a: {}, b: {preset: yoruba}}\nlineups: {l: cautious}\n")
    sound = load(path).to_dict()

    @given(st.dictionaries(st.sampled_from([*sound, "stop", "design", "strategies", "x"]), ANY))
    def case(changes):
        with bounded():
            try:
                Experiment.from_dict({**sound, **changes})
            except SimError as fault:
                assert fault.exit_code == 3

    return case


def overrides(path):
    path.write_bytes(SHIPPED[0])

    @given(
        st.lists(
            st.tuples(KEYS, st.sampled_from(["=", "", "=="]), ANY.map(str) | WORDS), max_size=3
        )
    )
    def case(parts):
        tried(path, ["".join(part) for part in parts])

    return case


def settings_of_rules(path):
    keys = st.sampled_from(
        ["jokers", "yoruba", "end.rounds", "end.first_to", "penalty.esun", "end.unit"]
    )

    @given(
        st.lists(
            st.tuples(keys | KEYS, st.just("=") | st.just(""), ANY.map(str) | WORDS), max_size=4
        )
    )
    def case(parts):
        try:
            found = apply(Rules(), parse_settings("".join(part) for part in parts), "--set ")
        except UsageFault:
            return
        assert Rules.model_validate(found.model_dump()) == found

    return case


def cards(path):
    @given(st.text(max_size=20) | CARDS)
    def case(text):
        try:
            found = parse(text)
        except NotationError:
            return
        assert sorted(parse(show(found))) == sorted(found)

    return case


def positions(path):
    @given(CARDS, CARDS, st.lists(CARDS, max_size=4), st.booleans(), st.integers(0, 2))
    def case(hand, table, piles, esun, jokers):
        with bounded():
            try:
                found = position(
                    Rules(esun=esun, jokers=jokers), hand, table, piles, "--", "--pile"
                )
                check_copies(found)
            except UsageFault:
                return
            assert json.dumps(told_moves(found.moves()))

    return case


def cases_of_positions(path):
    case_keys = {"rules": RULES | ANY, "hand": CARDS | ANY, "table": CARDS | ANY, "piles": ANY}

    @given(
        st.binary(max_size=80)
        | st.fixed_dictionaries({}, optional={**case_keys, "moves": ANY, "x": ANY}).map(
            lambda found: json.dumps(found).encode()
        )
    )
    def case(data):
        path.write_bytes(data)
        with bounded():
            try:
                list(read_cases(path))
            except UsageFault as fault:
                assert str(fault).startswith(str(path))

    return case


def lists_of_by(path):
    @given(
        st.text(max_size=20)
        | st.lists(st.sampled_from(["variant", "players", "seat", ""])).map(",".join)
    )
    def case(text):
        with suppress(UsageFault):
            assert parse_by(text.split(","))

    return case


def references(path):
    @given(
        st.text(max_size=20)
        | st.lists(st.sampled_from([*"./:\\x\n\0", "..", ".py", "mine"])).map("".join)
    )
    def case(text):
        if (found := parse_reference(text)) is not None:
            assert found[1].isidentifier() and not found[0].startswith("/")
            assert parse_reference(":".join(found)) == found

    return case


SHARES = {
    raw_bytes: 10_000,
    words_of_yaml: 20_000,
    mutated_files: 12_000,
    documents_of_wrong_types: 14_000,
    documents_as_files: 8_000,
    stored_experiments: 6_000,
    overrides: 6_000,
    settings_of_rules: 6_000,
    cards: 4_000,
    positions: 6_000,
    cases_of_positions: 4_000,
    lists_of_by: 2_000,
    references: 2_000,
}
assert sum(SHARES.values()) == 100_000
QUICK = 200


@pytest.mark.parametrize("few", [pytest.param(True, marks=pytest.mark.quick, id="few"), False])
@pytest.mark.parametrize("kind", SHARES, ids=lambda kind: kind.__name__)
def test_any_input_is_accepted_or_refused(tmp_path, injecting, kind, few):
    """No exception but a fault that is told, in bounded time (issue 8, hypothesis)."""
    number = SHARES[kind] // QUICK if few else SHARES[kind]
    case = settings(
        max_examples=number,
        deadline=None,
        database=None,
        derandomize=few,
        suppress_health_check=list(HealthCheck),
    )(kind(tmp_path / "any.yaml"))
    with injecting(f"{number:,} {kind.__name__.replace('_', ' ')}"):
        case()
