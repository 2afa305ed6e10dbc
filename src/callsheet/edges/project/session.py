"""The session a command works in: from a file, else from `[session]`; never from a question (A3, C8)."""

import json
import tomllib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ...core.text.foreign import is_text
from ...errors import UsageError
from ...model.request import RequestContext
from .settings import Settings

NAMES: dict[object, str] = {"tenant_id": "tenant", "subject_id": "subject"}


def read_session(settings: Settings, file: Path | None = None) -> RequestContext:
    """The session's request context. A file is TOML or JSON with tenant, actor, subject, locale, grants and now."""
    if file is not None:
        return _context(_read(file), str(file))
    if settings.session is None:
        raise UsageError("no session: add [session] with tenant and actor to callsheet.toml, or give --session FILE")
    own = settings.session
    try:
        return RequestContext(own.tenant, own.actor, own.subject, own.locale, None, own.grants)
    except ValueError as error:
        raise UsageError(f"[session] of callsheet.toml cannot be used: {error}") from error


def _read(file: Path) -> Mapping[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
        data: Any = json.loads(text, object_pairs_hook=_once) if file.suffix == ".json" else tomllib.loads(text)
    except FileNotFoundError:
        raise UsageError(
            f'there is no session file {file}; write one with tenant = "…" and actor = "…", or leave --session out to '
            "use [session] of callsheet.toml"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"the session file {file} cannot be read ({why}); name a TOML or JSON file with tenant and actor"
        ) from error
    if not isinstance(data, Mapping):
        raise UsageError(f'the session file {file} holds no table; write tenant = "…" and actor = "…"')
    inner = data.get("session", data)
    if not isinstance(inner, Mapping):
        raise UsageError(f"the session file {file} holds no table under session; write tenant and actor in it")
    return {str(NAMES.get(key, key)): value for key, value in inner.items()}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; ValueError for a name that stands twice: of two tenants nobody may say which one was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _context(data: Mapping[str, Any], file: str) -> RequestContext:
    known = ("tenant", "actor", "subject", "locale", "grants", "now")
    if unknown := sorted(set(data) - set(known)):
        raise UsageError(f"the session file {file} has unknown keys {', '.join(unknown)}; known are {', '.join(known)}")
    now, grants = data.get("now"), data.get("grants", ())
    if not isinstance(grants, (list, tuple)) or not all(isinstance(each, str) for each in grants):
        raise UsageError(f'the session file {file} needs a list of texts under grants, for example ["keys:rotate"]')
    for key in ("tenant", "actor", "subject", "locale"):
        if not is_text(data.get(key, "")) and not (key == "subject" and data[key] is None):
            raise UsageError(f"the session file {file} needs a text under {key}, not {data[key]!r}")
    if not isinstance(now, str | datetime | None):
        raise UsageError(f"the session file {file} needs a date with time and zone under now, not {now!r}")
    try:
        return RequestContext(
            tenant_id=data["tenant"],
            actor=data["actor"],
            subject_id=data.get("subject"),
            locale=data.get("locale", "en"),
            now=datetime.fromisoformat(now) if isinstance(now, str) else now,
            grants=tuple(grants),
        )
    except KeyError as error:
        raise UsageError(f"the session file {file} does not say {error.args[0]}; add it") from error
    except (ValueError, TypeError) as error:
        raise UsageError(f"the session file {file} cannot be used: {error}") from error
