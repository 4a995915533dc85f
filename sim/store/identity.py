"""What a run is: everything that decides its data, as `run.json` records it."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import unicodedata
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sim import __version__
from sim.errors import DataDamaged
from sim.experiment import RNG_VERSION, Experiment
from sim.rules import RULES_VERSION
from sim.store.files import read_sealed

ROOT = Path(__file__).resolve().parents[2]
FORMAT = 2
LIBRARIES = ("numpy", "numba", "polars", "joblib")
DECIDES = ("format", "experiment", "rules_version", "rng", "sources")
"""Keys of `run.json` that decide the data; the others are for the record."""
PLAYING = (
    "sim", "sim/kernel", "sim/reference", "sim/stats", "sim/stats/metrics", "sim/tuning",
    "strategies",
)  # fmt: skip
"""Folders of what decides which games are played, and when a run stops."""
TELLING = ("cli.py", "summary.py", "replay.py", "cache.py")
"""Files there that decide nothing of that."""
PROGRAM = ("program", "python", "libraries")
"""Keys that say what plays it; a run can be gone on with by others, which are listed too."""


LOST = (
    "; without it nobody can say what the games were. Take it from a copy, or play the experiment "
    "again in another directory"
)


def sources() -> list[Path]:
    """Return the sources that decide what is played: engines, rules, strategies, what stops a run.

    Strategies in plain Python play on the twin, so it is one of the engines.
    """
    found = sorted(path for folder in PLAYING for path in (ROOT / folder).glob("*.py"))
    return [path for path in found if path.name not in TELLING]


def source_hash() -> str:
    """Hash the sources that decide what is played."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def identity(experiment: Experiment) -> dict[str, Any]:
    """Return what `run.json` holds for a run of `experiment` by this program."""
    return {
        "format": FORMAT,
        "experiment": experiment.to_dict(),
        "rules_version": RULES_VERSION,
        "rng": RNG_VERSION,
        "sources": source_hash(),
        "program": __version__,
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def begun(experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored experiment as its run was begun, before any extension."""
    found = dict(experiment)
    before: list[int] = found.pop("ended_at", [])
    found["games"] = [*before, found["games"]][0]
    stop: Mapping[str, Any] = found.get("stop") or {}
    if "games" in stop:
        found["stop"] = {**stop, "games": found["games"]}
    return found


def decides(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides the data of a run, whatever it was extended by."""
    return {key: record[key] for key in DECIDES} | {"experiment": begun(record["experiment"])}


def run_id(record: Mapping[str, Any]) -> str:
    """Return the hash of all that decides the data of a run (hex, 64 digits)."""
    text = json.dumps(decides(record), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def played_by(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the program and libraries of a record."""
    return {key: record[key] for key in PROGRAM}


def differences(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    """Yield every field that decides the data and differs, in words."""
    yield from _different(decides(stored), decides(asked))


def other_versions(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    """Yield every version of program and libraries that differs, in words."""
    yield from _different(played_by(stored), played_by(asked))


def _different(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    for key in here:
        before, now = dict(_flat(key, there[key])), dict(_flat(key, here[key]))
        for path in dict.fromkeys([*before, *now]):
            if before.get(path) != now.get(path):
                yield f"{path}: {_shown(before.get(path))} there, {_shown(now.get(path))} now"


def _flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{path}.{key}", inner)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _flat(f"{path}[{i}]", inner)
    else:
        yield path, value


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text if len(text) <= 40 else f"{text[:12]}..."


def directory_name(experiment: Experiment) -> str:
    """Return the name of the run directory: a slug of the experiment's name, and its identity."""
    plain = unicodedata.normalize("NFKD", experiment.name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:40].strip("-")
    return f"{slug or 'run'}-{experiment.identity[:6]}"


def read_record(path: Path) -> dict[str, Any]:
    """Read `run.json`.

    Raises:
        DataDamaged: it is missing, cannot be read, or is not what was written.
        OtherFormat: another version of the program wrote it.
    """
    try:
        record = read_sealed(path, FORMAT)
        sound = record["run_id"] == run_id(record)
    except (FileNotFoundError, NotADirectoryError):
        raise DataDamaged(
            f"{path.parent} is no run directory: it has no run.json; name one that sim run made"
        ) from None
    except OSError as fault:
        raise DataDamaged(f"{path} cannot be read: {fault.strerror}; see to it") from fault
    except (ValueError, KeyError, TypeError) as fault:
        raise DataDamaged(f"{path} is damaged: it is not what was written{LOST}") from fault
    if not sound:
        raise DataDamaged(f"{path} is damaged: it does not match its own hash{LOST}")
    return record
