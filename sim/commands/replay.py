"""`sim replay`: one game of a run, told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sim.commands.options import allow_code
from sim.errors import UsageFault
from sim.output import say
from sim.settings import did_you_mean

if TYPE_CHECKING:
    from sim.design import Cell


@click.command("replay")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--variant", help="Which rule set, by name; not needed if there is one.")
@click.option("--players", type=int, help="How many players; not needed if it never varies.")
@click.option("--lineup", help="Which line-up, by name; not needed if there is one.")
@click.option("--deal", type=int, required=True, help="Which deal.")
@click.option("--rotation", type=int, default=0, show_default=True, help="Which seating.")
@click.option("--hand-rotation", type=int, default=0, show_default=True, help="Packets moved by.")
@allow_code
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(
    run: Path,
    variant: str | None,
    players: int | None,
    lineup: str | None,
    deal: int,
    rotation: int,
    hand_rotation: int,
    allow_code: bool,
    as_json: bool,
) -> None:
    """Tell a game of the run directory RUN, turn by turn.

    Seats are numbered from 0, as in the data; seat 0 leads the first round.
    """
    from sim.store import open_run
    from sim.store.code import refuse_unread

    opened = open_run(run, allow_code)
    cell = choose_cell(opened.cells, variant, players, lineup)
    within("--deal", deal, cell.first_deal, cell.blocks * cell.block_deals)
    within("--rotation", rotation, 0, len(cell.seatings))
    within("--hand-rotation", hand_rotation, 0, cell.hand_rotations)
    seating = cell.seatings[rotation]
    refuse_unread(run, seating)

    from sim.kernel import twin_choosers
    from sim.replay import as_object, in_words, replay

    captures_address, choosers = twin_choosers(seating)
    seed = opened.experiment.seed
    if not as_json:
        seats = ", ".join(f"seat {s} {player}" for s, player in enumerate(seating))
        say(f"{cell.variant}, {cell.lineup}, deal {deal} of seed {seed}: {seats}.")
    for event in replay(cell.rules, seating, seed, deal, hand_rotation, captures_address, choosers):
        click.echo(json.dumps(as_object(event)) if as_json else in_words(event))


def choose_cell(
    cells: Sequence[Cell], variant: str | None, players: int | None, lineup: str | None
) -> Cell:
    """Return the one cell that the options name.

    Raises:
        UsageFault: an option names nothing that was played, or one more is needed.
    """
    cells = _narrow(cells, "--variant", variant, lambda cell: cell.variant)
    number = None if players is None else str(players)
    cells = _narrow(cells, "--players", number, lambda cell: str(cell.players))
    return _narrow(cells, "--lineup", lineup, lambda cell: cell.lineup)[0]


def _narrow(
    cells: Sequence[Cell], option: str, wanted: str | None, value: Callable[[Cell], str]
) -> list[Cell]:
    there = list(dict.fromkeys(value(cell) for cell in cells))
    names = ", ".join(there)
    if wanted is None and len(there) > 1:
        raise UsageFault(f"{option} is missing; the run has {names}")
    if wanted is not None and wanted not in there:
        hint = did_you_mean(wanted, there)
        raise UsageFault(f"{option} {wanted}: not in this run{hint}; it has {names}")
    return [cell for cell in cells if wanted is None or value(cell) == wanted]


def within(option: str, found: int, first: int, count: int) -> None:
    """Refuse a number that is none of the `count` from `first` on.

    Raises:
        UsageFault: it is outside.
    """
    if not first <= found < first + count:
        raise UsageFault(f"{option} {found}: this run has {first} to {first + count - 1}")
