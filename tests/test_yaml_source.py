"""What a file may not do, and that it is told where."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import UsageFault
from sim.yaml_source import MAX_BYTES, read_file, read_text

REFUSED = {
    "games: 1e6": "t:1:8: games: found 1e6; write numbers with digits only",
    "games: 1.0e5": "found 1.0e5",
    "a: {b: [x, 010]}": "t:1:12: a.b[1]: found 010",
    "a: {b: 1, b: 2}": "t:1:11: a: 'b' is here twice",
    "a: {b: *x}": "t:1:8: a.b: aliases are not allowed",
    "games: 010": "found 010",
    "games: 0x10": "found 0x10",
    "games: 1_000": "found 1_000",
    "games: +5": "found +5",
    "games: -0": "found -0",
    "games: .5": "found .5",
    "games: 5.": "found 5.",
    "games: .nan": "found .nan",
    "games: .inf": "found .inf",
    "games: " + "9" * 5000: "a number of 5000 digits is too large",
    "a: 1\nb: 2\na: 3": "t:3:1: 'a' is here twice, first in line 1",
    "a: &x 1": "anchors are not allowed",
    "a: *x": "aliases are not allowed",
    "a: !!python/object/apply:os.system [echo]": "tags are not allowed",
    "a: !include b": "tags are not allowed",
    "<<: {a: 1}": "merge keys",
    "1: a": "the key '1' is no word",
    "true: a": "the key 'true' is no word",
    "? [a]\n: b": "a key must be a word",
    "a: 1\n---\nb: 2": "t:2:1: a second document",
    "%YAML 1.1\n---\na: no": "directives",
    "a: \x00": "the character U+0000",
    "\ufeffa: 1": "the character U+FEFF",
    "a: [1": "this is not YAML",
    "a:\n\t- 1": "indent with spaces, not with tabs",
    "a: b: c": "put a text that has a colon in quotes",
    "a: " + "[" * 40 + "]" * 40: "nested more than 12 deep",
    "a: [" + "1," * 20000 + "]": "more than 10,000 values",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20])
def test_refused(text):
    with pytest.raises(UsageFault) as fault:
        read_text(text, "t")
    assert REFUSED[text] in str(fault.value)


KEPT = {
    "a: no": "no",
    "a: on": "on",
    "a: yes": "yes",
    "a: 12:30": "12:30",
    "a: 2026-11-30": "2026-11-30",
    "a: '010'": "010",
    "a: 1000000": 1_000_000,
    "a: -3": -3,
    "a: 0.005": 0.005,
    "a: true": True,
    "a: null": None,
    "a: ": None,
    "a: Ẹ̀yọ́": "Ẹ̀yọ́",
    "a: {b: [1, x]}": {"b": [1, "x"]},
}


@pytest.mark.parametrize("text", KEPT)
def test_kept_as_written(text):
    found = read_text(text, "t").data["a"]
    assert found == KEPT[text]
    assert type(found) is type(KEPT[text])


def test_a_file_over_the_cap_is_refused_unread(tmp_path):
    path = tmp_path / "big.yaml"
    path.write_bytes(b"a: 1\n" + b"#" * MAX_BYTES)
    with pytest.raises(UsageFault, match="larger than 64 KiB"):
        read_file(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: \xff\xfe")
    with pytest.raises(UsageFault, match="not UTF-8"):
        read_file(path)


def test_all_that_is_refused_is_told_at_once():
    with pytest.raises(UsageFault) as fault:
        read_text("a: 1e6\nb: &x [010, !t c]\nb: 2\n1: d\n<<: e\nf: *x\n", "t")
    told = str(fault.value)
    for part in ("found 1e6", "anchors", "b[0]: found 010", "b[1]: tags", "'b' is here twice"):
        assert part in told
    for part in (
        "t:4:1: the key '1' is no word",
        "t:5:1: merge keys",
        "f: aliases are not allowed",
    ):
        assert part in told


def test_a_caret_stands_under_the_place():
    with pytest.raises(UsageFault) as fault:
        read_text("a: 1\nb:  010", "t")
    assert str(fault.value).splitlines()[1:] == ["     2 | b:  010", "       |     ^"]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!<>%#'\"\\ \n\t,?|0.19e_~é\x00"), max_size=60))
def test_any_text_is_read_or_refused_with_a_place(text):
    try:
        read_text(text, "t")
    except UsageFault as fault:
        assert str(fault).startswith("t:")
