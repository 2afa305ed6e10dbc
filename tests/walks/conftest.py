"""The golden files: whole manifests, compared as they are printed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Golden = Callable[[str, Any], None]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a document with `golden/NAME.json`; under --update-golden writes it there instead."""

    def compare(name: str, document: Any) -> None:
        path = Path(__file__).parent / "golden" / f"{name}.json"
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()

    return compare
