"""`show`, `why`, `diff`, `replay`, `blame`: reading what the ledger wrote."""

from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console

from .group import Settings, common
from .output import emit, fail_unless, pairs, shown, table
from .session import opened
from .shapes import show_json


@click.command(short_help="Show the record of one request.")
@click.argument("request_id", metavar="ID")
@common
@click.pass_obj
def show(settings: Settings, request_id: str) -> None:
    """Show the record of request ID: its manifest, what stayed out, the reply and what became of it."""
    with opened(settings) as (host, ctx):
        stored = host.show(request_id, ctx)
    emit(settings, show_json(stored), print_record)


def print_record(console: Console, record: dict[str, Any]) -> None:
    """Prints a stored request: the manifest, then what became of it."""
    print_request(console, record)
    step = record["step"] or {}
    console.print()
    pairs(
        console,
        [
            ("status", record["status"]),
            ("outcome", step.get("outcome")),
            ("answer", step.get("answer")),
            ("sources", step.get("sources")),
            ("error", record["error"]),
            ("usage", record["usage"]),
            ("deleted", record["deleted"]),
        ],
    )
    for call in step.get("tool_calls", ()):
        pairs(
            console,
            [
                (
                    "tool call",
                    f"{call['name']}: {call['verdict']['outcome']} ({call['verdict']['rule']}), {call['status']}",
                )
            ],
        )


def print_request(console: Console, request: dict[str, Any]) -> None:
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
    rows = [
        [i["kind"], i["source"], i["trust"], i["version"], i["token_count"], worth(i), spans(i)]
        for i in request["items"]
    ]
    table(
        console, ("kind", "source", "trust", "version", "tokens", "utility", "bytes"), rows, "What the model received"
    )
    if request["left_out"]:
        console.print()
    out = [
        [i["kind"], i["source"], i["reason"], i["utility"], i["token_count"], i["detail"]] for i in request["left_out"]
    ]
    table(console, ("kind", "source", "reason", "utility", "tokens", "detail"), out, "What stayed out, and why")


def worth(item: Mapping[str, Any]) -> str:
    """An item's utility, or that it was required and so never weighed."""
    return "required" if item["utility"] is None else shown(item["utility"])


def spans(item: Mapping[str, Any]) -> str:
    """The byte ranges of the body that an item fills."""
    return " ".join(f"{span['start']}-{span['end']}" for span in item["spans"])


@click.command(short_help="Say which item put a byte there, or why an item is not there.")
@click.argument("request_id", metavar="ID")
@click.option("--byte", type=click.IntRange(min=0), metavar="N", help="A byte of the body, counted from 0.")
@click.option("--item", metavar="X", help="An item's id.")
@common
@click.pass_obj
def why(settings: Settings, request_id: str, byte: int | None, item: str | None) -> None:
    """Say which item put a byte of request ID there and why, or why an item is not in it."""
    if (byte is None) == (item is None):
        raise click.UsageError("Give --byte or --item; one of the two.")
    with opened(settings) as (host, ctx):
        found = host.why(request_id, ctx, byte=byte, item=item)
    emit(settings, found, print_fields)


def print_fields(console: Console, document: Mapping[str, Any]) -> None:
    """Prints a flat document as `name  value` lines."""
    pairs(console, [(name.replace("_", " "), value) for name, value in document.items()])


@click.command(short_help="Say what differs between two requests.")
@click.argument("first", metavar="ID")
@click.argument("second", metavar="ID")
@common
@click.pass_obj
def diff(settings: Settings, first: str, second: str) -> None:
    """Say what was added, removed and moved between two requests, and where and why their bytes differ first."""
    with opened(settings) as (host, ctx):
        found = host.diff(first, second, ctx)
    emit(settings, found, print_fields)


@click.command(short_help="Make a recorded request again and compare it byte for byte.")
@click.argument("request_id", metavar="ID")
@common
@click.pass_obj
def replay(settings: Settings, request_id: str) -> None:
    """Make request ID again from its journal and stored policy; exit with 1 unless bytes and verdicts are equal."""
    with opened(settings) as (host, ctx):
        found = host.replay(request_id, ctx)
    emit(settings, found, print_fields)
    fail_unless(bool(found["identical"]))


@click.command(short_help="Say which of five things a failed request was missing.")
@click.argument("request_id", metavar="ID")
@click.option("--require", multiple=True, metavar="SOURCE", help="A source it should have had; repeatable.")
@common
@click.pass_obj
def blame(settings: Settings, request_id: str, require: tuple[str, ...]) -> None:
    """Say which of evidence, freshness, authority, state and policy request ID was missing, by which signs."""
    with opened(settings) as (host, ctx):
        found = host.blame(request_id, ctx, require)
    emit(settings, found, print_fields)
