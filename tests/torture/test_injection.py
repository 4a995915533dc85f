"""What users write stays text: on pages, in pictures, in data and in a terminal."""

import csv
import json
import os
import re
import subprocess
from html.parser import HTMLParser

import polars as pl
import pytest

from reports import report
from sim.store import open_run
from tests.runs import command
from tests.torture.harness import sim

quick = pytest.mark.quick

ACTIVE = {
    "a script": "<script>alert(1)</script>",
    "an attribute": '" onmouseover="alert(1)',
    "the end of a script": "</script></style></svg><img src=x onerror=alert(1)>",
    "an address": "javascript:alert(1)",
    "a template": "{{7*7}}{% raw %}${7*7}",
    "an entity": "&#x3c;b&#x3e;&lt;i&gt;",
    "a picture": "<svg onload=alert(1)><a xlink:href='javascript:1'>x</a></svg>",
    "an outer picture": "<img src='https://example.org/x.png'>",
    "a comment": "--><!--<![CDATA[ ]]>",
    "rich markup": "[red]red[/red] [link=https://example.org]x[/link] [/]",
    "mathematics": "$\\frac{1}{0}$ x_1^2 \\N{dagger}",
    "a formula": '=HYPERLINK("https://example.org")',
    "a formula with a minus": "-1+1",
    "percents": "%s %(x)d {0} {x!r}",
    "a turned word": "\u202ednalyob\u202c \u2066x\u2069\u200f\u200b",
}
ALIKE = {"yes": "no", "nothing": "null", "missing": "NA", "none": "None", "zeros": "007"}
ALIKE |= {"a power": "1e5", "not a number": "nan", "a date": "2026-11-30", "empty quotes": "''"}


def asked(folder, names):
    """Write an experiment in which every name of a person's is one of `names`."""
    quoted = [json.dumps(name, ensure_ascii=False) for name in names]
    variants = "".join(f"  {name}: {{jokers: {i % 3}}}\n" for i, name in enumerate(quoted))
    lineups = "".join(
        f"  {name}: {'greedy' if i % 2 else '[greedy, mine.py:mine]'}\n"
        for i, name in enumerate(quoted[:2])
    )
    mine = (
        "from sim.strategy import Parameter, strategy\n"
        "P = Parameter('p', 0, 0, 1, MEANS)\n"
        "@strategy(wants='best', parameters=(P,))\ndef mine(view):\n    return 0\n"
        "object.__setattr__(mine, 'says', SAYS)\n"
    )
    code = mine.replace("MEANS", repr(names[0])).replace("SAYS", repr(" ".join(names)))
    (folder / "mine.py").write_text(code, encoding="utf-8")
    path = folder / "asked.yaml"
    path.write_text(
        f"question: {json.dumps(' '.join(names), ensure_ascii=False)}\nname: {quoted[0]}\n"
        f"games: 60\nvariants:\n{variants}lineups:\n{lineups}",
        encoding="utf-8",
    )
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A run in which every name is one that would like to act."""
    folder = tmp_path_factory.mktemp("active")
    path = asked(folder, list(ACTIVE.values()))
    done = sim("run", path, "--out", folder / "run", "--allow-code", code=0)
    return folder / "run", done.out + done.err


class Page(HTMLParser):
    """Tags with their attributes, and the words between them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += data


def seen(name):
    return "".join(c if c.isprintable() else "�" for c in name)


@quick
def test_a_report_holds_names_as_text_only(played, injecting):
    """No tag, attribute or address of the page comes from a name; each is read as it is (B28)."""
    text = report.write(open_run(played[0])).read_text(encoding="utf-8")
    page = Page(text)
    policy = [a["content"] for _, a in page.tags if a.get("http-equiv")]
    for what, name in ACTIVE.items():
        with injecting(what):
            assert seen(name) in page.words, name
    assert "default-src 'none'" in policy[0] and "unsafe" not in policy[0]
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert not {tag for tag, _ in page.tags} & {
        "img",
        "iframe",
        "a:",
        "object",
        "base",
        "form",
        "i",
    }
    for _, attributes in page.tags:
        assert not [one for one in attributes if one.startswith("on") or one == "style"]
        for key in ("src", "href", "xlink:href"):
            assert str(attributes.get(key, "#")).startswith("#")
    assert not re.search("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]", text)
    assert "49" not in re.findall(r"<title>(.*?)</title>", text, re.S)[0]


@quick
def test_pictures_hold_names_as_text_only(played, injecting):
    """An SVG that is shown by itself has neither script nor address of a name's (B28)."""
    pictures = list((played[0] / "report").glob("*.svg"))
    assert pictures
    for picture in pictures:
        with injecting(picture.name):
            page = Page(picture.read_text(encoding="utf-8"))
            assert not {tag for tag, _ in page.tags} & {"script", "a", "image", "foreignobject"}
            for _, attributes in page.tags:
                assert not [one for one in attributes if one.startswith("on")]


TELLS = [["show"], ["show", "--metric", "tie_rate"], ["verify"], ["report"]]
TELLS += [["replay", "--deal", "0", "--players", "2"], ["show", "--metric", "tie_ratee"]]


def test_a_terminal_shows_names_as_text_only(played, injecting):
    """No control, format or mark-up character acts, whatever prints a name (B28)."""
    path, printed = played
    outputs = {"run": printed}
    for one in TELLS:
        done = sim(one[0], path, *one[1:], env={"FORCE_COLOR": "1", "TERM": "xterm-256color"})
        outputs[" ".join(one)] = done.out + done.err
    for what, text in outputs.items():
        with injecting(what):
            plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
            assert all(c.isprintable() or c == "\n" for c in plain), what
            assert "\x1b]8" not in text
    for name in ("[red]red[/red]", "{{7*7}}", "%(x)d"):
        assert name in outputs["show"]


def test_a_table_for_spreadsheets_holds_no_formula(played, injecting):
    """No cell of it is one, and every name is in it, with an apostrophe where it would be (B28)."""
    with injecting("sim show balance --csv"):
        done = sim("show", played[0], "balance", "--csv", code=0)
        lines = list(csv.reader(done.out.splitlines()))
        cells = {cell for line in lines for cell in line if not re.fullmatch(r"-?[\d.e-]+", cell)}
        assert {len(line) for line in lines} == {len(lines[0])}
        assert not [cell for cell in cells if cell.lstrip().startswith(("=", "+", "-", "@"))]
        for name in ACTIVE.values():
            assert seen(name) in cells or f"'{seen(name)}" in cells


ESCAPES = {
    "a colour": "\x1b[31mred",
    "a title": "\x1b]0;owned\x07",
    "a clipboard": "\x1b]52;c;AAAA\x07",
    "one letter": "\x9b31mred",
    "a deletion": "ok\x08\x08no",
    "a return": "ok\rno",
    "a turn": "\u202eko",
}


@pytest.mark.parametrize(
    "escapes",
    [
        pytest.param({"all at once": "".join(ESCAPES.values())}, marks=quick, id="at once"),
        pytest.param(ESCAPES, id="each"),
    ],
)
def test_what_a_person_did_wrong_is_told_without_acting(tmp_path, injecting, escapes):
    """File names, keys, values, options and exceptions are told in letters only (B28)."""
    for what, escape in escapes.items():
        quoted = json.dumps(escape)
        (tmp_path / "asked.yaml").write_text(
            f"question: x\n{quoted}: 1\nrules: {{{quoted}: {quoted}}}\n"
            f"lineups: {{a: {quoted}, {quoted}: {quoted}, b: {{strategy: greedy, {quoted}: 1}}}}\n"
        )
        (tmp_path / "bad.py").write_text(f"raise ValueError({escape!r})\n")
        turned = tmp_path / "turned.yaml"
        turned.write_text(f"question: x\ngames: lots # \u202e{escape[-1:]}\n", encoding="utf-8")
        lines = [
            ("check", tmp_path / "asked.yaml"),
            ("check", tmp_path / f"{escape}.yaml"),
            ("check", turned),
            ("check-strategy", tmp_path / "bad.py:x", "--allow-code"),
            ("moves", "--hand", escape),
            ("check", "--set", f"{escape}={escape}", tmp_path / "asked.yaml"),
            ("show", tmp_path / escape),
        ]
        for line in lines:
            with injecting(f"{what} in {line[0]}"):
                done = sim(*line)
                told = done.out + done.err
                assert done.code in (2, 3), told
                assert all(c.isprintable() or c == "\n" for c in told), ascii(told)


def test_a_run_of_somebody_else_is_told_without_acting(played, tmp_path, injecting):
    """A stored name that no experiment file could hold is damage, and harmless when told (B28)."""
    from sim.store.files import canonical
    from sim.store.identity import run_id

    record = json.loads((played[0] / "run.json").read_bytes())
    for what, escape in ESCAPES.items():
        for key in ("name", "question"):
            record["experiment"][key] = escape
            record.pop("run_id", None)
            whole = {**record, "run_id": run_id(record)}
            (tmp_path / "run.json").write_bytes(canonical(whole))
            with injecting(f"{what} as the {key}"):
                done = sim("show", tmp_path, code=None)
                assert done.code in (0, 3)
                told = done.out + done.err
                assert all(c.isprintable() or c == "\n" for c in told), ascii(told)


def test_names_that_look_like_something_else_stay_names(tmp_path, injecting):
    """`NA`, `null`, `007` and their like are the same text in every table and export (B33)."""
    names = list(ALIKE.values())
    path = asked(tmp_path, names)
    sim("run", path, "--out", tmp_path / "run", "--allow-code", code=0)
    run = open_run(tmp_path / "run")
    configs = pl.read_parquet(tmp_path / "run" / "configs.parquet")
    shown = json.loads(sim("show", run.path, "--json", code=0).out)
    told = json.loads(sim("report", run.path, "--json", code=0).out)
    page = report.write(run).read_text(encoding="utf-8")
    configs.write_csv(tmp_path / "configs.csv", quote_style="non_numeric")
    again = pl.read_csv(tmp_path / "configs.csv", infer_schema=False)
    frame = pl.DataFrame(shown["estimates"]) if "estimates" in shown else None
    with injecting(", ".join(names)):
        assert configs["name"].dtype == pl.String
        assert configs["name"].to_list() == names
        assert again["name"].to_list() == names
        assert json.loads((run.path / "run.json").read_text())["experiment"]["name"] == names[0]
        for name in names:
            assert f'"{name}"' in json.dumps(shown, ensure_ascii=False)
            assert f'"{name}"' in json.dumps(told, ensure_ascii=False)
            assert f">{name}<" in page or name in Page(page).words
        assert frame is None or set(frame["variant"].unique()) == set(names)


YORUBA = ["Ẹ̀wọ̀n ń jẹ́ wè", "👩🏾‍🌾 🂡", "مرحبا", "Ọ̀fẹ́‑é", "x\u00a0y"]
ENVIRONMENTS = {
    "the C locale": {"LC_ALL": "C"},
    "C without Python's repair": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "Latin-1": {"PYTHONIOENCODING": "latin-1"},
    "UTF-16": {"PYTHONIOENCODING": "utf-16"},
}


@pytest.mark.parametrize("where", ENVIRONMENTS)
def test_names_are_exact_whatever_the_terminal_can_show(tmp_path, injecting, where):
    """Parquet, JSON and HTML hold every name exactly; only what is printed is poorer (B33)."""
    env = {**os.environ, **ENVIRONMENTS[where], "COLUMNS": "100"}
    path = asked(tmp_path, YORUBA)
    run = tmp_path / "run"

    def sim_bytes(*args):
        done = subprocess.run(
            command(*args), capture_output=True, env=env, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert b"Traceback" not in done.stderr
        return done.stdout

    encoding = ENVIRONMENTS[where].get("PYTHONIOENCODING", "ascii")
    encoding = "utf-8" if encoding == "ascii" else encoding
    with injecting(where):
        sim_bytes("run", path, "--out", run, "--allow-code")
        for args in (["show", run], ["check", path, "--allow-code"], ["verify", run]):
            assert sim_bytes(*args)
        if where != "C without Python's repair":  # there Python reads no argument as UTF-8
            sim_bytes("replay", run, "--deal", 1, "--variant", YORUBA[2], "--lineup", YORUBA[1])
        sim_bytes("report", run)
        stored = json.loads((run / "run.json").read_bytes())["experiment"]
        assert [one["name"] for one in stored["variants"]] == YORUBA
        assert pl.read_parquet(run / "configs.parquet")["name"].to_list() == YORUBA
        words = Page((run / "report" / "index.html").read_text(encoding="utf-8")).words
        assert all(seen(name) in words for name in YORUBA)
        resolved = json.loads(sim_bytes("check", path, "--allow-code", "--json").decode(encoding))
        assert [one["name"] for one in resolved["variants"]] == YORUBA
        assert YORUBA[0] in json.dumps(
            json.loads(sim_bytes("report", run, "--json").decode(encoding)), ensure_ascii=False
        )
