"""A run with every section of the report, played once for the tests of a worker."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.report_page import EVERYTHING
from tests.runs import played


@pytest.fixture(scope="session")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return played(tmp_path_factory.mktemp("report"), EVERYTHING).run


@pytest.fixture(scope="session")
def report_data(reported: Any) -> dict[str, Any]:
    """Its report as JSON."""
    from reports import report

    found: dict[str, Any] = json.loads(json.dumps(report.as_json(reported), allow_nan=False))
    return found


@pytest.fixture(scope="session")
def report_page(reported: Any) -> str:
    """Its report as HTML."""
    from reports import report

    return report.write(reported).read_text(encoding="utf-8")
