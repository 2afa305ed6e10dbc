"""What code in the sandbox has: `tools.search` and `tools.call`, over two pipes.

This file is given to the sandbox and run there; nothing of the engine is in reach of it.
"""

import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import IO, Any


class ToolError(Exception):
    """A call that was refused or failed; `rule` names why."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(f"{rule}: {why}")
        self.rule = rule


class Tools(ModuleType):
    """The tools that this code may use; `import tools` gives them as well."""

    def __init__(self, asks: IO[Any], answers: IO[Any]) -> None:
        super().__init__("tools")
        self._asks, self._answers = asks, answers
        self.ToolError = ToolError

    def search(self, query: str, limit: int = 5) -> Sequence[Mapping[str, Any]]:
        """The tools that fit best, each with name, description and input_schema."""
        found: Sequence[Mapping[str, Any]] = self._asked({"search": str(query), "limit": int(limit)})["found"]
        return found

    def call(self, name: str, arguments: Mapping[str, Any] | None = None, **named: Any) -> Any:
        """What a tool gave, as a dict. ToolError where it was refused or failed."""
        said = self._asked({"call": str(name), "arguments": {**(arguments or {}), **named}})
        if said.get("status") not in ("ok", "fallback"):
            raise ToolError(said.get("rule", "failed"), said.get("note", ""))
        return said["result"]

    def _asked(self, message: Mapping[str, Any]) -> Any:
        self._asks.write(json.dumps(message) + "\n")
        self._asks.flush()
        line = self._answers.readline()
        if not line:
            raise SystemExit("the engine has ended this code")
        return json.loads(line)


def main() -> None:
    """Runs the code beside this file."""
    tools = Tools(*(os.fdopen(int(each), mode) for each, mode in zip(sys.argv[-2:], "wr", strict=True)))
    sys.modules["tools"] = tools
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "code.txt"), encoding="utf-8") as file:
        code = file.read()
    sys.argv[1:] = []
    try:
        exec(compile(code, "code", "exec"), {"__name__": "__main__", "tools": tools, "ToolError": ToolError})
    except SystemExit:
        raise
    except BaseException as error:
        lines = traceback.format_exception(error)
        print("".join([lines[0], *(line for line in lines[1:] if __file__ not in line)]), end="", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
