"""A thousand tenants in one store, and nobody's answer knows of another's (C8, invariant 2)."""

import json
import random
from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from ..canaries.actors import OPERATOR, Actor, Audience
from ..canaries.database import empty, made, without_the_engines_filter
from ..canaries.machine import QUESTIONS, Canaries
from ..canaries.operations import Operation
from ..canaries.test_canaries import QUICK
from ..postgres import Server, Urls

pytestmark = pytest.mark.e2e

THOUSAND = tuple(f"t{number}" for number in range(1_000))
LONG = settings(QUICK, max_examples=1, stateful_step_count=200)


class Crowded(Canaries):
    """As `Canaries`, after each of a thousand tenants has left something of every kind."""

    tenants = THOUSAND
    watching = 6

    def populate(self) -> None:
        chance = random.Random(7)
        for tenant in self.tenants:
            for operation in first_hour(tenant, chance):
                self.learn(json.loads(self.worlds.do(operation))["came"])


def first_hour(tenant: str, chance: random.Random) -> Iterator[Operation]:
    """A memory, a file, a notice and a document of each tenant; of some a run, and what the tenant shares."""
    actor, operator = Actor(tenant, chance.choice(("u1", "u2"))), Actor(tenant, OPERATOR)
    own, wide, word = actor.own, Audience(tenant), actor.own.canary
    text = f"The {word} key is not working."
    yield Operation("vouch", actor, {"text": text, "subject": actor.subject, "source": "user_stated"}, own)
    note = {"command": "create", "path": "/memories/note.md", "file_text": f"API key {word}\n"}
    yield Operation("file", actor, {"command": note}, own)
    yield Operation("notify", actor, {"text": f"The {word} job finished.", "subject": actor.subject}, own)
    document = {
        "id": f"note/a-{wide.canary}",
        "text": f"# API key note\n\nWhy is my API key not working? {wide.canary}.",
    }
    yield Operation("ingest", operator, {"document": document, "shared": False}, wide)
    if chance.random() < 0.1:
        yield Operation("ask", actor, {"question": f"{chance.choice(QUESTIONS)} {word}"}, own)
        yield Operation("write state", actor, {"goal": f"goal {word}", "subject": actor.subject}, own)


def test_over_sqlite_a_thousand_tenants_see_nothing_of_each_other() -> None:
    run_state_machine_as_test(Crowded, settings=LONG)


def test_over_postgresql_row_level_security_alone_parts_a_thousand_tenants(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls: Urls = made(postgres)
    monkeypatch.setenv("CALLSHEET_DATABASE_URL", urls.engine)
    without_the_engines_filter(urls)
    crowded = type("OverPostgres", (Crowded,), {"postgres": True, "emptied": staticmethod(lambda: empty(urls))})
    run_state_machine_as_test(crowded, settings=LONG)
