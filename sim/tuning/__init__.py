"""Tuning: which house rules meet a person's goals, and the proof of it on fresh deals."""

from pathlib import Path

TUNE = "tune.json"
"""What makes a directory that of a tune."""


def is_tune(path: Path) -> bool:
    """Say whether a directory is that of a tune."""
    return (path / TUNE).is_file()
