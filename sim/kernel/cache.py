"""Where compiled code is kept, and why it is never stale.

numba's cache watches only the file that holds a function: after a change in another module it
serves the old code. So the cache lies in a directory named by a hash of every source that is
compiled into the kernel, the versions of Python and its compiler, the flags, and the processor; a
change of any of them is another directory. Must be imported before numba.
"""

from __future__ import annotations

import hashlib
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
COMPILED_SOURCES += ("sim/cards.py", "sim/rules.py", "strategies/*.py")
FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT", "NUMBA_DEBUGINFO")
KEPT_GENERATIONS = 8


def sources_hash(root: Path = ROOT) -> str:
    """Return the hash of every source compiled into the kernel (hex, 64 digits)."""
    digest = hashlib.sha256()
    for path in sorted(p for pattern in COMPILED_SOURCES for p in root.glob(pattern)):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
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
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "elewenjewe"


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


def _forget_old(base: Path, current: str) -> None:
    """Keep the newest few generations; older ones belong to sources that are gone."""
    others = [p for p in base.iterdir() if p.is_dir() and p.name != current]
    others.sort(key=lambda p: p.stat().st_mtime, reverse=True)
    for path in others[KEPT_GENERATIONS:]:
        shutil.rmtree(path, ignore_errors=True)


def prepare() -> Path:
    """Choose the cache directory and tell numba; a directory of this run alone if all else fails."""
    name = generation()
    path = _base() / name
    if _private(path):
        try:
            _forget_old(path.parent, name)
        except OSError:
            pass
    else:
        path = Path(tempfile.mkdtemp(prefix="elewenjewe-cache-"))
        import atexit

        atexit.register(shutil.rmtree, path, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = str(path)
    if "numba" in sys.modules:
        import numba

        numba.config.CACHE_DIR = str(path)
    return path


def wipe(path: Path) -> None:
    """Empty a cache directory whose files cannot be read."""
    for entry in path.iterdir():
        shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink()
