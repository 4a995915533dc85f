"""A disk that forgets: what was not synced is gone when the power is.

`Disk` looks on while a process writes in a run directory, and knows at any moment which bytes and
which names a power cut may take: bytes of a file since its last fsync, renames since the last fsync
of their directory.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

LOSSES = ("names and bytes", "bytes", "half of the bytes")
"""What a power cut takes of what was not synced."""


class Disk:
    """Looks on in this process from its making on.

    Args:
        root: the run directory; what lies there now is on the disk for good.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.synced = {(s := p.stat()).st_ino: s.st_size for p in self._files()}
        self.renames: list[tuple[Path, Path, bytes | None]] = []
        self._fsync, self._replace = os.fsync, os.replace
        os.fsync, os.replace = self.fsync, self.replace  # type: ignore[assignment]

    def _files(self) -> list[Path]:
        return [path for path in self.root.rglob("*") if path.is_file()]

    def fsync(self, descriptor: int) -> None:
        """Note what is safe from now on."""
        self._fsync(descriptor)
        status = os.fstat(descriptor)
        self.synced[status.st_ino] = status.st_size
        directory = Path(f"/proc/self/fd/{descriptor}").resolve()
        self.renames = [one for one in self.renames if one[1].resolve().parent != directory]

    def replace(self, source: Any, target: Any, **how: Any) -> None:
        """Note a name that is not safe yet."""
        old = Path(target).read_bytes() if Path(target).exists() else None
        self._replace(source, target, **how)
        self.renames.append((Path(source), Path(target), old))

    def unsynced(self) -> bool:
        """Whether a power cut now would take anything."""
        sizes = ((path.stat(), path) for path in self._files() if path.name != "lock")
        return bool(self.renames) or any(
            status.st_size > self.synced.get(status.st_ino, 0) for status, _ in sizes
        )

    def lose(self, what: str) -> None:
        """Take what is not safe; see `LOSSES`."""
        for path in self._files():
            status = path.stat()
            safe = self.synced.get(status.st_ino, 0)
            kept = (status.st_size - safe) // 2 if what == "half of the bytes" else 0
            if status.st_size > safe:
                os.truncate(path, safe + kept)
        if what == "names and bytes":
            for source, target, old in reversed(self.renames):
                self._replace(target, source)
                if old is not None:
                    target.write_bytes(old)
