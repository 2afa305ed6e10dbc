"""Options of the test run: where weights are and what a test may not do without (weights, a browser); golden files."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from callsheet.edges.providers.weights import DEFAULT, find
from callsheet.errors import WeightsError
from callsheet.host.host import weights_cache

from .postgres import Server, started

settings.register_profile("callsheet", deadline=None)  # no test says how long anything takes: a machine may be busy
settings.load_profile("callsheet")

settings.register_profile("fuzz", max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""--hypothesis-profile fuzz: every property with many more examples than a quick run has time for."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("callsheet")
    group.addoption("--weights", type=Path, default=None, help="the embedded model's weights (or CALLSHEET_WEIGHTS)")
    group.addoption("--update-golden", action="store_true", help="write tests/walks/golden/ anew, and read the diff")
    group.addoption("--require-model", action="store_true", help="fail, and do not skip, where the weights are absent")
    group.addoption("--fuzz-seconds", type=float, default=0.0, help="CPU seconds of each fuzzer, on new seeds")
    group.addoption("--fuzz-seed", type=int, default=None, help="the one case of a fuzzer to run again")
    group.addoption("--require-browser", action="store_true", help="fail, and do not skip, where no Chromium is found")


@pytest.fixture(scope="session")
def weights_path(request: pytest.FixtureRequest) -> Path:
    """Verified weights of the default model; without them the test skips, or fails under --require-model."""
    named = request.config.getoption("--weights") or os.environ.get("CALLSHEET_WEIGHTS")
    try:
        return find(DEFAULT, weights_cache(), Path(named) if named else None)
    except WeightsError as error:
        if request.config.getoption("--require-model") or os.environ.get("CALLSHEET_REQUIRE_MODEL"):
            pytest.fail(f"this run requires the model's weights: {error}", pytrace=False)
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real PostgreSQL, started for the first test that asks for it."""
    with started() as server:
        yield server
