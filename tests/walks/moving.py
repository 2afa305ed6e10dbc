"""A task of five items over several processes: tables are moved, each exactly once, and a scope list says which."""

import json
import os
import re
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from callsheet import Host, RequestContext
from callsheet.edges.stores.ledger import SqlLedger
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides
from callsheet.model.progress import Check, ScopeItem
from callsheet.testing import SCRIPTED, FixedClock, ScriptedModel
from callsheet.testing.scripted import Said

TABLES = ("orders", "users", "invoices", "sessions", "audit")
QUESTION = "Move every table of the scope list."
RUN = "20260715-120000-move"
ME = RequestContext("acme", "operator:o1", "o1")
SETTINGS = """
[project]
name = "move"
policy_version = "v1"

[session]
tenant = "acme"
actor = "operator:o1"
subject = "o1"

[model]
n_ctx = 8192
max_output = 300
timeout = 180

[gate]
confirm_effects = []

[ceilings]
decisions = 40
tokens = 400000

[memory]
paging = true

[decision.work]
entry = true
purpose = "moving"
allowlist = ["move_table", "count_rows", "complete_item", "log_progress", "write_scope"]
proposals = ["calls", "answer", "ask"]
instruction = "Decision: call the check of the item that the scope list names as next. Answer when none is open."
then = "report"

[decision.report]
purpose = "moving"
proposals = ["answer", "abstain"]
instruction = "Decision: answer the question in one sentence. Reply with one JSON object."

[decision.look]
purpose = "moving"
allowlist = ["count_rows", "page_out", "page_in"]
proposals = ["calls", "answer"]
instruction = "Decision: look."
then = "look"
"""
TOOLS = '''
"""Moves tables, and writes down each move that was made."""

from pathlib import Path
from typing import Literal

from typing_extensions import TypedDict

from callsheet import tool
from callsheet.conditions import one_of, same_as_argument

MOVED = Path(__file__).parent / "moved.txt"


class Moved(TypedDict):
    table: str
    status: Literal["moved"]


class Rows(TypedDict):
    table: str
    rows: str


@tool(effects="write", postconditions=[same_as_argument("table"), one_of("status", "moved")])
def move_table(table: Literal["orders", "users", "invoices", "sessions", "audit"]) -> Moved:
    """Moves one table to the new database."""
    with MOVED.open("a", encoding="utf-8") as file:
        file.write(f"{table}\\n")
    return {"table": table, "status": "moved"}


@tool(effects="read", postconditions=[])
def count_rows(table: str) -> Rows:
    """Lists the rows of a table."""
    return {"table": table, "rows": f"<b>{table}</b> row, row \\u00e9, " * 8}
'''


def project(folder: Path) -> Path:
    """The project of the task, written once per folder."""
    here = folder / "move"
    if not here.exists():
        here.mkdir(parents=True)
        (here / "callsheet.toml").write_text(SETTINGS, encoding="utf-8")
        (here / "tools.py").write_text(TOOLS, encoding="utf-8")
    return here


def moved(folder: Path) -> list[str]:
    """The tables that were moved, in order, as often as each was."""
    log = project(folder) / "moved.txt"
    return log.read_text(encoding="utf-8").split() if log.exists() else []


def opened(folder: Path, replies: Sequence[Said] | Callable[[bytes], Said], token: str = "move") -> Host:
    """A host of the task over the folder's data, in this process."""
    overrides = Overrides(model=ScriptedModel(SCRIPTED, replies), clock=FixedClock(), token=lambda: token)
    return open_host(project(folder), folder / "data", overrides)


def scope() -> list[ScopeItem]:
    """An item for each table, verified by the tool that moves it."""
    return [ScopeItem("", f"move {each}", check=Check("move_table", {"table": each})) for each in TABLES]


def move(table: str) -> dict[str, Any]:
    """A proposal to move a table."""
    return {"kind": "calls", "calls": [{"tool": "move_table", "arguments": {"table": table}}]}


def worker(body: bytes) -> Said:
    """A model that knows nothing but its window: it does the next open item, and answers when there is none."""
    text = json.loads(body)["messages"]
    said = "\n".join(each["content"] for each in text)
    following = re.search(r"next: item (\d+)", said)
    if following is None:
        return {"kind": "answer", "answer": "All tables are moved.", "sources": [], "next_steps": []}
    return move(TABLES[int(following.group(1)) - 1])


def begin(folder: Path) -> None:
    """The start session: it writes the scope list and does the work."""
    with opened(folder, worker) as host:
        host.restart.begin(scope(), ME)
        host.run(QUESTION, ME)


def go_on(folder: Path) -> None:
    """A later session: a new process, with the run's id and nothing else."""
    with opened(folder, worker) as host:
        host.run(ctx=ME, resume=RUN)


def in_child(part: Callable[[Path], None], folder: Path) -> int:
    """The status of a process of its own that does a part."""
    child = os.fork()
    if child == 0:
        part(folder)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def dies_after(items: int, part: Callable[[Path], None]) -> Callable[[Path], None]:
    """The part, killed as soon as so many of its calls were observed and journalled."""

    def armed(folder: Path) -> None:
        write, seen = SqlLedger.write, []

        def writing(self: SqlLedger, request_id: str, effect: Any, answer: Any) -> None:
            write(self, request_id, effect, answer)
            seen.extend([effect] if type(effect).__name__ == "Observed" else [])
            if len(seen) == items:
                os.kill(os.getpid(), signal.SIGKILL)

        SqlLedger.write = writing  # type: ignore[method-assign]
        part(folder)

    return armed
