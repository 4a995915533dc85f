"""Every number of `sim show --json`, computed again from the Parquet files in pandas.

The code below shares nothing with `sim` but the definitions and docs/statistics.md.
Smallest defect caught: one block, one rotation, or one interval of another kind or level. The
bootstrap of a family is repeated with other random numbers, so its level is asked for within four
standard errors of the difference of two such quantiles.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from sim.stats.family import RESAMPLES
from sim.stats.metrics import METRICS, NAMES
from tests.in_pandas import ratio_of
from tests.runs import played, said

ASKED = """\
question: What do Yoruba rules do?
players: [2, 3]
variants:
  casual: {preset: casual}
  same: {preset: casual}
  yoruba: {preset: yoruba}
lineups: {greedy: greedy, mixed: [random, greedy]}
games: 600
"""
OURS = 20_000
SLACK = 4 * math.sqrt(0.95 * 0.05 * (1 / RESAMPLES + 1 / OURS))
RARE = 50
"""Fewer events than this, or games without: Wilson's interval (`sim.stats.rates`)."""
RATES = {
    *("tie_rate", "close_games", "yoruba_games", "must_capture_games", "isiwo_games", "esun_games"),
    *("joker_games", "rest_games", "penalty_games"),
}


@dataclass(frozen=True)
class Number:
    """A record of the JSON, and what pandas makes of the rows that it is about."""

    record: dict[str, Any]
    value: float
    z: pd.Series
    events: int
    games: int
    deals: int
    identical: bool
    size: int

    @property
    def se(self) -> float:
        return float(self.z.std(ddof=1)) / math.sqrt(len(self.z))

    @property
    def varies(self) -> bool:
        return bool(self.z.abs().max() > 1e-12)

    @property
    def contrast(self) -> bool:
        return "against" in self.record

    @property
    def rate(self) -> bool:
        return self.record["metric"] in RATES

    @property
    def told(self) -> bool:
        """Whether there is an interval."""
        if math.isnan(self.value) or self.identical:
            return False
        return self.varies or (self.rate and self.value in (-1, 0, 1))

    def ends(self, level: float) -> tuple[float, float]:
        few = -math.log(1 - level) / self.deals
        t = scipy.stats.t.ppf((1 + level) / 2, len(self.z) - 1)
        if self.contrast and not self.varies:
            if self.value == 0:
                return -few, few
            least = self.value * (1 - 2 * few)  # from none to all: a deal to the contrary counts 2
            return min(least, self.value), max(least, self.value)
        if self.rate and not self.contrast and self.events in (0, self.games):
            return (0.0, few) if self.events == 0 else (1 - few, 1.0)
        if self.rate and not self.contrast and min(self.events, self.games - self.events) < RARE:
            p, independent = self.value, self.value * (1 - self.value) / self.games
            n = self.games / max(1.0, self.se**2 / independent)
            roots = np.roots([1 + t * t / n, -2 * p - t * t / n, p * p])  # |x - p| = t sd(x)
            return float(min(roots)), float(max(roots))
        return self.value - t * self.se, self.value + t * self.se


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("run"), ASKED).run.path


@pytest.fixture(scope="module")
def told(run: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(said("show", run, "--json"))
    return data


@pytest.fixture(scope="module")
def games(run: Path) -> dict[tuple[str, int, str], pd.DataFrame]:
    """Game rows by cell, with the block of each."""
    parts = [json.loads(line)["part"] for line in (run / "ledger.jsonl").read_text().splitlines()]
    rows = pd.concat(pd.read_parquet(run / "parts" / p) for p in parts if p.startswith("games"))
    found = {}
    for _, cell in pd.read_parquet(run / "cells.parquet").iterrows():
        own = rows[rows["cell"] == cell["stored"]].reset_index(drop=True)
        found[cell["variant"], cell["players"], cell["lineup"]] = own.assign(
            block=own["deal"] // cell["block_deals"]
        )
    return found


def linear(rows: pd.DataFrame, n: int, record: dict[str, Any]) -> tuple[float, pd.Series, int]:
    """Value, each block's part in its error, and the numerator's sum."""
    i = record.get("seat", record.get("role", record.get("player", 0)))
    above, below = ratio_of(rows, n, record["metric"], i)
    a, b = above.groupby(rows["block"]).sum(), below.groupby(rows["block"]).sum()
    value = a.sum() / b.sum() if b.sum() else math.nan
    return value, (a - value * b) / b.mean(), round(a.sum())


def per_deal(rows: pd.DataFrame, n: int, record: dict[str, Any]) -> pd.DataFrame:
    """Numerator and denominator of each deal."""
    i = record.get("seat", record.get("role", record.get("player", 0)))
    above, below = ratio_of(rows, n, record["metric"], i)
    return pd.DataFrame({"above": above, "below": below}).groupby(rows["deal"]).sum()


def numbers(told: dict[str, Any], games: dict[Any, pd.DataFrame]) -> Iterator[Number]:
    for entry in told["cells"]:
        key = entry["variant"], entry["players"], entry["lineup"]
        rows = games[key]
        assert entry["games"] == len(rows) and entry["deals"] == rows["deal"].nunique()
        assert entry["blocks"] == rows["block"].nunique()
        size = entry["deals"] // entry["blocks"]
        for record in entry["estimates"]:
            record = {**record, **{name: entry[name] for name in ("variant", "players", "lineup")}}
            value, z, events = linear(rows, key[1], record)
            yield Number(record, value, z, events, len(rows), entry["deals"], False, size)
    for record in told["contrasts"]:
        n, lineup = record["players"], record["lineup"]
        a, b = games[record["variant"], n, lineup], games[record["against"], n, lineup]
        (value, z, _), (base, z_base, _) = linear(a, n, record), linear(b, n, record)
        same = a.drop(columns="cell").equals(b.drop(columns="cell")) or (
            record["metric"] not in RATES and per_deal(a, n, record).equals(per_deal(b, n, record))
        )
        deals = a["deal"].nunique()
        size = deals // a["block"].nunique()
        yield Number(record, value - base, z - z_base, 0, len(a), deals, same, size)
        if record["variance_ratio"] is not None:
            ratio = (z.var() + z_base.var()) / (z - z_base).var()
            assert record["variance_ratio"] == pytest.approx(ratio, rel=1e-7)
        else:
            assert not (z - z_base).abs().max() > 1e-9


def families(all_of: list[Number], primary: str) -> Iterator[list[Number]]:
    """Numbers that are read together: the primary's changes, and the places of a cell."""
    groups: dict[tuple[Any, ...], list[Number]] = {}
    for number in all_of:
        r = number.record
        key: tuple[Any, ...] = (r["variant"], r["players"], r["lineup"], r["metric"])
        if number.contrast:
            key = ("changes",) if r["metric"] == primary else (*key, "change")
        groups.setdefault(key, []).append(number)
    yield from groups.values()


def draws(family: list[Number]) -> np.ndarray:
    """Errors that the family might have had: multipliers shared where the blocks are the same."""
    errors = np.zeros((OURS, len(family)))
    for size in {number.size for number in family}:
        own = [i for i, number in enumerate(family) if number.size == size]
        z = np.stack([family[i].z.to_numpy() for i in own], axis=1)
        normal = np.random.default_rng([size, 77]).standard_normal((OURS, len(z)))
        errors[:, own] = normal @ z / math.sqrt(len(z) * (len(z) - 1))
    return errors


def level_of(family: list[Number]) -> float:
    """The level of each interval by itself, checked to be one at which all hold at once."""
    if len(family) == 1:
        return 0.95
    if not all(number.varies for number in family):
        return 1 - 0.05 / len(family)
    student = next(number for number in family if not number.rate)
    t = (student.record["high"] - student.value) / student.se
    level = float(2 * scipy.stats.t.cdf(t, len(student.z) - 1) - 1)
    width = scipy.stats.norm.ppf((1 + level) / 2)
    together = np.abs(draws(family) / [n.se for n in family]).max(axis=1) <= width
    assert together.mean() == pytest.approx(0.95, abs=SLACK)
    return level


def test_every_number_of_the_json_follows_from_the_parquet_files(
    told: dict[str, Any], games: dict[Any, pd.DataFrame]
) -> None:
    """Floats of 64 bits over some thousand games agree to about 1e-12; 1e-9 is asked."""
    all_of = list(numbers(told, games))
    places = sum(n for n in (2, 2, 3)) * (len(METRICS) - len(NAMES))
    assert len(all_of) == (3 + 2) * (3 * len(NAMES) + places)
    kinds = set()
    for family in families(all_of, told["primary"]):
        with_interval = [number for number in family if number.told]
        level = level_of(with_interval) if with_interval else 0.95
        for number in family:
            record = number.record
            if math.isnan(number.value):
                assert record["value"] is None
            else:
                assert record["value"] == pytest.approx(number.value, rel=1e-9, abs=1e-9)
            assert record["deals"] == number.deals and record["blocks"] == len(number.z)
            kinds.add(record["method"] or record["state"])
            if not number.told:
                assert record["low"] is None and record["high"] is None and record["family"] == 1
                assert record["se"] == (0.0 if number.identical else None)
                continue
            low, high = number.ends(level)
            assert record["low"] == pytest.approx(low, rel=1e-9, abs=1e-9)
            assert record["high"] == pytest.approx(high, rel=1e-9, abs=1e-9)
            assert record["low"] < record["high"] and record["family"] == len(with_interval)
            if number.varies:
                assert record["se"] == pytest.approx(number.se, rel=1e-7)
    assert len(kinds) >= 7, kinds


def test_every_verdict_follows_from_its_interval(told: dict[str, Any]) -> None:
    seen = set()
    for record in told["contrasts"]:
        low, high, size = record["low"], record["high"], record["smallest"]
        if record["state"].startswith("exactly"):
            wanted = "practically equal"
        elif low is None:
            wanted = "not yet known"
        elif low > size or high < -size:
            wanted = "larger than the smallest effect that matters"
        elif -size <= low and high <= size:
            wanted = "practically equal"
        else:
            some = low > 0 or high < 0
            wanted = "different, but it may be negligible" if some else "not yet known"
        assert record["verdict"] == wanted
        seen.add(wanted)
        unknown = wanted == "not yet known" and low is not None
        assert (record["more_games"] is not None) == unknown
    assert len(seen) >= 3


def test_unfairness_follows_from_the_parquet_files(
    told: dict[str, Any], games: dict[Any, pd.DataFrame]
) -> None:
    for entry in told["cells"]:
        n = entry["players"]
        rows = games[entry["variant"], n, entry["lineup"]]
        record = next(own for own in entry["measures"] if own["metric"] == "unfairness")
        seats = [
            linear(rows, n, {"metric": "seat_advantage_wins", "seat": s})[:2] for s in range(n)
        ]
        blocks = len(seats[0][1])
        plain = math.sqrt(sum(value**2 for value, _ in seats) / n)
        square = sum(value**2 - z.var(ddof=1) / blocks for value, z in seats) / n
        assert record["value"] == pytest.approx(math.sqrt(max(0.0, square)), abs=1e-9)
        assert record["low"] == pytest.approx(max(0.0, 2 * plain - record["high"]), abs=1e-9)
        z = np.stack([z.to_numpy() for _, z in seats], axis=1)
        normal = np.random.default_rng(78).standard_normal((OURS, blocks))
        distance = np.sqrt(((normal @ z) ** 2).sum(axis=1) / (blocks * (blocks - 1)) / n)
        wider = scipy.stats.t.ppf(0.975, blocks - 1) / scipy.stats.norm.ppf(0.975)
        within = distance * wider <= record["high"] - plain
        assert within.mean() == pytest.approx(0.95, abs=SLACK)
