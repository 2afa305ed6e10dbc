"""One index for evidence, memory, tools and skills: what each becomes as a document."""

from hypothesis import given
from hypothesis import strategies as some

from callsheet.core.documents.convert import (
    listed,
    memory_document,
    memory_grants,
    skill_document,
    tool_document,
)
from callsheet.model.memory import MemoryRecord
from callsheet.model.tool import ListedTool, ToolContract

SCHEMA = {
    "properties": {
        "city": {"type": "string", "description": "where to look"},
        "days": {"type": "array", "items": {"properties": {"date": {"description": "which day"}}}},
    }
}


def memory(subject: str, scope: str | None = None) -> MemoryRecord:
    return MemoryRecord(subject, "t1", "support", "prefers mail", "user_stated", record_id="m1", scope=scope)


def test_a_tool_is_found_by_its_parameters_and_shown_by_its_name_and_description_alone() -> None:
    document = tool_document(ListedTool("forecast", "Weather of a place.", SCHEMA, "sky", "Skies of the world"))
    assert document.document_id == "sky/forecast"
    assert document.text == "forecast\nWeather of a place."
    assert document.wider == "city where to look days date which day"
    assert document.context == "sky Skies of the world"


def test_a_contract_keeps_its_scope_as_a_document() -> None:
    contract = ToolContract("rotate", "Rotates a key.", {"properties": {"key": {}}}, scope="admin")
    assert tool_document(listed(contract)).scope == "admin"


def test_a_schema_that_contains_itself_in_depth_ends() -> None:
    schema: dict[str, object] = {}
    schema["properties"] = {"inner": schema}
    assert tool_document(ListedTool("nest", "", schema)).wider == "inner inner inner inner"


@given(some.text(), some.text(), some.one_of(some.none(), some.text()), some.lists(some.text(), max_size=3))
def test_a_memory_is_in_the_grants_of_its_own_subject_and_of_no_other(
    subject: str, other: str, scope: str | None, grants: list[str]
) -> None:
    document = memory_document(memory(subject, scope))
    assert (document.scope in memory_grants(subject, grants, "support")) == (scope is None or scope in grants)
    assert other == subject or document.scope not in memory_grants(other, grants, "support")


def test_a_skills_body_helps_to_find_it_and_is_not_shown() -> None:
    document = skill_document("pdf", "Works with PDF files.", "Run pdftotext first.")
    assert "pdftotext" not in document.text
    assert document.wider == "Run pdftotext first."
