"""Rule mutants: known ways to get a rule wrong, to see that the tests would notice.

Each mutant (`mutants.toml`) is planted in a copy of the tree and met by every kind of test that
reaches its engine. The kinds do not know of each other, so that two of them are two witnesses.
"""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("mutants.toml")
WITNESSES = 2
"""Kinds of test that must catch a mutant."""

GAME_FACTS = "tests/test_rules_games.py::test_facts_of_every_random_game"
ROW_FACTS = "tests/test_facts.py::test_the_{}s_rows_break_no_fact"
KINDS: dict[str, dict[str, list[str]]] = {
    "positions": {
        "twin": ["tests/test_reference_cases.py::test_the_moves_of_a_worked_position"],
        "kernel": ["tests/test_kernel_cases.py::test_the_moves_of_a_worked_position"],
    },
    "clauses": {
        "twin": [
            *(f"tests/test_rules_{of}.py" for of in ("set_up", "moves", "games")),
            f"--deselect={GAME_FACTS}",
        ],
        "kernel": ["tests/test_kernel_clauses.py"],
    },
    "golden games": {"twin": ["tests/test_golden.py"]},
    "differential": {
        "twin": ["tests/test_engines_agree.py"],
        "kernel": ["tests/test_engines_agree.py"],
    },
    "figures": {"kernel": ["tests/test_known_figures.py"]},
    "facts": {
        "twin": [GAME_FACTS, ROW_FACTS.format("twin")],
        "kernel": [ROW_FACTS.format("kernel")],
    },
}
"""For each kind of test what it runs for a mutant of each engine, if it sees that engine."""


@dataclass(frozen=True)
class Mutant:
    """A defect: texts of a file, each occurring exactly once there, and what replaces them."""

    name: str
    engine: str
    file: str
    edits: tuple[tuple[str, str], ...]

    def planted(self, text: str) -> str:
        """Return the text of the file with the defect.

        Raises:
            ValueError: a text to be replaced does not occur exactly once.
        """
        for old, new in self.edits:
            if (found := text.count(old)) != 1:
                raise ValueError(
                    f"{LIST.name}: mutant {self.name!r}, {self.engine}: its old text occurs "
                    f"{found} times in {self.file}, not once; make it fit the code again:\n{old}"
                )
            text = text.replace(old, new)
        return text


def mutants() -> list[Mutant]:
    """Return the list."""
    with LIST.open("rb") as file:
        listed = tomllib.load(file)["mutant"]
    return [
        Mutant(
            one["name"],
            one["engine"],
            one["file"],
            tuple((edit["old"], edit["new"]) for edit in one["edit"]),
        )
        for one in listed
    ]


def copy_tree(to: Path) -> None:
    """Copy what the tests need of the tree."""
    unwanted = shutil.ignore_patterns(".*", "runs", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, to, ignore=unwanted)
