"""`python -m tests.mutants`, or `make mutants`: plant each, and tell which tests catch it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click
from joblib import Parallel, delayed

from tests.mutants import KINDS, WITNESSES, Mutant, copy_tree, mutants

CAUGHT, SURVIVED, UNSEEN = "caught", "survived", "-"
PYTEST_OUTCOMES = {0: SURVIVED, 1: CAUGHT}
PYTEST = ("-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider")
COMPILE = """
from sim.kernel.compile import compiled
from sim.strategy import catalogue
for strategy in catalogue().values():
    compiled(strategy)
"""


@click.command(help="Plant rule mutants in a copy of the tree; say which kinds of test catch them.")
@click.option("--engine", type=click.Choice(["twin", "kernel"]), help="only those of an engine")
@click.option("--name", default="", help="only those whose name holds this")
@click.option("--jobs", type=click.IntRange(1), default=2, help="kinds of test at a time")
def main(engine: str | None, name: str, jobs: int) -> None:
    """Meet every mutant; exit with 1 when one is caught by fewer than `WITNESSES` kinds."""
    unnoticed = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        laboratory = Laboratory(Path(folder), jobs)
        print(table_line("mutant", "engine", KINDS), flush=True)
        for mutant in mutants():
            if engine not in (None, mutant.engine) or name not in mutant.name:
                continue
            outcomes = laboratory.meet(mutant)
            print(table_line(mutant.name, mutant.engine, outcomes.values()), flush=True)
            if [*outcomes.values()].count(CAUGHT) < WITNESSES:
                unnoticed.append(f"{mutant.name} ({mutant.engine})")
    if unnoticed:
        print(f"caught by fewer than {WITNESSES} kinds: {', '.join(unnoticed)}", file=sys.stderr)
        sys.exit(1)


def table_line(name: str, engine: str, cells: Iterable[str]) -> str:
    """Return a line of the table."""
    return f"{name:48} {engine:8}" + "".join(f"{cell:14}" for cell in cells)


class Laboratory:
    """A copy of the tree with a cache of compiled code of its own.

    Args:
        folder: an empty one.
        jobs: how many kinds of test run at a time.

    Attributes:
        patience: seconds that one command may take; None for ever.
    """

    patience: float | None = None

    def __init__(self, folder: Path, jobs: int) -> None:
        self.tree = folder / "tree"
        self.jobs = jobs
        self.environment = os.environ | {
            "PYTHONPATH": str(self.tree),
            "ELEWENJEWE_CACHE_DIR": str(folder / "cache"),
        }
        copy_tree(self.tree)

    def meet(self, mutant: Mutant) -> dict[str, str]:
        """Plant a mutant, run every kind of test, take it out again; return the outcomes."""
        file = self.tree / mutant.file
        sound = file.read_text()
        file.write_text(mutant.planted(sound))
        try:
            self.run("-c", COMPILE, outcomes={0: ""})
            kinds = {kind: tests.get(mutant.engine) for kind, tests in KINDS.items()}
            tasks = [delayed(self.outcome)(tests) for tests in kinds.values()]
            found = Parallel(n_jobs=self.jobs, prefer="threads")(tasks)
            return dict(zip(kinds, found, strict=True))
        finally:
            file.write_text(sound)

    def outcome(self, tests: list[str] | None) -> str:
        """Say whether one of some tests fails."""
        return self.run(*PYTEST, *tests, outcomes=PYTEST_OUTCOMES) if tests else UNSEEN

    def run(self, *arguments: str, outcomes: dict[int, str]) -> str:
        """Run Python in the tree; return what its exit code means.

        Raises:
            RuntimeError: it means nothing: what was to be run could not be.
            subprocess.TimeoutExpired: it took longer than `patience`.
        """
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command,
            cwd=self.tree,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=self.patience,
        )
        if done.returncode not in outcomes:
            raise RuntimeError(f"{' '.join(command)} could not be run:\n{done.stdout}{done.stderr}")
        return outcomes[done.returncode]


if __name__ == "__main__":
    main()
