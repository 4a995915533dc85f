"""Damage is named, never averaged in, and alone mended: bits, bytes, parts, lines, tables."""

from __future__ import annotations

import io
import json
import random
import shutil
from dataclasses import replace

import polars as pl
import pytest

from reports.answers import as_json
from sim.errors import DataDamaged, OtherFormat, SimError
from sim.store import open_run, parts
from sim.store.files import sealed, sha256
from sim.store.ledger import Entry
from tests.runs import played
from tests.torture.harness import TINY, entries, flip, logical_hash, sim, strays

TABLES = ["cells.parquet", "configs.parquet", "lineups.parquet", "strategies.parquet"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return played(tmp_path_factory.mktemp("whole"), TINY, jobs=1, chunk_games=60).run


@pytest.fixture(scope="module")
def answer(whole):
    return as_json(open_run(whole.path))


@pytest.fixture
def copy(whole, tmp_path):
    """Make a fresh copy of the run at each call."""
    made = []

    def fresh():
        out = tmp_path / f"{len(made)}" / "run"
        made.append(out)
        shutil.copytree(whole.path, out)
        return out

    return fresh


def resume(out):
    return played(out.parent, TINY, jobs=1, chunk_games=60, resume=True)


def refused(out, *words):
    """The data of a run are not read, and the check says why in these words."""
    health = open_run(out).health()
    for word in words:
        assert any(word in fault for fault in health.faults), health.faults
    with pytest.raises(DataDamaged):
        open_run(out).data_hash()


def mended(out, whole, played_games):
    """Resuming plays so many games again, and everything is as it was."""
    outcome = resume(out)
    assert outcome.played == played_games
    assert outcome.mended
    assert logical_hash(out) == logical_hash(whole.path)
    assert strays(out) == set()
    assert open_run(out).health().faults == ()
    assert not open_run(out).missing_blocks


def parts_of(out):
    return sorted((out / "parts").iterdir())


@pytest.mark.quick
@pytest.mark.parametrize("size", ["nothing", "four bytes", "half", "all but one"])
def test_a_cut_part_is_named_and_alone_played_again(copy, whole, injecting, size):
    """C3; B14."""
    for number in (0, 5):
        with injecting(f"a part cut to {size}"):
            out = copy()
            before = {path: path.stat().st_ino for path in parts_of(out)}
            part = parts_of(out)[number]
            data = part.read_bytes()
            keep = {"nothing": 0, "four bytes": 4, "half": len(data) // 2}.get(size, len(data) - 1)
            part.write_bytes(data[:keep])
            refused(out, part.name)
            mended(out, whole, 60)
            others = {path: ino for path, ino in before.items() if path != part}
            assert {path: path.stat().st_ino for path in others} == others


SEALED = ["ledger.jsonl", "run.json", "DONE.json"]


@pytest.mark.quick
def test_twenty_flipped_bits_are_found_or_mended_and_never_another_number(
    copy, whole, answer, injecting
):
    """C3; B15."""
    choose = random.Random(15)
    names = [f"parts/{part.name}" for part in parts_of(whole.path)]
    chosen = choose.sample(names, 6) + SEALED * 3 + TABLES + ["footer"]
    assert len(chosen) == 20
    for name in chosen:
        out = copy()
        path = out / (names[2] if name == "footer" else name)
        size = 8 * path.stat().st_size
        bit = size - choose.randrange(8, 64) if name == "footer" else choose.randrange(size)
        with injecting(f"bit {bit} of {name} flipped"):
            flip(path, bit)
            found_or_mended(out, whole, answer)


def found_or_mended(out, whole, answer):
    try:
        run = open_run(out)
        assert run.health().faults, "nobody saw it"
        assert as_json(run) == answer
    except DataDamaged as fault:
        assert str(out) in str(fault)
    try:
        resume(out)
    except DataDamaged as fault:
        assert "run.json" in str(fault)
    else:
        assert logical_hash(out) == logical_hash(whole.path)
        assert open_run(out).health().faults == ()


def test_every_byte_of_the_small_files_flipped(copy, whole, answer, injecting):
    """C3; B15."""
    out = copy()
    choose = random.Random(4)
    for name in [*SEALED, *TABLES]:
        good = (out / name).read_bytes()
        for at in range(0, len(good), 7):
            with injecting(f"a bit of byte {at} of {name} flipped"):
                flip(out / name, 8 * at + choose.randrange(8))
                try:
                    run = open_run(out)
                    assert run.health().faults, "nobody saw it"
                    if name in SEALED:
                        with pytest.raises(DataDamaged):
                            run.data_hash()
                except DataDamaged:
                    assert name == "run.json"
                (out / name).write_bytes(good)
    assert as_json(open_run(out)) == answer


@pytest.mark.quick
def test_a_missing_part_is_played_again(copy, whole, injecting):
    """C3; B16."""
    with injecting("a part removed"):
        out = copy()
        parts_of(out)[3].unlink()
        refused(out, "it is missing")
        mended(out, whole, 60)


@pytest.mark.quick
def test_parts_that_are_not_the_runs_own_are_never_read(copy, whole, answer, tmp_path, injecting):
    """C3; B16: a file that no line lists is not read; under a listed name it is refused."""
    other = played(tmp_path, TINY + "seed: 5\n", out="other", jobs=1, chunk_games=60).run
    own = parts_of(whole.path)
    with injecting("foreign files among the parts"):
        out = copy()
        for name in ("mine.parquet", ".blocks.parquet.swp", "a.tmp", "zz.csv"):
            shutil.copy(own[0], out / "parts" / name)
        assert open_run(out).health().faults == ()
        assert as_json(open_run(out)) == answer
        assert resume(out).played == 0
    with injecting("a part under the name of another chunk"):
        out = copy()
        shutil.copy(own[1], out / "parts" / own[0].name)
        refused(out, own[0].name)
        mended(out, whole, 60)
    with injecting("a part of another run"):
        out = copy()
        shutil.copy(parts_of(other.path)[0], out / "parts" / own[0].name)
        refused(out, own[0].name)
        mended(out, whole, 60)
    with injecting("parts and ledger of another run"):
        out = copy()
        shutil.rmtree(out / "parts")
        shutil.copytree(other.path / "parts", out / "parts")
        shutil.copy(other.path / "ledger.jsonl", out / "ledger.jsonl")
        refused(out, "its footer says run")
        mended(out, whole, 240)


def forged(out, change):
    """Change the rows of a part, and its line in the ledger with it."""
    line = entries(out)[0]
    path = out / "parts" / str(line.pop("part"))
    label = pl.read_parquet_metadata(path)
    own = {name: label[name] for name in ("run", "kind", "cell", "first_block", "blocks", "rows")}
    buffer = io.BytesIO()
    change(pl.read_parquet(path)).write_parquet(buffer, metadata=own)
    data = buffer.getvalue()
    path.write_bytes(data)
    entry = replace(Entry(**line), bytes=len(data), sha256=sha256(data))
    lines = (out / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (out / "ledger.jsonl").write_bytes(entry.line() + b"".join(lines[1:]))
    return path.name


DRIFTS = {
    "a column more": lambda frame: frame.with_columns(extra=pl.lit(1)),
    "a column less": lambda frame: frame.drop("block"),
    "a column renamed": lambda frame: frame.rename({"deals": "deal"}),
    "a column of another type": lambda frame: frame.with_columns(pl.col("games").cast(pl.Int64)),
    "another order": lambda frame: frame.select(reversed(frame.columns)),
}


@pytest.mark.quick
@pytest.mark.parametrize("drift", DRIFTS)
def test_another_schema_is_named_with_its_column(copy, whole, injecting, drift):
    """C3; B17."""
    with injecting(drift):
        out = copy()
        name = forged(out, DRIFTS[drift])
        refused(out, name, "order" if drift == "another order" else "column")
        mended(out, whole, 60)


def test_a_column_of_nothing_is_named(copy, injecting):
    """C3; B17: whoever forges part and ledger alike is found when the rows are read."""
    with injecting("a column of nulls"):
        out = copy()
        change = lambda frame: frame.with_columns(deals=pl.lit(None, pl.Int32))  # noqa: E731
        name = forged(out, change)
        refused(out, name, "without a gap")


def _lines(out):
    return (out / "ledger.jsonl").read_bytes().splitlines(keepends=True)


def _contradiction(lines):
    line = json.loads(lines[0])
    line["sha256"] = "0" * 64
    del line["part"]
    return [*lines, Entry(**line).line()]


LEDGERS = {
    "empty": lambda lines: [],
    "half of a line in the middle": lambda lines: [*lines[:3], lines[3][:40] + b"\n", *lines[4:]],
    "noise in the middle": lambda lines: [*lines[:3], b"\x00\xff{{{\n", *lines[3:]],
    "two lines that contradict": _contradiction,
    "carriage returns": lambda lines: [line.replace(b"\n", b"\r\n") for line in lines],
    "a byte order mark": lambda lines: [b"\xef\xbb\xbf", *lines],
    "JSON of another kind": lambda lines: [*lines, b"[1, 2]\n", b"7\n", b"null\n"],
    "not a number": lambda lines: [lines[0].replace(b'"rows":', b'"rows":NaN,"x":'), *lines[1:]],
    "a number too large": lambda lines: [*lines, b'{"rows": ' + b"9" * 5000 + b"}\n"],
    "deep": lambda lines: [*lines, b"[" * 100_000 + b"\n"],
    "lines missing": lambda lines: lines[::2],
}


@pytest.mark.quick
@pytest.mark.parametrize("damage", LEDGERS)
def test_a_damaged_ledger_is_never_read_and_is_mended(copy, whole, injecting, damage):
    """C3; B18."""
    with injecting(f"ledger: {damage}"):
        out = copy()
        (out / "ledger.jsonl").write_bytes(b"".join(LEDGERS[damage](_lines(out))))
        refused(out, "ledger.jsonl")
        outcome = resume(out)
        assert outcome.mended
        assert logical_hash(out) == logical_hash(whole.path)
        assert strays(out) == set()


@pytest.mark.quick
def test_a_ledger_can_be_gone_or_end_in_half_a_line_or_say_things_twice(copy, whole, injecting):
    """C2; B18."""
    with injecting("ledger removed"):
        out = copy()
        (out / "ledger.jsonl").unlink()
        refused(out, "ledger.jsonl is missing")
        mended(out, whole, 240)
    with injecting("a last line that was never finished"):
        out = copy()
        (out / "DONE.json").unlink()
        (out / "ledger.jsonl").write_bytes(b"".join(_lines(out))[:-30])
        assert open_run(out).health().faults == ()
        assert resume(out).played == 60
        assert logical_hash(out) == logical_hash(whole.path)
    with injecting("a line twice"):
        out = copy()
        lines = _lines(out)
        (out / "ledger.jsonl").write_bytes(b"".join([*lines, lines[2]]))
        assert open_run(out).health().faults == ()
        assert resume(out).played == 0
        assert len(entries(out)) == 8


@pytest.mark.quick
@pytest.mark.parametrize("name", SEALED)
def test_a_file_of_another_run_is_refused(copy, whole, tmp_path, injecting, name):
    """C3; B16, B18."""
    other = played(tmp_path, TINY + "seed: 5\n", out="other", jobs=1, chunk_games=60).run
    with injecting(f"{name} of another run"):
        out = copy()
        shutil.copy(other.path / name, out / name)
        run = open_run(out)
        assert run.health().faults
        with pytest.raises(DataDamaged):
            run.blocks()
        if name != "run.json":
            resume(out)
            assert logical_hash(out) == logical_hash(whole.path)
        else:
            with pytest.raises(SimError, match=r"experiment\.seed: 5 there"):
                resume(out)


@pytest.mark.quick
def test_a_lost_identity_is_never_a_fresh_start(copy, injecting):
    """C3; B18."""
    for what in ("removed", "emptied", "JSON of another kind", "valid, and not sealed"):
        with injecting(f"run.json {what}"):
            out = copy()
            (out / "DONE.json").unlink()
            shutil.rmtree(out / "report", ignore_errors=True)
            before = {path.name for path in parts_of(out)}
            record = json.loads((out / "run.json").read_bytes())
            match what:
                case "removed":
                    (out / "run.json").unlink()
                case "emptied":
                    (out / "run.json").write_bytes(b"")
                case "JSON of another kind":
                    (out / "run.json").write_bytes(b"[" * 100_000)
                case _:
                    (out / "run.json").write_text(json.dumps(record | {"program": "9"}))
            with pytest.raises(DataDamaged, match=r"run\.json"):
                resume(out)
            assert {path.name for path in parts_of(out)} == before


@pytest.mark.quick
@pytest.mark.parametrize(
    ("version", "told"), [(1, "of format 1, .* an older"), (99, "of format 99, .* a newer")]
)
def test_a_run_of_another_version_is_not_called_damaged(copy, injecting, version, told):
    """C3, C7; B21: the first version had no seal."""
    with injecting(f"run.json of format {version}"):
        out = copy()
        record = {"format": version, "asked": "otherwise than now"}
        (out / "run.json").write_bytes(
            sealed(record) if version > 1 else json.dumps(record).encode()
        )
        for use in (open_run, resume):
            with pytest.raises(OtherFormat, match=told):
                use(out)
        told_by_verify = sim("verify", out, code=6).err
        assert "this program reads format 2" in told_by_verify and "--out" in told_by_verify


@pytest.mark.quick
@pytest.mark.parametrize("name", TABLES)
def test_a_damaged_table_is_named_and_mended_and_changes_no_number(copy, answer, injecting, name):
    """C3; B15."""
    with injecting(f"{name} emptied"):
        out = copy()
        good = (out / name).read_bytes()
        (out / name).write_bytes(b"")
        assert any(name in fault for fault in open_run(out).health().faults)
        assert as_json(open_run(out)) == answer
        outcome = resume(out)
        assert (outcome.played, len(outcome.mended)) == (0, 1)
        assert (out / name).read_bytes() == good


@pytest.mark.quick
def test_only_resume_mends(copy, injecting):
    """C3: a run that is asked for again says what is damaged and touches nothing."""
    with injecting("a damaged part in a run that is asked for again"):
        out = copy()
        part = parts_of(out)[2]
        part.write_bytes(b"")
        with pytest.raises(DataDamaged, match=part.name):
            played(out.parent, TINY, jobs=1)
        assert part.read_bytes() == b""


@pytest.mark.quick
def test_no_row_is_decoded_when_a_run_is_opened_again(copy, monkeypatch):
    """A finished run is checked by its hashes and footers alone."""
    out = copy()
    decoded = []
    monkeypatch.setattr(parts.pl, "read_parquet", lambda *a, **k: decoded.append(1))
    assert resume(out).played == 0
    assert not decoded


def test_sealed_is_exact():
    """A seal holds for the bytes, not for what they mean."""
    from sim.store.files import unsealed

    data = sealed({"a": 1, "name": "Ẹ̀lẹ́wẹ́njẹ̀wẹ́"})
    assert unsealed(data)["a"] == 1
    for other in (data.strip(), data.replace(b":1", b": 1"), data.replace(b'"a":1,', b"")):
        with pytest.raises(ValueError, match="not what was written"):
            unsealed(other)
