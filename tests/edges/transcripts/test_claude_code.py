"""Claude Code's rows as events: responses over several rows, forks that take nothing back, rewinds, compactions."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callsheet.model.transcript import Began, Called, Ended, Event, Replaced, Reported, Said

from .replayed import fates, only, read, used, windows

Row = dict[str, Any]


class Log:
    """Writes rows as Claude Code does, each with a uuid and its parent's."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.tip: str | None = None

    def add(self, kind: str, parent: Any = "tip", **fields: Any) -> str:
        uuid = f"u{len(self.rows)}"
        over = self.tip if parent == "tip" else parent
        row = {"type": kind, "uuid": uuid, "parentUuid": over, "sessionId": "s", "isSidechain": False, **fields}
        self.rows.append({"timestamp": "2026-01-01T00:00:00.000Z", **row})
        self.tip = uuid
        return uuid

    def prompt(self, text: str, parent: Any = "tip", **fields: Any) -> str:
        return self.add("user", parent, message={"role": "user", "content": text}, **fields)

    def part(self, response: str, block: Row, parent: Any = "tip", output: int = 1, **fields: Any) -> str:
        usage = {
            "input_tokens": 3,
            "cache_read_input_tokens": 10,
            "cache_creation_input_tokens": 5,
            "output_tokens": output,
        }
        message = {"id": response, "model": "claude-x", "role": "assistant", "content": [block], "usage": usage}
        return self.add("assistant", parent, message=message, requestId="q", **fields)

    def result(self, call: str, parent: str, **fields: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": "done"}
        return self.add("user", parent, message={"role": "user", "content": [block]}, **fields)

    def read(self) -> list[Event]:
        return read(self.rows, "claude-code")


def said(text: str) -> Row:
    return {"type": "text", "text": text}


def call(name: str) -> Row:
    return {"type": "tool_use", "id": name, "name": "Read", "input": {"file_path": "/a"}}


def test_rows_of_one_response_are_one_call_whose_last_usage_counts() -> None:
    log = Log()
    log.prompt("hello")
    log.part("m1", said("one"), output=1)
    log.part("m1", said("two"), output=40)
    found = log.read()
    assert [each.response for each in only(found, Called)] == ["m1"]
    assert [each.response for each in only(found, Said)] == ["", "m1", "m1"]
    assert (used(found).input, used(found).cached_read, used(found).cache_write, used(found).output) == (3, 10, 5, 40)


def test_parallel_results_fork_the_tree_and_take_nothing_back() -> None:
    log = Log()
    log.prompt("hello")
    first = log.part("m1", call("a"))
    second = log.part("m1", call("b"))
    log.result("b", second)
    log.result("a", first)
    log.part("m2", said("end"))
    assert windows(log.read())["m2"] == ["hello", "[a]", "[b]", ">b", ">a"]


def test_a_call_that_streams_in_after_the_first_result_stays_in_its_response() -> None:
    log = Log()
    log.prompt("hello")
    first = log.part("m1", call("a"))
    hook = log.add("progress", data={"type": "hook_progress"})
    log.result("a", first)
    second = log.part("m1", call("b"), parent=hook)
    log.result("b", second)
    log.part("m2", said("end"))
    found = log.read()
    assert not only(found, Replaced)
    assert windows(found)["m2"] == ["hello", "[a]", ">a", "[b]", ">b"]


def test_a_prompt_before_an_earlier_one_takes_back_what_came_since() -> None:
    log = Log()
    log.prompt("one")
    before = log.part("m1", said("first"))
    log.prompt("two")
    log.part("m2", said("second"))
    hook = log.add("progress", parent=before, data={})
    log.prompt("other", parent=hook)
    log.part("m3", said("third"))
    found = log.read()
    assert [(each.change, each.kept) for each in only(found, Replaced)] == [("rewind", 2)]
    assert windows(found)["m3"] == ["one", "first", "other"]


def test_a_prompt_edited_before_any_answer_takes_the_first_one_back() -> None:
    log = Log()
    log.prompt("one")
    before = log.part("m1", said("first"))
    log.prompt("tow")
    log.prompt("two", parent=before)
    log.part("m2", said("second"))
    assert windows(log.read())["m2"] == ["one", "first", "two"]


def test_a_response_tried_again_replaces_the_one_before() -> None:
    log = Log()
    asked = log.prompt("one")
    log.part("m1", said("broken"))
    log.part("m2", said("whole"), parent=asked)
    assert windows(log.read())[""] == ["one", "whole"]


def test_a_prompt_without_a_parent_in_a_linked_file_begins_anew() -> None:
    log = Log()
    log.prompt("one", parent=None)
    log.part("m1", said("first"))
    log.prompt("anew", parent=None)
    found = log.read()
    assert [each.change for each in only(found, Replaced)] == ["new-conversation"]
    assert windows(found)[""] == ["anew"]


def test_rows_that_are_never_linked_follow_one_another() -> None:
    log = Log()
    for text in ("one", "two"):
        log.prompt(text, parent=None)
        log.part(f"m-{text}", said("yes"), parent=None)
    assert windows(log.read())[""] == ["one", "yes", "two", "yes"]


def test_a_compaction_leaves_the_summary_alone_and_late_results_do_not_undo_it() -> None:
    log = Log()
    log.prompt("one")
    waiting = log.part("m1", call("a"))
    log.add("system", None, subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9})
    log.prompt("In short: one.", isCompactSummary=True)
    log.result("a", waiting)
    log.part("m2", said("on"))
    found = log.read()
    (cut,) = only(found, Replaced)
    assert (cut.change, cut.kept, cut.facts["trigger"]) == ("compaction", 0, "auto")
    assert windows(found)["m2"] == ["In short: one.", ">a"]
    assert [each.speaker for each in only(found, Said)] == ["person", "model", "summary", "tool", "model"]


def test_a_result_that_comes_rounds_later_takes_nothing_back() -> None:
    log = Log()
    log.prompt("one")
    slow = log.part("m1", call("a"))
    log.prompt("two")
    log.part("m2", said("second"))
    log.result("a", slow)
    assert windows(log.read())[""] == ["one", "[a]", "two", "second", ">a"]


def test_a_row_that_hangs_on_what_a_compaction_took_away_goes_on_at_the_end() -> None:
    log = Log()
    old = log.prompt("one")
    log.part("m1", said("first"))
    log.add("system", None, subtype="compact_boundary")
    log.prompt("sum", isCompactSummary=True)
    log.prompt("two")
    log.part("m2", said("second"))
    log.prompt("three", parent=old)
    assert windows(log.read())[""] == ["sum", "two", "second", "three"]


def test_a_summary_without_a_boundary_is_a_compaction_too() -> None:
    log = Log()
    log.prompt("one")
    log.prompt("In short.", isCompactSummary=True)
    assert windows(log.read())[""] == ["In short."]


def test_what_a_compaction_preserves_stands_again_behind_its_anchor() -> None:
    for anchored, expected in (("summary", ["sum", "two", "second"]), ("boundary", ["two", "second", "sum"])):
        log = Log()
        log.prompt("one")
        log.part("m1", said("first"))
        kept = [log.prompt("two"), log.part("m2", said("second"))]
        anchor = "u4" if anchored == "boundary" else "u5"
        segment = {"headUuid": kept[0], "anchorUuid": anchor, "tailUuid": kept[1]}
        log.add("system", None, subtype="compact_boundary", compactMetadata={"preservedSegment": segment})
        log.prompt("sum", isCompactSummary=True)
        log.prompt("three", parent=kept[1])
        log.part("m3", said("third"))
        found = log.read()
        assert windows(found)["m3"] == [*expected, "three"]
        assert [each.again for each in only(found, Said)].count(True) == 2


def test_side_chains_are_conversations_of_their_own() -> None:
    log = Log()
    log.prompt("main")
    main = log.part("m1", call("task"))
    log.prompt("sub one", parent=None, isSidechain=True)
    log.part("s1", said("found"), isSidechain=True)
    log.prompt("sub two", parent=None, isSidechain=True, agentId="agent-2")
    log.part("s2", said("found too"), isSidechain=True, agentId="agent-2")
    log.result("task", main)
    log.part("m2", said("end"))
    found = log.read()
    assert [(each.thread, each.parent) for each in only(found, Began)] == [("", None), ("u2", ""), ("agent-2", "")]
    assert windows(found)["m2"] == ["main", "[task]", ">task"]
    assert windows(found, "u2")[""] == ["sub one", "found"]
    assert {each.thread for each in only(found, Ended)} == {"", "u2", "agent-2"}


def test_a_sub_agents_own_file_is_one_main_conversation() -> None:
    log = Log()
    log.prompt("sub", parent=None, isSidechain=True, agentId="x")
    log.part("s1", said("found"), isSidechain=True, agentId="x")
    found = log.read()
    assert [(each.thread, each.parent) for each in only(found, Began)] == [("", None)]
    assert windows(found)[""] == ["sub", "found"]


def test_only_what_a_person_typed_is_a_persons() -> None:
    log = Log()
    log.prompt("typed")
    log.prompt("skill text", isMeta=True)
    log.prompt("<task-notification>done</task-notification>")
    log.prompt("[Request interrupted by user]")
    log.prompt("from a task", origin={"kind": "task-notification"})
    log.prompt("<command-name>/review</command-name>")
    queued = {"type": "queued_command", "prompt": "and this", "commandMode": "prompt"}
    log.add("attachment", attachment=queued)
    speakers = [each.speaker for each in only(log.read(), Said)]
    assert speakers == ["person", "harness", "harness", "harness", "harness", "person", "person"]


def test_attachments_are_context_that_is_not_shown_unless_the_model_never_sees_them() -> None:
    log = Log()
    log.prompt("hello")
    memory = {"type": "nested_memory", "path": "/CLAUDE.md", "content": {"path": "/CLAUDE.md", "content": "Be brief."}}
    log.add("attachment", attachment=memory)
    log.add("attachment", attachment={"type": "file", "content": {"type": "text", "file": {"content": "x = 1"}}})
    log.add("attachment", attachment={"type": "hook_success", "hookEvent": "Stop", "content": "unheard"})
    log.add("attachment", attachment={"type": "hook_success", "hookEvent": "SessionStart", "content": "heard"})
    tools = {"type": "deferred_tools_delta", "addedNames": ["WebFetch"], "addedLines": ["WebFetch"], "removedNames": []}
    log.add("attachment", attachment=tools)
    _, first, second, third, fourth = only(log.read(), Said)
    assert (first.message.text, first.facts["kinds"], first.shown) == ("Be brief.", {0: "memory"}, False)
    assert (second.message.text, second.facts["kinds"]) == ("x = 1", {0: "evidence"})
    assert third.message.text == "heard"
    assert fourth.facts["deferred_tools"] == {"added": ["WebFetch"], "removed": []}


def test_results_carry_what_the_harness_noted_and_the_exit_code() -> None:
    log = Log()
    log.prompt("hello")
    good, bad = log.part("m1", call("a")), log.part("m1", call("b"))
    log.result("a", good, toolUseResult={"stdout": "ok", "stderr": "", "interrupted": False}, cwd="/w")
    log.result("b", bad, toolUseResult="Error: Exit code 2\nno such file")
    first, second = only(log.read(), Said)[-2:]
    assert first.facts["cwd"] == "/w"
    assert (first.facts["results"]["a"]["stdout"], first.facts["exit_code"]) == ("ok", 0)
    assert second.facts["exit_code"] == 2


def test_an_error_in_place_of_a_response_is_a_call_that_leaves_nothing_behind() -> None:
    log = Log()
    log.prompt("hello")
    log.add("system", subtype="api_error", error={"status": 529, "error": {"error": {"message": "Overloaded"}}})
    text = {
        "role": "assistant",
        "model": "<synthetic>",
        "content": [said("API Error: 529")],
        "usage": {"input_tokens": 0},
    }
    log.add("assistant", message=text, isApiErrorMessage=True)
    found = log.read()
    assert [each.error for each in only(found, Called)] == ["Overloaded", "API Error: 529"]
    assert windows(found)[""] == ["hello"]
    assert not only(found, Reported)


def test_every_row_has_its_fate_and_the_last_title_a_person_gave_names_the_session() -> None:
    log = Log()
    log.prompt("hello")
    rows: list[Any] = [
        *log.rows,
        "words",
        {"type": "novelty", "uuid": "n"},
        {"type": "user", "message": "error", "uuid": "x"},
        {"type": "custom-title", "customTitle": "Mine"},
        {"type": "ai-title", "aiTitle": "Made"},
        {
            "type": "user",
            "sessionId": "s",
            "uuid": "y",
            "message": {"role": "user", "content": ["odd", {"type": "new"}]},
        },
    ]
    found = read(rows, "claude-code")
    kinds = ["user", "str", "novelty", "user", "custom-title", "ai-title", "user"]
    kept = ["kept", "unknown", "unknown", "unknown", "kept", "kept", "kept"]
    assert fates(found) == list(zip(range(7), kept, kinds, strict=True))
    assert only(found, Ended)[0].facts["title"] == "Mine"


@st.composite
def sessions(draw: st.DrawFn) -> tuple[list[Row], dict[str, list[str]]]:
    """A session of prompts, parallel calls, rewinds and compactions, with the window at each of its calls."""
    log, truth = Log(), dict[str, list[str]]()
    window: list[str] = []
    prompts: list[tuple[int, str | None]] = []
    log.add("progress", parent=None, data={"type": "hook_progress", "hookEvent": "SessionStart"})
    for step in range(draw(st.integers(1, 12))):
        action = draw(st.sampled_from(["prompt", "respond", "respond", "rewind", "compact"]))
        if action == "compact" and len(window) > 1:
            log.add("system", None, subtype="compact_boundary")
            window, prompts = [f"sum{step}"], []
            log.prompt(f"sum{step}", isCompactSummary=True)
        elif action == "rewind" and prompts:
            at = draw(st.integers(0, len(prompts) - 1))
            length, parent = prompts[at]
            del prompts[at:], window[length:]
            prompts.append((length, parent))
            log.prompt(f"p{step}", parent=parent)
            window.append(f"p{step}")
        elif action == "respond" and window:
            truth[f"m{step}"] = list(window)
            calls = draw(st.integers(0, 3))
            window.append("text")
            log.part(f"m{step}", said("text"))
            rows = []
            for number in range(calls):
                name = f"c{step}-{number}"
                rows.append((name, log.part(f"m{step}", call(name))))
                window.append(f"[{name}]")
                if draw(st.booleans()):
                    log.add("progress", data={})
            for name, row in draw(st.permutations(rows)):
                log.result(name, row)
                window.append(f">{name}")
        else:
            prompts.append((len(window), log.tip))
            log.prompt(f"p{step}")
            window.append(f"p{step}")
    return log.rows, {**truth, "": window}


@given(sessions())
def test_the_window_at_each_call_is_what_the_session_had_there(session: tuple[list[Row], dict[str, list[str]]]) -> None:
    rows, truth = session
    found = read(rows, "claude-code")
    assert windows(found) == truth
    assert [index for index, _, _ in fates(found)] == list(range(len(rows)))
