"""A process that writes into every store without end, and says each write once it is committed; it is killed."""

import sys
from datetime import UTC, datetime
from itertools import count

from callsheet.edges.stores import TenantStore
from callsheet.model.effect import Gather
from callsheet.model.memory import MemoryRecord
from callsheet.model.policy import ModelProfile, Policy, Project
from callsheet.model.request import RequestContext
from callsheet.model.task import Task

from .kinds import opened

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
POLICY = Policy(Project((), (), (), {}, "answer", {}), ModelProfile("m", "openai_chat", 4000, 500, "o200k"))
STORES = 5


def write(store: TenantStore, subject: str, number: int) -> None:
    """One write into one of the stores, in turn."""
    name = f"{subject}-{number}"
    match number % STORES:
        case 0:
            record = MemoryRecord(subject, "t1", "support", f"fact {number}", "user_stated", record_id=name)
            store.memories.add(record, supersedes=[f"{subject}-{number - STORES}"] if number else [])
        case 1:
            store.events.push(f"job {number} finished", "jobs", subject, NOW)
        case 2:
            state = store.states.load(subject)
            store.states.save(subject, type(state)(goal=str(number), version=state.version))
        case 3:
            store.artifacts.put(f"toolrun://{name}.1/1", name.encode() * 50, subject)
        case _:
            task = Task("Why?", name)
            store.ledger.begin(RequestContext("t1", "ada", subject, now=NOW), task, POLICY, "b2:policy")
            store.ledger.write(f"{name}.1", Gather(task, ()), ())


def write_on(name: str, place: str, subject: str) -> None:
    """Writes until it is killed."""
    with opened(name, place) as store:
        for number in count():
            write(store, subject, number)
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
