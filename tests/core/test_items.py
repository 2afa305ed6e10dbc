"""An item revised."""

from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest

from callsheet.model.item import ContextItem, revised

NOW = datetime(2026, 7, 15, tzinfo=UTC)


def test_revised_item_is_the_one_that_replace_makes_and_leaves_the_old_one_alone() -> None:
    item = ContextItem("a", "evidence", "s", "untrusted", text="words", relevance=0.25, scope="billing")
    before = replace(item)
    changed = revised(item, retrieved_at=NOW, relevance=0.5, text="others")
    assert changed == replace(item, retrieved_at=NOW, relevance=0.5, text="others")
    assert item == before and all(hasattr(changed, each.name) for each in fields(ContextItem))


def test_item_is_not_revised_in_a_field_that_it_does_not_have() -> None:
    with pytest.raises(AttributeError):
        revised(ContextItem("a", "evidence", "s", "untrusted"), relevence=0.5)
