"""Many variants at once: what each did over all settings, in a table, a picture and a sentence."""

from __future__ import annotations

import io
import re
from itertools import product
from pathlib import Path

import pytest
from rich.console import Console

from reports import answers, factors, spread, spread_picture, words
from reports.page import Page
from sim.answers.findings import Findings
from sim.rules import Rules
from sim.stats.verdict import Verdict
from tests import synthetic_run as synthetic

GREEDY, CAUTIOUS = synthetic.Lineup("greedy"), synthetic.Lineup("cautious")
VARIANTS = tuple(synthetic.Variant(f"rules {i}", dealer=1.2 * i * (-1) ** i) for i in range(8))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> synthetic.Run:
    """7 variants against the first, in 4 settings: 28 changes, more than a forest plot's rows."""
    folder = tmp_path_factory.mktemp("many")
    return synthetic.make(folder, VARIANTS, (2, 3), (GREEDY, CAUTIOUS), blocks=20)


def printed(run: synthetic.Run) -> str:
    stream = io.StringIO()
    answers.show(run, Console(file=stream))
    return stream.getvalue()


def test_the_answer_names_first_the_variants_at_both_ends(many: synthetic.Run) -> None:
    findings = Findings(many)
    changes = sorted(findings.changes(findings.primary), key=lambda each: each.estimate.value)
    verdict, counts, *_ = words.answer(findings)
    lead = "Dealer advantage in wins, each of 7 variants against rules 0: from "
    assert verdict.startswith(lead)
    low, high = verdict.removeprefix(lead).split(" to ")
    assert f"({changes[0].cell.variant}, {changes[0].setting})" in low
    assert f"({changes[-1].cell.variant}, {changes[-1].setting})" in high
    assert counts.startswith("It is ") and "of 28 comparisons" in counts


@pytest.mark.parametrize(
    ("dealer", "blocks", "told"), [(0.01, 3, "not yet known"), (9, 200, "up by more than 0.5 pp")]
)
def test_what_holds_of_every_variant_is_said_first(
    tmp_path: Path, dealer: float, blocks: int, told: str
) -> None:
    """Catches a headline that names the ends of what may be chance, or that hides a plain yes."""
    alike = tuple(synthetic.Variant(f"rules {i}", dealer=dealer * i) for i in range(4))
    findings = Findings(synthetic.make(tmp_path, alike, (2,), (GREEDY,), blocks=blocks))
    verdict, ends, *_ = words.answer(findings)
    assert verdict.endswith(f": {told} in all 3 comparisons.")
    assert ends.startswith("It ranges from ")


def test_each_variant_has_a_row_with_both_ends_and_its_verdicts(many: synthetic.Run) -> None:
    findings = Findings(many)
    changes = findings.changes(findings.primary)
    digits = words.digits_for(changes)
    text = printed(many)
    table = text[text.index("Each variant over") : text.index("The dealer and the course")]
    order = []
    for variant in VARIANTS[1:]:
        own = [each for each in changes if each.cell.variant == variant.name]
        ends = sorted(own, key=lambda each: each.estimate.value)
        (line,) = (line for line in table.splitlines() if line.startswith(f"  {variant.name} "))
        assert words.write(ends[0], digits) in line and words.write(ends[-1], digits) in line
        counts = map(int, re.findall(r"\d+", line.rpartition("±")[2].strip().partition(" ")[2]))
        assert sum(counts) == len(own) == 4
        order.append((table.index(line), max(abs(each.estimate.value) for each in own)))
    assert [size for _, size in sorted(order)] == sorted((s for _, s in order), reverse=True)


def test_a_change_is_counted_under_the_way_it_surely_goes(many: synthetic.Run) -> None:
    findings = Findings(many)
    for each in findings.changes(findings.primary):
        up = each.estimate.value > 0
        larger = each.verdict is Verdict.LARGER
        assert words.kind(each) == (("up" if up else "down") if larger else each.verdict)


def test_one_variant_or_one_setting_has_no_such_table(tmp_path: Path) -> None:
    one = synthetic.make(tmp_path / "a", VARIANTS[:2], (2, 3), (GREEDY,))
    here = synthetic.make(tmp_path / "b", VARIANTS[:3], (2,), (GREEDY,))
    for run in (one, here):
        assert "Each variant over" not in printed(run)


def test_a_picture_of_too_many_rows_has_one_for_each_variant(many: synthetic.Run) -> None:
    """Catches 24 of 28 changes under a title that says nothing of those left out."""
    findings = Findings(many)
    changes = findings.changes(findings.primary)
    (axes,) = spread_picture.of(changes).axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    order = [own.name for own in spread.of_variants(changes)]
    assert names == order and len(order) == 7
    marks = {
        (round(float(x), 9), names[round(float(y))])
        for line in axes.get_lines()
        if line.get_marker() != "None"
        for x, y in line.get_xydata()  # type: ignore[union-attr]
    }
    assert marks == {(round(each.estimate.value * 100, 9), each.cell.variant) for each in changes}


def test_what_a_picture_leaves_out_is_written_in_it(many: synthetic.Run) -> None:
    findings = Findings(many)
    variants = spread.of_variants(findings.changes(findings.primary))
    told = [text.get_text() for text in spread_picture.draw(variants * 4).texts]
    assert "percentage points; a mark is one line-up; the 24 of 28 that differ most" in told
    alone = findings.changes(findings.primary)[:1] * 30
    told = [text.get_text() for text in spread_picture.of(alone).texts]
    assert "percentage points; the 24 most extreme of 30" in told


def options(*names: str) -> tuple[synthetic.Variant, ...]:
    """Every combination of some options, each off and on; the first one moves the dealer."""
    return tuple(
        synthetic.Variant(
            ", ".join(f"{name}={on}" for name, on in zip(names, values, strict=True)),
            dealer=3.0 * values[0],
            rules=Rules.model_validate(dict(zip(names, values, strict=True))),
        )
        for values in product((False, True), repeat=len(names))
    )


def test_where_three_options_are_combined_the_answer_says_which_matters_most(
    tmp_path: Path,
) -> None:
    run = synthetic.make(
        tmp_path, options("yoruba", "esun", "single_deal"), (2, 5), (GREEDY,), blocks=50
    )
    found = factors.combined(Findings(run))
    said = factors.sentences(found)
    assert said[0].startswith("The Yoruba rule matters most for the dealer advantage in wins")
    assert printed(run).index(said[0][:40]) < printed(run).index("each of 7 variants")
    assert factors.by_change(found)[0].name == "yoruba: off → on"


def test_esun_that_nobody_used_is_no_answer_about_esun(tmp_path: Path) -> None:
    """Catches "exactly equal", and nothing else, where no strategy ever builds a pile."""
    told = "Esun could change nothing: nobody built a pile in any game."
    run = synthetic.make(tmp_path, options("esun"), (2,), (GREEDY,))
    assert told not in printed(run)
    for rows in run.rows.values():
        rows["built"] = 0
    assert told in printed(run)
    plain = synthetic.make(tmp_path, VARIANTS[:2], (2,), (GREEDY,))
    for rows in plain.rows.values():
        rows["built"] = 0
    assert told not in printed(plain)


def test_two_options_are_told_by_their_variants(tmp_path: Path) -> None:
    run = synthetic.make(tmp_path, options("yoruba", "esun"), (2,), (GREEDY,))
    assert factors.combined(Findings(run)) == []


def test_no_line_of_a_sentence_ends_within_a_number() -> None:
    stream = io.StringIO()
    page = Page(Console(file=stream))
    for i in range(100):
        page.line("." * i + " 1.5 ± 0.2 pp, and more than that")
    assert "1.5 ± 0.2" in stream.getvalue()
    assert not re.findall(r"(1\.5|±)\n", stream.getvalue())
