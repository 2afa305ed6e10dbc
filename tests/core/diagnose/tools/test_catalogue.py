"""Tools of a session: what definitions cost, who was never called, and names that do not exist."""

import pytest

from callsheet.core.diagnose.definitions import Definitions, definition, first_sentence
from callsheet.core.diagnose.tools.arguments import refused
from callsheet.core.diagnose.tools.catalogue import Tools
from callsheet.core.diagnose.tools.names import is_no_such_tool, nearest
from callsheet.core.diagnose.window import Counting, Windows
from callsheet.model.diagnosis import Catalogue, ToolUse
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock, ToolDefinition
from callsheet.model.transcript import Called, Ended, Event, Offered, Said

LETTERS = Counting("letters", len)
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
SEARCH = ToolDefinition(name="search_logs", description="Searches logs. Say a word, and it is found.", schema=SCHEMA)
WRITE = ToolDefinition(name="write_file", description="Writes a file.", schema=SCHEMA)


def catalogue(*events: Event) -> Catalogue:
    windows = Windows(LETTERS)
    tools = Tools(windows.definitions)
    for event in events:
        tools.take(event, *windows.take(event))
    return tools.result()


def offered(*tools: ToolDefinition, thread: str = "") -> Offered:
    return Offered(record=0, thread=thread, tools=tools)


def called(times: int = 1, thread: str = "") -> list[Event]:
    return [Called(record=1, thread=thread, response=str(at)) for at in range(times)]


def asks(name: str, call_id: str = "c", **arguments: object) -> Said:
    message = Message("assistant", (CallBlock(id=call_id, name=name, arguments=arguments),))
    return Said(record=1, message=message, speaker="model")


def gets(text: str, call_id: str = "c", is_error: bool | None = None) -> Said:
    block = ResultBlock(call_id=call_id, blocks=(TextBlock(text=text),), is_error=is_error)
    return Said(record=2, message=Message("tool", (block,)), speaker="tool")


def row(found: Catalogue, name: str) -> ToolUse:
    return next(each for each in found.tools if each.name == name)


def test_a_definition_is_billed_with_every_call_it_was_sent_with() -> None:
    found = catalogue(
        offered(SEARCH, WRITE), *called(3), offered(SEARCH), *called(2),
        offered(WRITE, thread="b"), *called(5, "b"), Ended(record=3, thread="b"),
    )  # fmt: skip
    assert row(found, "search_logs").billed == 5 * len(definition(SEARCH))
    assert row(found, "write_file").billed == (3 + 5) * len(definition(WRITE))


def test_tools_never_called_are_told_with_what_they_cost() -> None:
    found = catalogue(offered(SEARCH, WRITE), *called(4), asks("search_logs", path="a"), gets("ok"))
    assert found.unused == ("write_file",) and found.unused_billed == 4 * len(definition(WRITE))
    assert row(found, "search_logs").result_tokens == 2 and row(found, "search_logs").calls == 1


def test_an_invented_name_is_told_with_the_real_one_it_is_nearest_to() -> None:
    found = catalogue(
        offered(WRITE, SEARCH), *called(), asks("read_log", path="a"), gets("no such tool", is_error=True)
    )
    assert found.invented == ("read_log",) and row(found, "read_log").nearest == "search_logs"
    assert found.wrong_calls == row(found, "read_log").wrong == row(found, "read_log").errors == 1


def test_without_definitions_an_invented_name_is_known_by_its_error() -> None:
    found = catalogue(
        *called(), asks("search_logs", "c1"), gets("fine", "c1"),
        asks("search_log", "c2"), gets("Error: No such tool available: search_log", "c2", True),
    )  # fmt: skip
    assert found.invented == ("search_log",) and row(found, "search_log").nearest == "search_logs"
    assert found.unused_billed is None and row(found, "search_logs").offered is None
    assert any("holds no tool definitions" in note for note in found.notes)


def test_one_sentence_saves_the_rest_of_the_description_with_every_call() -> None:
    found = catalogue(offered(SEARCH, WRITE), *called(10))
    assert found.short_saves == 10 * (len(str(SEARCH.description)) - len("Searches logs."))
    assert row(found, "write_file").short == row(found, "write_file").definition


def test_wrong_calls_are_counted_by_the_length_of_the_description_in_tokens_too() -> None:
    wrong, right = asks("write_file", "c1", text="a"), asks("write_file", "c2", path="a")
    found = catalogue(
        offered(SEARCH, WRITE), *called(), wrong, gets("bad", "c1", True), right, asks("search_logs", "c3", path="a")
    )
    assert (found.one_sentence.tools, found.one_sentence.calls, found.one_sentence.wrong) == (1, 2, 1)
    assert (found.longer.tools, found.longer.calls, found.longer.wrong) == (1, 1, 0)
    window = len(definition(SEARCH)) + len(definition(WRITE)) + len('write_file{"text": "a"}')
    assert found.one_sentence.wrong_tokens == found.wrong_tokens == window + len("bad")


def test_the_same_tools_said_with_every_call_change_nothing() -> None:
    once = catalogue(offered(SEARCH), *called(3))
    again = catalogue(*[each for call in called(3) for each in (offered(SEARCH), call)])
    assert once == again


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"path": "a"}, ""),
        ({}, "path is missing"),
        ({"path": 3}, "path is of a wrong type"),
        ({"path": "a", "how": "fast"}, "how is none of its values"),
        ({"path": "a", "lines": 2.0}, ""),
        ({"path": "a", "lines": True}, "lines is of a wrong type"),
        ({"path": "a", "more": 1}, "more is unknown"),
        ("text", "no object of arguments"),
    ],
)
def test_arguments_are_judged_by_what_the_schema_says_plainly(arguments: object, why: str) -> None:
    properties = {"path": {"type": "string"}, "how": {"enum": ["slow"]}, "lines": {"type": ["integer", "null"]}}
    schema = {"type": "object", "properties": properties, "required": ["path"], "additionalProperties": False}
    assert refused(arguments, schema) == why
    assert refused(arguments, None) == refused(arguments, {"$ref": "#/x"}) == "" or arguments == "text"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.", "One."),
        ("Reads e.g. a file. More.", "Reads e.g. a file."),
        ("No stop\n\nMore", "No stop"),
        ("v1.2 of it", "v1.2 of it"),
        ("", ""),
    ],
)
def test_the_first_sentence_of_a_description(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_equal_definitions_are_counted_once() -> None:
    counted: list[str] = []
    definitions = Definitions(lambda text: (counted.append(text), len(text))[1])
    for name in ("a", "b", "a", "b"):
        definitions.tokens((SEARCH, ToolDefinition(name=name)))
    assert len(counted) == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<tool_use_error>Error: No such tool available: read_log</tool_use_error>", True),
        ("Unknown tool: read_log", True),
        ("Tool 'read_log' not found", True),
        ("unsupported call: read_log is not a valid tool", False),
        ("cat: read_log: No such file or directory", False),
        ("x" * 500 + "unknown tool", False),
    ],
)
def test_what_harnesses_say_of_a_tool_that_does_not_exist(text: str, says: bool) -> None:
    assert is_no_such_tool(text) is says


def test_no_real_name_is_named_where_none_is_close() -> None:
    assert nearest("read_log", ["deploy", "send_mail"]) is None
    assert nearest("read_log", ["search_logs", "write_file"]) == "search_logs"
    assert nearest("readFile", ["read_file", "read_log"]) == "read_file"
    assert nearest("execute_bash", ["write_file", "bash"]) == "bash"
