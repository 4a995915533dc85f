"""The compiled engine. Importing this package loads numba, with the cache where it is safe."""

import sys

from sim.kernel.cache import CACHE  # before numba is imported

try:
    from sim.kernel import memory  # makes sim.sight compilable, before anything that calls it
    from sim.kernel.engine import Engine
except Exception:  # whatever numba makes of a cache it cannot use: once more, without it
    if not CACHE.usable:
        raise
    CACHE.give_up()
    for _name in [n for n in sys.modules if n.startswith("sim.kernel.")]:
        if _name not in ("sim.kernel.cache", "sim.kernel.memory"):
            del sys.modules[_name]
    from sim.kernel.engine import Engine


def twin_choosers(seating):
    """Return what `sim.reference.play_game` needs: the capture table's address, the choosers.

    Raises:
        WorkerFailed: a strategy cannot be compiled, or reads what no View has.
    """
    from sim.kernel.captures import capture_table
    from sim.kernel.compile import chooser

    address = capture_table().ctypes.data
    CACHE.seal()
    return address, [chooser(player.strategy) for player in seating]


__all__ = ["CACHE", "Engine", "memory", "twin_choosers"]
