"""Which tools a search is put to, and which of the found stand in the next request."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.decide import prepare
from callsheet.core.gate.check import Grounds, judge_call
from callsheet.core.sources.tools import tool_item
from callsheet.core.tools.finding import CONTRACT, FIND_TOOLS, brought_in, findable, found
from callsheet.drive import drive
from callsheet.model.effect import Record
from callsheet.model.policy import DecisionKind, GatePolicy
from callsheet.model.task import Task, TaskState
from callsheet.model.tool import Observation, ToolCall

from ..world import CHECK, DELETE, FEW, ROTATE, Outside, evidence, measured, policy, session, tool

KIND = DecisionKind("work", "support", (FIND_TOOLS, "check_key"), findable=("rotate_*", "delete_key"))
TOOLS = [tool(f"tool_{number}") for number in range(6)]
ITEMS = [measured(tool_item(each)) for each in TOOLS]


def observed(*names: str, status: str = "ok", by: str = FIND_TOOLS) -> Observation:
    return Observation(by, status, {"query": "q"}, {"tools": list(names)})  # type: ignore[arg-type]


def test_a_search_is_put_to_what_the_kind_names_and_does_not_offer() -> None:
    every = (CHECK, ROTATE, DELETE, CONTRACT)
    assert [each.name for each in findable(KIND, every)] == ["rotate_key", "delete_key"]
    assert findable(DecisionKind("work", "support", ("check_key",), findable=("*",)), every) == ()
    assert findable(DecisionKind("work", "support", (FIND_TOOLS,)), every) == ()
    anything = DecisionKind("work", "support", (FIND_TOOLS,), findable=("*",))
    assert CONTRACT not in findable(anything, (*every, tool("run_code"))), "no search brings in what moves a window"
    assert [each.name for each in findable(anything, (tool("run_code"), CHECK))] == ["check_key"]


def test_only_the_engines_own_search_finds_tools() -> None:
    spoofed = observed("rotate_key", by="read_mail"), observed("rotate_key", status="failed")
    assert found(spoofed) == ()
    assert found((observed("a", "b"), observed("c", "a"))) == ("c", "a", "b")
    assert found((Observation(FIND_TOOLS, "ok", {}, {"tools": "abc"}),)) == ()


def test_a_later_search_stands_behind_what_an_earlier_one_brought_in() -> None:
    first = brought_in(found([observed("tool_0")]), TOOLS, ITEMS, 1_000)
    both = brought_in(found([observed("tool_0"), observed("tool_3")]), TOOLS, ITEMS, 1_000)
    assert both[: len(first)] == first and [each.name for each in both] == ["tool_0", "tool_3"]


def test_in_the_request_too_the_later_stands_behind_the_earlier() -> None:
    kind = DecisionKind("diagnose", "support", (FIND_TOOLS, "check_key"), proposals=("calls",), findable=("tool_*",))
    by = policy(kinds=(kind,), tools=(CHECK, CONTRACT, *TOOLS))

    def defined(*searches: str) -> list[str]:
        outside = Outside([], [evidence()])
        seen = tuple(observed(each) for each in searches)
        drive(prepare(session(), Task("Why?", "run", decision="diagnose", observations=seen), by), outside)
        return [item.item_id for item in outside.of(Record)[0].manifest.items if item.kind == "tool"]

    own = ["tool/check_key", "tool/find_tools"]
    assert defined() == own
    assert defined("tool_3") == [*own, "tool/tool_3"]
    assert defined("tool_3", "tool_0") == [*own, "tool/tool_3", "tool/tool_0"]


@FEW
@given(st.lists(st.sampled_from([*(each.name for each in TOOLS), "strange"]), unique=True), st.integers(0, 400))
def test_definitions_come_whole_within_their_share_and_never_one_that_was_not_searched(
    names: list[str], room: int
) -> None:
    brought = brought_in(names, TOOLS[:4], ITEMS, room)
    sizes = {item.item_id: item.token_count for item in ITEMS}
    assert sum(sizes[f"tool/{each.name}"] for each in brought) <= room / 4
    assert {each.name for each in brought} <= set(names) & {each.name for each in TOOLS[:4]}


def grounds(**changes: object) -> Grounds:
    given_ = {"offered": (CHECK,), "known": (CHECK, ROTATE), "findable": (DELETE,), **changes}
    return Grounds("run", "q", state=TaskState(), approvals=(), gate=GatePolicy(), **given_)  # type: ignore[arg-type]


def test_an_invented_name_is_told_the_nearest_that_may_be_called() -> None:
    def why(name: str, **changes: object) -> str:
        return judge_call(ToolCall(name, {}), grounds(**changes)).why

    assert why("check_keys") == (
        "check_keys was not offered in this decision; the nearest name that may be called is check_key"
    )
    assert why("delete_key") == "delete_key was not offered in this decision; find it with find_tools first"
    assert why("rotate_key") == "rotate_key was not offered in this decision", "it is elsewhere, and no slip of the pen"
    assert why("xyz") == "xyz was not offered in this decision"
    assert "the nearest name" in why("rotate_key", known=(CHECK,)), "what this actor may not use reads as invented"
