"""Bytes to disk and back, so that a file is either whole or not there."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sim.errors import DiskFault, OtherFormat, UsageFault
from sim.store.failpoints import reach


def canonical(value: Any) -> bytes:
    """Return JSON bytes that are the same for equal values."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def sha256(data: bytes) -> str:
    """Return the hash of `data` (hex, 64 digits)."""
    return hashlib.sha256(data).hexdigest()


def sealed(record: Mapping[str, Any]) -> bytes:
    """Return a record as a line of JSON that holds its own hash."""
    return canonical({**record, "sha256": sha256(canonical(record))}) + b"\n"


def unsealed(data: bytes) -> dict[str, Any]:
    """Return the record that `sealed` wrote.

    Raises:
        ValueError: it did not write that, to the last bit.
    """
    try:
        record = json.loads(data)
        del record["sha256"]
        if sealed(record) == data:
            return dict(record)
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise ValueError("it is not what was written") from fault
    raise ValueError("it is not what was written")


def read_sealed(path: Path, reads: int) -> dict[str, Any]:
    """Return the record that says what a directory is, if it is of the format `reads`.

    Raises:
        OtherFormat: it is whole, and of another.
        ValueError: it is not what was written.
        OSError: it cannot be read.
    """
    data = path.read_bytes()
    found = _format_of(data)
    if found is not None and found != reads:
        age = "an older" if found < reads else "a newer"
        raise OtherFormat(
            f"{path} is of format {found}, and this program reads format {reads}: {age} version of "
            "the program wrote it. Use that version, or play it again in another directory with "
            "--out"
        )
    return unsealed(data)


def _format_of(data: bytes) -> int | None:
    """Return the format of a record that is whole; the first ones had no seal."""
    try:
        record = json.loads(data)
        found = (unsealed(data) if "sha256" in record else record)["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if type(found) is int else None


@contextlib.contextmanager
def disk_faults(path: Path) -> Iterator[None]:
    """Turn what the system says about `path` into a DiskFault that a person can act on."""
    try:
        yield
    except OSError as fault:
        raise DiskFault(
            f"{path}: {fault.strerror or fault}{_room(path)}; nothing that was published is lost: "
            "make it writable, then go on with --resume"
        ) from fault


def _room(path: Path) -> str:
    for place in (path, *path.parents):
        with contextlib.suppress(OSError):
            return f" ({shutil.disk_usage(place).free:,} bytes are free there)"
    return ""


def own_folder(path: Path) -> Path:
    """Make a directory to write into, if need be; return it.

    Raises:
        UsageFault: it, or something in it, is a link, so that writing could end up elsewhere.
        OSError: it cannot be made.
    """
    path.mkdir(parents=True, exist_ok=True)
    refuse_links(path)
    return path


def refuse_links(path: Path) -> None:
    """Refuse a directory, if it is there, that is a link or holds one.

    Raises:
        UsageFault: it does, so that writing could end up elsewhere.
    """
    for place in (path, *(path.iterdir() if path.is_dir() else ())):
        if place.is_symlink():
            raise UsageFault(
                f"{place} is a link, and a run writes in its own directory only; remove it"
            )


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_durably(path: Path, data: bytes) -> None:
    """Write a new file and wait until it is on the disk; on any failure leave no file.

    Raises:
        OSError: it cannot be written.
    """
    try:
        with path.open("xb") as file:
            reach("a file is made")
            file.write(data)
            file.flush()
            reach("a file is written")
            os.fsync(file.fileno())
        reach("a file is synced")
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def replace_whole(path: Path, data: bytes, scratch: Path) -> None:
    """Put `data` at `path` at once: readers see the old file or the new one, whole.

    Args:
        path: the file.
        data: its new content.
        scratch: a directory on the same disk for the time between.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    draft = scratch / f"{secrets.token_hex(8)}-{path.name}"
    write_durably(draft, data)
    try:
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    reach("a file is replaced")
    sync_directory(path.parent)
    reach("the replacement is synced")
