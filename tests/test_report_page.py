"""The report as a page: whole in itself, the same bytes, and what a name may do to it."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from reports import opening, report
from sim.errors import DiskFault
from sim.experiment import load
from sim.store import Run, failpoints, open_run
from tests.report_page import EVERYTHING, HOSTILE, PLAIN, STOPPED, Reader
from tests.runs import played, said, written


def test_the_same_run_gives_the_same_bytes_however_it_was_played(tmp_path: Path) -> None:
    """Two plays of an experiment differ in one thing only: the time they took."""
    found = []
    for out, how in (("a", {"jobs": 1}), ("b", {"jobs": 2, "chunk_games": 64})):
        again = played(tmp_path, EVERYTHING, out=out, **how).run
        text = report.write(again).read_text(encoding="utf-8")
        assert text == report.write(again).read_text(encoding="utf-8")
        found.append(re.sub(r"<div><dt>time</dt><dd>[^<]*</dd></div>", "", text))
        shutil.copytree(again.path, tmp_path / f"copy of {out}")
        copied = report.write(open_run(tmp_path / f"copy of {out}"))
        assert copied.read_text(encoding="utf-8") == text
    assert without_parts(found[0]) == without_parts(found[1])


def without_parts(text: str) -> str:
    """Leave out how many files the data were cut into."""
    return re.sub(r"(stored parts are.*?</tr>)", "", text, flags=re.S)


def test_the_page_needs_nothing_and_admits_only_what_it_brings(report_page: str) -> None:
    reader = Reader(report_page)
    policy = next(a["content"] for t, a in reader.tags if a.get("http-equiv"))
    for tag in ("style", "script"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", report_page, re.S)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in str(policy)
    assert "default-src 'none'" in str(policy) and "unsafe" not in str(policy)
    for tag, attributes in reader.tags:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base", "form")
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for name in ("src", "href", "xlink:href"):
            assert str(attributes.get(name, "#")).startswith("#")
    assert "@import" not in report_page and "url(h" not in report_page


def test_ids_are_unique_and_every_reference_is_there(report_page: str) -> None:
    """Catches pictures that share the page and each other's clip paths."""
    tags = Reader(report_page).tags
    ids = Counter(attributes["id"] for _, attributes in tags if "id" in attributes)
    assert not [name for name, count in ids.items() if count > 1]
    wanted = set(re.findall(r'(?:href="#|url\(#)([^")]+)', report_page))
    assert wanted and wanted <= set(ids)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = played(tmp_path_factory.mktemp("hostile"), HOSTILE).run
    return report.write(run).read_text(encoding="utf-8")


def test_hostile_names_come_out_as_text(hostile: str) -> None:
    reader = Reader(hostile)
    tags = Counter(tag for tag, _ in reader.tags)
    assert tags["script"] == tags["style"] == 1 and tags["img"] == 0
    for _, attributes in reader.tags:
        assert not [name for name in attributes if name.startswith("on")]
    for name in (
        '<script>document.title="owned"</script>',
        '"onmouseover="alert(1)',
        "{{7*7}}",
        "</svg></style></script><script>alert(2)</script>",
        "'single' & `tick` ${x}",
        "ẹ̀kọ́ ọ̀rọ̀ àṣà Yorùbá",
    ):
        assert name in reader.words
    assert not set(hostile) & set("\u202e\u200f\u202d\u200e")


@pytest.mark.parametrize("text", [EVERYTHING, HOSTILE, STOPPED])
def test_the_file_on_the_page_is_the_same_experiment(tmp_path: Path, text: str) -> None:
    asked = load(written(tmp_path, text))
    again = tmp_path / opening.file_name(asked)
    again.write_text(opening.document(asked), encoding="utf-8")
    assert load(again).identity == asked.identity


def test_the_command_writes_the_page_and_says_where(reported: Run) -> None:
    path = reported.path / "report" / "index.html"
    assert said("report", reported.path).strip() == str(path)
    assert json.loads(said("report", reported.path, "--json")) == json.loads(
        json.dumps(report.as_json(reported))
    )


def test_figures_are_written_for_print_the_same_to_the_byte(tmp_path: Path) -> None:
    found = []
    run = played(tmp_path, PLAIN).run
    for _ in range(2):
        report.write(run, figures=True)
        files = sorted((run.path / "report").glob("*.p*"))
        found.append([(f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in files])
    assert found[0] == found[1]
    names = {name for name, _ in found[0]}
    assert {"answer.png", "answer.pdf", "dealer_advantage_wins.pdf"} <= names


def test_a_page_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = played(tmp_path, PLAIN).run
    page = report.write(run)
    page.write_text("the old one", encoding="utf-8")

    def full(step: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(failpoints, "at", full)
    with pytest.raises(DiskFault, match="No space left"):
        report.write(run)
    assert [one.name for one in page.parent.iterdir()] == [page.name]
    assert page.read_text(encoding="utf-8") == "the old one"


def test_what_cannot_be_read_or_written_is_a_sentence(tmp_path: Path) -> None:
    assert "is no run directory" in said("report", tmp_path / "nothing", code=3)
    run = played(tmp_path, PLAIN).run
    (run.path / "report").write_text("in the way")
    assert "cannot write the report" in said("report", run.path, code=5)
    part = next(iter((run.path / "parts").glob("games-*")))
    part.write_bytes(part.read_bytes()[:-7])
    assert part.name in said("report", run.path, code=3)
