"""Who may reach the gateway over HTTP, and what of their credentials goes on: nothing (D5)."""

import re
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ...model.tool import ToolContract
from ...model.verdict import Verdict
from ..text.redact import MARK, redact, redact_value

_TOKEN_KEY = re.compile(
    r"(?:(?:access|id|refresh|auth|bearer|session)?[_-]?token|(?:api[_-]?)?key|secret|password)", re.I
)
_SENSITIVE = re.compile(r"authorization|cookie|token|api[-_]?key|secret|session", re.I)
_HEADER = re.compile(r"^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(\S.*)$", re.M)


def judge_address(url: str) -> Verdict:
    """Refused where a credential stands in the address: it would be kept by every log and history on the way."""
    parts = urlsplit(url)
    named = [key for key, _ in parse_qsl(f"{parts.query}&{parts.fragment}") if _TOKEN_KEY.fullmatch(key)]
    if named or parts.password is not None:
        said = named[0] if named else "a password"
        return _refused("token-in-url", f"{said} stands in the address; send it in the Authorization header")
    return _allowed("no credential stands in the address")


def judge_upstream_token(sent: str | None, incoming: str | None) -> Verdict:
    """Refused where what would be sent to a server is what the client sent us: a server gets its own token or none."""
    if sent is not None and incoming is not None and _bare(sent) == _bare(incoming):
        return _refused("client-token-never-sent-upstream", "the client's own token is never passed on to a server")
    return _allowed("the server gets the token of the settings, or none")


def judge_session(owner: str, asker: str) -> Verdict:
    """Refused where somebody names another one's session: its id is no credential."""
    if owner != asker:
        return _refused("session-user-mismatch", "this session was begun by another user; begin one of your own")
    return _allowed("the session is the asker's own")


def judge_audience(audiences: Collection[str], own: str) -> Verdict:
    """Refused where a token was not issued for this gateway."""
    if own not in audiences:
        return _refused("audience-mismatch", "the token was issued for another service")
    return _allowed("the token was issued for this gateway")


def judge_client(client_id: str, approved: Collection[str]) -> Verdict:
    """Asked where a client was not approved by itself: what one client was allowed says nothing of another."""
    if client_id in approved:
        return _allowed("this client was approved")
    question = f"Let the client {client_id!r} use the gateway?"
    return Verdict("ask", "client-not-approved", "consent is given per client", question, "access")


def judge_arguments(contract: ToolContract, arguments: Mapping[str, Any]) -> Verdict:
    """Refused where an argument looks like a secret, and the contract does not say that its server may have one."""
    if contract.clearance != "secret" and redact_value(arguments) != arguments:
        return _refused("secret-in-arguments", f"what looks like a secret is not sent to {contract.server}")
    return _allowed("no argument looks like a secret that the server may not have")


def logged_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as they may be written down: without what authenticates."""
    return {name: f"{MARK}header]" if _SENSITIVE.search(name) else redact(value) for name, value in headers.items()}


def logged(text: str) -> str:
    """A text as it may be written down: a header line in it without what authenticates, and no other secret."""

    def line(found: re.Match[str]) -> str:
        return f"{found[1]}: {logged_headers({found[1]: found[2]})[found[1]]}"

    return redact(_HEADER.sub(line, text))


def _bare(token: str) -> str:
    return re.sub(r"(?i)^bearer\s+", "", token.strip())


def _refused(rule: str, why: str) -> Verdict:
    return Verdict("refuse", rule, why, subject="access")


def _allowed(why: str) -> Verdict:
    return Verdict("allow", "ok", why, subject="access")
