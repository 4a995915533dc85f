"""Elewenjewe, played by the million: what do the house rules do to the game?

    import sim

    results = sim.run("experiments/jokers.yaml")
    results.estimate("tie_rate", by=["variant", "players"])
    results.contrast()
    results.games.group_by("variant").agg(...)

Importing `sim` loads nothing else; what is needed is imported when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from sim.answers.results import Results

__version__ = "0.1.0"


def run(
    experiment: Path | str | Mapping[str, Any],
    out: Path | str | None = None,
    *,
    jobs: int | None = None,
    resume: bool = False,
    allow_code: bool = False,
) -> Results:
    """Play an experiment, or find that it was played, and open its run.

    Args:
        experiment: an experiment file, or the same as a mapping: ``{"question": ..., ...}``.
        out: the run directory; one of its own in ``runs/`` if not given.
        jobs: threads; all cores if not given.
        resume: go on with an unfinished run.
        allow_code: run the strategy files that the experiment names.

    Raises:
        sim.errors.SimError: what would end `sim run`; the message is complete.
    """
    from sim.answers.results import play

    return play(experiment, out, jobs, resume, allow_code)


def open(run: Path | str, *, allow_code: bool = False) -> Results:
    """Open a run directory for reading.

    Args:
        run: where it is.
        allow_code: run its copies of strategy files, for what is told of games played again.

    Raises:
        sim.errors.DataDamaged: it is none, or is damaged.
        sim.errors.UsageFault: a copy of a strategy file cannot be run.
    """
    from sim.answers.results import opened

    return opened(run, allow_code)
