"""The support project's tools over a small fixture file; call your own service in `_read` and `_write` instead."""

import json
from pathlib import Path
from typing import Any, Literal, cast

from typing_extensions import TypedDict  # typing.TypedDict tells its schema only from Python 3.12 on

from callsheet import RequestContext, ToolFailure, tool
from callsheet.conditions import fact, not_empty, one_of, owned, same_as_argument

_FIXTURE = Path(__file__).parent / "fixtures" / "accounts.json"
_STORE = Path(__file__).parent / ".callsheet" / "accounts.json"  # made by the first change; the fixture stays as it is
_OFFER = "{} a key is a separate action that an authorized account admin must request and confirm."


class KeyStatus(TypedDict):
    """What the model learns of a key."""

    account_id: str
    status: Literal["active", "revoked", "expired"]
    reason: str | None
    revoked_at: str | None
    created_at: str


class Incident(TypedDict):
    """One incident."""

    id: str
    service: str
    title: str
    status: Literal["open", "resolved"]
    since: str


class Incidents(TypedDict):
    """The open incidents of a service."""

    incidents: list[Incident]


class KeyChange(TypedDict):
    """What became of a key."""

    account_id: str
    status: Literal["active", "deleted"]
    changed_at: str


@tool(
    effects="read",
    authority=["account_id"],
    preconditions=[owned("account_id", "account")],
    postconditions=[one_of("status", "active", "revoked", "expired"), same_as_argument("account_id")],
    failures=["account_not_found"],
    decisive=["status"],
)
def check_api_key_status(account_id: str) -> KeyStatus:
    """Says whether the API key of an account is active, revoked or expired, and why. Changes nothing."""
    # The store's whole row goes back, key and audit trail included: the engine shows the model only the fields that
    # KeyStatus declares, and keeps the rest in the artifact, redacted.
    return cast(KeyStatus, _account(account_id))


@tool(effects="read", postconditions=[])
def search_incidents(service: Literal["api", "webhooks", "billing"]) -> Incidents:
    """Lists the open incidents of one service. Changes nothing."""
    found = [row for row in _read()["incidents"] if row["service"] == service and row["status"] == "open"]
    return {"incidents": found}


@tool(
    effects="irreversible",
    authority=["account_id"],
    preconditions=[owned("account_id", "account"), fact("account_id")],
    postconditions=[same_as_argument("account_id"), not_empty("changed_at")],
    scope="keys:rotate",
    failures=["account_not_found"],
    confirm=True,
    reserved_words=["rotat", "rotier", "regenerat", "obróć", "obrót", "obróc", "obrac", "rotuj", "rotacj", "rotowa"],
    offer=_OFFER.format("Rotating"),
)
def rotate_api_key(account_id: str, ctx: RequestContext) -> KeyChange:
    """Replaces the API key of an account; every client with the old key stops working."""
    return _change(account_id, "rotated", "active", ctx)


@tool(
    effects="irreversible",
    authority=["account_id"],
    preconditions=[owned("account_id", "account"), fact("account_id")],
    postconditions=[same_as_argument("account_id"), not_empty("changed_at")],
    scope="keys:delete",
    failures=["account_not_found"],
    confirm=True,
    reserved_words=["delet", "lösch", "usuń", "usun", "kasow", "kasuj"],
    offer=_OFFER.format("Deleting"),
)
def delete_api_key(account_id: str, ctx: RequestContext) -> KeyChange:
    """Deletes the API key of an account for good."""
    return _change(account_id, "deleted", "deleted", ctx)


def _account(account_id: str) -> dict[str, Any]:
    accounts = _read()["accounts"]
    if account_id not in accounts:
        raise ToolFailure("account_not_found", f"there is no account {account_id}")
    return cast(dict[str, Any], accounts[account_id])


def _change(account_id: str, event: str, status: Literal["active", "deleted"], ctx: RequestContext) -> KeyChange:
    store = _read()
    _account(account_id)
    at = ctx.now.isoformat() if ctx.now else ""
    store["accounts"][account_id].update(status=status, reason=None, revoked_at=None, created_at=at)
    store["changes"].append({"at": at, "event": event, "account_id": account_id, "by": ctx.actor})
    _write(store)
    return {"account_id": account_id, "status": status, "changed_at": at}


def _read() -> dict[str, Any]:
    return cast(dict[str, Any], json.loads((_STORE if _STORE.exists() else _FIXTURE).read_text(encoding="utf-8")))


def _write(store: dict[str, Any]) -> None:
    _STORE.parent.mkdir(mode=0o700, exist_ok=True)
    draft = _STORE.with_suffix(".tmp")
    draft.write_text(json.dumps(store, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(_STORE)
