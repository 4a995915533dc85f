"""`sim show RUN`: the stored answer of a run, told again from its directory alone."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click

from sim.commands.options import allow_code
from sim.errors import UsageFault

FACTORS = "factors"
"""The section that tells of whatever metric is asked for."""


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("section", required=False)
@click.option("--metric", metavar="NAME", help="Tell of one metric; sim list metrics has all.")
@click.option("--by", metavar="LIST", help="Of variant,players,lineup; the rest is averaged over.")
@allow_code
@click.option("--json", "as_data", is_flag=True, help="Print every number as one JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a section's numbers, a line for each.")
def command(
    run: Path,
    section: str | None,
    metric: str | None,
    by: str | None,
    allow_code: bool,
    as_data: bool,
    as_csv: bool,
) -> None:
    """Print the answer of the run directory RUN again, or a section of its report.

    SECTION is one of those of `sim report RUN`, such as balance or seats. With --metric it is what
    the run says of one metric; factors says what each rule does to it.
    """
    if section not in (None, FACTORS) and metric is not None:
        raise UsageFault(f"--metric tells of the whole run; leave out {section}, or --metric")
    if by is not None and (metric is None or section is not None):
        raise UsageFault("--by goes with --metric NAME, and with no section")
    if allow_code and (metric is None or section is not None):
        raise UsageFault("--allow-code goes with --metric NAME: nothing else runs a file")
    if as_csv and section is None:
        raise UsageFault(f"--csv goes with a section: sim show RUN SECTION --csv; {_sections()}")
    if section is not None:
        _refuse_tune(run)
        _show_section(run, section, metric, as_data, as_csv)
    elif metric is not None:
        _refuse_tune(run)
        _show_metric(run, metric, by, allow_code, as_data)
    else:
        _show_answer(run, as_data)


def _refuse_tune(path: Path) -> None:
    """Refuse to ask a tune what only its runs know.

    Raises:
        UsageFault: it is a tune.
    """
    from sim.tuning import is_tune

    if is_tune(path):
        raise UsageFault(f"{path} is a tune; ask {path / 'explore'} or {path / 'fresh'} for that")


def _show_answer(run: Path, as_data: bool) -> None:
    from reports import answers
    from sim.store import open_run
    from sim.tuning import is_tune

    if is_tune(run):
        _show_tune(run, as_data)
        return
    opened = open_run(run)
    if as_data:
        _dump(answers.as_json(opened))
    else:
        answers.show(opened, _console())


def _show_section(run: Path, name: str, metric: str | None, as_data: bool, as_csv: bool) -> None:
    from reports import alone, factors, report
    from sim.answers.questions import single_number
    from sim.store import open_run

    known = {module.KEY: module for module in report.SECTIONS}
    if name not in known:
        raise UsageFault(f"no section {name!r}; {_sections()}")
    build = known[name].build
    if metric is not None:
        build = partial(factors.build, metric=single_number(metric))
    alone.tell(build, open_run(run), as_data, as_csv)


def _sections() -> str:
    from reports import report

    return f"the sections are {', '.join(module.KEY for module in report.SECTIONS)}"


def _show_metric(run: Path, metric: str, by: str | None, allow_code: bool, as_data: bool) -> None:
    from reports import listing
    from sim.answers.questions import parse_by, registered
    from sim.stats.metrics import BY_NAME
    from sim.store import open_run

    entry = registered(metric)
    if by is not None and entry.name not in BY_NAME:
        raise UsageFault(f"{entry.name} is told of each cell by itself; leave out --by")
    names = parse_by(by.split(",") if by else [])
    opened = open_run(run, allow_code)
    if as_data:
        _dump(listing.metric_json(opened, entry, names))
    else:
        listing.show_metric(opened, entry, names, _console())


def _show_tune(path: Path, as_data: bool) -> None:
    from reports import tuned
    from sim.tuning.directory import open_tune

    answer = open_tune(path).answer()
    if as_data:
        _dump(answer.as_json())
    else:
        tuned.show(answer, _console())


def _dump(data: dict[str, Any]) -> None:
    click.echo(json.dumps(data, indent=2, allow_nan=False))


def _console() -> Any:
    from rich.console import Console

    return Console()
