"""`python -m tests.mutants`, or `make mutants`: plant each, and tell which tests catch it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click
from joblib import Parallel, delayed

from tests.mutants import KINDS, WITNESSES, Mutant, copy_tree, mutants

CAUGHT, SURVIVED, UNSEEN = "caught", "survived", "-"
PYTEST_OUTCOMES = {0: SURVIVED, 1: CAUGHT}


@click.command(help="Plant rule mutants in a copy of the tree; say which kinds of test catch them.")
@click.option("--engine", type=click.Choice(["twin", "kernel"]), help="only those of an engine")
@click.option("--name", default="", help="only those whose name holds this")
@click.option("--jobs", type=click.IntRange(1), default=2, help="mutants at a time")
def main(engine: str | None, name: str, jobs: int) -> None:
    """Meet every mutant; exit with 1 when one is caught by fewer than `WITNESSES` kinds."""
    wanted = [m for m in mutants() if engine in (None, m.engine) and name in m.name]
    tasks = [delayed(meet)(mutant) for mutant in wanted]
    met = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")(tasks)
    print(table_line("mutant", "engine", KINDS))
    unnoticed = []
    for mutant, outcomes in zip(wanted, met, strict=True):
        print(table_line(mutant.name, mutant.engine, outcomes.values()), flush=True)
        if [*outcomes.values()].count(CAUGHT) < WITNESSES:
            unnoticed.append(f"{mutant.name} ({mutant.engine})")
    if unnoticed:
        print(f"caught by fewer than {WITNESSES} kinds: {', '.join(unnoticed)}", file=sys.stderr)
        sys.exit(1)


def table_line(name: str, engine: str, cells) -> str:
    """Return a line of the table."""
    return f"{name:48} {engine:8}" + "".join(f"{cell:14}" for cell in cells)


def meet(mutant: Mutant) -> dict[str, str]:
    """Plant a mutant in a copy of the tree and run every kind of test; return their outcomes."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        tree = Path(folder) / "tree"
        copy_tree(tree)
        file = tree / mutant.file
        file.write_text(mutant.planted(file.read_text()))
        environment = os.environ | {"PYTHONPATH": str(tree)}
        if mutant.engine == "kernel":
            environment["ELEWENJEWE_CACHE_DIR"] = str(Path(folder) / "cache")
        return {
            kind: run(tree, tests[mutant.engine], environment) if mutant.engine in tests else UNSEEN
            for kind, tests in KINDS.items()
        }


def run(tree: Path, tests: list[str], environment: dict[str, str]) -> str:
    """Run tests of a tree; say whether one of them failed.

    Raises:
        RuntimeError: they could not be run.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    if done.returncode not in PYTEST_OUTCOMES:
        raise RuntimeError(f"{' '.join(command)} could not be run:\n{done.stdout}{done.stderr}")
    return PYTEST_OUTCOMES[done.returncode]


if __name__ == "__main__":
    main()
