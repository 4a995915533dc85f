"""docs/findings.md played again at full size and compared: `make findings`, some minutes.

docs/findings.json holds what the page's commands printed when it was written, with the hash of each
run's data. Every figure of the page stands there; `--write` puts what is printed now in its place.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice, takewhile
from pathlib import Path

from tests.runs import command

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "findings.md"
TOLD = ROOT / "docs" / "findings.json"
FIGURE = re.compile(r"[+−]?[\d.,]*\d ± [\d.]*\d|[+−]?[\d.,]*\d (?:points )?\(\S+(?:–| to )[^)]+\)")
HOLDS = re.compile(r"[Hh]olds? in (\d+) of (\d+)")

Told = dict[str, list[str]]
"""What each command printed, line by line; of a run, the hash of its data alone."""


@dataclass(frozen=True)
class Finding:
    """A section of the page.

    Attributes:
        title: what was found, in a sentence.
        text: the section.
        commands: what repeats it, a command line each.
    """

    title: str
    text: str
    commands: tuple[str, ...]

    @property
    def figures(self) -> list[str]:
        """The numbers with an interval, as the page has them."""
        return FIGURE.findall(" ".join(self.text.split()))


def findings(page: str) -> list[Finding]:
    """Return the numbered sections of the page."""
    found = []
    for section in re.split(r"^## (?=\d+\. )", page, flags=re.M)[1:]:
        title, _, text = section.partition("\n")
        blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
        lines = tuple(line for block in blocks for line in block.splitlines())
        found.append(Finding(title, text, lines))
    return found


def signs(told: list[str], table: str, row: str) -> dict[str, int]:
    """Return by setting the sign of a row in a table that was printed; 0 where it is not known.

    Args:
        told: what a command printed.
        table: how the table's title begins.
        row: the name of the row.
    """
    start = next(i for i, line in enumerate(told) if line.startswith(table))
    setting, name, found = "", "", {}
    for line in takewhile(bool, told[start:]):
        if re.match(r"\d players, ", line):
            setting = line
        elif number := re.fullmatch(r"  (\S.*?)  +([+−]?[\d.]+) ± ([\d.]+)", line):
            name, value = number[1], float(number[2].replace("−", "-"))
            sign = 0 if abs(value) <= float(number[3]) else 1 if value > 0 else -1
        elif setting and (more := re.match(r"  (\S+(?: \S+)*)", line)):
            name += f" {more[1]}"
        if name == row:
            found[setting] = sign
    return found


def commands(page: str) -> list[str]:
    """Return all commands of the page, each once, in its order."""
    return list(dict.fromkeys(line for one in findings(page) for line in one.commands))


def ask(line: str, folder: Path) -> list[str]:
    """Give a command of the page in `folder`; return what `Told` has of it."""
    done = subprocess.run(
        command(*shlex.split(line)[1:]), cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{line}\n{done.stdout}{done.stderr}")
    lines = done.stdout.splitlines()
    if line.startswith("sim run "):
        return [one for one in lines if one.startswith("Data hash: ")]
    return lines


def changes(old: Told, new: Told) -> Iterator[str]:
    """Yield what is told otherwise now, a line each: what was (-), and what is (+)."""
    for line in [*new, *(line for line in old if line not in new)]:
        compared = unified_diff(old.get(line, []), new.get(line, []), n=0, lineterm="")
        yield from (f"{line}: {one}" for one in islice(compared, 2, None) if one[0] in "-+")


def main() -> None:
    """Play everything again, compare, and with `--write` keep what is printed now."""
    old, told = json.loads(TOLD.read_text(encoding="utf-8")), {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "experiments").symlink_to(ROOT / "experiments")
        for line in commands(PAGE.read_text(encoding="utf-8")):
            told[line] = ask(line, folder)
            same = told[line] == old.get(line)
            print("as before " if same else "changed   ", line, flush=True)
    found = list(changes(old, told))
    print("\n".join(found) or "Every figure is as the page has it.")
    if "--write" in sys.argv:
        TOLD.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif found:
        sys.exit("What is printed has changed: python -m tests.findings --write, mend the page")


if __name__ == "__main__":
    main()
