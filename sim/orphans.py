"""What a worker process does before anything else: it leaves Ctrl-C to its parent, never outlives
it, and ends if it is caught in a call that never lets go of Python's lock. Light, so that this
holds from the first moment.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

LEFT_TO_THE_PARENT = (signal.SIGINT, signal.SIGHUP)
PR_SET_PDEATHSIG = 1
LOOK_SECONDS = 0.25
HELD_TOO_LONG = signal.SIGPROF
"""What the system ends a worker by that holds Python's lock and never lets go."""


@contextlib.contextmanager
def signals_left_to_us() -> Iterator[None]:
    """Let no process that is started inside hear what a terminal sends to all its processes.

    Python's own helper is started first: as it starts, Python 3.11 lets Ctrl-C through again.
    """
    from multiprocessing.resource_tracker import ensure_running

    before = signal.pthread_sigmask(signal.SIG_BLOCK, LEFT_TO_THE_PARENT)
    try:
        ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, LEFT_TO_THE_PARENT)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def live_with(parent: int, held: float) -> None:
    """End this process with the process `parent`, however that ends.

    On Linux the system sees to it; elsewhere a thread does, which needs Python's lock for that.

    Args:
        parent: the process that started this one.
        held: seconds of the processor for which one call may hold Python's lock; then this process
            ends by `HELD_TOO_LONG`. While it is stopped they do not pass.
    """
    for number in LEFT_TO_THE_PARENT:
        signal.signal(number, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with, args=(parent, held), daemon=True).start()


def _end_with(parent: int, held: float) -> None:
    while os.getppid() == parent:
        signal.setitimer(signal.ITIMER_PROF, held)
        time.sleep(LOOK_SECONDS)
    os._exit(1)
