"""What a run may be gone on with, made longer by, and begun on; and what is refused, and why."""

from __future__ import annotations

import os
import shutil
from collections import namedtuple
from dataclasses import replace

import numpy as np
import pytest

from sim import room, sameness
from sim.errors import DataDamaged, DiskFault, ResumeRefused, UsageFault
from sim.experiment import load
from sim.runner import run
from sim.store import open_run
from sim.store.files import sealed
from tests.runs import played, written
from tests.torture.forked import KILL, NOTE
from tests.torture.harness import TINY, logical_hash, sim, strays

MORE = 80
LONGER = TINY.replace("games: 120", "games: 200")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return played(tmp_path_factory.mktemp("whole"), TINY, jobs=1, chunk_games=60).run


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole.path, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def cut(copy):
    """The run as if it had been killed when half was published."""
    (copy / "DONE.json").unlink()
    lines = (copy / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (copy / "ledger.jsonl").write_bytes(b"".join(lines[:4]))
    return copy


def again(out, text=TINY, /, **how):
    return played(out.parent, text, **{"jobs": 1, "chunk_games": 60, **how})


def asked_at_once(folder, games, ended_at=()):
    """A run of so many games from the start, in the blocks of the first of `ended_at`."""
    experiment = replace(load(written(folder, TINY)), games=games, ended_at=ended_at)
    return run(experiment, folder / "at once", jobs=1).run


def game_rows(path):
    import polars as pl

    frames = [pl.read_parquet(part) for part in sorted((path / "parts").glob("games-*"))]
    return pl.concat(frames).sort("cell", "deal", "rotation", "hand_rotation")


@pytest.mark.quick
def test_a_run_and_an_extension_are_one_longer_run(copy, tmp_path, injecting):
    """C1; M7: the games of a run of both numbers, and its blocks where blocks have one size."""
    with injecting("a run extended twice"):
        outcome = again(copy, extend=MORE)
        assert outcome.played == 2 * MORE
        assert outcome.run.experiment.games == 200
        assert "extended" in outcome.run.stopped
        whole = asked_at_once(tmp_path, 200, (120,))
        assert logical_hash(copy) == logical_hash(whole.path)
        assert game_rows(copy).equals(game_rows(again(copy, LONGER, out="plain").run.path))
        again(copy, extend=50)
        assert open_run(copy).experiment.ended_at == (120, 200)
        assert again(copy).played == 0


def test_blocks_are_those_of_the_longer_run_where_they_are_whole_already(tmp_path, injecting):
    """C1; M7: from 12,800 deals on all blocks are of 256 deals."""
    text = TINY.replace("120", "25600").replace("them: [random, greedy]", "them: greedy")
    with injecting("a run of 25,600 games extended by as many"):
        once = played(tmp_path, text.replace("25600", "51200"), out="once").run
        played(tmp_path, text)
        twice = played(tmp_path, text, extend=25600).run
        assert twice.data_hash() == once.data_hash()
        assert logical_hash(twice.path) == logical_hash(once.path)


def test_game_rows_kept_stay_within_the_limit(tmp_path):
    """Where only some rows are kept, an extended run keeps those of a longer one."""
    text = TINY + "keep: {games: 100}\n"
    whole = played(tmp_path, text, out="short", jobs=1).run
    longer = played(tmp_path, text, out="short", jobs=1, extend=MORE).run
    assert [e for e in longer.ledger.entries if e.kind == "games"] == [
        e for e in whole.ledger.entries if e.kind == "games"
    ]


def test_killed_at_every_step_of_an_extension(forge, whole, tmp_path, injecting):
    """C2: it is the run as it was, or the longer one unfinished, and resumes to that."""
    asked = written(tmp_path, TINY)
    longer = logical_hash(asked_at_once(tmp_path, 200, (120,)).path)
    before = logical_hash(whole.path)
    shutil.copytree(whole.path, tmp_path / "steps")
    steps = forge.steps(asked, tmp_path / "steps", extend=MORE)
    ends = set()
    for at, (step, _) in enumerate(steps):
        with injecting(f"kill -9 where {step} ({at}) of an extension"):
            out = tmp_path / str(at)
            shutil.copytree(whole.path, out)
            assert forge.play(asked, out, at, KILL, extend=MORE).code < 0
            ended = forge.play(asked, out, -1, NOTE, resume=True)
            assert ended.code == 0, ended.said
            assert strays(out) == set()
            ends.add(logical_hash(out))
    assert ends == {before, longer}


REFUSED = {
    "unfinished": ("unfinished run", UsageFault),
    "half-width": ("cannot be extended", UsageFault),
    "too long": ("are the most", UsageFault),
}


@pytest.mark.quick
@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_extended_is_refused_with_the_reason(tmp_path, why):
    """C1: nothing is changed by asking."""
    text = {
        "half-width": TINY.replace("games: 120", "stop: {half_width: 0.3, max_games: 500}"),
        "unfinished": TINY.replace("games: 120", "stop: {games: 10000000, max_seconds: 0.01}"),
    }.get(why, TINY)
    played(tmp_path, text, jobs=1)
    before = (tmp_path / "run" / "run.json").read_bytes()
    words, kind = REFUSED[why]
    with pytest.raises(kind, match=words):
        played(tmp_path, text, jobs=1, extend=10**12 if why == "too long" else 5)
    assert (tmp_path / "run" / "run.json").read_bytes() == before


@pytest.mark.quick
def test_what_is_damaged_is_mended_before_it_is_extended(copy):
    """C1, C3: and both are not asked for at once, by the command or in Python."""
    (copy / "cells.parquet").write_bytes(b"")
    before = (copy / "run.json").read_bytes()
    with pytest.raises(DataDamaged, match=r"cells\.parquet"):
        again(copy, extend=MORE)
    with pytest.raises(UsageFault, match="--resume finishes a run, --extend makes"):
        again(copy, extend=MORE, resume=True)
    assert (copy / "run.json").read_bytes() == before


def test_an_extension_of_nothing_is_refused(tmp_path):
    with pytest.raises(UsageFault, match="no run that could be extended"):
        played(tmp_path, TINY, extend=5)
    assert not (tmp_path / "run").exists()


@pytest.mark.quick
def test_how_it_is_played_may_change(cut, whole, injecting):
    """C1; B23."""
    for how in ({"jobs": 2, "chunk_games": 7}, {"jobs": 1, "chunk_games": 10**6}):
        with injecting(f"resumed with {how}"):
            out = cut.with_name(f"with {how['jobs']}")
            shutil.copytree(cut, out)
            assert again(out, resume=True, out=out.name, **how).played == 120
            assert logical_hash(out) == logical_hash(whole.path)


def test_it_may_be_played_in_processes(cut, whole, injecting):
    """C1; B23."""
    with injecting("resumed with processes"):
        again(cut, resume=True, jobs=2, backend="loky")
        assert logical_hash(cut) == logical_hash(whole.path)


CHANGES = {
    "seed": (TINY + "seed: 7\n", r"experiment\.seed: 1960 there, 7 now"),
    "games": (LONGER, r"experiment\.games: 120 there, 200 now(.|\n)*--extend"),
    "rules": (
        TINY.replace("preset: yoruba", "preset: yoruba, jokers: 1"),
        r"experiment\.variants\[1\]\.rules\.jokers: 2 there, 1 now",
    ),
}


@pytest.mark.quick
@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_experiment_is_refused_field_by_field(cut, injecting, what):
    """C1; B22."""
    text, told = CHANGES[what]
    with injecting(f"another {what} on resume"):
        with pytest.raises(ResumeRefused, match=told):
            again(cut, text, resume=True)
        assert len((cut / "ledger.jsonl").read_bytes().splitlines()) == 4


@pytest.mark.quick
def test_what_only_a_reader_sees_may_change(cut, whole, injecting):
    """C1; B22: comments, order of keys, blank space."""
    with injecting("comments, other order, other spaces"):
        lines = TINY.splitlines()
        text = "# again\n" + "\n".join([lines[6], lines[5], *lines[:5]]) + "\n\n# end\n"
        again(cut, text, resume=True)
        assert logical_hash(cut) == logical_hash(whole.path)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("name", "value"), [("RULES_VERSION", 99), ("RNG_VERSION", "philox/v9"), ("source_hash", None)]
)
def test_other_rules_chance_or_sources_are_refused(cut, monkeypatch, injecting, name, value):
    """C1; B21, B22."""
    new = value if value is not None else (lambda: "f" * 64)
    monkeypatch.setattr(f"sim.store.identity.{name}", new)
    key = {"RULES_VERSION": "rules_version", "RNG_VERSION": "rng"}.get(name, "sources")
    with injecting(f"another {key} on resume"), pytest.raises(ResumeRefused, match=f"  {key}: "):
        again(cut, resume=True)


def test_a_changed_strategy_file_is_refused(tmp_path, injecting):
    """C1; B22."""
    mine = tmp_path / "mine.py"
    code = (
        "from sim.strategy import strategy\n\n\n"
        '@strategy(wants="all", compiled=False)\n'
        'def first(view):\n    """Plays the first move."""\n    return 0\n'
    )
    mine.write_text(code)
    text = TINY.replace("games: 120", "games: 4").replace("greedy", "'mine.py:first'")
    asked = written(tmp_path, text)
    sim("run", asked, "--out", tmp_path / "run", "--allow-code", code=0)
    (tmp_path / "run" / "DONE.json").unlink()
    with injecting("a strategy file changed on resume"):
        mine.write_text(code.replace("return 0", "return view.n_moves - 1"))
        done = sim("run", asked, "--out", tmp_path / "run", "--allow-code", "--resume", code=6)
        assert "experiment.strategies" in done.err and "sha256" in done.err
    with injecting("a damaged copy of a strategy file"):
        mine.write_text(code)
        kept = next((tmp_path / "run" / "code").iterdir())
        kept.write_text("import os\n")
        assert f"code/{kept.name}" in sim("verify", tmp_path / "run", code=3).err
        sim("run", asked, "--out", tmp_path / "run", "--allow-code", "--resume", code=0)
        assert kept.read_text() == code


def begun_by_other_numba(out):
    record = {**open_run(out).record}
    record["libraries"] = {**record["libraries"], "numba": "0.1"}
    (out / "run.json").write_bytes(sealed(record))


@pytest.mark.quick
def test_another_library_goes_on_where_it_plays_the_same_games(cut, whole, injecting):
    """C1; B21."""
    with injecting("another numba on resume"):
        begun_by_other_numba(cut)
        again(cut, resume=True)
        assert logical_hash(cut) == logical_hash(whole.path)
        (noted,) = open_run(cut).record["also_played_by"]
        assert noted["libraries"] == whole.record["libraries"]


@pytest.mark.quick
def test_another_library_that_plays_other_games_is_refused(cut, monkeypatch, injecting):
    """C1; B21."""
    true = sameness.block_table

    def other(games, cell, first):
        columns = dict(true(games, cell, first))
        return columns | {"turns.sum": np.asarray(columns["turns.sum"]) + 1}

    monkeypatch.setattr(sameness, "block_table", other)
    with injecting("another numba on resume that plays other games"):
        begun_by_other_numba(cut)
        with pytest.raises(ResumeRefused, match=r"numba: 0\.1 there(.|\n)*comes out otherwise"):
            again(cut, resume=True)


Usage = namedtuple("Usage", "total used free")
HUGE = TINY.replace("games: 120", "games: 1000000000")


@pytest.mark.quick
def test_what_has_no_room_is_refused_with_three_numbers_before_any_work(
    tmp_path, monkeypatch, injecting
):
    """C7; B9."""
    monkeypatch.setattr(room.shutil, "disk_usage", lambda path: Usage(0, 0, 1_000_000))
    with injecting("a thousand million games on a disk of a megabyte"):
        with pytest.raises(DiskFault) as fault:
            played(tmp_path, HUGE)
        told = str(fault.value)
        assert "1,000,000 bytes are free" in told and "--ignore-space" in told
        assert " bytes and " in told and " s; " in told
        assert not (tmp_path / "run").exists()
    with injecting("a run on a disk that is just large enough"):
        monkeypatch.setattr(room.shutil, "disk_usage", lambda path: Usage(0, 0, 900_000))
        assert played(tmp_path, TINY).played == 240
    with injecting("an extension that has no room"):
        with pytest.raises(DiskFault, match="Nothing was played"):
            played(tmp_path, TINY, extend=1_000_000_000)
        assert open_run(tmp_path / "run").done is not None
    with injecting("no room, and the user insists"):
        monkeypatch.setattr(room.shutil, "disk_usage", lambda path: Usage(0, 0, 1))
        assert played(tmp_path, TINY, out="other", ignore_space=True).played == 240


def test_the_bound_that_spares_a_pilot_is_above_what_is_stored(whole):
    held = sum(entry.bytes for entry in whole.ledger.entries)
    assert room.most_bytes(whole.planned, whole.experiment.keep_games, 60) > held


@pytest.mark.quick
def test_places_where_nothing_can_be_written(tmp_path, injecting):
    """C7; B10."""
    asked = written(tmp_path, TINY)
    (tmp_path / "file").touch()
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    for name in ("file", "link"):
        with injecting(f"the output is a {name}"):
            assert "--out" in sim("run", asked, "--out", tmp_path / name, code=2).err
    with injecting("the output is below a file"):
        sim("run", asked, "--out", tmp_path / "file" / "run", code=5)
    with injecting("the output is below /proc"):
        sim("run", asked, "--out", "/proc/nowhere/run", code=5)
    assert list((tmp_path / "there").iterdir()) == []


def test_a_link_among_its_own_files_is_refused(copy, tmp_path, injecting):
    """C5: nothing is written, or removed, outside the run directory."""
    with injecting("tmp is a link to somebody's files"):
        (copy / "tmp").rmdir()
        (tmp_path / "theirs").mkdir()
        (tmp_path / "theirs" / "thesis.txt").touch()
        (copy / "tmp").symlink_to(tmp_path / "theirs")
        with pytest.raises(UsageFault, match="is a link"):
            again(copy, resume=True)
        assert (tmp_path / "theirs" / "thesis.txt").exists()


def test_a_link_to_nowhere_among_the_drafts_is_removed(copy, tmp_path, injecting):
    """C5: through it a stop would be noted in a new file elsewhere."""
    for name in ("stop", "failure"):
        with injecting(f"tmp/{name} is a link to a file that is not there"):
            (copy / "tmp" / name).symlink_to(tmp_path / "new.txt")
            again(copy, resume=True)
            assert strays(copy) == set()


@pytest.mark.quick
@pytest.mark.parametrize("year", [1970, 2100])
def test_no_clock_decides_anything(cut, whole, monkeypatch, injecting, year):
    """C1; B19."""
    seconds = (year - 1970) * 31_556_952
    with injecting(f"all files, and the clock, of {year}"):
        for path in cut.rglob("*"):
            os.utime(path, (seconds, seconds))
        monkeypatch.setattr("time.time", lambda: float(seconds))
        again(cut, resume=True)
        assert logical_hash(cut) == logical_hash(whole.path)
        assert open_run(cut).done["seconds"] >= 0


@pytest.mark.quick
def test_what_a_dead_process_still_writes_is_swept(cut, whole, injecting):
    """C2; B13: only the holder of the lock publishes, so a late draft is a stray file in tmp."""
    with injecting("drafts of a dead run, one of them late"):
        (cut / "tmp" / "0123abcd-blocks-c0000-b000000-n0030.parquet").write_bytes(b"late")
        (cut / "parts" / "blocks-c0009-b000000-n0030.parquet").write_bytes(b"never listed")
        again(cut, resume=True)
        assert strays(cut) == set()
        assert logical_hash(cut) == logical_hash(whole.path)
