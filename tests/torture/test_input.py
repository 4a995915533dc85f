"""Experiment files that somebody made to do harm, or that programs read in different ways."""

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from sim.errors import UsageFault
from sim.experiment import load
from sim.store.identity import directory_name
from sim.yaml_source import read_file, read_text
from tests.torture.harness import TINY, sim

quick = pytest.mark.quick

LAUGHS = "a0: &a0 [x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9)
)
MERGES = "base: &b {x: 1}\n" + "m: {<<: [" + ", ".join(["*b"] * 6000) + "]}\n"
KIB64 = 64 * 1024
BOMBS = {
    "fifty megabytes": (b"# " + b"x" * 100 + b"\n") * 500_000,
    "a million entries": b"".join(b"k%d: 1\n" % i for i in range(1_000_000)),
    "an endless line": b"question: " + b"x" * (KIB64 - 11),
    "deep lists": b"[" * (KIB64 - 1),
    "deep mappings": b"{a: " * (KIB64 // 4 - 1),
    "deep dashes": b"- " * (KIB64 // 2 - 1),
    "deep questions": b"? " * (KIB64 // 2 - 1),
    "deep indentation": b"".join(b" " * i + b"a:\n" for i in range(340)),
    "many values": b"a: [" + b"1," * (KIB64 // 2 - 5) + b"]",
    "many keys": b"".join(b"%d: 1\n" % i for i in range(8000)),
    "many equal keys": b"a: 1\n" * (KIB64 // 5 - 1),
    "many documents": b"---\n" * (KIB64 // 4 - 1),
    "many anchors": b"".join(b"- &a%d x\n" % i for i in range(5000)),
    "many aliases": LAUGHS.encode(),
    "many merges": MERGES.encode(),
    "many tags": b"- !a b\n" * (KIB64 // 7 - 1),
    "open quotes": b"'\n" * (KIB64 // 2 - 1),
    "many bars": b"- |\n" * (KIB64 // 4 - 1),
    "many digits": b"games: " + b"9" * (KIB64 - 8),
    "a recursive alias": b"a: &a [*a]\n",
}
LIMITED = """
import re, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from sim.experiment import load
from sim.errors import UsageFault
try:
    load(sys.argv[1])
except UsageFault as fault:
    print(str(fault)[:300])
    most = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024
    print(resource.getrusage(resource.RUSAGE_SELF).ru_utime, "s", most, "MiB", file=sys.stderr)
    sys.exit(2 if most < 200 else 3)
"""


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=quick if i % 10 == 3 else ()) for i, one in enumerate(BOMBS)]
)
def test_a_bomb_is_refused_in_little_time_and_memory(tmp_path, injecting, name):
    """It is refused in 200 MiB of memory and 20 s of a slow machine (B24)."""
    path = tmp_path / "bomb.yaml"
    path.write_bytes(BOMBS[name])
    with injecting(name):
        done = subprocess.run(
            ["bash", "-c", 'ulimit -v 600000; exec "$@"', "-", sys.executable, "-c", LIMITED, path],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 2, done.stdout + done.stderr
        assert "bomb.yaml" in done.stdout


@quick
def test_what_is_refused_by_its_size_is_not_parsed(tmp_path, injecting, monkeypatch):
    """A file over 64 KiB never reaches the parser (B24)."""
    monkeypatch.setattr("sim.yaml_source.YAML", lambda **_: pytest.fail("it was parsed"))
    path = tmp_path / "big.yaml"
    path.write_bytes(BOMBS["a million entries"])
    with injecting("a million entries"), pytest.raises(UsageFault, match="larger than 64 KiB"):
        load(path)


TAGS = {
    "a call": "question: !!python/object/apply:os.system ['touch CANARY']",
    "a new object": "question: !!python/object/new:os.system ['touch CANARY']",
    "an object": "question: !!python/object:antigravity.x {}",
    "a name": "question: !!python/name:antigravity.geohash",
    "a module": "question: !!python/module:antigravity",
    "a tag of its own": "question: !mine [x]",
    "a tag on a key": "? !!python/module:antigravity\n: x",
    "an inclusion": "question: !include CANARY",
    "a tag in full": "question: !<tag:yaml.org,2002:python/module:antigravity> ''",
    "a tag by a directive": "%TAG ! tag:yaml.org,2002:python/\n---\nquestion: !module:antigravity",
    "billion laughs": LAUGHS,
    "a merge of no mapping": "question: x\nrules: {<<: 3}",
    "a merge of a name": "question: x\nrules: {<<: *rules}",
}


@quick
@pytest.mark.parametrize("name", TAGS)
def test_tags_and_merges_are_refused_and_run_nothing(tmp_path, injecting, name):
    """No command is run, no module is imported, no file is made (B25)."""
    canary = tmp_path / "canary"
    path = tmp_path / "tags.yaml"
    path.write_text(TAGS[name].replace("CANARY", str(canary)))
    with injecting(name):
        with pytest.raises(UsageFault, match="not allowed"):
            load(path)
        assert not canary.exists()
        assert "antigravity" not in sys.modules


NO = UsageFault
TYPED = {
    "no": "no", "yes": "yes", "on": "on", "off": "off", "y": "y", "True": "True", "NULL": "NULL",
    "true": True, "false": False, "null": None, "~": None, "": None, "None": "None", "NA": "NA",
    "0": 0, "-7": -7, "9223372036854775807": 2**63 - 1, "9223372036854775808": 2**63,
    "0.5": 0.5, "-0.25": -0.25, "1.0": 1.0, "12:30": "12:30", "12:30:45": "12:30:45",
    "2026-11-30": "2026-11-30", "2026-11-30T12:00:00Z": "2026-11-30T12:00:00Z", "1.2.3": "1.2.3",
    "'010'": "010", '"1e6"': "1e6", "'no'": "no", "0b": "0b", "1st": "1st", "=": "=",
    "1e6": NO, "1.0e5": NO, "1E+3": NO, "010": NO, "0o10": NO, "0x1F": NO, "0b11": NO, "1_000": NO,
    "+5": NO, "-0": NO, ".5": NO, "5.": NO, ".nan": NO, "-.inf": NO, ".NaN": NO,
    "9" * 20: NO, "9" * 5000: NO, "0." + "1" * 5000: NO, "1" * 400 + ".0": NO,
    "<<": "<<", "[1, 2": NO, "{a: 1, a: 2}": NO, "{1: a}": NO, "{true: a}": NO, "{~: a}": NO,
    "{[a]: b}": NO, "x\n---\na: y": NO, "x\n...\na: y": NO, "\t- 1": NO, "\x00": NO, "\x85": NO,
    "\ufeff": NO, "\u2028": NO, '"\\u0000"': "\0", "@x": NO, "`x": NO, "%x": NO,
}  # fmt: skip


@quick
@pytest.mark.parametrize("text", TYPED, ids=lambda text: repr(text)[:24])
def test_a_scalar_means_what_it_looks_like_or_is_refused(injecting, text):
    """Nothing that programs read differently is guessed at (B26)."""
    with injecting(repr(text)[:40]):
        if TYPED[text] is NO:
            with pytest.raises(UsageFault, match=r"^t"):
                read_text(f"a: {text}", "t")
        else:
            found = read_text(f"a: {text}", "t").data["a"]
            assert found == TYPED[text]
            assert type(found) is type(TYPED[text])


@quick
@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "[a]", "word", "--- \n...\n"])
def test_a_file_without_keys_is_no_experiment(tmp_path, injecting, text):
    """An empty file, a list and a word are refused by what an experiment is (B26)."""
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with injecting(repr(text)), pytest.raises(UsageFault, match="list of keys and values"):
        load(path)


@quick
@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\u2029"])
def test_no_other_end_of_line_shifts_the_numbers_of_lines(injecting, mark):
    """A character that some programs end lines at is refused where it stands (B26)."""
    with injecting(f"U+{ord(mark):04X}"):
        with pytest.raises(UsageFault) as fault:
            read_text(f"a: 1\nb: x{mark}y\nc: 010", "t")
        assert str(fault.value).startswith(f"t:2:5: the character U+{ord(mark):04X}")


@quick
def test_returns_and_a_mark_at_the_start_are_read(tmp_path, injecting):
    """What editors on Windows write is read, with the same numbers of lines (B26)."""
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbfquestion: x\r\ngames: 5\r\nseed: 010\r\n")
    with injecting("a byte order mark and carriage returns"):
        source = read_file(path)
        assert source.data["games"] == 5
        assert "x.yaml:3:7: seed: found 010" in str(source.fault())


ONE = "question: x\nname: n\nvariants:\n  a: {jokers: 2, yoruba: true}\nlineups: {l: greedy}\n"
SAME = {
    "comments and empty lines": "# why\n\n" + ONE.replace("name: n", "name: n  # a name"),
    "another order": "lineups: {l: greedy}\nname: n\nvariants: {a: {yoruba: true, jokers: 2}}\n"
    "question: x\n",
    "another style": "{question: 'x', \"name\": n, lineups: {l: [greedy]}, variants: "
    "{a: {jokers: 2, yoruba: true}}}",
    "returns": ONE.replace("\n", "\r\n"),
    "defaults written out": ONE + "players: [2]\nseed: 1960\ndesign: {lineups: cyclic}\n"
    "games: 100000\nkeep: {games: 20000000}\n",
    "a player in full": ONE.replace("greedy", "{strategy: greedy, with: {recall: 1, noise: 0.0}}"),
    "a number in two ways": ONE + "players: 2\nsmallest: null\n",
}
OTHER = {
    "a seed": ONE + "seed: 1961\n",
    "a rule": ONE.replace("jokers: 2", "jokers: 1"),
    "a name of a variant": ONE.replace("a: {", "b: {"),
    "a rate": ONE.replace("greedy", "{strategy: greedy, with: {noise: 0.1}}"),
    "another writing of a name": ONE.replace("name: n", "name: N"),
}


@quick
def test_what_a_person_does_not_mean_is_no_other_experiment(tmp_path, injecting):
    """Comments, order and style leave the identity, and so the run directory, as it is (B22)."""

    def identity(text):
        path = tmp_path / "x.yaml"
        path.write_bytes(text.encode())
        return load(path).identity

    first = identity(ONE)
    for name, text in SAME.items():
        with injecting(name):
            assert identity(text) == first, name
    for name, text in OTHER.items():
        with injecting(name):
            assert identity(text) != first, name


NAMES = {
    "an absolute path": "/etc/x", "a way out": "../../x", "the parent": "..", "here": ".",
    "a slash": "a/b", "backslashes": "..\\..\\x", "a home": "~root", "percents": "%2e%2e%2fx",
    "an option": "-rf", "a device": "CON", "a variable": "$HOME", "a glob": "run[1]*?",
    "256 bytes": "ọ" * 85, "Yoruba letters": "ẹ́" * 100, "a turned word": "\u202egpj.exe",
    "an emoji": "🂡🂱", "no letter at all": "…", "a space": " ", "dots at the end": "x..",
}  # fmt: skip


@quick
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_data_and_the_directory_a_slug(tmp_path, injecting, name):
    """The run directory of any name is one plain word below runs/ (B27)."""
    path = tmp_path / "x.yaml"
    with injecting(name):
        quoted = json.dumps(NAMES[name], ensure_ascii=False)
        path.write_text(f"question: x\nname: {quoted}\n", encoding="utf-8")
        if name == "a space":
            with pytest.raises(UsageFault, match="empty text"):
                load(path)
            return
        experiment = load(path)
        assert experiment.name == NAMES[name]
        found = directory_name(experiment)
        assert found.isascii() and len(found) <= 47
        assert set(found) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") and found[0] != "-"


TOLD = r"the character U\+|text of whole characters"


@quick
@pytest.mark.parametrize("code", ["\\0", "\\n", "\\x1b[31m", "\\x85", "\\u2028", "\\ud800"])
@pytest.mark.parametrize("where", ["name: {}", "variants: {{{}: {{}}}}", "lineups: {{{}: greedy}}"])
def test_no_name_has_a_control_character(tmp_path, injecting, where, code):
    """It is refused by its code, in every name (B27)."""
    path = tmp_path / "x.yaml"
    path.write_text("question: x\n" + where.format(f'"a{code}b"'))
    with injecting(f"{code} in {where}"), pytest.raises(UsageFault, match=TOLD):
        load(path)


@quick
def test_names_that_differ_by_case_or_form_have_directories_of_their_own(tmp_path, injecting):
    """Twins by case, or by composed letters, never share a directory (B27)."""
    found = set()
    for name in ("Àṣà", "àṣà", unicodedata.normalize("NFD", "àṣà")):
        path = tmp_path / "x.yaml"
        path.write_text(f"question: x\nname: {name}\n", encoding="utf-8")
        with injecting(ascii(name)):
            found.add(directory_name(load(path)))
    assert len(found) == 3


@quick
@pytest.mark.parametrize("part", ["variants", "lineups"])
def test_names_that_look_the_same_are_refused_together(tmp_path, injecting, part):
    """A person could not tell them apart in any table (B27)."""
    one, other = "àṣà", unicodedata.normalize("NFD", "àṣà")
    value = "{}" if part == "variants" else "greedy"
    path = tmp_path / "x.yaml"
    path.write_text(f"question: x\n{part}:\n  {one}: {value}\n  {other}: {value}\n", "utf-8")
    with injecting(part), pytest.raises(UsageFault, match="looks the same as a name before it"):
        load(path)


@quick
def test_a_file_name_that_is_no_name_asks_for_one(tmp_path, injecting):
    """A file name that is not UTF-8, has control characters or is long is no traceback (B27)."""
    for name in (b"\xff\xfe.yaml", b"a\x1b[31m.yaml", b"a\nb.yaml", b"x" * 230 + b".yaml"):
        place = Path(os.fsdecode(bytes(tmp_path) + b"/" + name))
        with injecting(repr(name)):
            place.write_text("question: x\n")
            with pytest.raises(UsageFault, match="name: is missing, and the file's own name"):
                load(place)
            place.write_text("question: x\nname: n\n")
            assert load(place).name == "n"
    assert "�" in sim("check", os.fsdecode(bytes(tmp_path) + b"/a\x1b[31m2.yaml"), code=2).err


def tree(folder):
    """Return every file and link below a folder, with what it holds."""
    found = {}
    for path in sorted(folder.rglob("*")):
        here = path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        found[str(path.relative_to(folder))] = here
    return found


LINKS = ("", "parts", "tmp", "code", "report", "ledger.jsonl", "lock", "run.json", "DONE.json")


@pytest.mark.parametrize(
    "link", [pytest.param(one, marks=quick if one == "tmp" else ()) for one in LINKS]
)
def test_nothing_outside_the_run_directory_is_touched(tmp_path, injecting, link):
    """A link in the way is refused, and what it leads to is as it was (B27)."""
    outside, runs = tmp_path / "outside", tmp_path / "runs"
    outside.mkdir()
    runs.mkdir()
    asked = outside / "asked.yaml"
    asked.write_text(TINY + "name: ../../outside/x\n")
    run = runs / "run"
    sim("run", asked, "--out", run, "--jobs", 1, code=0)
    (outside / "mine").mkdir()
    (outside / "mine" / "letter.txt").write_text("dear")
    target = run / link
    aim = outside / "mine" if target.is_dir() or link == "code" else outside / "mine" / "letter.txt"
    with injecting(f"a link for {link or 'the directory'}"):
        if link == "":
            run.rename(runs / "old")
        elif target.is_dir():
            target.rename(runs / link)
        else:
            target.unlink(missing_ok=True)
        target.symlink_to(aim)
        before = tree(outside)
        told = sim("run", asked, "--out", run, "--resume", "--jobs", 1)
        assert told.code == 2 if link != "report" else told.code in (0, 2)
        if link == "report":
            assert "is a link" in sim("report", run, code=2).err
        assert tree(outside) == before
