"""Compiled strategies: one small compilation each, whatever else plays."""

import warnings
from functools import cache

from numba import njit
from numba.core.errors import NumbaExperimentalFeatureWarning

import sim.kernel.memory  # noqa: F401  (makes sim.sight compilable)
from sim.kernel.batch import CHOOSE

warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)


@cache
def compiled(strategy):
    """Return the compiled `choose` of a strategy, with the one signature."""
    return njit(CHOOSE, cache=True, nogil=True)(strategy.choose)
