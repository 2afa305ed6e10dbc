"""Which memories load, and as what: the four checks of C3, in order, to the letter."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.memory.loading import Loaded, load, load_memories, relevance
from callsheet.model.memory import FACT_SOURCES, HYPOTHESIS_SOURCES, MemoryKind, MemoryRecord

from ..world import DAY, NOW


def record(
    subject: str = "u1",
    purpose: str = "support",
    source: str = "system_record",
    expires: datetime | None = NOW + DAY,
    tenant: str = "t1",
) -> MemoryRecord:
    return MemoryRecord(subject, tenant, purpose, "text", source, expires)


def why(each: MemoryRecord, purpose: str, now: datetime) -> str | None:
    """The reason for which a record of the right subject does not load."""
    refused = load([each], "u1", "t1", purpose, now).refused
    return refused[0].reason if refused else None


def test_the_worked_case_loads_one_fact_and_one_hypothesis() -> None:
    fact, hypothesis = record(), record(source="model_inferred")
    others = [record(purpose="billing"), record(subject="u2"), record(expires=NOW), record(source="unknown")]
    assert load_memories([fact, hypothesis, *others], "u1", "t1", "support", NOW) == ([fact], [hypothesis])


def test_a_record_of_another_tenant_or_another_subject_loads_nowhere_whatever_else_fits() -> None:
    for foreign in (record(tenant="t2"), record(subject="u2"), record(source="model_inferred", tenant="t2")):
        assert load_memories([foreign], "u1", "t1", "support", NOW) == ([], [])


def test_a_record_expires_exactly_at_its_moment_and_not_before() -> None:
    moment = timedelta(microseconds=1)
    assert why(record(expires=NOW), "support", NOW) == "expired"
    assert why(record(expires=NOW - moment), "support", NOW) == "expired"
    assert why(record(expires=NOW + moment), "support", NOW) is None
    assert why(record(expires=None), "support", NOW) is None


def test_expiry_is_the_same_moment_in_every_time_zone() -> None:
    elsewhere = NOW.astimezone(datetime.fromisoformat("2026-01-01T00:00:00+09:00").tzinfo)
    assert why(record(expires=elsewhere), "support", NOW) == "expired"


def test_a_moment_without_a_time_zone_beside_one_with_one_is_named() -> None:
    with pytest.raises(ValueError, match="expires_at must carry a time zone"):
        why(record(expires=NOW.replace(tzinfo=None)), "support", NOW)
    with pytest.raises(ValueError, match="now must carry a time zone"):
        load_memories([record()], "u1", "t1", "support", NOW.replace(tzinfo=None))


def test_what_was_corrected_does_not_load_any_more() -> None:
    assert why(replace(record(), superseded_at=NOW - DAY, superseded_by="m-2"), "support", NOW) == "superseded"


def test_the_first_check_that_fails_gives_the_reason() -> None:
    everything = record(purpose="billing", expires=NOW, source="unknown")
    assert why(everything, "support", NOW) == "purpose"
    assert why(everything, "billing", NOW) == "expired"
    assert why(everything, "billing", NOW - DAY) == "source"


RECORDS = st.builds(
    record,
    st.sampled_from(["u1", "u2"]),
    st.sampled_from(["support", "billing"]),
    st.sampled_from([*FACT_SOURCES, *HYPOTHESIS_SOURCES, "unknown", "", "user"]),
    st.sampled_from([None, NOW - DAY, NOW, NOW + DAY]),
    st.sampled_from(["t1", "t2"]),
)


@given(st.lists(RECORDS, max_size=8))
def test_what_loads_passes_every_check_and_what_passes_loads(records: list[MemoryRecord]) -> None:
    facts, hypotheses = load_memories(records, "u1", "t1", "support", NOW)
    for each in records:
        fits = (each.subject_id, each.tenant_id, each.purpose) == ("u1", "t1", "support")
        lives = each.expires_at is None or each.expires_at > NOW
        assert (each in facts) == (fits and lives and each.source in FACT_SOURCES)
        assert (each in hypotheses) == (fits and lives and each.source in HYPOTHESIS_SOURCES)


def test_foreign_text_loads_as_a_quote_alone() -> None:
    quote = record(source="foreign_text")
    found = load([quote, record(source="unknown")], "u1", "t1", "support", NOW)
    assert (found.facts, found.hypotheses, found.quotes) == ((), (), (quote,))
    assert [each.detail for each in found.refused] == ["nobody known vouches for it: unknown"]
    assert load_memories([quote], "u1", "t1", "support", NOW) == ([], [])


def test_what_is_another_sessions_is_in_no_list_and_no_count() -> None:
    hidden = [
        record(tenant="t2"),
        record(subject="u2"),
        replace(record(), scope="staff"),
        replace(record(tenant="t2"), visibility="tenant"),
        replace(record(tenant="t2"), visibility="everyone"),
    ]
    assert load(hidden, "u1", "t1", "support", NOW, grants=("other",)) == Loaded()
    assert load(hidden, "u1", "t1", "billing", NOW, grants=("other",)) == Loaded()


def test_what_all_of_the_tenant_may_see_loads_for_every_subject_and_the_shared_area_for_every_tenant() -> None:
    wide = replace(record(subject="u2"), visibility="tenant")
    shared = replace(record(subject="everyone", tenant="shared"), visibility="everyone")
    assert load([wide, shared], "u1", "t1", "support", NOW, ()).facts == (wide, shared)


def test_a_record_of_a_run_loads_in_that_run_alone() -> None:
    noted = replace(record(), durability="run", run_id="run-1")
    assert load([noted], "u1", "t1", "support", NOW, run_id="run-1").facts == (noted,)
    assert why(noted, "support", NOW) == "expired"


def test_a_record_loads_from_the_moment_it_is_true_until_just_before_it_ends() -> None:
    moment = timedelta(microseconds=1)
    dated = replace(record(expires=None), valid_from=NOW, valid_until=NOW + DAY)
    assert why(dated, "support", NOW - moment) == "superseded"
    assert why(dated, "support", NOW) is None
    assert why(dated, "support", NOW + DAY - moment) is None
    assert why(dated, "support", NOW + DAY) == "expired"


def test_a_correction_of_tomorrow_leaves_what_is_true_today() -> None:
    old = replace(record(expires=None), record_id="m-1", superseded_at=NOW - DAY, superseded_by="m-2")
    new = replace(record(expires=None), record_id="m-2", valid_from=NOW + timedelta(hours=1))
    assert load([old, new], "u1", "t1", "support", NOW).facts == (old,)
    assert load([old, new], "u1", "t1", "support", NOW + timedelta(hours=1)).facts == (new,)


@pytest.mark.parametrize("kind", ["procedural", "working"])
def test_how_things_are_done_and_what_a_run_noted_bear_on_every_question(kind: MemoryKind) -> None:
    assert relevance(replace(record(), kind=kind), None) == 1.0


@given(st.floats(0, 1), st.floats(0, 1))
def test_what_the_search_found_stands_before_the_rest_in_the_order_of_the_search(one: float, other: float) -> None:
    least, low, high = relevance(record(), None), *sorted((relevance(record(), one), relevance(record(), other)))
    assert 0 < least <= low <= high <= 1
    assert relevance(record(), max(one, other)) == high
