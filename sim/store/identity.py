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

ROOT = Path(__file__).resolve().parents[2]
FORMAT = 1
LIBRARIES = ("numpy", "numba", "polars", "joblib")
DECIDES = ("format", "experiment", "rules_version", "rng", "sources")
"""Keys of `run.json` that decide the data; the others are for the record."""


def source_hash() -> str:
    """Hash the sources that decide what is played: engine, rules, strategies, what stops a run."""
    digest = hashlib.sha256()
    folders = ("sim", "sim/kernel", "sim/stats", "sim/stats/metrics", "sim/tuning", "strategies")
    for path in sorted(p for one in folders for p in ROOT.glob(f"{one}/*.py")):
        if path.name not in ("cli.py", "summary.py", "replay.py", "cache.py"):
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


def run_id(record: Mapping[str, Any]) -> str:
    """Return the hash of all that decides the data of a run (hex, 64 digits)."""
    text = json.dumps({key: record[key] for key in DECIDES}, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def differences(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    """Yield every field that decides the data and differs, in words."""
    for key in DECIDES:
        before, now = dict(_flat(key, stored.get(key))), dict(_flat(key, asked[key]))
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
        DataDamaged: it is missing or not what was written.
    """
    try:
        record = json.loads(path.read_bytes())
        stored_id = record.pop("run_id")
        sound = stored_id == run_id(record)
    except FileNotFoundError:
        raise DataDamaged(f"{path.parent} is no run directory: it has no run.json") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise DataDamaged(f"{path} is damaged ({type(fault).__name__}); its run is lost") from fault
    if not sound:
        raise DataDamaged(f"{path} is damaged: it does not match its own hash; its run is lost")
    return dict(record)
