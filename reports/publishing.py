"""Writing into the folder of a report: each file is there whole, or as it was before."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.store.files import own_folder

DRAFTS = re.compile(r"drafts-([0-9]{1,9})-\w+")
"""A place for drafts: the process that writes there, and a name of its own."""


@contextmanager
def drafts_in(folder: Path) -> Iterator[Path]:
    """Make a folder if need be, and a place in it for drafts, which is gone afterwards.

    Places of processes that are dead are removed; others may write into the folder meanwhile.

    Raises:
        UsageFault: a link is in the way.
        OSError: it cannot be written.
    """
    own_folder(folder)
    for place in folder.iterdir():
        found = DRAFTS.fullmatch(place.name)
        if found and place.is_dir() and not _is_alive(int(found[1])):
            shutil.rmtree(place)
    with tempfile.TemporaryDirectory(prefix=f"drafts-{os.getpid()}-", dir=folder) as place_of_ours:
        yield Path(place_of_ours)


def _is_alive(process: int) -> bool:
    """Say whether another process has this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process != os.getpid()
