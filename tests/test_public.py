"""The front door is exactly the list below; adding a name is a decision, not a convenience."""

import callsheet

from .source import PACKAGE

CONTRACT = {
    "ArtifactIndex", "Budget", "Candidate", "ContextItem", "ContextManifest", "DecisionKind", "Host", "MemoryRecord",
    "Message", "Observation", "Policy", "RequestContext", "ToolContract", "Verdict", "WorkingSet", "legal_cuts",
    "load_memories", "open_host", "pack", "tool", "wilson",
}  # fmt: skip
MORE = {
    "CallsheetError", "Evidence", "OutageError", "Overrides", "RULES", "TaskState", "ToolFailure", "UsageError",
    "Weights",
}  # fmt: skip


def test_the_front_door_is_exactly_this_list() -> None:
    assert set(callsheet.__all__) == CONTRACT | MORE
    assert len(MORE) <= 9 and len(CONTRACT | MORE) <= 30


def test_every_public_name_can_be_imported_and_says_what_it_is() -> None:
    for name in callsheet.__all__:
        value = getattr(callsheet, name)
        assert isinstance(value, dict) or (value.__doc__ or "").strip(), f"{name} has no docstring"


def test_every_public_name_is_listed_for_type_checkers_too() -> None:
    source = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    block = source[source.index("if TYPE_CHECKING") : source.index("_HOMES")]
    missing = [name for name in callsheet.__all__ if f" {name}" not in block]
    assert not missing
    assert sorted(callsheet._HOMES) == sorted(callsheet.__all__)


def test_dir_shows_the_front_door_and_no_more() -> None:
    assert set(dir(callsheet)) == {*callsheet.__all__, "__version__"}


def test_a_name_that_does_not_exist_reads_like_any_missing_attribute() -> None:
    assert not hasattr(callsheet, "legal_cutz")
