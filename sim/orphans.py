"""What a worker process does before anything else: it leaves Ctrl-C to its parent, and never
outlives it. Light, so that this holds from the first moment.
"""

from __future__ import annotations

import os
import signal
import threading
import time

LOOK_SECONDS = 0.25


def live_with(parent: int) -> None:
    """Ignore SIGINT, and end this process soon after the process `parent` has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)
