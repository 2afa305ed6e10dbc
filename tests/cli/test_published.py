"""Published documents: closed in every part, whichever command prints them."""

import sys
from dataclasses import is_dataclass

import pytest

from callsheet.cli.comparison.shape import Comparison
from callsheet.cli.published import Published
from callsheet.cli.report.shape import Report


@pytest.mark.parametrize("document", [Comparison, Report])
def test_every_part_of_a_document_refuses_a_field_that_is_not_its_own(document: type[Published]) -> None:
    beside = vars(sys.modules[document.__module__]).items()
    own = {name for name, kind in beside if is_dataclass(kind) and kind.__module__ == document.__module__}
    schema = document.schema()
    parts = {schema["title"]: schema, **schema["$defs"]}
    assert len(own) > 3 and own <= set(parts)
    assert [name for name in own if parts[name].get("additionalProperties") is not False] == []
    assert schema["$schema"].startswith("https://json-schema.org/")
