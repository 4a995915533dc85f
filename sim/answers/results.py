"""A run in Python: its rows as polars frames, and every number with its interval.

This is what `sim.run` and `sim.open` return. Frames have the columns of docs/data.md; estimates are
those that `sim show` prints, made in the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from sim.answers.findings import CELL, Findings
from sim.answers.measured import measured
from sim.answers.questions import changes, levels, parse_by, records, registered
from sim.errors import UsageFault
from sim.experiment import Experiment, load, load_mapping
from sim.stats.metric import Metric
from sim.stats.metrics import BY_NAME
from sim.store import Run, directory_name, open_run
from sim.store.scanning import named
from sim.store.tables import cell_table

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["games", "blocks"]


class Results:
    """A run directory, opened for reading.

    Attributes:
        path: where it is.
        experiment: what was asked.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self.path: Path = run.path
        self.experiment: Experiment = run.experiment

    def __repr__(self) -> str:
        return f"<run {self.path}: {self.experiment.question}>"

    @property
    def complete(self) -> bool:
        """Whether all games that were asked for are there."""
        return bool(self._run.done)

    @property
    def cells(self) -> pl.DataFrame:
        """A row for each rule set, number of players and line-up; see docs/data.md."""
        return cell_table(self._run.cells)

    @property
    def games(self) -> pl.LazyFrame:
        """A row a game, with ``variant players lineup`` in front; as many as were kept.

        Raises:
            DataDamaged: a part is not what was published.
        """
        return named(self._run, "games")

    @property
    def blocks(self) -> pl.LazyFrame:
        """A row a block of deals, with ``variant players lineup`` in front: sums over all games.

        Raises:
            DataDamaged: a part is not what was published.
        """
        return named(self._run, "blocks")

    def to_pandas(self, rows: Kind = "games") -> pd.DataFrame:
        """Return all `games`, or all `blocks`, as a pandas frame."""
        return (self.games if rows == "games" else self.blocks).collect().to_pandas()

    @cached_property
    def findings(self) -> Findings:
        """The numbers that `sim show` prints, as records of `sim.answers.findings`."""
        return Findings(self._run)

    def estimate(self, metric: str | None = None, by: Sequence[str] = CELL) -> pl.DataFrame:
        """Estimate a metric, a row for each number.

        Args:
            metric: a name that `sim list metrics` tells; the experiment's primary metric if not
                given.
            by: what tells rows apart, of ``variant``, ``players``, ``lineup``. The rest is averaged
                over, each cell alike; never over numbers of players.

        Returns:
            Columns `by`, then ``seat``, ``role`` or ``player`` where there is a number for each,
            ``value low high se`` in ``unit`` (shares are fractions of 1), ``level blocks deals
            method state`` and ``family``: how many intervals hold at once.

        Raises:
            UsageFault: there is no such metric, or the run cannot answer it.
        """
        entry = registered(metric or self.experiment.primary)
        if isinstance(entry, Metric) and entry.name in BY_NAME:
            names = parse_by(by)
            return _frame(records(levels(self.findings, entry, names), names))
        if tuple(by) != CELL:
            raise UsageFault(f"{entry.name} is told of each cell by itself; leave out by")
        found = measured(entry, self.findings, self._run)
        return _frame([each.record(entry.name) for each in found])

    def contrast(
        self, metric: str | None = None, by: Sequence[str] = CELL, against: str | None = None
    ) -> pl.DataFrame:
        """Estimate each variant's metric minus another variant's, on the same deals.

        Args:
            metric, by: as in `estimate`.
            against: the variant that is subtracted; the first if not given.

        Returns:
            The columns of `estimate`, and ``against``, ``variance_ratio`` (how many times more
            deals unpaired play would have needed), ``smallest``, ``verdict``, ``more_games``.

        Raises:
            UsageFault: there is no such metric or variant, or no other variant.
        """
        entry = registered(metric or self.experiment.primary)
        if not isinstance(entry, Metric) or entry.name not in BY_NAME:
            raise UsageFault(f"{entry.name} has no contrast of its own; ask estimate for it")
        names = parse_by(by)
        found = changes(self.findings, entry, names, against)
        if not found:
            raise UsageFault(f"{self.path} has no second variant to compare, or by lacks variant")
        return _frame(records(found, names))


def _frame(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), infer_schema_length=None)


def play(
    experiment: Path | str | Mapping[str, Any],
    out: Path | str | None,
    jobs: int | None,
    resume: bool,
    allow_code: bool,
) -> Results:
    """Play an experiment and open its run; see `sim.run`."""
    from sim.runner import available_cores, run

    if isinstance(experiment, Mapping):
        loaded = load_mapping(experiment, allow_code=allow_code)
    else:
        loaded = load(experiment, allow_code=allow_code)
    path = Path(out) if out is not None else Path("runs") / directory_name(loaded)
    done = run(loaded, path, jobs=jobs or available_cores(), resume=resume)
    return opened(done.run.path, allow_code)


def opened(run: Path | str, allow_code: bool) -> Results:
    """Open a run directory; see `sim.open`."""
    return Results(open_run(run, allow_code))
