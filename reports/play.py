"""What play consists of: captures, sweeps, trails, builds, and what becomes of the cards."""

from __future__ import annotations

import sys

from reports import alone, pictures
from reports.material import Material
from reports.section import ADDRESS, Section, Table, address, column
from sim.stats.metrics import BY_NAME

KEY = "play"

MOVES = ("capture_rate", "trail_rate", "build_rate", "cards_per_capture", "sweep_share")
PICTURED = ("capture_rate", "cards_per_capture")
CARDS = ("cards_left", "rest_cards", "joker_turns")


def build(material: Material) -> Section | None:
    """Return the section, or None for a run without data."""
    if not material.cells:
        return None
    rules = [cell.rules for cell in material.cells]
    absent = {
        *(() if any(r.esun for r in rules) else ("build_rate",)),
        *(() if any(r.rest != "nobody" for r in rules) else ("rest_cards",)),
        *(() if any(r.jokers for r in rules) else ("joker_turns",)),
    }
    metrics = [BY_NAME[name] for name in (*MOVES, *CARDS) if name not in absent]
    rows = tuple(
        (*address(c), *(material.findings.level(m, c) for m in metrics)) for c in material.cells
    )
    note = "A sweep is a capture that leaves no card on the table; a trail lays the card down."
    table = Table("moves", "Moves and cards", (*ADDRESS, *map(column, metrics)), rows, note)
    shown = (pictures.level(material, BY_NAME[name], table.title) for name in PICTURED)
    return Section(
        KEY,
        "What play consists of",
        "What players do in a turn, and where cards go.",
        (*shown, table),
    )


if __name__ == "__main__":
    sys.exit(alone.main(build))
