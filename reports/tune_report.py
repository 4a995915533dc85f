"""The report of a tune: one HTML page like that of a run, with the recommendation first."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from reports import limit_picture, pareto_picture, report, tune_words, tuned, words
from reports.answers import FOLDER
from reports.opening import Opening, file_name
from reports.section import Figure
from sim.answers.tuned import Tuned
from sim.goals import in_words
from sim.output import counted

if TYPE_CHECKING:
    from sim.tuning.directory import Directory


def write(directory: Directory, figures: bool = False) -> Path:
    """Write the report into the directory of a tune; return its path.

    Args:
        directory: whose report.
        figures: also write every picture as PNG and PDF beside it.

    Raises:
        UsageFault: the tune is not finished, or a link is in the way.
        DataDamaged: a stored part is not what was written.
        DiskFault: it cannot be written.
    """
    answer = directory.answer()
    first, found = opening(answer, directory), tuned.sections(answer)
    return report.write_page(directory.path / FOLDER, first, found, figures)


def opening(answer: Tuned, directory: Directory) -> Opening:
    """Return the first screen."""
    verdict, *rest = tune_words.sentences(answer)
    runs = (answer.explore.run, answer.fresh.run)
    seconds = sum(float((run.done or {}).get("seconds", 0)) for run in runs)
    games = [sum(cell.games for cell in run.cells if cell.shares is None) for run in runs]
    plan = directory.plan
    return Opening(
        question=words.visible(answer.question),
        verdict=verdict,
        rest=tuple(words.visible(one) for one in rest),
        meaning="± spans an interval that holds the truth 95% of the time, with all others of its "
        "stage together. pp are percentage points.",
        picture=_picture(answer),
        facts=(
            ("goals", tune_words.goals_in_words(answer)),
            ("rule sets", f"{plan.rule_sets:,}, in {counted(plan.cells, 'cell')}"),
            ("games", f"{games[0]:,} in the exploration, {games[1]:,} on fresh deals"),
            ("method", plan.method),
            ("seed", str(answer.explore.run.experiment.seed)),
            ("time", f"{seconds:,.0f} s"),
        ),
        command=command(answer, directory),
        document=json.dumps(directory.document, indent=1),
    )


def command(answer: Tuned, directory: Directory) -> str:
    """Return what plays it again from the file that is shown, in which `--set` is already put."""
    folder = Path("runs") / directory.path.resolve().name
    return f"sim tune {file_name(answer.explore.run.experiment)} --out {shlex.quote(str(folder))}"


def _picture(answer: Tuned) -> Figure | None:
    if len(answer.explore.objectives) < 2:
        return _picture_of_limit(answer) if answer.explore.contest.constraints else None
    said = tune_words.best(answer)
    return Figure(
        "pareto",
        "Rule sets by the first two goals without limit",
        f"Scatter plot of all rule sets. {said} The numbers are in the tables below.",
        lambda: pareto_picture.pareto(answer),
    )


def _picture_of_limit(answer: Tuned) -> Figure:
    goal = in_words(answer.explore.contest.constraints[0])
    return Figure(
        "limit",
        f"{goal[0].upper()}{goal[1:]}: the rule sets that come nearest",
        f"Forest plot with a row for each rule set: the number that comes nearest to breaking the "
        f"limit, or breaks it most. {tune_words.counts(answer)} The numbers are in the tables "
        "below.",
        lambda: limit_picture.draw(answer),
    )
