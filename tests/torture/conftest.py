"""Counts what was injected and what was survived; leaves the long tests to `make torture`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.torture.forked import Forge

HERE = Path(__file__).parent
counts = {"injected": 0, "survived": 0}


def pytest_collection_modifyitems(config, items):
    """Keep the selection only, unless this folder or something in it was named."""
    if any("torture" in argument for argument in config.args):
        return
    here = [item for item in items if HERE in item.path.parents]
    long = [item for item in here if item.get_closest_marker("quick") is None]
    items[:] = [item for item in items if item not in long]
    config.hook.pytest_deselected(items=long)


@pytest.fixture
def injecting(request):
    """Count a fault: ``with injecting("a flipped bit in run.json"): ...``."""

    @contextmanager
    def count(what: str) -> Iterator[None]:
        told = request.node.user_properties
        told.append(("injected", what))
        yield
        told.append(("survived", what))

    return count


@pytest.fixture(scope="session")
def forge() -> Iterator[Forge]:
    """The process that forks for every case."""
    with Forge() as one:
        yield one


def pytest_runtest_logreport(report):
    if report.when == "call":
        for name, _ in report.user_properties:
            if name in counts:
                counts[name] += 1


def pytest_terminal_summary(terminalreporter):
    if counts["injected"]:
        told = f"{counts['injected']:,} injected, {counts['survived']:,} survived"
        terminalreporter.write_line(told, bold=True)
