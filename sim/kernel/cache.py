"""Where compiled code is kept, and why it is never stale.

numba's cache watches only the file that holds a function: after a change in another module it
serves the old code. So the cache lies in a directory named by a hash of every source that is
compiled into the kernel, the versions of Python and its compiler, the flags, and the processor; a
change of any of them is another directory. A truncated or altered file of numba's cache is a crash
or a wrong answer, so files are sealed with their digests and dropped when they differ.

Must be imported before numba.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import platform
import shutil
import stat
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILED_SOURCES = ("sim/kernel/*.py", "sim/sight.py", "sim/view.py", "sim/columns.py")
COMPILED_SOURCES += ("sim/foresight.py", "sim/endgame.py")
COMPILED_SOURCES += ("sim/cards.py", "sim/rules.py", "strategies/*.py")
FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT", "NUMBA_DEBUGINFO")
KEPT_GENERATIONS = 8
SEAL = "sealed.json"


def sources_hash(root: Path = ROOT) -> str:
    """Return the hash of every source compiled into the kernel (hex, 64 digits)."""
    digest = hashlib.sha256()
    for path in sorted(p for pattern in COMPILED_SOURCES for p in root.glob(pattern)):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    wanted = ("model name", "flags", "Features")
    lines = text.split("\n\n", 1)[0].splitlines()
    return "\n".join(line for line in lines if line.startswith(wanted))


def generation(root: Path = ROOT) -> str:
    """Return the name of the cache directory that fits the sources and the machine as they are."""
    parts = [sources_hash(root), sys.version, version("numba"), version("llvmlite"), _processor()]
    parts += [f"{flag}={os.environ.get(flag, '')}" for flag in FLAGS]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def _base() -> Path:
    if chosen := os.environ.get("ELEWENJEWE_CACHE_DIR"):
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "elewenjewe"


def _private(path: Path) -> bool:
    """Make `path` if need be; say whether it is ours alone and can be written to.

    The cache holds pickles: whoever can write to it can run code as us.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
        with tempfile.NamedTemporaryFile(dir=path):
            pass
    except OSError:
        return False
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _held(base: Path) -> bool:
    """Make `base` if need be; say whether nobody but us and root can put another cache there."""
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = base.stat()
    except OSError:
        return False
    open_to_all = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
    return status.st_uid in (0, os.getuid()) and not open_to_all


def _forget_old(base: Path, current: str) -> None:
    """Keep the newest few generations; older ones belong to sources that are gone."""
    others = [p for p in base.iterdir() if p.is_dir() and p.name != current]
    others.sort(key=lambda p: p.stat().st_mtime, reverse=True)
    for path in others[KEPT_GENERATIONS:]:
        shutil.rmtree(path, ignore_errors=True)


def _chosen_place() -> tuple[Path | None, bool]:
    """Return the place, if there is one, and whether it stays when this process has ended."""
    name = generation()
    path = _base() / name
    if _held(path.parent) and _private(path):
        with contextlib.suppress(OSError):
            _forget_old(path.parent, name)
        return path, True
    try:
        base = Path(tempfile.mkdtemp(prefix="elewenjewe-cache-"))
        (base / name).mkdir(mode=0o700)
    except OSError:
        return None, False
    atexit.register(shutil.rmtree, base, ignore_errors=True)
    os.environ["ELEWENJEWE_CACHE_DIR"] = str(base)  # for worker processes, which have no atexit
    return base / name, False


def _digests(path: Path) -> dict[str, str]:
    files = sorted(p for p in path.rglob("*.nb?") if p.is_file())
    return {str(p.relative_to(path)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def _seal_of(path: Path) -> dict[str, str]:
    try:
        seal = json.loads((path / SEAL).read_text())
    except (OSError, ValueError):
        return {}
    return seal if isinstance(seal, dict) else {}


def _drop_unsealed(path: Path) -> bool:
    """Remove every file that is not as it was sealed; say whether anything is left to load."""
    sealed = _seal_of(path)
    found = _digests(path)
    for name, digest in found.items():
        if sealed.get(name) != digest:
            (path / name).unlink(missing_ok=True)
    return any(sealed.get(name) == digest for name, digest in found.items())


class Cache:
    """The place of compiled code: chosen before numba is imported, checked before it is trusted.

    Attributes:
        path: the directory, or None when there is no place to write to; then every start compiles.
        stays: a later start finds it again.
        warm: it holds compiled code for the sources as they are.
    """

    def __init__(self) -> None:
        self.path, self.stays = _chosen_place()
        self.warm = False
        if self.path is None:
            return
        try:
            self.warm = _drop_unsealed(self.path)
        except OSError:
            self.path = None
            return
        os.environ["NUMBA_CACHE_DIR"] = str(self.path)
        if "numba" in sys.modules:
            sys.modules["numba"].config.CACHE_DIR = str(self.path)

    @property
    def usable(self) -> bool:
        """Whether compiled code can be kept."""
        return self.path is not None

    def seal(self) -> None:
        """Record the digest of every file, so that the next start can trust them."""
        if self.path is None:
            return
        with contextlib.suppress(OSError):
            digests = _digests(self.path)
            if digests != _seal_of(self.path):
                with tempfile.NamedTemporaryFile("w", dir=self.path, delete=False) as file:
                    json.dump(digests, file)
                Path(file.name).replace(self.path / SEAL)

    def give_up(self) -> None:
        """Do without it for the rest of this process, and leave it empty for the next."""
        if self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)
        self.path = None


CACHE = Cache()
