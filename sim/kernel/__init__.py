"""The compiled engine. Importing this package loads numba, with the cache where it is safe."""

# ruff: noqa: E402, I001  (the order of these imports is what makes them work)

from sim.kernel.cache import prepare

CACHE = prepare()  # before numba is imported

import sim.kernel.memory  # makes sim.sight compilable, before anything that calls it
from sim.kernel.engine import Engine

__all__ = ["CACHE", "Engine"]
