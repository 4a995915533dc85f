"""Where a test can make this program fail: a name for every step of publishing.

In use there is nothing here. `reach` does nothing, and no option, file or environment variable can
change that: only a test that runs in the same process sets `at`.
"""

from __future__ import annotations

from collections.abc import Callable

at: Callable[[str], None] | None = None
"""Called with the name of each step that is reached; it may raise OSError or end the process."""


def reach(step: str) -> None:
    """Say that a step of publishing was just taken."""
    if at is not None:
        at(step)
