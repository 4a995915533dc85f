"""House rules: what a rule does, how often, and whether it matters.

`METRICS` are of one cell; `PAIR_METRICS` of two cells compared game by game
(`sim.stats.pairs.pair_blocks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sim.stats.blocks import Blocks
from sim.stats.estimates import LEVEL, Estimate, critical_value, linear
from sim.stats.metric import (
    CARDS_PER_GAME,
    POINTS_PER_GAME,
    SHARE_OF_GAMES,
    SHARE_OF_TURNS,
    AnyMeasure,
    Metric,
    measure,
    single,
)
from sim.stats.samples import Sample, combined

SOURCE = "House rules"


def _games(name: str, title: str, column: str, definition: str) -> Metric:
    parts = single({column: 1}, {"games": 1})
    return Metric(
        name, title, SHARE_OF_GAMES, definition, SOURCE, "game", parts, 0.005,
        percent=True, counts_games=True,
    )  # fmt: skip


def _turns(name: str, title: str, column: str, definition: str) -> Metric:
    parts = single({column: 1}, {"turns": 1})
    return Metric(
        name, title, SHARE_OF_TURNS, definition, SOURCE, "game", parts, 0.005, percent=True
    )


METRICS: tuple[Metric, ...] = (
    _games(
        "yoruba_games", "games in which Yoruba rules act", "yoruba_games",
        "share of games with a turn at which only Yoruba rules forbade a capture",
    ),
    _turns(
        "yoruba_turns", "turns at which Yoruba rules act", "yoruba_turns",
        "share of turns at which only Yoruba rules forbade a capture",
    ),
    _games(
        "must_capture_games", "games in which must_capture acts", "must_capture_games",
        "share of games with a turn at which must_capture forbade a move",
    ),
    _turns(
        "must_capture_turns", "turns at which must_capture acts", "must_capture_turns",
        "share of turns at which must_capture forbade a move",
    ),
    _games(
        "isiwo_games", "games in which Isiwo acts", "isiwo_games",
        "share of games with a turn at which own cards are known through Isiwo alone",
    ),
    _turns(
        "isiwo_turns", "turns at which Isiwo acts", "isiwo_turns",
        "share of turns at which own cards are known through Isiwo alone",
    ),
    _games(
        "esun_games", "games in which piles are built", "built_games",
        "share of games in which somebody builds a pile",
    ),
    _games(
        "joker_games", "games in which a joker captures", "joker_games",
        "share of games in which a joker captures by being played",
    ),
    _turns(
        "joker_turns", "turns at which a joker captures", "joker_captures",
        "share of turns that capture by playing a joker",
    ),
    _games(
        "rest_games", "games with a rest", "rest_games",
        "share of games in which somebody is given the rest of a round",
    ),
    _games(
        "penalty_games", "games with a penalty", "penalty_games",
        "share of games in which somebody pays a penalty",
    ),
    Metric(
        "penalties", "penalties", POINTS_PER_GAME, "points lost to penalties, all seats", SOURCE,
        "game", single({"penalties": 1}, {"games": 1}), 0.5,
    ),
)  # fmt: skip

PAIR_METRICS: tuple[Metric, ...] = (
    _games(
        "activation", "activation", "changed",
        "share of games that the rule changes in anything that is stored",
    ),
    _games(
        "pivotality", "pivotality", "pivotal",
        "share of games whose winners change when the rule is switched",
    ),
    Metric(
        "displacement", "displacement", CARDS_PER_GAME,
        "cards won by another seat when the rule is switched: half the sum of changes", SOURCE,
        "game", single({"moved": 1}, {"games": 2}), 0.5,
    ),
)  # fmt: skip


@measure(SOURCE, unit="that of the metric", needs="cells with and without the rule, same deals")
def rule_effect(
    on: Sequence[Blocks],
    off: Sequence[Blocks],
    metric: Metric,
    index: int = 0,
    level: float = LEVEL,
) -> Estimate:
    """Metric with the rule minus without it, on the same deals, averaged over the other options.

    `on[i]` and `off[i]` differ in nothing but the rule.
    """
    share = 1 / len(on)
    weights = [share] * len(on) + [-share] * len(off)
    return linear([*on, *off], weights, metric, index, level)


@measure(SOURCE, unit="that of the metric", needs="four cells: both, either, none of two rules")
def interaction(
    both: Blocks,
    first: Blocks,
    second: Blocks,
    neither: Blocks,
    metric: Metric,
    index: int = 0,
    level: float = LEVEL,
) -> Estimate:
    """Effect of one rule with another on, minus its effect with the other off."""
    return linear([both, first, second, neither], [1, -1, -1, 1], metric, index, level)


@dataclass(frozen=True)
class Robustness:
    """In how many of several line-ups an effect has the direction of the clearest one.

    Attributes:
        holds: line-ups in which it has that sign and its interval excludes 0.
        against: line-ups in which it has the other sign and its interval excludes 0.
        of: line-ups in all.
        smallest, largest: effects, by value.
    """

    holds: int
    against: int
    of: int
    smallest: float
    largest: float

    @property
    def text(self) -> str:
        """What a person reads."""
        reversed_ = f", reversed in {self.against}" if self.against else ""
        return f"holds in {self.holds} of {self.of}{reversed_}"


@measure(SOURCE, unit="line-ups", needs="the effect under each of several line-ups")
def robustness(effects: Sequence[Estimate]) -> Robustness:
    """Sign and size of an effect under each line-up: it holds in k of K.

    Intervals should be simultaneous (`sim.stats.family`), because the line-ups are many numbers.
    """
    up = sum(each.low is not None and each.low > 0 for each in effects)
    down = sum(each.high is not None and each.high < 0 for each in effects)
    values = [each.value for each in effects]
    return Robustness(max(up, down), min(up, down), len(effects), min(values), max(values))


@dataclass(frozen=True)
class Threshold:
    """The smallest penalty at which offending no longer pays, in points.

    Attributes:
        value, low, high: it and its interval; None where it is above the highest penalty played.
        highest: the highest penalty played.
        level: nominal coverage.
    """

    value: float | None
    low: float | None
    high: float | None
    highest: float
    level: float

    @property
    def text(self) -> str:
        """What a person reads."""
        if self.low is None:
            return f"offending pays at every penalty up to {self.highest:g}"
        if self.high == 0:
            return "offending does not pay even without a penalty"
        upper = f"above {self.highest:g}" if self.high is None else f"{self.high:.2f}"
        centre = f"more than {self.highest:g}" if self.value is None else f"{self.value:.2f}"
        return f"{centre} points ({self.low:.2f} to {upper})"


@measure(SOURCE, unit="points of penalty", needs="a paired gain at each of several penalties")
def deterrence_threshold(
    penalties: Sequence[float], gains: Sequence[Sample], level: float = LEVEL
) -> Threshold:
    """Smallest penalty at which one more slip or cheat no longer pays, from paired runs.

    The gain is what the offender has at the higher rate of conduct minus at the lower one, on the
    same deals (`sim.stats.samples.combined`), at each penalty; between penalties it is a straight
    line. The interval holds every penalty that may be the threshold: from where the gain's own
    interval first reaches down to 0, to where all of it lies at or below 0 (Fieller 1954).

    Args:
        penalties: ascending, the first 0.
        gains: one for each penalty, all on the same blocks, at least 2.

    Raises:
        ValueError: the penalties are not as they must be.
    """
    if penalties[0] != 0 or any(b <= a for a, b in pairwise(penalties)):
        raise ValueError(f"penalties must start with 0 and ascend, found {list(penalties)}")
    width = critical_value(level, len(gains[0]) - 1)
    value, low, high = (_first_not_above(penalties, gains, shift) for shift in (0.0, -width, width))
    return Threshold(value, low, high, penalties[-1], level)


def _first_not_above(
    penalties: Sequence[float], gains: Sequence[Sample], shift: float
) -> float | None:
    """Return the first penalty at which the gain plus `shift` standard errors is 0 or less."""
    from scipy.optimize import brentq

    def bound(sample: Sample) -> float:
        return sample.value + shift * sample.se

    if bound(gains[0]) <= 0:
        return penalties[0]
    for (a, here), (b, there) in pairwise(zip(penalties, gains, strict=True)):
        if bound(there) <= 0:
            return float(
                brentq(
                    lambda p, a=a, b=b, here=here, there=there: bound(
                        combined([here, there], [(b - p) / (b - a), (p - a) / (b - a)])
                    ),
                    a,
                    b,
                )
            )
    return None


MEASURES: tuple[AnyMeasure, ...] = (rule_effect, interaction, robustness, deterrence_threshold)
