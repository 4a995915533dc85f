"""What was to be measured is measured: every row of the definitions has a registered metric."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.stats.metrics import REGISTERED

ROOT = Path(__file__).parents[1]
KNOWN = {entry.name: entry for entry in REGISTERED}

FAIRNESS = {
    "dealer advantage (wins)": ["dealer_advantage_wins", "extra_deal_advantage"],
    "dealer advantage (cards)": ["dealer_advantage_cards"],
    "seat advantage": ["seat_advantage_wins", "seat_advantage_cards"],
    "unfairness": ["unfairness"],
    "fair within e": ["fair_within"],
    "dealer balance": ["dealer_balance"],
}
COURSE_OF_PLAY = {
    "lead changes": ["lead_changes"],
    "decided at": ["decided_at"],
    "comeback": ["comeback"],
    "runaway": ["runaway"],
    "margin, close games": ["margin", "close_games"],
    "tie rate": ["tie_rate"],
    "drama (Ludii)": ["drama"],
    "length: turns, rounds; mean, sd, median, 95th percentile": [
        "turns", "rounds", "turns_sd", "turns_quantile",
    ],
    "branching: mean and maximum; share of turns with a choice; slope over the round": [
        "branching", "branching_most", "choice_share", "branching_slope",
    ],
    "capture rate": ["capture_rate"],
    "cards per capture": ["cards_per_capture"],
    "multi-group share": ["multi_group_share"],
    "sum share": ["sum_share"],
    "sweep share": ["sweep_share"],
    "trail rate": ["trail_rate"],
    "regret": ["regret"],
    "left on the table": ["cards_left"],
}  # fmt: skip
HOUSE_RULES = {
    "effect of a rule on m": ["rule_effect"],
    "interaction": ["interaction"],
    "activation: share of games": [
        "activation", "yoruba_games", "must_capture_games", "isiwo_games", "esun_games",
        "joker_games", "rest_games", "penalty_games",
    ],
    "activation: share of turns": [
        "yoruba_turns", "must_capture_turns", "isiwo_turns", "joker_turns", "build_rate",
    ],
    "pivotality": ["pivotality"],
    "displacement": ["displacement"],
    "Sobol S, ST and Shapley shares": ["factor_shares"],
    "robustness": ["robustness"],
    "deterrence threshold": ["deterrence_threshold"],
}  # fmt: skip
SKILL = {
    "beats": ["beats"],
    "variance shares": ["variance_shares"],
    "games to tell": ["games_to_tell"],
    "restricted play": ["restricted_play"],
    "price of information": ["price_of_information"],
}
ROWS = {
    f"{family}: {row}": names
    for family, rows in {
        "Fairness": FAIRNESS,
        "Course of play": COURSE_OF_PLAY,
        "House rules": HOUSE_RULES,
        "Skill, luck": SKILL,
    }.items()
    for row, names in rows.items()
}


@pytest.mark.parametrize("row", ROWS)
def test_every_row_has_a_metric_with_unit_and_definition(row: str) -> None:
    for name in ROWS[row]:
        entry = KNOWN[name]
        assert entry.unit and len(entry.definition) > 15
        assert row.startswith(entry.source) or name == "build_rate"  # also of the course of play


def test_names_are_given_once() -> None:
    assert len(KNOWN) == len(REGISTERED)


def test_every_page_that_is_cited_is_there() -> None:
    """Catches a source that a reader of the repository cannot look up."""
    cited = {
        (path.relative_to(ROOT), page)
        for folder in ("sim", "strategies", "reports", "tests", "examples", "benchmarks", "docs")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".md", ".toml")
        for page in re.findall(r"\b\w+\.md\b", path.read_text())
    }
    there = {page.name for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))}
    missing = [(str(path), page) for path, page in cited if page not in there]
    assert missing == []
    assert len(cited) > 20
