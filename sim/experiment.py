"""Experiments: from the YAML that people write to the resolved form that the program uses.

The document's models say what may be written (and make the JSON Schema); `Experiment` is complete,
immutable, and has an identity that ignores comments, order and the file's name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sim.document import read_document
from sim.errors import DataDamaged, UsageFault
from sim.goals import Stopping
from sim.overrides import override
from sim.players import restored, restored_strategies, stored, stored_strategies
from sim.rules import RULES_VERSION, Rules
from sim.sampling import CYCLIC, MOST_GAMES, Design, StopAtGames
from sim.strategy import Player, Strategy, catalogue
from sim.yaml_source import Problem, Source, path_text, read_file

RNG_VERSION = "philox4x32-10/v1"
"""Recorded in every run; any change of the layout of addresses changes it."""


@dataclass(frozen=True)
class Variant:
    """A rule set with the name that the experiment gives it."""

    name: str
    rules: Rules


@dataclass(frozen=True)
class Lineup:
    """Who plays: one player that fills every seat, or one for each seat."""

    name: str
    entries: tuple[Player, ...]

    def fits(self, players: int) -> bool:
        """Say whether it can seat `players`."""
        return len(self.entries) in (1, players)

    def players(self, players: int) -> tuple[Player, ...]:
        """Return the player at each position of a game of `players`."""
        return self.entries * players if len(self.entries) == 1 else self.entries


@dataclass(frozen=True)
class Experiment:
    """A question, resolved: everything that decides which games are played.

    Attributes:
        name: what the run directory is called after.
        question: what it asks, in a sentence.
        seed: 64 bits.
        players: numbers of players, each played.
        variants, lineups: in the order written; differences are to the first variant.
        games: games asked for in each cell, the most there are if `stop` may end it before;
            rounded up to whole blocks.
        primary: the metric that answers the question.
        smallest: the smallest difference in it that matters, in its unit.
        keep_games: rows of single games kept at most, over all cells.
        design: how players and hands go round the seats.
        stop: what may end it before all games are played, with nothing left to default; or None.
        first_deal: deals are numbered from here on, a multiple of 256; other numbers, fresh deals.
        ended_at: games a cell at which its run had ended each time that it was extended; the size
            of blocks comes from the first.
    """

    name: str
    question: str
    seed: int
    players: tuple[int, ...]
    variants: tuple[Variant, ...]
    lineups: tuple[Lineup, ...]
    games: int
    primary: str
    smallest: float
    keep_games: int
    design: Design = CYCLIC
    stop: Stopping | None = None
    first_deal: int = 0
    ended_at: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the experiment as plain data; `from_dict` restores it exactly."""
        return {
            "name": self.name,
            "question": self.question,
            "seed": self.seed,
            "players": list(self.players),
            "variants": [{"name": v.name, "rules": v.rules.model_dump()} for v in self.variants],
            "lineups": [
                {
                    "name": lineup.name,
                    "players": [stored(player) for player in lineup.entries],
                }
                for lineup in self.lineups
            ],
            "games": self.games,
            "primary": self.primary,
            "smallest": self.smallest,
            "keep_games": self.keep_games,
            **({} if self.design == CYCLIC else {"design": self.design.model_dump()}),
            **({} if self.stop is None else {"stop": self.stop.model_dump(mode="json")}),
            **({} if self.first_deal == 0 else {"first_deal": self.first_deal}),
            **({"ended_at": list(self.ended_at)} if self.ended_at else {}),
            **({"strategies": told} if (told := stored_strategies(self.code)) else {}),
        }

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], code: Mapping[str, Strategy] | None = None
    ) -> Experiment:
        """Restore an experiment from `to_dict`.

        Args:
            data: what `to_dict` returned.
            code: users' strategies that were read from their files, by name. Without them the
                experiment can be told of and not be played.

        Raises:
            DataDamaged: the data is not what `to_dict` wrote.
        """
        from sim.stored import StoredExperiment

        try:
            stored = StoredExperiment.model_validate(data)
            told = restored_strategies(stored.strategies)
            known = {**catalogue(), **told, **(code or {})}
            return cls(
                name=stored.name,
                question=stored.question,
                seed=stored.seed,
                players=tuple(stored.players),
                variants=tuple(Variant(one.name, one.rules) for one in stored.variants),
                lineups=tuple(
                    Lineup(one.name, tuple(restored(player, known) for player in one.players))
                    for one in stored.lineups
                ),
                games=stored.games,
                primary=stored.primary,
                smallest=stored.smallest,
                keep_games=stored.keep_games,
                design=stored.design,
                stop=stored.stop,
                first_deal=stored.first_deal,
                ended_at=tuple(stored.ended_at),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            raise DataDamaged(f"the stored experiment is damaged ({_first(fault)})") from fault

    @property
    def games_are_fixed(self) -> bool:
        """Whether all games are played whatever they say; otherwise `games` is the most."""
        return self.stop is None or isinstance(self.stop, StopAtGames)

    def extended(self, games: int) -> Experiment:
        """Return the experiment with so many games a cell more, in blocks of the same size.

        Raises:
            UsageFault: the data decide where it stops, or there can be no more.
        """
        if not self.games_are_fixed:
            raise UsageFault(
                "a run that stops by what it finds cannot be extended: going on after it has "
                "stopped would spoil its intervals; ask again with a smaller half_width, or "
                "smallest, in an experiment of its own"
            )
        total = self.games + games
        if total > MOST_GAMES:
            raise UsageFault(f"that would be {total:,} games a cell; {MOST_GAMES:,} are the most")
        stop = self.stop and self.stop.model_copy(update={"games": total})
        return replace(self, games=total, stop=stop, ended_at=(*self.ended_at, self.games))

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """Every strategy that plays, each once."""
        entries = (player for lineup in self.lineups for player in lineup.entries)
        return tuple(dict.fromkeys(player.strategy for player in entries))

    @property
    def code(self) -> dict[str, Strategy]:
        """Users' strategies by name, as `from_dict` takes them."""
        return {one.name: one for one in self.strategies if one.file is not None}

    @cached_property
    def identity(self) -> str:
        """Hash of all that decides the games: the experiment, the rules' and chance's versions."""
        whole = {**self.to_dict(), "rules_version": RULES_VERSION, "rng": RNG_VERSION}
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def _first(fault: Exception) -> str:
    """Say in a line what is wrong with stored data."""
    if isinstance(fault, ValidationError):
        error = fault.errors(include_url=False)[0]
        return f"{path_text(error['loc'])}: {error['msg']}"
    return repr(fault)


def load(
    path: Path | str, overrides: Iterable[str] = (), *, allow_code: bool = False
) -> Experiment:
    """Read an experiment file; `overrides` are texts such as ``rules.jokers=2``.

    Loading is bounded in time and memory, and runs no code unless `allow_code`; then it runs the
    strategy files that the experiment names.

    Raises:
        UsageFault: anything is wrong with it; all problems at once, each with its place.
    """
    path = Path(path)
    return _read(read_file(path), path, overrides, allow_code)


def load_mapping(document: Mapping[str, Any], *, allow_code: bool = False) -> Experiment:
    """Read an experiment given as a mapping, as its file would be; strategy files are found here.

    Raises:
        UsageFault: as `load`.
    """
    path = Path("experiment")
    try:
        data = json.loads(json.dumps(document, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as fault:
        raise UsageFault(f"{path}: holds what no experiment file can hold ({fault})") from fault
    return _read(Source(str(path), [], data), path, (), allow_code)


def _read(source: Source, path: Path, overrides: Iterable[str], allow_code: bool) -> Experiment:
    if not isinstance(source.data, dict):
        told = "an experiment is a list of keys and values, such as games: 1000"
        raise source.fault([Problem((), told)])
    if {"space", "goals"} <= source.data.keys():
        told = "this is a tune, for it has space and goals; play it with sim tune"
        raise source.fault([Problem((), told)])
    for text in overrides:
        override(source, text)
    from sim.resolve import problems_of_players, resolve

    document, problems = read_document(source.data)
    if document is None:
        problems += problems_of_players(source.data.get("lineups"), path, allow_code)
        raise source.fault(problems)
    experiment, problems = resolve(document, path, allow_code)
    if problems or source.refused:
        raise source.fault(problems)
    return experiment
