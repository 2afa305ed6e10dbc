"""`read_artifact` in runs: a session reads back its own outputs in parts, and nobody else's."""

from pathlib import Path
from typing import Any

from callsheet import Host, RequestContext
from callsheet.host.host import Overrides, open_host
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel

PROJECT = """
[project]
name = "logs"
policy_version = "v1"

[decision.look]
purpose = "ops"
entry = true
allowlist = ["read_log", "read_artifact"]
proposals = ["calls", "answer"]
then = "look"
"""
TOOLS = '''
from callsheet import tool


@tool(effects="read", scope="logs")
def read_log(name: str) -> str:
    """Reads a log."""
    return "\\n".join(f"line {number}: " + ("panic" if number == 700 else "fine") for number in range(1, 1001))
'''
DONE = {"kind": "answer", "answer": "Line 700 says it."}


def session(actor: str = "ada", *grants: str) -> RequestContext:
    return RequestContext("acme", actor, actor, grants=grants or ("logs",))


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"kind": "calls", "calls": [{"tool": tool, "arguments": arguments}]}


def opened(folder: Path, *replies: Any) -> Host:
    (folder / "callsheet.toml").write_text(PROJECT)
    (folder / "tools.py").write_text(TOOLS)
    return open_host(folder, folder / "data", Overrides(model=ScriptedModel(SCRIPTED, replies), clock=FixedClock()))


def test_what_a_window_cuts_is_found_by_a_search_and_read_by_its_lines(tmp_path: Path) -> None:
    found: list[Any] = []

    def reply(body: bytes) -> Any:
        found.append(body)
        reference = f"toolrun://{host_run[0]}.1/1" if host_run else ""
        steps = [
            call("read_log", name="app"),
            call("read_artifact", reference=reference, search="PANIC"),
            call("read_artifact", reference=reference, first_line=699, last_line=701),
            DONE,
        ]
        return steps[len(found) - 1]

    host_run: list[str] = []
    (tmp_path / "callsheet.toml").write_text(PROJECT)
    (tmp_path / "tools.py").write_text(TOOLS)
    overrides = Overrides(model=ScriptedModel(SCRIPTED, reply), clock=FixedClock(), token=lambda: "logs")
    with open_host(tmp_path, tmp_path / "data", overrides) as host:
        host_run.append(f"{FixedClock()():%Y%m%d-%H%M%S}-logs")
        result = host.run("What went wrong?", session())
        read = [step.calls[0].observation for step in result.steps[1:3]]
        assert [each.status for each in read] == ["ok", "ok"]
        assert {each.origins for each in read} == {("read_log",)}, "it is labelled as what it is a part of"
        assert read[0].result["found"] == 1 and read[0].result["text"].startswith("700: line 700: panic")
        assert read[1].result["text"].splitlines() == ["line 699: fine", "line 700: panic", "line 701: fine"]
        shown = host.show(result.request_ids[3], session()).manifest.items
        assert {each.trust for each in shown if each.kind == "observation"} == {"untrusted"}


def test_another_session_and_one_without_the_grant_read_nothing_in_the_same_words(tmp_path: Path) -> None:
    with opened(tmp_path, call("read_log", name="app"), DONE) as host:
        run_id = host.run("What went wrong?", session()).run_id
    reference = f"toolrun://{run_id}.1/1"
    said = set()
    for asking in (session("bob"), session("ada", "other"), session()):
        wrong = reference.replace("/1", "/9") if asking == session() else reference
        with opened(tmp_path, call("read_artifact", reference=wrong), DONE) as host:
            made = host.run("What went wrong?", asking).steps[0].calls[0].observation
        assert made.status == "failed" and "page-unknown" in made.note
        said.add(made.note.replace(wrong, "X"))
    assert len(said) == 1


def test_what_is_paged_back_in_is_still_labelled_as_what_it_is_a_part_of(tmp_path: Path) -> None:
    run_id = f"{FixedClock()():%Y%m%d-%H%M%S}-logs"
    steps = (
        call("read_log", name="app"),
        call("read_artifact", reference=f"toolrun://{run_id}.1/1", search="PANIC"),
        call("page_in", reference=f"toolrun://{run_id}.2/1"),
        DONE,
    )
    (tmp_path / "tools.py").write_text(TOOLS)
    paging = PROJECT.replace('"read_artifact"]', '"read_artifact", "page_in"]') + "\n[memory]\npaging = true\n"
    (tmp_path / "callsheet.toml").write_text(paging)
    overrides = Overrides(model=ScriptedModel(SCRIPTED, steps), clock=FixedClock(), token=lambda: "logs")
    with open_host(tmp_path, tmp_path / "data", overrides) as host:
        result = host.run("What went wrong?", session())
    assert [each.calls[0].observation.origins for each in result.steps[:3]] == [(), ("read_log",), ("read_log",)]
