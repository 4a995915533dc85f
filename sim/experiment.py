"""Experiments: from the YAML that people write to the resolved form that the program uses.

The document's models say what may be written (and make the JSON Schema); `Experiment` is complete,
immutable, and has an identity that ignores comments, order and the file's name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from sim.document import OPTION_MODELS, Document, read_document
from sim.errors import DataDamaged, UsageFault
from sim.overrides import override
from sim.players import PlayerReader, restored, restored_strategies, stored, stored_strategies
from sim.rules import PRESETS, RULES_VERSION, Rules
from sim.settings import did_you_mean
from sim.strategy import Player, Strategy, catalogue
from sim.yaml_source import Problem, Source, read_file

RNG_VERSION = "philox4x32-10/v1"
"""Recorded in every run; any change of the layout of addresses changes it."""
DEFAULT_LINEUP = "greedy"
MAX_CELLS = 4096


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
        games: games asked for in each cell; rounded up to whole blocks.
        primary: the metric that answers the question.
        smallest: the smallest difference in it that matters, in its unit.
        keep_games: rows of single games kept at most, over all cells.
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
        try:
            told = restored_strategies(data.get("strategies", {}))
            known = {**catalogue(), **told, **(code or {})}
            return cls(
                name=data["name"],
                question=data["question"],
                seed=data["seed"],
                players=tuple(data["players"]),
                variants=tuple(
                    Variant(v["name"], Rules.model_validate(v["rules"])) for v in data["variants"]
                ),
                lineups=tuple(
                    Lineup(entry["name"], tuple(restored(p, known) for p in entry["players"]))
                    for entry in data["lineups"]
                ),
                games=data["games"],
                primary=data["primary"],
                smallest=data["smallest"],
                keep_games=data["keep_games"],
            )
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            raise DataDamaged(f"the stored experiment is damaged ({fault!r})") from fault

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
        raise UsageFault(f"{path}: an experiment is a list of keys and values, such as games: 1000")
    for text in overrides:
        override(source, text)
    document = read_document(source)
    experiment, problems = _resolve(document, path, allow_code)
    if problems:
        raise source.fault(problems)
    return experiment


class _Resolver:
    """Turns a document that has the right form into an experiment, collecting what is wrong."""

    def __init__(self, document: Document, players: PlayerReader) -> None:
        self.document = document
        self.players = players
        self.problems = players.problems

    def problem(self, path: tuple[str | int, ...], message: str, at_key: bool = False) -> None:
        self.problems.append(Problem(path, message, at_key))

    def variants(self) -> tuple[Variant, ...]:
        base, name = self.rules(self.document.rules, Rules())
        if self.document.variants and self.document.factors:
            self.problem(
                ("factors",), "variants and factors exclude each other; keep one of them", True
            )
            return ()
        if self.document.variants:
            return tuple(
                Variant(key, self.rules(written, base)[0])
                for key, written in self.document.variants.items()
            )
        if self.document.factors:
            return self.grid(base)
        return (Variant(name or "rules", base),)

    def rules(self, written: Mapping[str, Any], base: Rules) -> tuple[Rules, str | None]:
        settings = dict(written)
        name = settings.pop("preset", None)
        rules = PRESETS[name] if name else base
        if "penalty" in settings:
            settings["penalty"] = rules.penalty.model_copy(update=dict(settings["penalty"]))
        if "end" in settings:
            settings["end"] = OPTION_MODELS["end"](settings["end"])
        return rules.model_copy(update=settings), name

    def grid(self, base: Rules) -> tuple[Variant, ...]:
        factors: dict[str, list[Any]] = self.document.factors or {}
        found = []
        for values in product(*factors.values()):
            chosen = dict(zip(factors, values, strict=True))
            name = ", ".join(f"{key}={_short(value)}" for key, value in chosen.items())
            nested: dict[str, Any] = {}
            for key, value in chosen.items():
                if key.startswith("penalty."):
                    nested.setdefault("penalty", {})[key.partition(".")[2]] = value
                else:
                    nested[key] = value
            found.append(Variant(name, self.rules(nested, base)[0]))
            if len(found) > MAX_CELLS:
                break
        return tuple(found)

    def lineups(self) -> tuple[Lineup, ...]:
        written = self.document.lineups or {DEFAULT_LINEUP: [DEFAULT_LINEUP]}
        found = []
        for name, entries in written.items():
            listed = entries if isinstance(entries, list) else [entries]
            path: tuple[str | int, ...] = ("lineups", name)
            players = [
                self.players.read(entry, (*path, i) if isinstance(entries, list) else path)
                for i, entry in enumerate(listed)
            ]
            lineup = Lineup(name, tuple(p for p in players if p is not None))
            if None not in players and not any(lineup.fits(n) for n in self.document.players):
                counts = " or ".join(str(n) for n in self.document.players)
                self.problem(
                    path,
                    f"found {len(listed)} players; a line-up has 1, who fills every seat, "
                    f"or as many as play ({counts})",
                )
            found.append(lineup)
        return tuple(found)


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return " ".join(f"{k} {v}" for k, v in value.items())
    return str(value)


def _resolve(document: Document, path: Path, allow_code: bool) -> tuple[Experiment, list[Problem]]:
    from sim.stats.metrics import BY_NAME, NAMES

    resolver = _Resolver(document, PlayerReader(path.parent, allow_code))
    variants, lineups = resolver.variants(), resolver.lineups()
    counts = document.players
    if len(set(counts)) < len(counts):
        resolver.problem(("players",), f"found {list(counts)}; each number once")
    if len(variants) * len(lineups) * len(counts) > MAX_CELLS:
        resolver.problem(
            ("factors",),
            f"this is more than {MAX_CELLS:,} combinations of rules, players and line-ups",
        )
    if document.primary not in NAMES:
        hint = did_you_mean(document.primary, NAMES)
        resolver.problem(
            ("primary",), f"found {document.primary!r}{hint}; metrics are {', '.join(NAMES)}"
        )
        return _nothing(path.stem), resolver.problems
    smallest = document.smallest or BY_NAME[document.primary].smallest
    experiment = Experiment(
        name=document.name or path.stem,
        question=document.question,
        seed=document.seed,
        players=tuple(counts),
        variants=variants,
        lineups=lineups,
        games=document.games,
        primary=document.primary,
        smallest=float(smallest),
        keep_games=document.keep.games,
    )
    return experiment, resolver.problems


def _nothing(name: str) -> Experiment:
    return Experiment(name, "", 0, (), (), (), 1, "", 1.0, 0)
