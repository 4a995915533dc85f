"""The numbers of the report once more: pandas, the Parquet files and the definitions alone."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.stats

Pair = tuple[pd.Series, pd.Series]


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

    def estimate(self, metric: str, i: int = 0) -> tuple[float, pd.Series]:
        """The value of a metric, and what each block adds to its error."""
        above, below = (each.groupby(self.block).sum() for each in self.ratio(metric, i))
        value = above.sum() / below.sum()
        return value, (above - value * below) / below.mean()

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


def compared(on: Games, off: Games) -> dict[str, float]:
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
    return {
        "activation": float(differ.mean()),
        "pivotality": float((both["winners"] != both["winners.off"]).mean()),
        "displacement": float(moved.mean() / 2),
    }


def read(run: Path) -> dict[int, pd.DataFrame]:
    """Read the game rows of a run, by cell, from the files its ledger names."""
    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
    games = [line for line in lines if line["kind"] == "games"]
    whole = pd.concat([pd.read_parquet(run / "parts" / line["part"]) for line in games])
    return {
        cell: rows.sort_values(["deal", "rotation"], ignore_index=True)
        for cell, rows in whole.groupby("cell")
    }
