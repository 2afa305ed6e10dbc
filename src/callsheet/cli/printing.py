"""How a request and what became of it read on a terminal; every function prints one of the JSON shapes."""

import json
from collections.abc import Iterable, Mapping
from textwrap import shorten
from typing import Any

from rich.console import Console

from ..core.gate.answer import WITHHELD
from ..core.render.dialects import read_response
from .group import Settings
from .output import pairs, shown, table

Shape = dict[str, Any]
QUESTION_COLUMNS = 60


def print_record(console: Console, record: Shape, settings: Settings) -> None:
    """Prints a stored request: the manifest, then what became of it, and why it failed where it did."""
    print_request(console, record)
    step = record["step"] or {}
    console.print()
    pairs(
        console,
        [
            ("question", record["question"]),
            ("status", record["status"]),
            ("outcome", step.get("outcome")),
            answered(step.get("outcome"), step.get("answer")),
            *sources(step),
            ("next steps", step.get("next_steps")),
            ("error", record["error"]),
            ("reply", reply_text(record)),
            ("notes", step.get("notes")),
            ("usage", record["usage"]),
            ("deleted", record["deleted"]),
        ],
    )
    print_calls(console, step.get("tool_calls", ()), settings)
    print_verdicts(console, step.get("verdicts", ()), step.get("tool_calls", ()))


def answered(outcome: str | None, text: Any) -> tuple[str, Any]:
    """What was said to the person, under the name of what it is: a question back is no answer."""
    return ("asks" if outcome == "asked" else "answer", text)


def sources(step: Shape) -> list[tuple[str, Any]]:
    """A step's sources under the name of what they are the sources of: its answer, or what stands in for one."""
    if step.get("fallback"):
        return [("fallback", step["fallback"]), ("sources of the fallback", step["sources"])]
    return [("sources", step.get("sources"))]


def reply_text(record: Shape) -> str | None:
    """The model's own words and calls, the whole body where it is no reply of the dialect; None where there is none."""
    if not record["reply"]:
        return None
    try:
        message = read_response(record["reply"].encode(), record["dialect"]).message
    except ValueError:
        return str(record["reply"])
    called = [f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}" for call in message.calls]
    return "\n".join(part for part in (message.text, *called) if part)


def print_calls(console: Console, calls: Iterable[Shape], settings: Settings, waiting: bool = True) -> None:
    """Prints each proposed tool call with its verdict and what became of it; `waiting`, and how to approve it."""
    for call in calls:
        verdict, approval_id = call["verdict"], call.get("approval_id")
        console.print()
        pairs(
            console,
            [
                ("tool call", call["name"]),
                ("arguments", call["arguments"]),
                ("verdict", f"{verdict['outcome']} ({verdict['rule']}): {verdict['why']}"),
                ("question", verdict.get("question")),
                ("status", call["status"]),
                ("artifact", call["artifact_ref"]),
                ("approve with", settings.command("approve", approval_id) if approval_id and waiting else None),
            ],
        )


def print_verdicts(console: Console, verdicts: Iterable[Shape], calls: Iterable[Shape] = ()) -> None:
    """Prints what was refused or asked, by which rule and why; a call's own verdict stands with the call."""
    above = [call["verdict"] for call in calls]
    refused = [verdict for verdict in verdicts if verdict["outcome"] != "allow" and verdict not in above]
    if refused:
        console.print()
    table(
        console,
        ("judged", "outcome", "rule", "why"),
        [[_judged(verdict), verdict["outcome"], verdict["rule"], verdict["why"]] for verdict in refused],
    )


def _judged(verdict: Shape) -> Any:
    """What was judged; of a sentence that was withheld only that it was, or a person would read it here after all."""
    return f"[withheld: {verdict['rule']}]" if verdict["rule"] in WITHHELD else verdict.get("subject")


def print_request(console: Console, request: Shape) -> None:
    """Prints a manifest: one line per item in body order, then what stayed out and why."""
    counted = f"{request['total_input_tokens']} in all ({request['token_basis']})"
    packed = f"packed {request['used']} of {request['budget']}"
    pairs(
        console,
        [
            ("request", request["request_id"]),
            ("tenant", request["tenant_id"]),
            ("decision", request["decision"]),
            ("model", f"{request['model']} ({request['dialect']})"),
            ("policy", request["policy"]),
            ("tokens", f"{counted}; {packed}"),
            ("notes", request["notes"]),
        ],
    )
    console.print()
    received = ("kind", "item", "source", "trust", "version", "tokens", "utility", "bytes")
    rows = [
        [i["kind"], i["item_id"], origin(i), i["trust"], i["version"], i["token_count"], worth(i), spans(i)]
        for i in request["items"]
    ]
    table(console, received, rows, "What the model received")
    if request["left_out"]:
        console.print()
    out = [
        [i["kind"], i["item_id"], origin(i), i["reason"], i["utility"], i["token_count"], i["detail"]]
        for i in request["left_out"]
    ]
    names = ("kind", "item", "source", "reason", "utility", "tokens", "detail")
    table(console, names, out, "What stayed out, and why")


def origin(item: Mapping[str, Any]) -> str | None:
    """An item's source, where the id and the version do not say it already."""
    item_id, source = item["item_id"], str(item["source"])
    said = item_id in (source, source.partition("@")[0]) or item_id.endswith(f"/{source}")
    return None if said else source


def worth(item: Mapping[str, Any]) -> str:
    """An item's utility, or that it was required and so never weighed."""
    return "required" if item["utility"] is None else shown(item["utility"])


def spans(item: Mapping[str, Any]) -> str:
    """The byte ranges of the body that an item fills."""
    return " ".join(f"{span['start']}-{span['end']}" for span in item["spans"])


def print_fields(console: Console, document: Mapping[str, Any]) -> None:
    """Prints a flat document as `name  value` lines."""
    pairs(console, [(name.replace("_", " "), value) for name, value in document.items()])


def print_requests(console: Console, document: Mapping[str, Any]) -> None:
    """Prints a line per request: its id, when, for which decision, how it ended, and what was asked."""
    rows = [
        [i["request_id"], i["created_at"][:19], i["decision"], i["outcome"] or i["status"], first_words(i["question"])]
        for i in document["requests"]
    ]
    table(console, ("request", "when", "decision", "outcome", "question"), rows)
    if not rows:
        console.print('this session has no request on record; make one: callsheet run "…"')


def first_words(text: str) -> str:
    """The beginning of a text, cut between words, on one line."""
    return shorten(text, QUESTION_COLUMNS, placeholder=" …")


def print_difference(console: Console, document: Mapping[str, Any]) -> None:
    """Prints what differs between two requests, or that nothing does."""
    if document["identical"]:
        console.print("identical: the same items in the same order, and the same bytes")
    print_fields(console, {name: value for name, value in document.items() if name != "identical"})


def print_blame(console: Console, document: Mapping[str, Any]) -> None:
    """Prints which of the five was missing, that none was, or that nothing failed; then the signs and the verdicts."""
    missing = document["missing"] or "none of the five (evidence, freshness, authority, state, policy)"
    pairs(
        console,
        [("request", document["request_id"]), ("outcome", document["outcome"]), ("missing", missing)],
    )
    if document["causes"]:
        console.print()
    names = ("missing", "rule", "item_id", "why")
    table(console, ("sign of", "rule", "item", "why"), [[each[name] for name in names] for each in document["causes"]])
    print_verdicts(console, document["verdicts"])
