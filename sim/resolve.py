"""Resolving: from what an experiment file says to the experiment, or to all that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sim import grid
from sim.document import MAX_NAME, OF_LINEUP, OPTION_MODELS, Document, clean
from sim.experiment import Experiment, Lineup, Variant
from sim.players import PlayerReader
from sim.rules import PRESETS, Rules
from sim.sampling import Stop, StopAtDecision, StopAtGames, StopAtHalfWidth
from sim.settings import did_you_mean
from sim.stats.metrics import BY_NAME, NAMES, REGISTERED
from sim.stored import MAX_CELLS
from sim.strategy import Player
from sim.yaml_source import KeyPath, Problem

DEFAULT_LINEUP = "greedy"


class _Resolver:
    """Turns a document that has the right form into an experiment, collecting what is wrong."""

    def __init__(self, document: Document, players: PlayerReader) -> None:
        self.document = document
        self.players = players
        self.problems = players.problems
        self.factors: dict[str, list[Any]] = document.factors or {}

    def problem(self, path: tuple[str | int, ...], message: str, at_key: bool = False) -> None:
        self.problems.append(Problem(path, message, at_key))

    def variants(self) -> tuple[Variant, ...]:
        base, name = self.rules(self.document.rules, Rules())
        of_rules = {k: v for k, v in self.factors.items() if not k.startswith(OF_LINEUP)}
        self.problems += grid.written_too(self.document.rules, of_rules, "factors")
        if self.document.variants and of_rules:
            self.problem(
                ("factors",),
                "variants and factors of the rules exclude each other; keep one of them",
                True,
            )
            return ()
        if self.document.variants:
            return tuple(
                Variant(key, self.rules(written, base)[0])
                for key, written in self.document.variants.items()
            )
        if of_rules:
            return tuple(
                Variant(told, self.rules(grid.settings(chosen), base)[0])
                for told, chosen in islice(grid.combinations(of_rules), MAX_CELLS + 1)
            )
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

    def lineups(self) -> tuple[Lineup, ...]:
        written = self.document.lineups or {DEFAULT_LINEUP: DEFAULT_LINEUP}
        listed = {name: one if isinstance(one, list) else [one] for name, one in written.items()}
        places = self.places(listed)
        found: list[Lineup] = []
        for name, entries in listed.items():
            path: KeyPath = ("lineups", name)
            read = self.players.read_all(written[name], path)
            lineup = Lineup(name, tuple(p for p in read if p is not None))
            if None not in read and not any(lineup.fits(n) for n in self.document.players):
                counts = " or ".join(str(n) for n in self.document.players)
                self.problem(
                    path,
                    f"found {len(entries)} players; a line-up has 1, who fills every seat, "
                    f"or as many as play ({counts})",
                )
            own = {key: one for key, one in places.items() if one.lineup == name}
            found += self.lineup_grid(name, entries, own) if own else [lineup]
        return tuple(found)

    def places(self, listed: Mapping[str, Sequence[Any]]) -> dict[str, grid.Place]:
        """Return where the factors of players lead."""
        found = {}
        for key in self.factors:
            if key.startswith(OF_LINEUP):
                where = grid.place(key, listed)
                if isinstance(where, str):
                    self.problem(("factors", key), where, True)
                else:
                    found[key] = where
        return found

    def lineup_grid(
        self, name: str, entries: Sequence[Any], places: Mapping[str, grid.Place]
    ) -> Iterator[Lineup]:
        """Yield a line-up for every combination of the values of its factors."""
        for key, where in places.items():
            for i, value in enumerate(self.factors[key]):
                self.read_as(where.put(entries, value), ("factors", key, i))
        if self.problems:
            return
        brief = {key.removeprefix(f"{OF_LINEUP}{name}."): key for key in places}
        values = {short: self.factors[key] for short, key in brief.items()}
        for told, chosen in islice(grid.combinations(values), MAX_CELLS + 1):
            put = list(entries)
            for short, value in chosen.items():
                put = places[brief[short]].put(put, value)
            read = self.read_as(put, ("factors", brief[next(iter(brief))]))
            yield Lineup(f"{name}, {told}", tuple(p for p in read if p is not None))

    def read_as(self, entries: Sequence[Any], path: KeyPath) -> list[Player | None]:
        """Read players that a factor made; what is wrong with them is wrong at `path`."""
        before = len(self.problems)
        read = [self.players.read(entry, ()) for entry in entries]
        told = {problem.message for problem in self.problems[before:]}
        self.problems[before:] = [Problem(path, message) for message in sorted(told)]
        return read

    def check_metrics(self, variants: int) -> None:
        """Note metrics that do not exist, and keys of `stop` that others contradict."""
        stop, written = self.document.stop, self.document.model_fields_set
        named: dict[KeyPath, str] = {("primary",): self.document.primary}
        if isinstance(stop, StopAtHalfWidth) and stop.metric is not None:
            named["stop", "metric"] = stop.metric
        if isinstance(stop, StopAtDecision):
            named["stop", "decide"] = stop.decide
        for path, name in named.items():
            if name not in NAMES:
                self.problem(path, no_metric(name))
            elif path == ("stop", "decide") and variants < 2 and not BY_NAME[name].signed:
                self.problem(
                    path,
                    f"found {name}, of one variant only: there is no difference to decide; write "
                    "more variants, or stop at a half_width",
                )
        if stop is not None and "games" in written:
            key = "games" if isinstance(stop, StopAtGames) else "max_games"
            told = f"{key} of stop is the number of games in each cell; keep one of them"
            if key == "max_games" or "games" in stop.model_fields_set:
                self.problem(("games",), told, True)
        own_smallest = isinstance(stop, StopAtDecision) and "smallest" in stop.model_fields_set
        if own_smallest and named["stop", "decide"] == self.primary and "smallest" in written:
            self.problem(("smallest",), "stop says it too; keep one of them", True)

    @property
    def primary(self) -> str:
        """The metric that answers the question: unless written the one that stops the run."""
        stop = self.document.stop
        if "primary" not in self.document.model_fields_set:
            match stop:
                case StopAtHalfWidth(metric=str(name)) | StopAtDecision(decide=name):
                    return name
        return self.document.primary

    @property
    def smallest(self) -> float:
        """The smallest difference in the primary metric that matters."""
        stop, written = self.document.stop, self.document.smallest
        if isinstance(stop, StopAtDecision) and stop.decide == self.primary:
            written = written or stop.smallest
        return float(written or BY_NAME[self.primary].smallest)

    @property
    def games(self) -> int:
        """Games in each cell, or the most there are."""
        match self.document.stop:
            case StopAtHalfWidth(max_games=most) | StopAtDecision(max_games=most):
                return most
            case StopAtGames(games=asked) as stop if "games" in stop.model_fields_set:
                return asked
        return self.document.games

    def stop(self) -> Stop | None:
        """Return what may end the run early, with nothing left to default."""
        stop = self.document.stop
        match stop:
            case StopAtHalfWidth():
                return stop.model_copy(update={"metric": stop.metric or self.primary})
            case StopAtDecision():
                primary = stop.decide == self.primary
                own = self.smallest if primary else BY_NAME[stop.decide].smallest
                return stop.model_copy(update={"smallest": float(stop.smallest or own)})
            case StopAtGames(max_seconds=None):
                return None
            case StopAtGames():
                return stop.model_copy(update={"games": self.games})
        return None


def problems_of_players(lineups: Any, path: Path, allow_code: bool) -> list[Problem]:
    """Return what is wrong with the players of an experiment whose form is wrong elsewhere.

    Args:
        lineups: what it says under that key, of any form.
        path: where it was read.
        allow_code: strategy files may be run.
    """
    players = PlayerReader(path.parent, allow_code)
    for name, one in lineups.items() if isinstance(lineups, dict) else ():
        players.read_all(one, ("lineups", name))
    return players.problems


def resolve(document: Document, path: Path, allow_code: bool) -> tuple[Experiment, list[Problem]]:
    """Return the experiment that `document`, read from `path`, asks for, and all its problems.

    With problems the experiment is not fit for use.
    """
    resolver = _Resolver(document, PlayerReader(path.parent, allow_code))
    if document.name is None:
        try:
            if len(clean(path.stem)) > MAX_NAME:
                raise ValueError(f"it has {len(path.stem)} letters; allowed are {MAX_NAME}")
        except ValueError as fault:
            told = f"is missing, and the file's own name does not serve: {fault}"
            resolver.problem(("name",), told)
    variants, lineups = resolver.variants(), resolver.lineups()
    counts = document.players
    if len(set(counts)) < len(counts):
        resolver.problem(("players",), f"found {list(counts)}; each number once")
    if len(variants) * len(lineups) * len(counts) > MAX_CELLS:
        resolver.problem(
            ("factors",),
            f"this is more than {MAX_CELLS:,} combinations of rules, players and line-ups",
        )
    resolver.check_metrics(len(variants))
    if resolver.problems:
        return Experiment(path.stem, "", 0, (), (), (), 1, "", 1.0, 0), resolver.problems
    experiment = Experiment(
        name=document.name or path.stem,
        question=document.question,
        seed=document.seed,
        players=tuple(counts),
        variants=variants,
        lineups=lineups,
        games=resolver.games,
        primary=resolver.primary,
        smallest=resolver.smallest,
        keep_games=document.keep.games,
        design=document.design,
        stop=resolver.stop(),
    )
    return experiment, []


def no_metric(name: str) -> str:
    """Say why an experiment or a goal cannot take `name` as its metric, and what it can."""
    of_cells = {entry.name for entry in REGISTERED} - {*NAMES}
    elsewhere = ", no single number of every game: see it with `sim show RUN --metric`"
    guess = did_you_mean(name, of_cells)
    hint = did_you_mean(name, NAMES) or (guess and guess + elsewhere)
    hint = elsewhere if name in of_cells else hint
    return f"found {name!r}{hint}; allowed here are {', '.join(NAMES)}"
