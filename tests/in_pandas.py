"""The metrics once more, in pandas: each one's numerator and denominator in every game.

Written from the definitions and the columns of docs/data.md, and from nothing of `sim`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def seat_columns(games: pd.DataFrame, name: str, n: int) -> pd.DataFrame:
    return games[[f"{name}_{s}" for s in range(n)]]


def ratio_of(games: pd.DataFrame, n: int, metric: str, i: int) -> tuple[pd.Series, pd.Series]:
    """Numerator and denominator of a metric in each game, from the rows and definitions alone."""
    mask = games["winners"]
    count = sum((mask // 2**s) % 2 for s in range(n))
    share = [(mask // 2**s) % 2 / count for s in range(n)]
    points, roles = seat_columns(games, "points", n), seat_columns(games, "role_points", n)
    one = pd.Series(1.0, games.index)
    captures = seat_columns(games, "captures", 5).sum(axis=1)
    penalties = seat_columns(games, "penalties", 5).sum(axis=1)
    built = seat_columns(games, "built", 5).sum(axis=1)
    alone = sum((games["first_leaders"] == 2**s) * 1.0 for s in range(n))
    top = np.sort(points.to_numpy(), axis=1)

    def of_player(by_seat: list[pd.Series]) -> pd.Series:
        """Rotation r seats player i of the line-up at seat i + r."""
        return sum(by_seat[s] * ((games["rotation"] + i) % n == s) for s in range(n))

    return {
        "dealer_advantage_wins": lambda: (share[n - 1] - 1 / n, one),
        "dealer_advantage_cards": lambda: (
            roles[f"role_points_{n - 1}"] - roles.mean(axis=1),
            games["rounds"],
        ),
        "win_share": lambda: (share[i], one),
        "seat_points": lambda: (points[f"points_{i}"], one),
        "seat_advantage_wins": lambda: (share[i] - 1 / n, one),
        "seat_advantage_cards": lambda: (points[f"points_{i}"] - points.mean(axis=1), one),
        "role_cards": lambda: (roles[f"role_points_{i}"], games["rounds"]),
        "tie_rate": lambda: ((count > 1) * 1.0, one),
        "margin": lambda: (pd.Series(top[:, -1] - top[:, -2], games.index), one),
        "cards_left": lambda: (games["left"], games["rounds"]),
        "rest_cards": lambda: (seat_columns(games, "rest", 5).sum(axis=1), games["rounds"]),
        "capture_rate": lambda: (captures, games["turns"]),
        "cards_per_capture": lambda: (seat_columns(games, "taken", 5).sum(axis=1), captures),
        "sweep_share": lambda: (seat_columns(games, "sweeps", 5).sum(axis=1), captures),
        "turns": lambda: (games["turns"], one),
        "close_games": lambda: ((top[:, -1] - top[:, -2] <= 2) * one, one),
        "lead_changes": lambda: (games["lead_changes"], one),
        "decided_at": lambda: (games["decided"], games["turns"]),
        "comeback": lambda: (games["comeback"], one),
        "runaway": lambda: (
            sum(share[s] * (games["first_leaders"] == 2**s) for s in range(n)) - alone / n,
            alone,
        ),
        "player_win_share": lambda: (of_player(share), one),
        "player_points": lambda: (of_player([points[f"points_{s}"] for s in range(n)]), one),
        "first_named_advantage": lambda: (
            of_player([points[f"points_{s}"] for s in range(n)]) - points.mean(axis=1),
            one,
        ),
        "restricted_play": lambda: (1 / n - of_player(share), one),
        "trail_rate": lambda: (games["turns"] - captures - built, games["turns"]),
        "build_rate": lambda: (built, games["turns"]),
        "esun_games": lambda: ((built > 0) * one, one),
        **{
            f"{rule}_turns": lambda rule=rule: (games[f"{rule}_turns"], games["turns"])
            for rule in ("yoruba", "must_capture", "isiwo")
        },
        **{
            f"{rule}_games": lambda rule=rule: ((games[f"{rule}_turns"] > 0) * one, one)
            for rule in ("yoruba", "must_capture", "isiwo")
        },
        "joker_games": lambda: ((games["joker_captures"] > 0) * one, one),
        "joker_turns": lambda: (games["joker_captures"], games["turns"]),
        "rest_games": lambda: ((seat_columns(games, "rest", 5).sum(axis=1) > 0) * one, one),
        "penalty_games": lambda: ((penalties > 0) * one, one),
        "penalties": lambda: (penalties, one),
        "rounds": lambda: (games["rounds"], one),
    }[metric]()
