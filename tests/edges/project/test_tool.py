"""`@tool`: contracts from types, and running the functions."""

from asyncio import CancelledError
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal

import pytest
from typing_extensions import TypedDict

from callsheet.conditions import between, fact, not_empty, one_of, owned, same_as_argument
from callsheet.edges.project.tool import FunctionTools, ToolFailure, contract_of, tool
from callsheet.model.label import Label
from callsheet.model.request import RequestContext
from callsheet.model.tool import Condition, ToolCall, ToolContract

CTX = RequestContext("t1", "alice", now=datetime(2026, 11, 29, tzinfo=UTC))


class Status(TypedDict):
    account_id: str
    status: Literal["active", "revoked"]


@tool(
    effects="read",
    authority=["account_id"],
    preconditions=[owned("account_id", "account")],
    postconditions=[one_of("status", "active", "revoked"), same_as_argument("account_id")],
    failures=["not_found"],
)
def check(account_id: str, on: date | None = None) -> Status:
    """Says the status
    of an account.

    More that the model does not read.
    """
    if account_id == "A-0":
        raise ToolFailure("not_found", "no account A-0")
    if account_id == "A-1":
        raise ToolFailure("on_fire", "smoke")
    if account_id == "A-2":
        raise KeyError("row")
    return {"account_id": account_id, "status": "active", "on": on, "secret": "s"}  # type: ignore[typeddict-unknown-key]


def contract(function: object) -> ToolContract:
    found = contract_of(function)
    assert found is not None
    return found


def test_the_schemas_come_from_the_types() -> None:
    made = contract(check)
    assert made.description == "Says the status of an account."
    assert made.input_schema["required"] == ["account_id"] and made.input_schema["additionalProperties"] is False
    assert made.input_schema["properties"]["account_id"] == {"type": "string"}
    assert made.output_schema["properties"]["status"] == {"enum": ["active", "revoked"], "type": "string"}
    assert made.repeatable


def test_the_decorated_function_stays_a_function() -> None:
    assert check("A-9")["status"] == "active"


def test_the_context_is_passed_in_and_is_no_argument() -> None:
    @tool(effects="read")
    def whoami(ctx: RequestContext) -> str:
        """Names the actor."""
        return ctx.actor

    made = contract(whoami)
    assert made.input_schema["properties"] == {}
    assert made.output_schema == {
        "type": "object",
        "properties": {"result": {"type": "string"}},
        "required": ["result"],
    }
    assert FunctionTools([whoami]).execute(ToolCall("whoami", {}), CTX).value == {"result": "alice"}


def test_a_model_cannot_pass_the_context() -> None:
    @tool(effects="read")
    def whoami(ctx: RequestContext) -> str:
        """Names the actor."""
        return ctx.actor

    result = FunctionTools([whoami]).execute(ToolCall("whoami", {"ctx": {"actor": "root"}}), CTX)
    assert result.value is None and result.failure == "error"


def test_a_value_comes_back_whole_and_as_json_types() -> None:
    result = FunctionTools([check]).execute(ToolCall("check", {"account_id": "A-9", "on": "2026-11-29"}), CTX)
    assert result.value == {"account_id": "A-9", "status": "active", "on": "2026-11-29", "secret": "s"}


def test_a_dataclass_comes_back_as_an_object() -> None:
    @dataclass
    class Point:
        x: int

    @tool(effects="read")
    def point() -> Point:
        """A point."""
        return Point(3)

    assert FunctionTools([point]).execute(ToolCall("point", {}), CTX).value == {"x": 3}


@pytest.mark.parametrize(
    ("account", "failure", "words"),
    [
        ("A-0", "not_found", "no account A-0"),
        ("A-1", "error", "undeclared failure 'on_fire': smoke"),
        ("A-2", "error", "KeyError: 'row'"),
    ],
)
def test_a_failing_tool_gives_a_result_and_no_exception(account: str, failure: str, words: str) -> None:
    result = FunctionTools([check]).execute(ToolCall("check", {"account_id": account}), CTX)
    assert (result.value, result.failure, result.detail) == (None, failure, words)


def test_a_tool_that_ends_the_process_is_a_result_too() -> None:
    @tool(effects="read")
    def leave() -> str:
        """Leaves."""
        raise SystemExit(3)

    result = FunctionTools([leave]).execute(ToolCall("leave", {}), CTX)
    assert (result.failure, result.detail) == ("error", "SystemExit: 3")


def test_contracts_come_in_name_order() -> None:
    @tool(effects="write")
    def alter() -> str:
        """Alters."""
        return ""

    tools = FunctionTools([check, alter, len])
    assert [made.name for made in tools.contracts()] == ["alter", "check"]
    assert tools.execute(ToolCall("len", {}), CTX).failure == "error"


def test_a_contract_that_names_what_is_not_there_is_refused() -> None:
    def look(name: str) -> Status:
        """Looks."""
        raise NotImplementedError

    with pytest.raises(TypeError, match=r"'account' is no argument of it \(name\)"):
        tool(effects="read", authority=["account"])(look)
    with pytest.raises(TypeError, match="names no field of the result"):
        tool(effects="read", postconditions=[not_empty("state")])(look)
    with pytest.raises(TypeError, match="none of none, read, write"):
        tool(effects="harmless")(look)  # type: ignore[arg-type]


def test_a_function_that_says_too_little_is_refused() -> None:
    def no_types(name):  # type: ignore[no-untyped-def]
        """Looks."""

    def no_docstring(name: str) -> str:
        return name

    def no_return(name: str):  # type: ignore[no-untyped-def]
        """Looks."""

    async def later() -> str:
        """Later."""
        return ""

    for function, words in (
        (no_types, "no type"),
        (no_docstring, "no docstring"),
        (no_return, "no return"),
        (later, "async"),
    ):
        with pytest.raises(TypeError, match=words):
            tool(effects="read")(function)


def test_conditions_are_data() -> None:
    assert fact("plan", "pro", "team") == Condition("fact", "plan", ("pro", "team"))
    assert str(between("amount", 0, 500)) == "between(amount, 0, 500)"
    assert same_as_argument("account_id") == Condition("same_as_argument", "account_id", ("account_id",))


def test_what_a_contract_says_of_the_flow_of_information_is_kept() -> None:
    label = Label("trusted", "internal")

    @tool(effects="external", authority=["to"], content=["body"], time=["day"], clearance="private", returns=label,
          names=["title"], keys=["id"])  # fmt: skip
    def mail(to: str, body: str, day: str) -> dict[str, str]:
        """Sends a mail."""
        return {}

    contract = contract_of(mail)
    assert contract is not None
    assert (contract.authority, contract.content, contract.time) == (("to",), ("body",), ("day",))
    assert (contract.clearance, contract.returns) == ("private", label)
    assert (contract.names, contract.keys) == (("title",), ("id",))


class Odd(Exception):
    def __str__(self) -> str:
        raise ValueError("an error that cannot be told")


@pytest.mark.parametrize(
    ("raised", "unknown"),
    [
        (CancelledError(), False),
        (GeneratorExit(), False),
        (BaseException("x"), False),
        (Odd(), False),
        (TimeoutError("no answer"), True),
        (ConnectionResetError("gone"), True),
    ],
)
def test_whatever_a_function_raises_is_a_result(raised: BaseException, unknown: bool) -> None:
    @tool(effects="irreversible")
    def pay(to: str) -> str:
        """Pays."""
        raise raised

    result = FunctionTools([pay]).execute(ToolCall("pay", {"to": "DE99"}), CTX)
    assert (result.failure, result.unknown) == ("error", unknown) and type(raised).__name__ in result.detail


def test_a_person_who_breaks_off_is_obeyed() -> None:
    @tool(effects="irreversible")
    def pay(to: str) -> str:
        """Pays."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FunctionTools([pay]).execute(ToolCall("pay", {"to": "DE99"}), CTX)


def test_of_a_function_that_gave_what_is_no_json_nobody_says_that_it_failed() -> None:
    endless: list[Any] = []
    endless.append(endless)

    @tool(effects="irreversible")
    def pay(to: str) -> list[Any]:
        """Pays."""
        return endless

    result = FunctionTools([pay]).execute(ToolCall("pay", {"to": "DE99"}), CTX)
    assert result.unknown and "no JSON" in result.detail
