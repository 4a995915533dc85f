"""sim tune, played: the same end however it is played, and honest answers."""

import json
import math
import shlex
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from reports import tune_report, tune_words, tuned
from sim.answers.factors import means_of, rule_effects
from sim.answers.findings import Findings
from sim.answers.tuned import Judged, Number, Stage
from sim.commands import verify
from sim.commands.tune import command
from sim.design import own_games
from sim.errors import DataDamaged, DiskFault, Interrupted, OtherFormat, ResumeRefused, UsageFault
from sim.goals import FairWithin
from sim.room import EXPECTED_SHARE
from sim.rules import Rules
from sim.stats.blocks import by_cell
from sim.stats.goals import Met, Place
from sim.store.ending import ONE_LOOK
from sim.store.files import sealed, unsealed
from sim.tuning import directory
from sim.tuning.directory import open_tune
from sim.tuning.plan import FRESH_DEAL, plan, proof
from sim.tuning.play import Players, play
from sim.tuning.tune import load_tune
from tests.runs import said

RACE = """\
question: Which rules make for many changes of the lead?
players: 2
space:
  rest: [nobody, last_to_play]
  leftover: [unused, table]
  jokers: [0, 2]
  end: [{rounds: 1}, {rounds: 2}]
goals:
  - {metric: tie_rate, at_most: 0.2}
  - {maximise: lead_changes, smallest: 0.4}
lineups: {greedy: greedy, saver: saver}
budget: {games: 50000}
"""


def tuned_in(folder, text=RACE, *, jobs=2, chunk=None, resume=False, begin=None):
    path = folder / "asked.yaml"
    path.write_text(text)
    tune = load_tune(path)
    out = folder / "out"
    found = directory.begun(out, tune, resume) or plan(tune, 2)
    return play(tune, found, out, resume, Players(jobs, chunk, begin=begin)).answer


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("race")
    return tuned_in(folder), folder


def hashes(answer):
    return answer.as_json()["data"]


def test_a_race_drops_and_settles_and_its_answer_is_that_of_its_data(whole):
    answer, folder = whole
    contest = answer.explore.contest
    assert contest.rule.method == "race"
    blocks = {max(one.blocks) for one in contest.contenders}
    assert len(blocks) > 1, "nobody was dropped on the way"
    stopped = [stage.run.stopped for stage in (answer.explore, answer.fresh)]
    assert [ONE_LOOK in told for told in stopped] == [True, False]
    stored = directory.read_answer(folder / "out")
    assert stored == json.loads(json.dumps(answer.as_json()))
    assert stored["data"]["explore"] == answer.explore.run.data_hash()


def test_survivors_play_the_same_deals_and_nobody_plays_after_it_is_dropped(whole):
    """Every cell has its first blocks, without hole, as far as some rule set that plays it was."""
    run = whole[0].explore.run
    found = by_cell(run.blocks(), run.cells)
    furthest = {}
    for one in whole[0].explore.contest.contenders:
        for cell, count in zip(one.cells, one.blocks, strict=True):
            furthest[cell.player] = max(furthest.get(cell.player, 0), count)
    assert any(cell.shares is not None for cell in run.cells)
    for cell in run.cells:
        assert list(found[cell.id].block) == list(range(furthest[cell.player]))


def test_where_it_ends_depends_on_the_data_alone(whole, tmp_path):
    assert hashes(tuned_in(tmp_path, jobs=3, chunk=900)) == hashes(whole[0])


class StopsAfter:
    """A progress that has the tune interrupted when so many games are played."""

    def __init__(self, games):
        self.left = games

    def __call__(self, total, there):
        return self

    def advance(self, games):
        import os
        import signal

        self.left -= games
        if 0 >= self.left > -(10**8):
            self.left = -(10**9)
            os.kill(os.getpid(), signal.SIGINT)

    def close(self):
        pass


def test_interrupted_and_resumed_it_ends_the_same(whole, tmp_path):
    with pytest.raises(Interrupted, match="--resume"):
        tuned_in(tmp_path, begin=StopsAfter(9000))
    with pytest.raises(UsageFault, match="unfinished"):
        open_tune(tmp_path / "out").answer()
    with pytest.raises(UsageFault, match="--resume"):
        tuned_in(tmp_path)
    assert hashes(tuned_in(tmp_path, resume=True)) == hashes(whole[0])


def test_another_file_is_not_resumed_and_a_damaged_one_is_told(whole, tmp_path):
    _, folder = whole
    shutil.copytree(folder / "out", tmp_path / "out")
    with pytest.raises(ResumeRefused, match="the file changed"):
        tuned_in(tmp_path, RACE.replace("0.2}", "0.3}"), resume=True)
    record = tmp_path / "out" / "tune.json"
    record.write_text(record.read_text().replace("lead", "laed"))
    with pytest.raises(DataDamaged, match="not what was written"):
        tuned_in(tmp_path, resume=True)


def test_a_tune_of_another_version_is_not_called_damaged(whole, tmp_path):
    _, folder = whole
    shutil.copytree(folder / "out", tmp_path / "out")
    (tmp_path / "out" / "tune.json").write_bytes(sealed({"format": 9, "asks": "otherwise"}))
    told = "is of format 9, and this program reads format 1: a newer version"
    with pytest.raises(OtherFormat, match=told):
        tuned_in(tmp_path, resume=True)
    with pytest.raises(OtherFormat, match=told):
        open_tune(tmp_path / "out")


@pytest.mark.parametrize(
    ("key", "value"),
    [("document", 3), ("plan", []), ("plan", {"games": 5}), ("plan.games", "many")],
)
def test_a_tune_that_says_what_no_tune_says_is_damaged(whole, tmp_path, key, value):
    record = unsealed((whole[1] / "out" / "tune.json").read_bytes())
    inner = record["plan"] if "." in key else record
    inner[key.rpartition(".")[2]] = value
    (tmp_path / "tune.json").write_bytes(sealed(record))
    with pytest.raises(DataDamaged, match="it tells of no tune"):
        open_tune(tmp_path)


def test_fresh_deals_are_fresh_and_the_answer_leads_with_them(whole):
    answer, _ = whole
    explored, fresh = answer.explore.run, answer.fresh.run
    last = max(cell.first_deal + cell.blocks * cell.block_deals for cell in explored.cells)
    assert last <= FRESH_DEAL == min(cell.first_deal for cell in fresh.cells)
    assert int(fresh.blocks()["block"].min()) * fresh.cells[0].block_deals == FRESH_DEAL
    _, best = answer.recommended
    told = " ".join(tune_words.sentences(answer))
    assert tune_words.write(best.means[0]) in told
    assert tune_words.write(answer.recommended[0].means[0]) not in told


def test_the_fresh_numbers_are_those_of_its_blocks(whole):
    """Recomputed from the stored sums: the worst tie rate, and the mean of lead changes."""
    answer, _ = whole
    blocks = by_cell(answer.fresh.run.blocks(), answer.fresh.run.cells)
    _, best = answer.recommended
    cells = [cell for cell in answer.fresh.run.cells if cell.variant == best.variant]

    def rate(cell, name):
        own = blocks[cell.id].columns
        return own[f"{name}.sum"].sum() / own["games"].sum()

    assert best.worst[0].value == pytest.approx(max(rate(cell, "ties") for cell in cells))
    mean = np.mean([rate(cell, "lead_changes") for cell in cells])
    assert best.means[0].value == pytest.approx(mean)


def test_a_goal_that_cannot_be_met_gets_the_nearest_miss(tmp_path):
    text = RACE.replace("tie_rate, at_most: 0.2", "tie_rate, at_most: 0.00001")
    text = text.replace("50000", "20000").replace("jokers: [0, 2]", "jokers: [0]")
    answer = tuned_in(tmp_path, text)
    told = tune_words.sentences(answer)
    assert not answer.found
    assert told[0] == "Of 8 rule sets none meets every goal."
    assert told[1].startswith("The nearest miss, as far as is known, is ")
    assert "at worst" in told[2] and "±" in told[2]
    nearest = min(answer.explore.judged, key=lambda own: own.beyond)
    assert answer.recommended[0].beyond == nearest.beyond > 0


def test_what_is_surely_broken_is_told_before_what_only_looks_worse():
    goal = FairWithin(fair_within=0.005)
    looks = Number(goal, None, 0, 0.03, -0.01, 0.07, Met.OPEN, beyond=5.0)
    breaks = Number(goal, None, 1, 0.02, 0.01, 0.03, Met.NO, beyond=3.0)
    own = Judged("x", Rules(), (Met.NO,), Place.OUT, ((looks, breaks),), (), games=1)
    assert own.worst == [breaks]
    assert own.beyond == 5.0


def test_effects_after_a_race_rest_on_the_first_look_alone(tmp_path):
    """Where a race ends the data choose; its 20 first blocks are there whatever is seen."""
    answer = tuned_in(
        tmp_path,
        """\
question: Are the rules fair?
players: 2
space: {rest: [nobody, last_to_play], end: [{rounds: 1}, {rounds: 2}]}
goals: [{fair_within: 0.0001}]
lineups: {greedy: greedy}
budget: {games: 10000}
""",
    )
    assert {one.blocks[0] for one in answer.explore.contest.contenders} != {20}
    (own,) = rule_effects(Findings(answer.explore.run))
    assert {effect.finding.estimate.blocks for effect in own.effects} == {20}
    means = means_of(Findings(answer.explore.run), own, own.interactions[0])
    assert {found.estimate.blocks for row in means.findings for found in row} == {20}
    section = tuned.what_rules_do(answer)
    assert section is not None and "the first 20 blocks of every rule set" in section.lead


def test_what_may_keep_the_limits_comes_before_what_surely_misses_one():
    """Though by its value alone it is further from them."""

    def judged(name, met, beyond):
        number = Number(FairWithin(fair_within=0.005), None, 0, 0, 0, 0, met, beyond)
        return Judged(name, Rules(), (met,), Place.OPEN, ((number,),), (), games=1)

    stage = Stage.__new__(Stage)
    own = [judged("misses", Met.NO, 1.0), judged("far", Met.OPEN, 3.0), judged("may", Met.OPEN, 2)]
    stage.__dict__["judged"] = own
    contenders = [SimpleNamespace(games=(i,)) for i in range(3)]
    stage.contest = SimpleNamespace(contenders=contenders, objectives=[])
    assert [one.variant for one in stage.chosen] == ["may", "far", "misses"]


@pytest.mark.parametrize("how", [[], ["--resume"]])
def test_a_finished_tune_asks_for_nothing_and_shows_its_answer(whole, monkeypatch, how):
    answer, folder = whole
    monkeypatch.setattr("sim.stored.MAX_CELLS", 1)
    monkeypatch.setattr("sim.tuning.play.free_at", lambda path: 0)
    again = [folder / "asked.yaml", "--out", folder / "out", *how]
    done = CliRunner().invoke(command, list(map(str, again)), catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stdout.startswith("This was tuned before; here is its answer.\n")
    assert answer.as_json()["recommended"] in " ".join(done.stdout.split())


def test_a_tune_that_goes_on_needs_room_for_what_is_missing_alone(whole, tmp_path, monkeypatch):
    out = tmp_path / "out"
    shutil.copytree(whole[1] / "out", out)
    (out / "answer.json").unlink()
    opened = open_tune(out)
    held = sum(entry.bytes for run in opened.stages for entry in run.ledger.entries)
    needed = int((opened.plan.bytes - held) / EXPECTED_SHARE)
    monkeypatch.setattr("sim.tuning.play.free_at", lambda path: needed - 2)
    with pytest.raises(DiskFault, match="Nothing was played"):
        tuned_in(tmp_path, resume=True)
    monkeypatch.setattr("sim.tuning.play.free_at", lambda path: needed + 2)
    assert hashes(tuned_in(tmp_path, resume=True)) == hashes(whole[0])


def test_fresh_games_fit_what_is_left(whole):
    answer, folder = whole
    opened = open_tune(folder / "out")
    games = [sum(cell.games for cell in own_games(run.cells)) for run in opened.stages]
    assert sum(games) <= opened.plan.games
    experiment = answer.explore.run.experiment
    names = [one.name for one in experiment.variants]
    least = proof(experiment, opened.plan, names, opened.plan.games)
    assert least.stop.blocks == 20 and len(least.variants) == 1


def test_what_is_forecast_for_the_disk_is_enough(whole):
    """A race has a part for every rule set that plays on from one look to the next."""
    opened = open_tune(whole[1] / "out")
    stored = [entry.bytes for run in opened.stages for entry in run.ledger.entries]
    assert len(stored) > opened.plan.cells
    assert sum(stored) <= opened.plan.bytes < 5 * sum(stored)


def test_show_verify_and_report_tell_the_same(whole):
    _, folder = whole
    out = folder / "out"
    told = json.loads(said("show", out, "--json"))
    assert told == directory.read_answer(out)
    assert "the answer rests on them" in said("verify", out)
    first = said("show", out)
    assert told["recommended"] in " ".join(first.split())
    page = out / "report" / "index.html"
    said("report", out)
    html = page.read_text()
    assert told["recommended"] in html and "on fresh deals" in html
    page.parent.rename(folder / "elsewhere")
    page.parent.symlink_to(folder / "elsewhere")
    assert "is a link" in said("report", out, code=2)
    page.parent.unlink()


def test_a_tune_that_just_began_is_unfinished_and_not_damaged(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(RACE.replace("50000", "20000"))
    tune = load_tune(path)
    out = tmp_path / "out"
    directory.begin(out, tune, plan(tune, 2))
    assert "the tune is unfinished" in said("verify", out)
    (out / "explore" / "parts").mkdir(parents=True)
    assert json.loads(said("verify", out, "--json")) == {
        "parts": 0, "finished": False, "data_hashes": {},
    }  # fmt: skip
    assert "is unfinished (0 parts are stored)" in said("show", out, code=2)
    (out / "fresh").mkdir()
    assert "explore" in said("verify", out, code=3)


def test_an_answer_that_is_not_that_of_its_data_is_told(whole, tmp_path):
    _, folder = whole
    out = tmp_path / "out"
    shutil.copytree(folder / "out", out)
    answer = directory.read_answer(out)
    answer["rule_sets"][0]["games"] += 1
    directory.write_whole(out / "answer.json", answer)
    assert "not what follows from the data" in said("verify", out, code=3)
    (out / "answer.json").unlink()
    tuned_in(tmp_path, resume=True)
    assert "the answer rests on them" in said("verify", out)


def test_the_last_bits_of_a_sum_make_no_other_answer():
    """Another processor adds in another order."""
    one = {"value": [0.1 + 0.2, None], "games": 3}
    assert verify._alike(one, {"value": [0.3, None], "games": 3})
    for other in ({"value": [0.3001, None]}, {"value": [0.3]}, {"games": 4}, {"more": 1}):
        assert not verify._alike(one, {**one, **other})


def test_the_command_of_the_page_plays_its_file_again_into_a_directory_of_that_name(tmp_path):
    """The file has what --set put in; both need no care in a shell."""
    path = tmp_path / "asked.yaml"
    path.write_text(RACE.replace("question", "name: Lead; or not?\nquestion"))
    settings = ["budget.games=6000", "space.end=[{rounds: 1}]"]
    tune = load_tune(path, settings)
    out = tmp_path / "my tune"
    answer = play(tune, plan(tune, 2), out, False, Players(2, None)).answer
    first = tune_report.opening(answer, open_tune(out))
    sim, command, file, *rest = shlex.split(first.command)
    assert [sim, command, *rest] == ["sim", "tune", "--out", "runs/my tune"]
    again = tmp_path / file
    again.write_text(first.document)
    assert load_tune(again).document == tune.document
    assert shlex.quote(file) == file


def test_the_place_of_every_rule_set_is_told(whole):
    answer, _ = whole
    table = tuned.rule_sets(answer).tables[0]
    assert len(table.rows) == len(answer.explore.judged) == 16
    assert {row[0] for row in table.rows} == {one.variant for one in answer.explore.judged}
    for own in answer.explore.judged:
        assert own.place is not Place.IN or own.keeps is Met.YES


def test_a_directory_that_cannot_be_one_is_refused(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(RACE)
    tune = load_tune(path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "diary.txt").touch()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name, told in (("full", "holds something else"), ("link", "is a link")):
        with pytest.raises(UsageFault, match=told):
            directory.begun(tmp_path / name, tune, resume=True)


def test_a_damaged_part_is_named_and_played_again(whole, tmp_path):
    answer, folder = whole
    shutil.copytree(folder / "out", tmp_path / "out")
    part = sorted((tmp_path / "out" / "explore" / "parts").iterdir())[3]
    part.write_bytes(part.read_bytes()[:-100])
    assert part.name in said("verify", tmp_path / "out", code=3)
    assert hashes(tuned_in(tmp_path, resume=True)) == hashes(answer)


def test_a_rule_set_with_which_the_goal_is_undefined_does_not_lead(tmp_path):
    """A game to the first card has no half: nobody leads there, and nobody runs away."""
    answer = tuned_in(
        tmp_path,
        """\
question: Which rules keep a game open?
space: {end: [{first_to: 1, unit: cards}, {rounds: 1}, {rounds: 2}]}
goals: [{minimise: runaway}]
lineups: {greedy: greedy}
budget: {games: 4000}
""",
    )
    first, *_, last = answer.explore.chosen
    assert math.isnan(last.means[0].value) and "first" in last.variant
    assert answer.recommended[0].variant == first.variant
    assert last.place is Place.UNDEFINED and last.variant not in answer.explore.front
    assert "1 left out, as a goal is undefined" in tune_words.best(answer)
