"""`state`: the canonical task state, which the application owns and the model only narrates (B2)."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import click

from ..model.task import TaskState
from .group import Settings, common
from .output import emit
from .printing import print_fields
from .session import opened

TEXTS, LISTS, MAPPINGS = (
    ("goal", "phase", "tests"),
    ("completed", "pending_approvals", "artifacts"),
    ("facts", "resources"),
)


@click.group(short_help="Show or change the canonical task state.")
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
    emit(settings, found, print_fields)


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
    emit(settings, saved, print_fields)


def assigned(state: TaskState, assignments: Iterable[str]) -> TaskState:
    """The state with its fields set as `field=value` or `field.key=value` say; click.UsageError for any other word."""
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name, _, key = name.strip().partition(".")
        if not equals or bool(key) != (name in MAPPINGS) or name not in (*TEXTS, *LISTS, *MAPPINGS):
            known = ", ".join(
                f"{f.name}.KEY" if f.name in MAPPINGS else f.name for f in fields(TaskState) if f.name != "version"
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
