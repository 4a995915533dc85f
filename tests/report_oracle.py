"""The numbers of the report once more: pandas, the Parquet files and the definitions alone."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.stats

Pair = tuple[pd.Series, pd.Series]
Number = tuple[float, pd.Series]
"""A value, and what each block of deals adds to its error; mean 0."""

LEAD = float(scipy.stats.norm.ppf(0.9))


class Games:
    """The game rows of one cell, in pandas.

    Args:
        rows: as stored.
        players: how many play.
        block_deals: deals in a block.
    """

    def __init__(self, rows: pd.DataFrame, players: int, block_deals: int) -> None:
        self.rows, self.n, self.block_deals = rows, players, block_deals
        self.block = rows["deal"] // block_deals

    def seats(self, name: str) -> pd.DataFrame:
        return self.rows[[f"{name}_{s}" for s in range(self.n)]].set_axis(range(self.n), axis=1)

    def total(self, name: str) -> pd.Series:
        return self.rows[[f"{name}_{s}" for s in range(5)]].sum(axis=1)

    @cached_property
    def winner(self) -> pd.DataFrame:
        mask = self.rows["winners"]
        return pd.DataFrame({s: mask // 2**s % 2 for s in range(self.n)})

    @cached_property
    def share(self) -> pd.DataFrame:
        return self.winner.div(self.winner.sum(axis=1), axis=0)

    def of_player(self, frame: pd.DataFrame, p: int) -> pd.Series:
        """What a player of the line-up has: rotation r seats it at p + r."""
        seat = (p + self.rows["rotation"].to_numpy()) % self.n
        return pd.Series(frame.to_numpy()[np.arange(len(frame)), seat], frame.index)

    def ratio(self, metric: str, i: int) -> Pair:
        """Numerator and denominator of a metric in each game."""
        rows, n, share = self.rows, self.n, self.share
        one = pd.Series(1.0, rows.index)
        points, roles = self.seats("points"), self.seats("role_points")
        captures, built = self.total("captures"), self.total("built")
        top = np.sort(points.to_numpy(), axis=1)
        margin = pd.Series(top[:, -1] - top[:, -2], rows.index)
        alone = pd.DataFrame({s: (rows["first_leaders"] == 2**s) * 1.0 for s in range(n)})
        sole = alone.sum(axis=1)

        def acts(series: pd.Series) -> Pair:
            return (series > 0) * one, one

        found: dict[str, Callable[[], Pair]] = {
            "dealer_advantage_wins": lambda: (share[n - 1] - 1 / n, one),
            "dealer_advantage_cards": lambda: (roles[n - 1] - roles.mean(axis=1), rows["rounds"]),
            "seat_advantage_wins": lambda: (share[i] - 1 / n, one),
            "win_share": lambda: (share[i], one),
            "seat_points": lambda: (points[i], one),
            "role_cards": lambda: (roles[i], rows["rounds"]),
            "tie_rate": lambda: acts(self.winner.sum(axis=1) - 1),
            "margin": lambda: (margin, one),
            "close_games": lambda: ((margin <= 2) * one, one),
            "decided_at": lambda: (rows["decided"], rows["turns"]),
            "runaway": lambda: ((share * alone).sum(axis=1) - sole / n, sole),
            "cards_left": lambda: (rows["left"], rows["rounds"]),
            "rest_cards": lambda: (self.total("rest"), rows["rounds"]),
            "capture_rate": lambda: (captures, rows["turns"]),
            "trail_rate": lambda: (rows["turns"] - captures - built, rows["turns"]),
            "build_rate": lambda: (built, rows["turns"]),
            "cards_per_capture": lambda: (self.total("taken"), captures),
            "sweep_share": lambda: (self.total("sweeps"), captures),
            "player_win_share": lambda: (self.of_player(share, i), one),
            "player_points": lambda: (self.of_player(points, i), one),
            "restricted_play": lambda: (1 / n - self.of_player(share, i), one),
            "esun_games": lambda: acts(built),
            "rest_games": lambda: acts(self.total("rest")),
            "penalty_games": lambda: acts(self.total("penalties")),
            "joker_games": lambda: acts(rows["joker_captures"]),
            "joker_turns": lambda: (rows["joker_captures"], rows["turns"]),
        }
        for name in ("lead_changes", "comeback", "turns", "rounds"):
            found[name] = lambda name=name: (rows[name], one)
        for rule in ("yoruba", "must_capture", "isiwo"):
            found[f"{rule}_games"] = lambda rule=rule: acts(rows[f"{rule}_turns"])
            found[f"{rule}_turns"] = lambda rule=rule: (rows[f"{rule}_turns"], rows["turns"])
        return found[metric]() if metric in found else (self.total(metric), one)

    def estimate(self, metric: str, i: int = 0) -> Number:
        """The value of a metric with the errors of its blocks."""
        return of_blocks(*self.ratio(metric, i), self.block)

    def beats(self, a: int, b: int) -> Number:
        """Win share of one player minus that of another."""
        (one, z), (other, less) = (self.estimate("player_win_share", p) for p in (a, b))
        return one - other, z - less

    def deals_once_more(self, seats: Sequence[int]) -> Number:
        """Mean win share of `seats` minus that of the others."""
        parts = [self.estimate("win_share", s) for s in range(self.n)]
        rest = self.n - len(seats)
        weights = [1 / len(seats) if s in seats else -1 / rest for s in range(self.n)]
        value = sum(w * own for w, (own, _) in zip(weights, parts, strict=True))
        return value, sum(w * z for w, (_, z) in zip(weights, parts, strict=True))

    def spread_of_turns(self) -> Number:
        """Standard deviation between games."""
        one = pd.Series(1.0, self.rows.index)
        turns = self.rows["turns"] * 1.0
        if turns.nunique() == 1:
            return 0.0, of_blocks(turns, one, self.block)[1]
        moments = (of_blocks(x, one, self.block) for x in (turns, turns**2))
        return bent(lambda mean, square: math.sqrt(square - mean**2), *moments)

    def games_to_tell(self) -> tuple[float, float, float]:
        """Games until the better of two leads with 90%, with the ends of the interval."""
        edge, z = bent(
            lambda m, t: (m - 0.5) / math.sqrt(m - t / 4 - m * m),
            self.estimate("player_win_share", 0),
            self.estimate("tie_rate"),
        )
        half = t_value(len(z)) * se(z)
        low, value, high = ((LEAD / (abs(edge) + d)) ** 2 for d in (half, 0, -half))
        return value, low, high

    def as_written(self) -> pd.Series:
        """Win share of seat 0 by deal, as the line-up is written."""
        first = (self.rows["rotation"] == 0) & (self.rows["hand_rotation"] == 0)
        return self.share.loc[first, 0].set_axis(self.rows.loc[first, "deal"])

    def unfairness(self) -> float:
        squares = 0.0
        for s in range(self.n):
            value, z = self.estimate("seat_advantage_wins", s)
            squares += value**2 - z.var(ddof=1) / len(z)
        return math.sqrt(max(0.0, squares / self.n))


def se(z: pd.Series) -> float:
    """Standard error between blocks."""
    return float(z.std(ddof=1) / math.sqrt(len(z)))


def t_value(blocks: int) -> float:
    """Two-sided 95% critical value of Student's t."""
    return float(scipy.stats.t.ppf(0.975, blocks - 1))


def of_blocks(above: pd.Series, below: pd.Series, block: pd.Series) -> Number:
    """A ratio of sums, and what each block adds to its error."""
    a, b = above.groupby(block).sum(), below.groupby(block).sum()
    value = a.sum() / b.sum()
    return float(value), (a - value * b) / b.mean()


def bent(f: Callable[..., float], *parts: Number) -> Number:
    """A function of numbers; each block's part in its error by numerical derivative."""
    values = np.array([value for value, _ in parts])
    z = pd.concat([z for _, z in parts], axis=1)
    steps = 1e-6 * np.eye(len(parts))
    slopes = [(f(*(values + step)) - f(*(values - step))) / 2e-6 for step in steps]
    return f(*values), z @ np.array(slopes)


def compared(on: Games, off: Games, metric: str) -> Number:
    """Two rule sets game by game."""
    keys = ["deal", "rotation", "hand_rotation"]
    both = on.rows.merge(off.rows, on=keys, suffixes=("", ".off"))
    stored = [c for c in on.rows.columns if c not in (*keys, "cell")]
    differ = np.logical_or.reduce([both[c] != both[f"{c}.off"] for c in stored])
    moved = sum(
        (
            both[f"points_{s}"] + both[f"penalties_{s}"]
            - both[f"points_{s}.off"] - both[f"penalties_{s}.off"]
        ).abs()
        for s in range(5)
    )  # fmt: skip
    found = {
        "activation": pd.Series(differ, both.index),
        "pivotality": both["winners"] != both["winners.off"],
        "displacement": moved / 2,
    }[metric]
    ones = pd.Series(1.0, both.index)
    return of_blocks(found * 1.0, ones, both["deal"] // on.block_deals)


def variance_shares(lineups: list[Games]) -> dict[str, Number]:
    """Two-way analysis of variance of seat 0's win share, line-up by deal, without replication."""
    table = pd.concat([own.as_written() for own in lineups], axis=1, join="inner")
    block = table.index // lineups[0].block_deals
    blocks = block.unique()
    whole = _shares(table)
    less = pd.DataFrame([_shares(table[block != b]) for b in blocks])
    pseudo = len(blocks) * pd.Series(whole) - (len(blocks) - 1) * less
    return {name: (whole[name], pseudo[name] - pseudo[name].mean()) for name in whole}


def _shares(table: pd.DataFrame) -> dict[str, float]:
    deals, lineups = table.shape
    residual = (
        table.sub(table.mean(axis=1), axis=0).sub(table.mean(axis=0)) + table.to_numpy().mean()
    )
    rest = (residual**2).sum().sum() / ((deals - 1) * (lineups - 1))
    skill = table.mean(axis=0).var(ddof=1) - rest / deals
    cards = table.mean(axis=1).var(ddof=1) - rest / lineups
    total = skill + cards + rest
    return {"skill": skill / total, "cards": cards / total, "rest": rest / total}


def read(run: Path) -> dict[int, pd.DataFrame]:
    """Read the game rows of a run, by cell, from the files its ledger names."""
    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
    games = [line for line in lines if line["kind"] == "games"]
    whole = pd.concat([pd.read_parquet(run / "parts" / line["part"]) for line in games])
    return {
        cell: rows.sort_values(["deal", "rotation"], ignore_index=True)
        for cell, rows in whole.groupby("cell")
    }
