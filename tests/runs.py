"""Small runs for tests: an experiment as text, played in process or as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from sim.design import Cell, seatings
from sim.experiment import Lineup, load
from sim.rules import Rules
from sim.runner import Outcome, run
from sim.sampling import CYCLIC
from sim.strategy import Player

SMALL = """\
question: Does the Yoruba rule change anything?
players: [2, 3]
variants:
  casual: {preset: casual}
  same: {preset: casual}
  inert: {preset: casual, yoruba_faces: pair, esun_unclaimed: discard, penalty: {esun: 9}}
  yoruba: {preset: yoruba}
lineups:
  greedy: greedy
  mixed: [random, greedy]
games: 600
"""


def written(folder: Path, text: str = SMALL) -> Path:
    """Write an experiment into `folder`; return its path."""
    path = folder / "asked.yaml"
    path.write_text(text)
    return path


def played(folder: Path, text: str = SMALL, *, out: str = "run", **how: int | bool) -> Outcome:
    """Play an experiment in this process."""
    how = {"jobs": 2, **how}
    return run(load(written(folder, text)), folder / out, **how)  # type: ignore[arg-type]


def one_cell(
    rules: Rules,
    players: Sequence[Player],
    *,
    hand_rotations: int = 1,
    block_deals: int = 1,
    blocks: int = 100,
) -> Cell:
    """Return a cell of a cyclic design without an experiment around it."""
    seated = seatings(Lineup("them", tuple(players)), max(2, len(players)), CYCLIC)
    seats = tuple(seated.values())
    return Cell(
        0, "x", 0, len(seats[0]), "them", 0, rules, tuple(seated), seats, hand_rotations,
        block_deals, blocks,
    )  # fmt: skip


def command(*args: str | Path) -> list[str]:
    """Return the command line of `sim` with arguments."""
    return [sys.executable, "-m", "sim", *map(str, args)]


IMPATIENT = """\
import sys
from sim import watch
watch.LIMIT_SECONDS = 2.0
from sim.cli import main
sys.argv[0] = "sim"
main()
"""


def impatient(*args: str | Path | int) -> list[str]:
    """Return the command line of a `sim` that waits two seconds for a move, and not thirty."""
    return [sys.executable, "-c", IMPATIENT, *map(str, args)]


def said(*args: str | Path, code: int = 0) -> str:
    """Run `sim`, expect an exit code, return what it said on both streams."""
    done = subprocess.run(
        command(*args), capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"}
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr
