"""A question asked in Python: does a joker make the deal matter less, and for whom?

    python examples/ask_in_python.py [GAMES] [RUN_DIRECTORY]

`sim.run` plays an experiment, or finds that it was played; `sim.open` opens any run directory.
Numbers come as polars frames with their intervals, and so do the games themselves, lazily, for
questions that no metric answers.
"""

import sys

import polars as pl

import sim

GAMES = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
OUT = sys.argv[2] if len(sys.argv) > 2 else None

EXPERIMENT = {
    "question": "Does a joker make the deal matter less?",
    "players": [2, 3],
    "rules": {"preset": "casual"},
    "variants": {"no joker": {"jokers": 0}, "one": {"jokers": 1}, "two": {"jokers": 2}},
    "lineups": {"greedy": "greedy", "cautious": "cautious"},
    "games": GAMES,
    "primary": "dealer_advantage_wins",
}

results = sim.run(EXPERIMENT, OUT)
print(results)

told = ["variant", "players", "lineup", "value", "low", "high", "verdict", "more_games"]
print(results.contrast().select(told))

print("The same, line-ups taken together, in cards:")
print(results.contrast("dealer_advantage_cards", by=["variant", "players"]).select(
    "variant", "players", "value", "low", "high", "verdict", "variance_ratio"
))  # fmt: skip

print("How unfair the seats are, in win share:")
print(results.estimate("unfairness").select("variant", "players", "lineup", "value", "low", "high"))

print("How often the first leaders are still the winners, a question of its own:")
by_deal = (
    results.games.group_by("variant", "players", "lineup", "deal")
    .agg((pl.col("winners") == pl.col("first_leaders")).mean().alias("held"))
    .group_by("variant", "players", "lineup", maintain_order=True)
    .agg(
        pl.col("held").mean(),
        (pl.col("held").std() / pl.len().sqrt()).alias("standard error"),
    )
    .sort("variant", "players", "lineup")
)
print(by_deal.collect())
