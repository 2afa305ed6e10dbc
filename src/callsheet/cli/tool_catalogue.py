"""`tools lint` and `tools cost`: a catalogue looked at as a whole."""

from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console

from ..core.diagnose.tools.names import nearest
from ..core.documents.convert import listed
from ..core.tools.cost import costs, unused
from ..core.tools.lint import lint_catalogue, lint_contracts
from ..edges.catalogues import read_catalogue
from ..edges.counters.estimate import EstimateCounter
from ..edges.project.folder import read_project
from ..host.tools.sources import with_served
from ..host.wiring import known_model, open_counter, own_weights
from ..model.tool import ListedTool
from ..ports import Counter as Counting
from ..ports import StoredRequest
from .group import Settings
from .output import emit, fail_unless, note, table
from .session import opened

RECORDED = 1_000
"""Requests on record that are looked through for calls, the newest."""


def checked(settings: Settings, catalogue: Path | None) -> None:
    """Prints the findings of a catalogue; ends with 1 where one is an error."""
    if catalogue is not None:
        tools: tuple[ListedTool, ...] = read_catalogue(catalogue)
        found = lint_catalogue(tools)
    else:
        contracts = with_served(read_project(settings.project)).contracts()
        tools = tuple(map(listed, contracts))
        found = (*lint_catalogue(tools), *lint_contracts(contracts))
    counts = Counter(each.severity for each in found)
    document = {"tools": len(tools), "errors": counts["error"], "warnings": counts["warning"], "findings": found}
    emit(settings, document, _print_findings)
    fail_unless(not counts["error"])


def _print_findings(console: Console, document: dict[str, Any]) -> None:
    told = [each for each in document["findings"] if each["severity"] != "note"]
    for each in told:
        console.print(f"{each['severity']}: {each['message']}; {each['fix']} [{each['rule']}]")
    notes = Counter(each["rule"] for each in document["findings"] if each["severity"] == "note")
    said = ", ".join(f"{count} {rule}" for rule, count in notes.items())
    console.print(
        f"{document['tools']} tools, {len(told)} findings{f'; notes, listed by --json: {said}' if said else ''}"
    )


def counted(settings: Settings, catalogue: Path | None) -> None:
    """Prints what each definition takes of a request, and what of it was never called."""
    calls: Counter[str] | None = None
    invented: dict[str, str | None] = {}
    if catalogue is not None:
        counter: Counting = EstimateCounter()
        rows = costs(read_catalogue(catalogue), counter.count)
    else:
        with opened(settings) as (host, ctx):
            counter = open_counter(known_model(host.folder), own_weights(host.folder))
            tools = tuple(map(listed, host.folder.contracts()))
            calls, invented = _recorded(host.recent(ctx, RECORDED), [each.name for each in tools])
            rows = costs(tools, counter.count, calls)
    document = {
        "tools": rows,
        "total": sum(each.tokens for each in rows),
        "basis": counter.name,
        "calls": None if calls is None else calls.total(),
        "unused": unused(rows),
        "unused_tokens": sum(each.tokens for each in rows if each.name in unused(rows)),
        "invented": [{"name": name, "nearest": close} for name, close in invented.items()],
    }
    emit(settings, document, _print_costs)


def _recorded(found: tuple[StoredRequest, ...], known: list[str]) -> tuple[Counter[str], dict[str, str | None]]:
    """How often each name was called in these requests, and the names that no tool has."""
    steps = (each.step for each in found if each.step is not None)
    called = Counter(record.call.tool for step in steps for record in step.calls)
    return called, {name: nearest(name, known) for name in sorted(called) if name not in known}


def _print_costs(console: Console, document: dict[str, Any]) -> None:
    columns = ("name", "server", "tokens", "description", "schema", "calls")
    table(console, columns, [[each[key] for key in columns] for each in document["tools"]])
    console.print(f"{document['total']} tokens in each request that carries them all ({document['basis']})")
    if document["unused"]:
        console.print(f"never called, {document['unused_tokens']} tokens: {', '.join(document['unused'])}")
    for each in document["invented"]:
        close = f"; the nearest is {each['nearest']}" if each["nearest"] else ""
        note(f"the model called {each['name']}, which does not exist{close}")
