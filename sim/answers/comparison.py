"""Two runs side by side: which of their cells played the same deals, and what changed.

Runs that share the seed deal the same packs, so their cells are compared like variants of one run:
block by block on the deals that both have. Runs that do not are refused, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sim.answers.findings import Finding, address, estimated, places, together
from sim.errors import UsageFault
from sim.players import stored
from sim.stats.blocks import Blocks, by_cell
from sim.stats.estimates import LEVEL
from sim.stats.metrics import BY_NAME, Metric

if TYPE_CHECKING:
    from sim.design import Cell
    from sim.store import Run

SAME_CHANCE = {"rng": "the layout of chance"}
TOLD = {"rules_version": "the rules", "sources": "the program"}
"""Keys of `run.json` in which runs may differ, but a reader must know."""


@dataclass(frozen=True)
class Comparison:
    """Run `a` minus run `b`, on the deals that both played.

    Attributes:
        metric: what is compared.
        smallest: the smallest difference in it that matters.
        pairs: each cell of `a` with the one of `b` in the same setting.
        left_out: cells of either run that have no partner, in words.
    """

    a: Run
    b: Run
    metric: Metric
    smallest: float
    pairs: tuple[tuple[Cell, Cell], ...]
    left_out: tuple[str, ...]

    @cached_property
    def findings(self) -> list[Finding]:
        """The differences; the intervals of all of them hold at once."""
        ours, theirs = _blocks(self.a), _blocks(self.b)
        family = [asked for a, b in self.pairs for asked in places(self.metric, (a,), (b,))]
        return together(family, estimated(family, ours, theirs), self.smallest)

    @property
    def warnings(self) -> list[str]:
        """What a reader must know beside the numbers."""
        told = [
            f"Partial: {run.path} is not finished; what follows rests on the blocks stored so far."
            for run in (self.a, self.b)
            if not run.done
        ]
        told += [
            f"{what[0].upper()}{what[1:]} changed between the runs; that may be the difference."
            for key, what in TOLD.items()
            if self.a.record[key] != self.b.record[key]
        ]
        if self.left_out:
            told.append(f"Not compared: {'; '.join(self.left_out)}.")
        return told

    def as_json(self) -> dict[str, Any]:
        """Every number with its record, as plain data."""
        return {
            "run": str(self.a.path),
            "against": str(self.b.path),
            "metric": self.metric.name,
            "smallest": self.smallest,
            "level": LEVEL,
            "warnings": self.warnings,
            "contrasts": [
                {**address(own.cell), "against": own.against.variant, **own.record()}
                for own in self.findings
                if own.against is not None
            ],
        }


def compare(a: Run, b: Run, metric: Metric | None = None) -> Comparison:
    """Pair two runs that share seed and deals.

    Args:
        a, b: the runs; differences are a minus b.
        metric: what is compared; the primary metric of `a`'s experiment if not given.

    Raises:
        UsageFault: they cannot be paired; the message says why.
        DataDamaged: a part of either is not what was published.
    """
    _refuse_other_chance(a, b)
    primary = BY_NAME[a.experiment.primary]
    metric = metric or primary
    smallest = a.experiment.smallest if metric is primary else metric.smallest
    pairs, left_out = _paired(a, b)
    found = Comparison(a, b, metric, smallest, tuple(pairs), tuple(left_out))
    if all(own.estimate.deals == 0 for own in found.findings):
        raise _refused(
            a, b, "they have no whole block of deals in common; play more games of the smaller"
        )
    return found


def _refuse_other_chance(a: Run, b: Run) -> None:
    seeds = a.experiment.seed, b.experiment.seed
    if seeds[0] != seeds[1]:
        raise _refused(
            a, b, f"their seeds are {seeds[0]} and {seeds[1]}, so a deal of one is another deal "
            f"in the other; play one again with --set seed={seeds[0]}",
        )  # fmt: skip
    for key, what in SAME_CHANCE.items():
        if a.record[key] != b.record[key]:
            raise _refused(
                a, b, f"{what} is {a.record[key]} and {b.record[key]}, so a deal of one is another "
                "deal in the other; play the older one again",
            )  # fmt: skip


def _paired(a: Run, b: Run) -> tuple[list[tuple[Cell, Cell]], list[str]]:
    """Return the cells to compare, and what is left out."""
    ours, theirs = _numbers(a), _numbers(b)
    if not set(ours) & set(theirs):
        raise _refused(
            a, b, f"the first is of {_list(ours)} players, the second of {_list(theirs)}"
        )
    seated, against = _by_setting(a), _by_setting(b)
    common = [setting for setting in seated if setting in against]
    if not common:
        raise _refused(
            a, b, f"no line-up is in both: {_lineups(a)} in the first, {_lineups(b)} in the second",
        )  # fmt: skip
    names = [[variant.name for variant in run.experiment.variants] for run in (a, b)]
    alone = len(names[0]) == len(names[1]) == 1
    if not alone and not set(names[0]) & set(names[1]):
        raise _refused(
            a, b, f"no variant has the same name in both: {', '.join(names[0])} in the first, "
            f"{', '.join(names[1])} in the second",
        )  # fmt: skip
    pairs, left_out = [], []
    for setting in common:
        mine, yours = seated[setting], against[setting]
        if alone:
            pairs.append((next(iter(mine.values())), next(iter(yours.values()))))
            continue
        pairs += [(mine[name], yours[name]) for name in mine if name in yours]
    paired = {(id(run), cell.id) for pair in pairs for run, cell in zip((a, b), pair, strict=True)}
    for run in (a, b):
        lost = [_named(cell) for cell in run.cells if (id(run), cell.id) not in paired]
        if lost:
            left_out.append(f"of {run.path} {_few(lost)}")
    return pairs, left_out


Seats = str
"""Who sits where in every rotation of a deal, as a text that is equal for equal play."""


def _by_setting(run: Run) -> dict[tuple[int, Seats], dict[str, Cell]]:
    """Return the cells by what must be equal, then by variant."""
    found: dict[tuple[int, Seats], dict[str, Cell]] = {}
    files = run.record["experiment"].get("strategies", {})
    for cell in run.cells:
        seats = [[stored(player) for player in seating] for seating in cell.seatings]
        used = sorted({player.strategy.name for own in cell.seatings for player in own})
        code = {name: files[name]["sha256"] for name in used if name in files}
        key = f"{seats} {code} {cell.hand_rotations}"
        found.setdefault((cell.players, key), {})[cell.variant] = cell
    return found


def _blocks(run: Run) -> dict[int, Blocks]:
    return by_cell(run.blocks(), run.cells)


def _numbers(run: Run) -> list[int]:
    return sorted({cell.players for cell in run.cells})


def _list(numbers: list[int]) -> str:
    return " and ".join(str(number) for number in numbers)


def _lineups(run: Run) -> str:
    return "; ".join(
        f"{lineup.name} ({', '.join(str(player) for player in lineup.entries)})"
        for lineup in run.experiment.lineups
    )


def _named(cell: Cell) -> str:
    return f"{cell.variant}, {cell.players} players, {cell.lineup}"


def _few(names: list[str]) -> str:
    more = len(names) - 3
    return "; ".join(names[:3]) + (f" and {more} more" if more > 0 else "")


def _refused(a: Run, b: Run, why: str) -> UsageFault:
    return UsageFault(f"{a.path} and {b.path} cannot be compared deal by deal: {why}")
