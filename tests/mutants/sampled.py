"""`python -m tests.mutants.sampled`: small random defects in what decides rules and numbers.

Places in the code are drawn, each with a defect that Cosmic Ray can plant there: another operator,
another number, a condition turned round. Each defect must be caught by the tests of its area, or
stand in `equivalent.toml` with the reason why no test can see it.
"""

from __future__ import annotations

import ast
import difflib
import random
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click
from joblib import Parallel, delayed

from tests.mutants import ROOT
from tests.mutants.__main__ import CAUGHT, PYTEST, PYTEST_OUTCOMES, Laboratory

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
ENDLESS_SECONDS = 1200
"""After so long the tests of an area are taken for an endless loop, which is noticed too."""


@dataclass(frozen=True)
class Area:
    """Some files and the tests that answer for them.

    Attributes:
        files: patterns, from the root of the tree.
        tests: patterns, the quick ones first: the first failure is enough.
    """

    files: tuple[str, ...]
    tests: tuple[str, ...]


ENGINE = ("reference_*", "golden", "rules_*", "engines_agree", "facts", "old_columns")
AREAS = (
    Area(
        ("sim/rules.py",),
        ("rulebook", "settings", "experiment", "grid", "design", *ENGINE, "schema"),
    ),
    Area(("sim/reference/*.py",), (*ENGINE, "stats_replayed", "kernel_conduct", "replay")),
    Area(
        ("sim/stats/*.py", "sim/stats/metrics/*.py"),
        ("contest", "rule_effects", "stats_*", "answers*", "deter*", "plan", "tune", "winners_*"),
    ),
)


@dataclass(frozen=True)
class Defect:
    """A defect of one place.

    Attributes:
        file: where, from the root of the tree.
        sound, planted: the whole text of the file without and with it.
    """

    file: str
    sound: str
    planted: str

    @property
    def change(self) -> tuple[str, str]:
        """The lines that it takes out and those that it puts there, without indentation."""
        lines = list(difflib.unified_diff(self.sound.split("\n"), self.planted.split("\n"), n=0))
        return tuple(
            "\n".join(line[1:].strip() for line in lines[2:] if line[0] == sign).strip()
            for sign in "-+"
        )  # type: ignore[return-value]

    def __str__(self) -> str:
        before, after = self.change
        return f"{self.file}: {before}  ->  {after}"


@cache
def places(file: str) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return for each place of a file the defects that fit it, as operator and occurrence."""
    from cosmic_ray.ast import Visitor, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    found: defaultdict[tuple[object, ...], list[tuple[str, int]]] = defaultdict(list)

    class Finder(Visitor):  # type: ignore[misc]
        def __init__(self, name: str) -> None:
            self.name, self.operator, self.count = name, get_operator(name)(), 0

        def visit(self, node: object) -> object:
            for start, end in self.operator.mutation_positions(node):
                found[start, end].append((self.name, self.count))
                self.count += 1
            return node

    tree = get_ast((ROOT / file).read_text(encoding="utf-8"))
    for name in operator_names():
        if "Variable" not in name:
            Finder(name).walk(tree)
    return tuple(tuple(own) for own in found.values())


def defects(seed: int) -> Iterator[tuple[Area, Defect]]:
    """Yield random defects for ever, each place of the code as likely as each other one."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    listed = [
        (area, file.relative_to(ROOT).as_posix(), place)
        for area in AREAS
        for pattern in area.files
        for file in sorted(ROOT.glob(pattern))
        for place in places(file.relative_to(ROOT).as_posix())
    ]
    draw = random.Random(seed)
    while True:
        area, file, place = draw.choice(listed)
        name, occurrence = draw.choice(place)
        sound = (ROOT / file).read_text(encoding="utf-8")
        planted = mutate_code(sound, get_operator(name)(), occurrence)
        if meaning(planted) != meaning(sound):
            yield area, Defect(file, sound, planted)


def meaning(text: str) -> str | None:
    """Return what Python sees of a text, without annotations that nothing reads; None if faulty."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign) and "pydantic" not in text:
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def equivalent() -> dict[tuple[str, str, str], str]:
    """Return the reasons why defects change nothing, by file and change."""
    with EQUIVALENT.open("rb") as file:
        listed = tomllib.load(file)["equivalent"]
    return {(one["file"], one["old"], one["new"]): one["reason"] for one in listed}


class Bench(Laboratory):
    """A laboratory for one random defect at a time."""

    patience = ENDLESS_SECONDS

    def outcome_of(self, area: Area, defect: Defect) -> str:
        """Plant a defect, run the tests of its area, take it out again."""
        named = [f"tests/test_{pattern}.py" for pattern in area.tests]
        tests = [str(p.relative_to(self.tree)) for n in named for p in sorted(self.tree.glob(n))]
        file = self.tree / defect.file
        file.write_text(defect.planted, encoding="utf-8")
        try:
            outcomes = {**PYTEST_OUTCOMES, 2: CAUGHT, 4: CAUGHT}
            return self.run(*PYTEST, *dict.fromkeys(tests), outcomes=outcomes)
        except subprocess.TimeoutExpired:
            return CAUGHT
        finally:
            file.write_text(defect.sound, encoding="utf-8")


@click.command(help="Plant random defects in rules, twin and statistics; say which are caught.")
@click.option("--seed", type=int, default=1960, show_default=True, help="draws the defects")
@click.option("--count", type=click.IntRange(1), default=25, show_default=True, help="how many")
@click.option("--jobs", type=click.IntRange(1), default=2, help="defects at a time")
def main(seed: int, count: int, jobs: int) -> None:
    """Meet the defects; exit with 1 when one survives that is not listed as equivalent."""
    drawn = defects(seed)
    chosen: list[tuple[Area, Defect]] = []
    while len(chosen) < count:
        area, defect = next(drawn)
        if meaning(defect.planted) is not None and (area, defect) not in chosen:
            chosen.append((area, defect))
    reasons = equivalent()

    def meet(bench: Bench, own: list[tuple[Area, Defect]]) -> list[Defect]:
        surviving = []
        for area, defect in own:
            outcome = bench.outcome_of(area, defect)
            reason = reasons.get((defect.file, *defect.change), "") if outcome != CAUGHT else ""
            if outcome != CAUGHT and not reason:
                surviving.append(defect)
            print(f"{'equivalent' if reason else outcome:12}{defect} {reason}", flush=True)
        return surviving

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        benches = [Bench(Path(folder) / str(i), 1) for i in range(jobs)]
        tasks = [delayed(meet)(bench, chosen[i::jobs]) for i, bench in enumerate(benches)]
        survivors = sum(map(len, Parallel(n_jobs=jobs, prefer="threads")(tasks)))
    print(f"{count} planted, {survivors} survived for no known reason")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
