"""Programs in the sandbox, driven: what came of one as a result, and code that waits for its calls (D6, D8)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.text.hidden import cleaned
from ..errors import UsageError
from ..model.effect import Proceed, Proceeded
from ..model.sandbox import Program, Ran
from ..model.tool import Observation, RawResult, ToolCall, ToolContract
from ..ports import RunningProgram, Sandbox

TOLD = 2_000
"""Characters of what a program printed last that the model is told where it failed."""
MOST_FOUND = 20
MOST_SEARCHES = 100
"""Searches that code may make before it calls something: they take our time, and not its own."""

Find = Callable[[str, int, Sequence[ToolContract]], Sequence[str]]
"""The names of the tools that fit a request best, best first, of these."""


def result_of(ran: Ran) -> RawResult:
    """What a program came to, as a tool's result: what it printed, or how it failed with the end of that.

    What it printed is foreign: nothing in it is hidden, or obeyed by a terminal.
    """
    said = cleaned(ran.output).text
    if ran.ended == "ok":
        return RawResult({"printed": said})
    code = f" with exit code {ran.exit_code}" if ran.ended == "failed" else ""
    return RawResult(failure=ran.ended, detail=f"it ended{code}; it printed: {said[-TOLD:] or 'nothing'}")


def run_through(sandbox: Sandbox, program: Program) -> RawResult:
    """The result of a program that asks nothing; why it was not run where it could not be."""
    try:
        running = sandbox.begin(program)
    except UsageError as error:
        return RawResult(failure="not-run", detail=str(error))
    while running.heard() is not None:
        pass
    return result_of(running.stop())


@dataclass
class CodeRuns:
    """Code of calls that are under way, by request and place of the call. It runs only while it is let on."""

    sandbox: Sandbox
    find: Find
    _running: dict[tuple[str, int], RunningProgram] = field(default_factory=dict)

    def proceed(self, effect: Proceed, contracts: Mapping[str, ToolContract]) -> Proceeded:
        """How far the code came: to its next call, or to its end."""
        key = effect.request_id, effect.call.index
        if effect.told is None:
            try:
                self._running[key] = self.sandbox.begin(_program(str(effect.call.arguments["code"])))
            except UsageError as error:
                return Proceeded(result=RawResult(failure="not-run", detail=str(error)))
        if (running := self._running.get(key)) is None:
            detail = "the process ended while the code was under way; propose it again"
            return Proceeded(result=RawResult(failure="stopped", detail=detail))
        if effect.stop:
            ran = self._running.pop(key).stop()
            return Proceeded(
                result=RawResult(failure="stopped", detail=f"{effect.stop}; it had printed: {cleaned(ran.output).text}")
            )
        if effect.told is not None:
            running.tell(told(effect.told))
        offered = [contracts[name] for name in effect.tools if name in contracts]
        call = self._next_call(running, offered)
        return Proceeded(call=call) if call is not None else Proceeded(result=result_of(self._running.pop(key).stop()))

    def _next_call(self, running: RunningProgram, offered: Sequence[ToolContract]) -> ToolCall | None:
        """The next call that the code makes; its searches are answered meanwhile. None where it has ended."""
        try:
            for _ in range(MOST_SEARCHES + 1):
                message = running.heard()
                if not isinstance(message, dict):
                    break
                if isinstance(name := message.get("call"), str) and isinstance(message.get("arguments"), dict):
                    return ToolCall(name, message["arguments"])
                if not isinstance(query := message.get("search"), str):
                    break
                limit = message.get("limit")
                most = min(MOST_FOUND, limit) if isinstance(limit, int) and limit > 0 else MOST_FOUND
                running.tell({"found": [_definition(each) for each in self._found(query, most, offered)]})
        except ValueError:
            pass  # what it said was no message, and it has been ended for that
        return None

    def _found(self, query: str, most: int, offered: Sequence[ToolContract]) -> Sequence[ToolContract]:
        by_name = {each.name: each for each in offered}
        return [by_name[name] for name in self.find(query, most, offered) if name in by_name][:most]

    def close(self) -> None:
        """Ends all code that is under way."""
        while self._running:
            self._running.popitem()[1].stop()


def told(observation: Observation) -> Mapping[str, Any]:
    """What code is told of its call."""
    return {
        "status": observation.status,
        "result": dict(observation.result),
        "rule": observation.rule,
        "note": observation.note,
    }


def _definition(contract: ToolContract) -> Mapping[str, Any]:
    return {"name": contract.name, "description": contract.description, "input_schema": contract.input_schema}


def _program(code: str) -> Program:
    inside = Path(__file__).with_name("inside.py").read_bytes()
    # Half a character in what a model wrote is a mistake that Python itself tells it of.
    files = {"inside.py": inside, "code.txt": code.encode(errors="replace")}
    return Program("inside.py", files, speaks=True)
