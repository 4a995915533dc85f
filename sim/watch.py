"""A watch over games in play: a strategy that never ends is told, and ends the program.

A compiled loop that never ends hears no signal and cannot be stopped from outside, so the watch
looks on from a thread of its own. It counts looks and not the clock, so that a machine that slept
is no reason.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sim.blame import Place, never_ends
from sim.strategy import Player

LIMIT_SECONDS = 30.0
"""For so long a strategy may think about one move."""

LOOKS = 30
"""As often the watch looks at a move before that time is over."""

Where = Callable[[], tuple[Player, Place]]
"""Says who is choosing, and where; called from another thread."""


@dataclass
class _Call:
    where: Where
    seen: tuple[Player, Place] | None = None
    looks: int = 0


class Watch:
    """Looks at the games in play; use it in a with statement around all play.

    Args:
        give_up: told what has happened; it does not return.
        limit: seconds for one move.
    """

    def __init__(self, give_up: Callable[[str], None], limit: float) -> None:
        self.give_up = give_up
        self.limit = limit
        self._calls: dict[int, _Call] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._over.set()

    @contextmanager
    def over(self, where: Where) -> Iterator[None]:
        """Watch the games that are played inside; `where` says who is choosing."""
        me = threading.get_ident()
        self._calls[me] = _Call(where)
        try:
            yield
        finally:
            del self._calls[me]

    def _look_on(self) -> None:
        while not self._over.wait(self.limit / LOOKS):
            for call in list(self._calls.values()):
                now = call.where()
                call.looks = call.looks + 1 if now == call.seen else 0
                call.seen = now
                if call.looks >= LOOKS:
                    self.give_up(never_ends(*now, self.limit))
                    return
