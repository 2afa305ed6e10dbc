"""`state`: the canonical task state, which the application owns and the model only narrates (B2, C10)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

import click
from rich.console import Console

from ..core.restart.tools import COMPLETE, items_of
from ..host.host import Host
from ..host.restart import RestartDesk
from ..model.request import RequestContext
from ..model.task import TaskState
from ..model.verdict import Verdict
from .group import Settings, Suggesting, common, text_of
from .output import emit, note, table
from .printing import print_fields
from .session import opened

TEXTS, LISTS, MAPPINGS = (
    ("goal", "phase", "tests"),
    ("completed", "pending_approvals", "artifacts"),
    ("facts", "resources"),
)


OTHERS = ("version", "scope", "log")
"""Fields that `set` does not change: the list and the log have commands of their own, which ask for a verification."""


@click.group(cls=Suggesting, short_help="Show or change the canonical task state.")
@common
def state() -> None:
    """Show or change the canonical task state."""


@state.command(short_help="Show the state of this session's subject.")
@common
@click.pass_obj
def show(settings: Settings) -> None:
    """Show the state of this session's subject."""
    with opened(settings) as (host, ctx):
        found = host.stores(ctx).states.load(ctx.subject_id)
    emit(settings, found, print_state)


@state.command("set", short_help="Change fields of the state.")
@click.argument("assignments", nargs=-1, required=True, metavar="FIELD=VALUE…")
@common
@click.pass_obj
def set_(settings: Settings, assignments: tuple[str, ...]) -> None:
    """Change fields of the state; an empty value clears one.

    \b
    goal=TEXT phase=TEXT tests=TEXT                  one text
    completed=A,B pending_approvals=A artifacts=A    a list
    facts.plan=team                                  one authenticated value
    resources.account=A-123,A-124                    identifiers a tool call may name
    """
    with opened(settings) as (host, ctx):
        states = host.stores(ctx).states
        saved = states.save(ctx.subject_id, assigned(states.load(ctx.subject_id), assignments))
    emit(settings, saved, print_state)


@state.command(short_help="Write the scope list of a task.")
@click.argument("file", type=click.File("rb"), callback=text_of)
@common
@click.pass_obj
def begin(settings: Settings, file: str) -> None:
    """Write the scope list of a task from FILE, a JSON list; refused while an item of the old one is open.

    Each item has a text; where a tool verifies it, also tool, and where wanted arguments and result.
    """

    def begun(host: Host, desk: RestartDesk, ctx: RequestContext) -> TaskState | Verdict:
        if COMPLETE not in host.folder.own_contracts:
            note(f"no decision kind allows {COMPLETE}, so runs are not held to the list; docs/restart.md says how")
        return desk.begin(items_of(file, host.folder.tools_file.contracts), ctx)

    changed(settings, begun)


@state.command(short_help="Say as a person that an item of the scope list is done.")
@click.argument("item")
@common
@click.pass_obj
def approve(settings: Settings, item: str) -> None:
    """Say as the person of this session that ITEM of the scope list is done; the log names who said so."""
    changed(settings, lambda host, desk, ctx: desk.approve(item, ctx))


@state.command(short_help="Open a done item of the scope list again.")
@click.argument("item")
@click.argument("why")
@common
@click.pass_obj
def reopen(settings: Settings, item: str, why: str) -> None:
    """Open ITEM of the scope list again, and say WHY; what verified it does not count any more."""
    changed(settings, lambda host, desk, ctx: desk.reopen(item, why, ctx))


def changed(settings: Settings, change: Callable[[Host, RestartDesk, RequestContext], TaskState | Verdict]) -> None:
    """Prints the state after a change of the scope list; click.UsageError with the rule where it is refused."""
    with opened(settings) as (host, ctx):
        after = change(host, host.restart, ctx)
    if isinstance(after, Verdict):
        raise click.UsageError(f"{after.rule}: {after.why}")
    emit(settings, after, print_state)


def print_state(console: Console, document: Mapping[str, Any]) -> None:
    """Prints the fields, then the scope list and the log, a line for each item and each entry."""
    if not document["version"]:
        console.print("nothing is known of this session's subject yet")
        return
    print_fields(console, {name: value for name, value in document.items() if name not in ("scope", "log")})
    rows = [[i["item_id"], i["state"], i["text"], verified_by(i)] for i in document["scope"]]
    table(console, ("item", "state", "what", "verified by"), rows, "Scope list")
    lines = [[i["at"][:19] if i["at"] else "", i["session"], i["by"], i["what"]] for i in document["log"]]
    table(console, ("when", "session", "by", "what"), lines, "Progress log")


def verified_by(item: Mapping[str, Any]) -> str:
    """What verified an item, or what will."""
    if item["verified"]:
        return f"{item['verified']['by']}, {item['verified']['reference']}"
    return f"(waits for {item['check']['tool'] if item['check'] else 'a person'})"


def assigned(state: TaskState, assignments: Iterable[str]) -> TaskState:
    """The state with its fields set as `field=value` or `field.key=value` say; click.UsageError for any other word."""
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name, _, key = name.strip().partition(".")
        if not equals or bool(key) != (name in MAPPINGS) or name not in (*TEXTS, *LISTS, *MAPPINGS):
            known = ", ".join(
                f"{f.name}.KEY" if f.name in MAPPINGS else f.name for f in fields(TaskState) if f.name not in OTHERS
            )
            raise click.UsageError(f"{assignment!r} is not FIELD=VALUE; the fields are {known}.")
        state = replace(state, **{name: _value(state, name, key, value.strip())})
    return state


def _value(state: TaskState, name: str, key: str, value: str) -> Any:
    listed = tuple(part.strip() for part in value.split(",") if part.strip())
    if name in TEXTS:
        return value
    if name in LISTS:
        return listed
    kept = {known: old for known, old in getattr(state, name).items() if known != key}
    return {**kept, key: listed if name == "resources" else value} if value else kept
