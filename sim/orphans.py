"""What a worker process does before anything else: it leaves Ctrl-C to its parent, never outlives
it, and ends if it is caught in a call that never lets go of Python's lock. Light, so that this
holds from the first moment.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
import time
from pathlib import Path

LOOK_SECONDS = 0.25


def live_with(parent: int, held: float) -> None:
    """Ignore SIGINT, and end this process soon after the process `parent` has ended.

    Args:
        parent: a process.
        held: seconds for which Python's lock may be held by one call; then this process ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent, held), daemon=True).start()


def _end_with(parent: int, held: float) -> None:
    with Path(os.devnull).open("w") as nowhere:
        while os.getppid() == parent:
            faulthandler.dump_traceback_later(held, exit=True, file=nowhere)
            time.sleep(LOOK_SECONDS)
    os._exit(1)
