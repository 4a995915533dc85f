"""How many games a question needs, from the variance between blocks seen so far.

Source: docs/statistics.md, "Verdicts".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sim.stats.estimates import LEVEL, Estimate, Method, critical_value

POWER = 0.8
"""Chance with which the smallest visible effect is seen."""
FEWEST_BLOCKS = 50


def fewest_blocks(half_width_after: Callable[[int], float], half_width: float) -> int:
    """Return the fewest blocks, 50 at least, after which an interval is this narrow.

    Args:
        half_width_after: the half-width after so many blocks; it falls.
        half_width: what is asked for.

    Raises:
        ValueError: the half-width is not above 0.
    """
    if not half_width > 0:
        raise ValueError(f"a half-width is above 0, found {half_width}")
    low = FEWEST_BLOCKS
    if half_width_after(low) <= half_width:
        return low
    high = 2 * low
    while half_width_after(high) > half_width:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if half_width_after(middle) > half_width:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True)
class Pilot:
    """What a pilot says about the games still to be played.

    Attributes:
        sd: standard deviation between blocks, of the metric or of a paired difference in it.
        games_per_block: games in a block, rotations included.
    """

    sd: float
    games_per_block: int

    def half_width(self, blocks: int, level: float = LEVEL) -> float:
        """Return the half-width of the interval after so many blocks."""
        return critical_value(level, blocks - 1) * self.sd / math.sqrt(blocks)

    def blocks_for(self, half_width: float, level: float = LEVEL) -> int:
        """Return the fewest blocks, 50 at least, whose interval is this narrow.

        Raises:
            ValueError: the half-width is not above 0.
        """
        return fewest_blocks(lambda blocks: self.half_width(blocks, level), half_width)

    def games_for(self, half_width: float, level: float = LEVEL) -> int:
        """Return the games of `blocks_for`."""
        return self.blocks_for(half_width, level) * self.games_per_block

    def smallest_effect(self, games: int, level: float = LEVEL, power: float = POWER) -> float:
        """Return the effect whose interval excludes 0 with chance `power`, after so many games.

        Raises:
            ValueError: that is less than 2 blocks.
        """
        from scipy.special import ndtri

        blocks = games // self.games_per_block
        if blocks < 2:
            raise ValueError(
                f"{games} games are less than 2 blocks of {self.games_per_block}; play more games"
            )
        return self.half_width(blocks, level) + float(ndtri(power)) * self.sd / math.sqrt(blocks)


def more_blocks_to_tell(found: Estimate, smallest: float) -> int | None:
    """Return after how many more blocks a verdict will be known whatever the effect, about.

    An interval of half-width below `smallest` / 2 either excludes 0 or lies within plus or minus
    `smallest`; that of no change seen shrinks as the deals grow. Where any effect matters
    (`smallest` 0) it is assumed that the value stays as it is. None where there is no
    interval to go by, or nothing but more than that would tell.
    """
    if found.method is Method.NO_CHANGE_SEEN and found.high is not None and smallest > 0:
        return max(1, math.ceil(found.blocks * (found.high / smallest - 1)))
    enough = smallest / 2 if smallest > 0 else abs(found.value)
    if found.se is None or found.half_width is None or not enough > 0:
        return None
    return max(1, math.ceil(found.blocks * ((found.half_width / enough) ** 2 - 1)))
