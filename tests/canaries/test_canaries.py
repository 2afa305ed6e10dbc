"""Nothing of one tenant, subject or scope reaches another, whatever they all do; on both stores (C8, invariant 2)."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from ..postgres import Server, Urls
from .actors import OPERATOR, Actor
from .database import empty, made, without_row_level_security, without_the_engines_filter
from .machine import QUESTIONS, Canaries
from .operations import Operation
from .worlds import Worlds

QUICK = settings(
    max_examples=5,
    stateful_step_count=20,
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


def one_of_everything(actor: Actor) -> Iterator[Operation]:
    """What one actor leaves behind: of every kind something, and calls that wait for a person."""
    own, word, who = actor.own, actor.own.canary, {"subject": actor.subject}
    text = f"The {word} key is not working."
    note = {"command": "create", "path": "/memories/note.md", "file_text": f"{word}\n"}
    yield Operation("vouch", actor, {"text": text, "source": "user_stated", **who}, own)
    yield Operation("file", actor, {"command": note}, own)
    yield Operation("notify", actor, {"text": f"The {word} job finished.", **who}, own)
    yield Operation("write state", actor, {"goal": word, **who}, own)
    for question in QUESTIONS:
        yield Operation("ask", actor, {"question": f"{question} {word}"}, own)


def test_beside_neighbours_who_did_one_of_everything_nothing_is_different(tmp_path: Path) -> None:
    watcher, neighbours = Actor("globex", "u1"), (Actor("globex", "u2"), Actor("hooli", "u1"))
    with closing(Worlds(tmp_path, postgres=False, watchers=[watcher])) as worlds:
        for actor in (*neighbours, watcher):
            came = [worlds.do(operation) for operation in one_of_everything(actor)]
        assert any("approval_id" in each for each in came)
        for name in ("load", "read state", "notices", "recent", "waiting"):
            worlds.do(Operation(name, watcher))
        for query in ("API key", "note"):
            worlds.do(Operation("search", watcher, {"query": query}))


def test_over_sqlite_nobody_sees_anything_of_another() -> None:
    run_state_machine_as_test(Canaries, settings=QUICK)


def test_over_postgresql_row_level_security_alone_parts_the_tenants(urls: Urls) -> None:
    assert without_the_engines_filter(urls) > 0
    run_state_machine_as_test(over(urls), settings=QUICK)


@pytest.mark.e2e
def test_over_postgresql_nobody_sees_anything_of_another(urls: Urls) -> None:
    run_state_machine_as_test(over(urls), settings=QUICK)


@pytest.mark.e2e
def test_over_postgresql_the_engines_filter_alone_parts_the_tenants(urls: Urls) -> None:
    without_row_level_security(urls)
    run_state_machine_as_test(over(urls), settings=QUICK)


def test_without_either_wall_a_canary_is_seen(urls: Urls, tmp_path: Path) -> None:
    """That a breach is noticed at all."""
    without_the_engines_filter(urls)
    without_row_level_security(urls)
    one, other = Actor("globex", "u1"), Actor("hooli", "u1")
    with closing(Worlds(tmp_path, postgres=True, watchers=[other])) as worlds:
        given = {"text": f"The {one.own.canary} key is not working.", "subject": "u1", "source": "user_stated"}
        worlds.do(Operation("vouch", one, given, one.own))
        with pytest.raises(AssertionError, match=one.own.canary):
            worlds.do(Operation("load", other))


def test_a_difference_without_a_canary_is_seen_too(tmp_path: Path) -> None:
    """A number that knows of others is a leak as well: here, what a tenant reads is left out of its own world."""
    operator, watcher = Actor("globex", OPERATOR), Actor("globex", "u1")
    with closing(Worlds(tmp_path, postgres=False, watchers=[watcher])) as worlds:
        worlds.do(Operation("notify", operator, {"text": "The night job finished.", "subject": None}))
        with pytest.raises(AssertionError, match=r'alone:\s+"came": \[\]'):
            worlds.do(Operation("notices", watcher))
