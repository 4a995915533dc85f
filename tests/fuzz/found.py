"""What fuzzing found: positions and games, a JSON object a line, replayed by tests/test_found.py.

A position has the shape of the worked positions (`tests/data/moves.jsonl`); its moves are the
twin's, to be read against RULES.md. A game is an address.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sim.cards import parse, show
from sim.conduct import Conduct
from sim.rules import Rules
from sim.settings import overrides
from sim.strategy import Player, catalogue
from tests.differential import Case, MismatchError, Position
from tests.fuzz.shrink import told_by_twin

DATA = Path(__file__).parents[1] / "data"
POSITIONS = "found_moves.jsonl"
GAMES = "found_games.jsonl"


def lines(name: str, folder: Path = DATA) -> list[dict[str, Any]]:
    """Return the objects of a file."""
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def position_line(position: Position) -> dict[str, Any]:
    """Return a position as a line, with the twin's moves."""
    return {
        "rules": overrides(position.rules),
        "hand": show(position.hand),
        "table": show(position.table),
        "piles": [show(pile) for pile in position.piles],
        "moves": [
            {"move": m.kind, "card": m.card, "take": show(m.take), "piles": list(m.piles)}
            for m in told_by_twin(position)
        ],
    }


def position_of(line: dict[str, Any]) -> Position:
    """Read a position."""
    piles = tuple(tuple(parse(pile)) for pile in line["piles"])
    return Position(
        Rules(**line["rules"]), tuple(parse(line["hand"])), tuple(parse(line["table"])), piles
    )


def game_line(case: Case) -> dict[str, Any]:
    """Return a game as a line."""
    return {
        "rules": overrides(case.rules),
        "lineup": [_player_line(player) for player in case.lineup],
        "seed": case.seed,
        "deal": case.deal,
        "hand_rotations": case.hand_rotations,
    }


def _player_line(player: Player) -> dict[str, Any]:
    names = [parameter.name for parameter in player.strategy.parameters]
    return {
        "strategy": player.strategy.name,
        "parameters": dict(zip(names, player.values, strict=True)),
        "conduct": player.conduct.changed(),
    }


def game_of(line: dict[str, Any]) -> Case:
    """Read a game."""
    lineup = tuple(
        Player(
            catalogue()[one["strategy"]],
            tuple(one["parameters"].values()),
            Conduct.of(one["conduct"]),
        )
        for one in line["lineup"]
    )
    rest = {key: line[key] for key in ("seed", "deal", "hand_rotations")}
    return Case(Rules(**line["rules"]), lineup, **rest)


def keep(mismatch: MismatchError, folder: Path = DATA) -> Path:
    """Write a mismatch down, at the end of its file; return the file."""
    if mismatch.position is not None:
        path, line = folder / POSITIONS, position_line(mismatch.position)
    else:
        path, line = folder / GAMES, game_line(mismatch.case)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return path
