"""The host and the session that a command works in."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import click

from ..host.host import Host, open_host
from ..model.request import RequestContext
from .group import Settings


@contextmanager
def opened(settings: Settings) -> Iterator[tuple[Host, RequestContext]]:
    """The host of the project folder, and who asks; both come from files, never from the question."""
    with open_host(settings.project, settings.data) as host:
        yield host, host.session(settings.session)


def moment(ctx: RequestContext) -> datetime:
    """The session's own clock where the application set one, else the present."""
    return ctx.now or datetime.now(UTC)


def subject(ctx: RequestContext) -> str:
    """The session's subject; click.UsageError where it has none."""
    if ctx.subject_id is None:
        raise click.UsageError('This session has no subject; name one in its file: subject_id = "…".')
    return ctx.subject_id
