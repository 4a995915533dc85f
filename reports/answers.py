"""The answer of a run: printed at its end, told again by `sim show`, and as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.answers.findings import Findings
from sim.errors import DiskFault

if TYPE_CHECKING:
    from rich.console import Console

    from sim.store import Run

FOLDER = "report"
"""Where pictures go, in the run directory."""


def write(run: Run, console: Console) -> None:
    """Print the answer, then draw its pictures into the run directory.

    Raises:
        DataDamaged: a stored part is not what was written.
        DiskFault: a picture cannot be written.
    """
    from reports import dealer_picture, score_picture

    findings = Findings(run)
    _tell(findings, console)
    folder = run.path / FOLDER
    try:
        dealer_picture.draw(findings, folder)
        score_picture.draw(findings, run, folder)
    except OSError as fault:
        raise DiskFault(
            f"{folder}: cannot write a picture ({fault.strerror or fault}); the data are complete: "
            "make room there, then run the same experiment again to draw it"
        ) from fault
    _list_pictures(run.path, console)


def show(run: Run, console: Console) -> None:
    """Print the stored answer again; the pictures are where they were."""
    _tell(Findings(run), console)
    _list_pictures(run.path, console)


def as_json(run: Run) -> dict[str, Any]:
    """Return every number with value, low, high, se, blocks and unit, as plain data."""
    from sim.answers import deterrence

    findings = Findings(run)
    return findings.as_json() | {"deterrence": deterrence.as_json(findings)}


def _tell(findings: Findings, console: Console) -> None:
    from reports import tables

    tables.show(findings, console)


def _list_pictures(path: Path, console: Console) -> None:
    from rich.text import Text

    from sim.output import visible

    pictures = sorted((path / FOLDER).glob("*.png"))
    if pictures:
        console.print(Text("Pictures, each also as .svg:"))
        for picture in pictures:
            console.print(Text(visible(f"  {picture}")), soft_wrap=True)
