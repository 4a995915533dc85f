"""A run from end to end: the same data however it is played, and nothing lost."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reports import answers
from sim.columns import COLUMNS
from sim.errors import Busy, DataDamaged, Interrupted, ResumeRefused, UsageFault
from sim.kernel import twin_choosers
from sim.reference import play_game
from sim.stats.blocks import by_cell
from sim.stats.estimates import State, contrast
from sim.stats.metrics import METRICS
from sim.store import ledger, open_run
from sim.store.identity import ROOT, sources
from tests.runs import SMALL, command, played, said, written


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return played(tmp_path_factory.mktemp("whole")).run


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole.path, tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize(("jobs", "chunk_games"), [(1, 150), (2, 90), (3, 10**6)])
def test_the_data_do_not_depend_on_jobs_or_chunks(whole, tmp_path, jobs, chunk_games):
    again = played(tmp_path, jobs=jobs, chunk_games=chunk_games).run
    assert again.data_hash() == whole.data_hash()


def test_another_seed_gives_other_data(whole, tmp_path):
    assert played(tmp_path, SMALL + "seed: 7\n").run.data_hash() != whole.data_hash()


def _contrasts(run, variant):
    blocks = by_cell(run.blocks(), run.cells)
    cells = {(c.variant, c.players, c.lineup): c.id for c in run.cells}
    for (name, players, lineup), cell in cells.items():
        if name == variant:
            for metric in METRICS:
                base = blocks[cells["casual", players, lineup]]
                yield contrast(blocks[cell], base, metric)


@pytest.mark.parametrize("variant", ["same", "inert"])
def test_equal_rules_under_another_name_and_inert_options_differ_by_exactly_zero(whole, variant):
    found = list(_contrasts(whole, variant))
    assert found
    assert {(c.value, c.state) for c in found} <= {(0.0, State.EXACT), (0.0, State.CONSTANT)}


def test_yoruba_changes_the_game(whole):
    assert any(c.value for c in _contrasts(whole, "yoruba"))


def test_stored_rows_equal_the_games_told_by_the_twin(whole):
    choose = random.Random(1)
    for frame in whole.games():
        row = frame.row(choose.randrange(len(frame)), named=True)
        cell = whole.cells[row["cell"]]
        seating = cell.seatings[row["rotation"]]
        address, choosers = twin_choosers(seating)
        told = play_game(
            cell.rules,
            seating,
            whole.experiment.seed,
            row["deal"],
            row["hand_rotation"],
            captures_address=address,
            choosers=choosers,
        )
        for column in COLUMNS:
            if column.name in told and column.per_seat:
                stored = [row[f"{column.name}_{s}"] for s in range(5)]
                assert stored == told[column.name]
            elif column.name in told:
                assert row[column.name] == told[column.name]


def test_cards_are_conserved_in_every_row(whole):
    for frame in whole.games():
        cell = whole.cells[frame["cell"][0]]
        won = sum(frame[f"points_{s}"] + frame[f"penalties_{s}"] for s in range(5))
        rest = frame["left"] + frame["unused"] + frame["discarded"]
        assert (won + rest == (52 + cell.rules.jokers) * frame["rounds"]).all()


def test_every_variant_sees_the_same_deals(whole):
    checks = {}
    for frame in whole.games():
        for deal, check in zip(frame["deal"], frame["deck_check"], strict=True):
            assert checks.setdefault(deal, check) == check


def test_game_rows_stop_at_the_limit_and_block_sums_do_not(whole, tmp_path):
    run = played(tmp_path, SMALL + "keep: {games: 3000}\n").run
    kept = sum(len(frame) for frame in run.games())
    assert 0 < kept <= 3000
    drop = ["cell"]
    assert run.blocks().drop(drop).equals(whole.blocks().drop(drop))


def test_a_finished_run_is_not_played_again(copy, tmp_path):
    assert played(tmp_path).played == 0


def test_an_unfinished_run_needs_resume_and_then_is_what_it_would_have_been(copy, whole, tmp_path):
    lines = (copy / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (copy / "ledger.jsonl").write_bytes(b"".join(lines[::2]))
    (copy / "DONE.json").unlink()
    with pytest.raises(UsageFault, match="--resume"):
        played(tmp_path)
    outcome = played(tmp_path, resume=True, chunk_games=50)
    assert outcome.run.data_hash() == whole.data_hash()
    listed = {entry.part for entry in outcome.run.ledger.entries}
    assert {p.name for p in (copy / "parts").iterdir()} == listed
    assert not list((copy / "tmp").iterdir())


def test_a_changed_experiment_is_refused_field_by_field(copy, tmp_path):
    with pytest.raises(ResumeRefused, match=r"experiment\.seed: 1960 there, 8 now"):
        played(tmp_path, SMALL + "seed: 8\n", resume=True)


def test_everything_that_plays_decides_the_identity_of_a_run():
    """Of our modules that a run loads, those are left out that store it, and the compiler's cache.

    A run is not gone on with after a change in one of the others: the twin plays too.
    """
    code = (
        "import sys, sim.runner, sim.kernel, sim.reference, sim.tuning.play, strategies\n"
        "for one in sys.modules.values(): print(getattr(one, '__file__', ''))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = map(Path, done.stdout.splitlines())
    ours = {path for path in loaded if path.is_relative_to(ROOT / "sim")}
    left_out = {path.relative_to(ROOT / "sim") for path in ours - set(sources())}
    others = {path for path in left_out if path.parts[0] not in ("store", "answers")}
    assert others == {Path("kernel/cache.py")}


def test_a_directory_with_other_files_is_refused(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").touch()
    with pytest.raises(UsageFault, match=r"holds other files, such as thesis\.txt"):
        played(tmp_path)


def _flip(path, at):
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= 1 << (at % 8)
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("damage", ["flip", "empty", "cut", "gone"])
def test_a_damaged_part_is_named_never_read_and_alone_mended(copy, whole, tmp_path, damage):
    part = sorted((copy / "parts").iterdir())[5]
    before = {p.name: p.stat().st_mtime_ns for p in (copy / "parts").iterdir()}
    match damage:
        case "flip":
            _flip(part, 4321)
        case "empty":
            part.write_bytes(b"")
        case "cut":
            part.write_bytes(part.read_bytes()[:-100])
        case "gone":
            part.unlink()
    assert part.name in said("verify", copy, code=3)
    with pytest.raises(DataDamaged, match=part.name):
        open_run(copy).data_hash()
    mended = played(tmp_path, resume=True).run
    assert mended.data_hash() == whole.data_hash()
    after = {p.name: p.stat().st_mtime_ns for p in (copy / "parts").iterdir()}
    assert [name for name in after if after[name] != before[name]] == [part.name]


def test_twenty_flipped_bits_never_give_another_number(copy, whole):
    choose = random.Random(3)
    files = sorted((copy / "parts").iterdir())
    for _ in range(20):
        path = choose.choice(files)
        good = path.read_bytes()
        _flip(path, choose.randrange(10**6))
        with pytest.raises(DataDamaged):
            open_run(copy).data_hash()
        path.write_bytes(good)
    assert open_run(copy).data_hash() == whole.data_hash()


def test_a_damaged_identity_is_never_a_fresh_start(copy, tmp_path):
    _flip(copy / "run.json", 77)
    assert "damaged" in said("verify", copy, code=3)
    with pytest.raises(DataDamaged):
        played(tmp_path, resume=True)


def test_a_line_that_was_never_finished_is_dropped(copy, whole, tmp_path):
    ledger = copy / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes()[:-30])
    assert played(tmp_path, resume=True).run.data_hash() == whole.data_hash()


def test_a_second_run_in_the_same_directory_is_told_who_has_it(copy, tmp_path):
    from sim.store.lock import hold

    with hold(copy / "lock"), pytest.raises(Busy, match="process"):
        played(tmp_path)


LONG = "question: Who wins?\nplayers: [2, 4]\ngames: 40000000\nkeep: {games: 0}\n"


@pytest.fixture
def begun(tmp_path):
    """A long run that has published a part."""
    process = subprocess.Popen(
        command("run", written(tmp_path, LONG), "--out", tmp_path / "run", "--jobs", "2"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ledger = tmp_path / "run" / "ledger.jsonl"
    deadline = time.monotonic() + 120
    try:
        while not (ledger.exists() and ledger.stat().st_size):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_in_order_and_says_how_to_go_on(begun, tmp_path, number, code):
    begun.send_signal(number)
    out, err = begun.communicate(timeout=60)
    assert begun.returncode == code, out + err
    assert "--resume" in err
    assert "Traceback" not in err
    assert open_run(tmp_path / "run").health().faults == ()


def test_killed_at_any_moment_the_published_parts_are_sound(begun, tmp_path):
    second = subprocess.run(
        command("run", tmp_path / "asked.yaml", "--out", tmp_path / "run"),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert second.returncode == 4
    assert f"process {begun.pid}" in second.stderr
    begun.kill()
    begun.communicate()
    health = open_run(tmp_path / "run").health()
    assert health.faults == ()
    assert health.parts > 0


def test_an_interrupt_as_the_ledger_is_closed_leaves_the_parts_that_it_lists(tmp_path, monkeypatch):
    append = ledger.append

    def interrupted(*args):
        append(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(ledger, "append", interrupted)
    with pytest.raises(Interrupted, match="are kept"):
        played(tmp_path, jobs=1)
    health = open_run(tmp_path / "run").health()
    assert health.faults == ()
    assert health.parts > 0


def test_the_answer_is_told_again_from_the_directory_alone(whole):
    text = said("show", whole.path)
    assert "dealer advantage" in text
    found = json.loads(said("show", whole.path, "--json"))
    assert found == json.loads(json.dumps(answers.as_json(whole)))


def test_a_closed_pipe_does_not_stop_a_run(tmp_path):
    path = written(tmp_path)
    pipe = subprocess.Popen(
        command("run", path, "--out", tmp_path / "run"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    pipe.stdout.close()
    err = pipe.stderr.read()
    pipe.wait()
    assert "Traceback" not in err
    assert open_run(tmp_path / "run").done is not None
