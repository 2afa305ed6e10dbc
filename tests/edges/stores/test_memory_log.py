"""Memories as an index follows them and as a search gets them back, in both kinds of stores."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.edges.stores import open_tenant
from callsheet.edges.stores.tenant import TenantStore
from callsheet.model.evidence import Query
from callsheet.model.memory import MemoryMark, MemoryRecord, Visibility

from .kinds import Kind

QUERY = Query("memory", "t1", "u1", ("staff",), limit=3)


def record(text: str, subject: str = "u1", **fields: object) -> MemoryRecord:
    return replace(MemoryRecord(subject, "t1", "support", text, "user_stated"), **fields)  # type: ignore[arg-type]


def texts(found: Sequence[MemoryRecord]) -> list[str]:
    return [each.text for each in found]


def test_records_are_followed_in_the_order_they_came_and_the_mark_says_how_far(kind: Kind) -> None:
    with kind.tenant() as store:
        log = store.memory_log
        assert log.mark(0) == MemoryMark()
        added = [store.memories.add(record(f"r{number}", f"u{number % 2}")) for number in range(5)]
        numbered = log.added(0, 3)
        assert [each for _, each in numbered] == added[:3]
        last = numbered[-1][0]
        assert [each for _, each in log.added(last, 9)] == added[3:]
        assert log.mark(last) == MemoryMark(log.ids()[added[4].record_id], "", added[2].record_id)
        assert sorted(log.ids(), key=log.ids().__getitem__) == [each.record_id for each in added]


def test_every_deletion_leaves_a_new_mark_and_nothing_of_what_it_deleted(kind: Kind) -> None:
    with kind.tenant() as store:
        one, *_ = [store.memories.add(record(f"r{number}", f"u{number}")) for number in range(3)]
        marks = {store.memory_log.mark(0).deletions}
        for delete in (lambda: store.remove(one.record_id), lambda: store.forget("u1"), lambda: store.forget("u2")):
            delete()
            marks.add(store.memory_log.mark(0).deletions)
        assert len(marks) == 4 and store.memory_log.ids() == {}


def test_candidates_are_the_found_the_newest_and_those_that_bear_on_every_question(kind: Kind) -> None:
    with kind.tenant() as store:
        wish = store.memories.add(record("Be brief.", kind="procedural"))
        found = store.memories.add(record("found"))
        for number in range(9):
            store.memories.add(record(f"r{number}"))
        wide = store.memories.add(record("of all", "u2", visibility="tenant"))
        told = store.memory_log.candidates(QUERY, (found.record_id, "m-none"))
        assert texts(told) == ["Be brief.", "found", "r8", "of all"]
        assert texts(store.memory_log.candidates(QUERY, ())) == ["Be brief.", "r6", "r7", "r8", "of all"]
        nobody = store.memory_log.candidates(replace(QUERY, subject_id=None), (found.record_id, wish.record_id))
        assert nobody == (wide,)
        assert store.memory_log.candidates(replace(QUERY, tenant_id="t2"), (found.record_id,)) == ()


Seen = tuple[str, str | None, Visibility, bool]
seen = st.tuples(
    st.sampled_from(["u1", "u2"]),
    st.sampled_from([None, "staff", "boss"]),
    st.sampled_from(["subject", "tenant"]),
    st.booleans(),
)


def may(each: MemoryRecord, grants: tuple[str, ...]) -> bool:
    return (each.subject_id == "u1" or each.visibility == "tenant") and each.scope in (None, *grants)


def filled(store: TenantStore, records: Sequence[MemoryRecord], query: Query, asked: Sequence[str]) -> list[str]:
    for each in records:
        store.memories.add(each)
    return texts(store.memory_log.candidates(query, asked))


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(seen, max_size=12), grants=st.sampled_from([(), ("staff",)]))
def test_what_a_session_may_not_see_takes_no_place_of_what_it_may(
    tmp_path_factory, rows: list[Seen], grants: tuple[str, ...]
) -> None:
    made = [
        record(
            f"r{at}", subject, scope=scope, visibility=visibility, record_id=f"m-{at:02}",
            kind="procedural" if standing else "semantic",
        )
        for at, (subject, scope, visibility, standing) in enumerate(rows)
    ]  # fmt: skip
    query, own = replace(QUERY, grants=grants), [each for each in made if may(each, grants)]
    asked = [each.record_id for each in made[::2] if may(each, grants)]  # a search finds nothing else
    with open_tenant(tmp_path_factory.mktemp("all"), "t1") as store:
        whole = filled(store, made, query, asked)
    with open_tenant(tmp_path_factory.mktemp("own"), "t1") as store:
        alone = filled(store, own, query, asked)
    assert whole == alone
