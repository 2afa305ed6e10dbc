"""Nothing of one tenant, subject or scope reaches another, whatever they all do; on both stores (C8, invariant 2)."""

from functools import partial

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from ..postgres import Server, Urls
from .database import empty, made, without_row_level_security, without_the_engines_filter
from .machine import Canaries

QUICK = settings(
    max_examples=6,
    stateful_step_count=25,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # each step opens stores: shrinking would take minutes
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def over(urls: Urls) -> type[Canaries]:
    """The machine whose shared world lies in a database; what it is compared with never does."""
    return type("OverPostgres", (Canaries,), {"postgres": True, "emptied": staticmethod(partial(empty, urls))})


@pytest.fixture
def urls(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Urls:
    urls = made(postgres)
    monkeypatch.setenv("CALLSHEET_DATABASE_URL", urls.engine)
    return urls


def test_over_sqlite_nobody_sees_anything_of_another() -> None:
    run_state_machine_as_test(Canaries, settings=QUICK)


def test_over_postgresql_nobody_sees_anything_of_another(urls: Urls) -> None:
    run_state_machine_as_test(over(urls), settings=QUICK)


def test_row_level_security_alone_parts_the_tenants(urls: Urls) -> None:
    assert without_the_engines_filter(urls) > 0
    run_state_machine_as_test(over(urls), settings=QUICK)


def test_the_engines_filter_alone_parts_the_tenants(urls: Urls) -> None:
    without_row_level_security(urls)
    run_state_machine_as_test(over(urls), settings=QUICK)


def test_without_both_the_canaries_are_seen(urls: Urls) -> None:
    """That the machine sees a breach at all."""
    without_the_engines_filter(urls)
    without_row_level_security(urls)
    with pytest.raises(AssertionError, match=r"shows|shared:"):
        run_state_machine_as_test(over(urls), settings=settings(QUICK, max_examples=30))
