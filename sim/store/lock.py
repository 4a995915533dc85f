"""Who writes to a run directory: one process at a time, known by name.

The lock is `flock`, which the system frees when its holder dies, however it dies; the text in the
file only says who that is.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path

from sim.errors import Busy
from sim.store.files import disk_faults


@contextlib.contextmanager
def hold(path: Path) -> Iterator[None]:
    """Hold the lock file at `path` for the time of a with statement.

    Raises:
        Busy: another process holds it; the message says which.
        DiskFault: the file cannot be made.
    """
    with disk_faults(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 500, 0).decode(errors="replace").strip()
            raise Busy(
                f"{path.parent}: another run is writing here ({holder or 'it has just begun'}); "
                "wait until it has ended, stop it, or choose another directory with --out"
            ) from None
        with disk_faults(path):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{_myself()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _myself() -> str:
    start = time.strftime("%Y-%m-%d %H:%M:%S %z")
    return f"process {os.getpid()} on {platform.node()}, since {start}"
