"""How a run ended, as ``DONE.json`` tells it: by which rule, after how many looks, or partial.

The file holds ``run_id`` and ``games``, the games a cell that were asked for; ``complete``,
``seconds``, ``max_seconds``, ``data_hash``; and under ``stops`` for each number of players and
line-up the ``rule``, ``reason``, ``blocks`` and ``looks``. Where rule sets were dropped on the way,
``cells`` has the blocks of each cell, and ``contenders`` what was decided.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.stats.stopping import Reason
from sim.store.files import unsealed

UNFINISHED = "Partial: the run is not finished. What follows rests on the blocks stored so far."


ONE_LOOK = (
    " The tune's verdicts hold at all looks together; intervals of other numbers here are for one."
)
"""Said of a race: an interval for one look is too narrow where the data chose the moment."""


@dataclass(frozen=True)
class Ending:
    """The end of a run.

    Attributes:
        complete: nothing is missing; otherwise its time was over.
        blocks: by players and line-up, up to which block its cells are played.
        cells: the same by the number of the cell, where cells of a setting ended apart.
        facts: all that is stored of it.
    """

    complete: bool
    blocks: dict[tuple[int, str], int]
    cells: list[int] | None
    facts: dict[str, Any]

    @property
    def text(self) -> str:
        """What a person reads, in a sentence."""
        stops = self.facts["stops"]
        looks = sorted({stop["looks"] for stop in stops})
        times = f"{looks[0]}" if len(looks) == 1 else f"{looks[0]} to {looks[-1]}"
        after = f"after {times} look{'' if times == '1' else 's'} at the data"
        if not self.complete:
            return (
                f"the time that was set, {self.facts['max_seconds']:g} s, was over {after}. "
                "What follows rests on the blocks stored so far; --resume goes on."
            )
        rules = " and ".join(dict.fromkeys(stop["rule"] for stop in stops))
        reasons = Counter(Reason[stop["reason"].upper()].value for stop in stops)
        if len(reasons) == 1:
            raced = ONE_LOOK if rules == "goals" and looks[-1] > 1 else ""
            return f"Stopped by {rules} {after}: {next(iter(reasons))}.{raced}"
        told = [f"in {n} of {len(stops)} settings {reason}" for reason, n in reasons.items()]
        return f"Stopped by {rules} {after}: {'; '.join(told)}."


class EndingDamaged(Exception):
    """``DONE.json`` is not what was written; the message says so."""


def read_ending(path: Path, run_id: str, games: int) -> Ending | None:
    """Read ``DONE.json``; None if the run never ended, or was extended since.

    Raises:
        EndingDamaged: it is not what this run wrote.
    """
    try:
        facts = unsealed(path.read_bytes())
        blocks = {
            (int(stop["players"]), str(stop["lineup"])): int(stop["blocks"])
            for stop in facts["stops"]
        }
        apart = facts.get("cells")
        cells = None if apart is None else [int(count) for count in apart]
        ending = Ending(bool(facts["complete"]), blocks, cells, facts)
        own, counted = facts["run_id"] == run_id, facts["games"] == games
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise EndingDamaged(f"{path.name}: it is not what was written") from fault
    if not own:
        raise EndingDamaged(f"{path.name}: it belongs to another run")
    return ending if counted else None
