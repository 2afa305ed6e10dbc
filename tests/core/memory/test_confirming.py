"""A hypothesis becomes a fact by a confirmation that the policy names, and by nothing else (C4)."""

from dataclasses import replace
from datetime import timedelta

import pytest

from callsheet.core.memory.confirming import confirm
from callsheet.model.memory import Confirmation
from callsheet.model.memory_policy import MemoryPolicy

from .requests import NOW, record

PRESUMED = record("Prefers short answers.", "model_inferred", created_at=NOW - timedelta(days=1), run_id="r-1")
GRANTED = MemoryPolicy(confirm=("grant:support-lead",))


@pytest.mark.parametrize(
    ("confirmation", "policy", "source"),
    [
        (Confirmation("subject", "s1"), MemoryPolicy(), "user_stated"),
        (Confirmation("trusted_tool", "crm"), MemoryPolicy(), "system_record"),
        (Confirmation("grant", "support-lead"), GRANTED, "system_record"),
    ],
)
def test_a_confirmed_hypothesis_is_superseded_by_the_fact_that_names_who_confirmed_it(
    confirmation: Confirmation, policy: MemoryPolicy, source: str
) -> None:
    said = confirm(PRESUMED, confirmation, NOW, policy=policy)
    assert (said.outcome, said.rule, said.supersedes) == ("fact", "ok", ("m-1",))
    assert said.record == replace(
        PRESUMED,
        record_id="",
        source=source,
        created_at=NOW,
        confirmed_by=str(confirmation),
        derived_from=("m-1",),
    )


@pytest.mark.parametrize(
    ("confirmation", "policy"),
    [
        (Confirmation("subject", "s2"), MemoryPolicy()),
        (Confirmation("grant", "support-lead"), MemoryPolicy()),
        (Confirmation("grant", "other"), GRANTED),
        (Confirmation("subject", "s1"), GRANTED),
        (Confirmation("trusted_tool", "crm"), MemoryPolicy(confirm=())),
    ],
)
def test_any_other_word_makes_no_fact_of_it(confirmation: Confirmation, policy: MemoryPolicy) -> None:
    said = confirm(PRESUMED, confirmation, NOW, policy=policy)
    assert (said.outcome, said.rule, said.record) == ("refuse", "confirmation-not-allowed", None)


def test_only_a_hypothesis_in_force_can_be_confirmed() -> None:
    by = Confirmation("subject", "s1")
    others = (record("Likes tea."), record("Likes tea.", "foreign_text"), record("Likes tea.", "unknown"))
    for each in (*others, replace(PRESUMED, superseded_at=NOW), replace(PRESUMED, expires_at=NOW)):
        assert confirm(each, by, NOW).rule == "confirmation-not-allowed"
    corrected = replace(PRESUMED, superseded_at=NOW, superseded_by="m-2")
    assert "m-2 stands in its place" in confirm(corrected, by, NOW).why


def test_a_confirmed_statement_corrects_what_was_stated_of_the_same_relation() -> None:
    presumed = record("Plan is Free.", "model_inferred", relation="plan")
    stated = record("Plan is Pro.", record_id="m-2", relation="plan")
    said = confirm(presumed, Confirmation("subject", "s1"), NOW, (presumed, stated))
    assert said.supersedes == ("m-1", "m-2")
