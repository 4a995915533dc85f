"""Sealed JSON: small files that say of themselves whether they are what was written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sim.store.files import canonical, sha256


def seal(content: Mapping[str, Any]) -> bytes:
    """Return `content` as JSON for people, with its hash under ``check``."""
    whole = {**content, "check": sha256(canonical(content))}
    return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode()


def unseal(data: bytes) -> dict[str, Any]:
    """Return the content of sealed bytes.

    Raises:
        ValueError: a byte is not as it was sealed.
    """
    try:
        content = json.loads(data)
        del content["check"]
        if seal(content) == data:
            return dict(content)
    except (TypeError, KeyError, AttributeError, RecursionError) as fault:
        raise ValueError("not sealed") from fault
    raise ValueError("not what was sealed")
