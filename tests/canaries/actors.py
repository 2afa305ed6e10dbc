"""Who acts, and the canaries: words that say for whom the text that holds them was written."""

import re
from dataclasses import dataclass

from callsheet.model.request import RequestContext

EVERYONE, OPERATOR = "world", "operator"
OPENED = ("approve", "audit", "delete", "internal", "memory", "publish")
"""What the operator of a tenant holds: it writes for every subject, and may look into every request."""
GRANTS = {"u1": ("keys:rotate",), "u2": ("internal",), OPERATOR: OPENED}
SUBJECTS = tuple(GRANTS)
_CANARY = re.compile(r"qz([a-z0-9]+)q([a-z0-9]+)q([a-z0-9]+)qz")


@dataclass(frozen=True)
class Audience:
    """Who may ever see a text: those of a tenant, or of one subject of it, that hold a scope."""

    tenant: str = EVERYONE
    subject: str | None = None
    scope: str | None = None

    @property
    def canary(self) -> str:
        """A word that stands in each text for this audience, and in no other."""
        return f"qz{self.tenant}q{self.subject or 'all'}q{self.scope or 'open'}qz"


@dataclass(frozen=True, order=True)
class Actor:
    """One session: a subject of a tenant with its grants. Subjects of several tenants have the same names."""

    tenant: str
    subject: str

    @property
    def ctx(self) -> RequestContext:
        return RequestContext(self.tenant, f"actor:{self.subject}", self.subject, grants=GRANTS[self.subject])

    @property
    def own(self) -> Audience:
        return Audience(self.tenant, self.subject)

    def sees(self, audience: Audience) -> bool:
        """True where the actor may see texts for this audience."""
        if audience.tenant not in (EVERYONE, self.tenant):
            return False
        if self.subject == OPERATOR:
            return True
        subject_fits = audience.subject in (None, self.subject)
        return subject_fits and (audience.scope is None or audience.scope in GRANTS[self.subject])

    def foreign(self, text: str) -> set[str]:
        """The canaries in a text that this actor should never have been shown."""
        return {
            found[0]
            for found in _CANARY.finditer(text.casefold())
            if not self.sees(
                Audience(found[1], None if found[2] == "all" else found[2], None if found[3] == "open" else found[3])
            )
        }
