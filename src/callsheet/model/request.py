"""Who asks: the trusted request context, resolved by the application and never by the model (A3, C8)."""

from dataclasses import dataclass, replace
from datetime import datetime

SHARED = "shared"
"""The tenant id of knowledge that belongs to every tenant; it is read-only in a request."""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The session a decision runs in: tenant, actor, subject, locale, clock and grants.

    `now` is an aware datetime; the host fills it in where it is None. `grants` are the permission scopes this actor
    holds: a document, memory or tool is visible when its scope is None or is among them.
    """

    tenant_id: str
    actor: str
    subject_id: str | None = None
    locale: str = "en"
    now: datetime | None = None
    grants: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.tenant_id or self.tenant_id == SHARED:
            raise ValueError(f"tenant_id must name a tenant; {self.tenant_id!r} does not ('{SHARED}' is reserved)")
        if not self.actor:
            raise ValueError("actor must not be empty: every decision is made for somebody")
        if self.subject_id == "":  # what is kept of nobody could never be deleted
            raise ValueError("subject_id must name a subject, or be None where the session is about nobody")
        if self.now is not None and self.now.tzinfo is None:
            raise ValueError("now must carry a time zone, for example datetime.now(timezone.utc)")
        given: object = self.grants
        if isinstance(given, str):  # as an iterable it would grant each of its letters
            raise ValueError(f"grants must be a tuple of texts, for example ({given!r},), not one text")
        object.__setattr__(self, "grants", tuple(self.grants))

    def at(self, now: datetime) -> "RequestContext":
        """The same session with its clock set, where the application did not set it."""
        return self if self.now is not None else replace(self, now=now)

    def may_see(self, scope: str | None) -> bool:
        """True when something of this permission scope is visible to the actor."""
        return scope is None or scope in self.grants
