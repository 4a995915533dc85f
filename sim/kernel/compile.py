"""Compiled strategies: one small compilation each, whatever else plays."""

import warnings
from functools import cache

from numba import njit
from numba.core.errors import NumbaExperimentalFeatureWarning

from sim.kernel.batch import CHOOSE
from sim.kernel.cache import CACHE

warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)


@cache
def compiled(strategy):
    """Return the compiled `choose` of a strategy, with the one signature."""
    try:
        choose = njit(CHOOSE, cache=CACHE.usable, nogil=True)(strategy.choose)
    except OSError:
        CACHE.give_up()
        choose = njit(CHOOSE, nogil=True)(strategy.choose)
    CACHE.seal()
    return choose
