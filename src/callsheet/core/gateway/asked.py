"""What a server asks of its client: words of the person, folders, a model. Never a secret (D5)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ...model.verdict import Verdict
from ..text.foreign import as_read

_SECRET = re.compile(
    r"pass(?:word|wd|phrase|code)|passwort|kennwort|has[łl]o|contrase[ñn]a|mot de passe|senha|пароль|密码|パスワード"
    r"|secret|credential|token|(?:api|private|access)[ _-]?key|recovery[ _-]?(?:code|phrase)|seed[ _-]?phrase"
    r"|\botp\b|one[ _-]?time|\bpin\b|\bmfa\b|\b2fa\b|\bcv[vc]2?\b|card[ _-]?number|\bssn\b|social[ _-]?security",
    re.IGNORECASE,
)
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def judge_elicitation(wanted: Mapping[str, Any]) -> Verdict:
    """Whether a person may be asked: a form with no field for a secret, or a page whose whole address is shown."""
    if wanted.get("mode") == "url":
        return _page(str(wanted.get("url", "")))
    schema = wanted.get("requestedSchema") or wanted.get("schema") or {}
    properties = schema.get("properties", schema) if isinstance(schema, Mapping) else {}
    asked = {str(name): each for name, each in properties.items()} if isinstance(properties, Mapping) else {}
    secret = next((name for name, each in asked.items() if _asks_for_secret(name, each)), None)
    if secret is None and _SECRET.search(as_read(str(wanted.get("message", "")))):
        secret = "its message"
    if secret is not None:
        return Verdict("refuse", "secret-elicitation", f"{secret} asks the person for a secret", subject="elicitation")
    return Verdict(
        "ask", "elicitation", "the person answers, or declines", str(wanted.get("message", "")), "elicitation"
    )


def _asks_for_secret(name: str, field: Any) -> bool:
    said = [_WORDS.sub(" ", name)]
    if isinstance(field, Mapping):
        said += [str(field.get(key, "")) for key in ("title", "description", "format")]
    return any(_SECRET.search(as_read(each)) for each in said)


def _page(url: str) -> Verdict:
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.username is not None:
        why = "a person is sent to https addresses alone, without a user name in them"
        return Verdict("refuse", "elicitation-address", why, subject="elicitation")
    return Verdict("ask", "elicitation", "the person opens the page, or declines", f"Open {url}?", "elicitation")


def judge_roots(configured: Iterable[str]) -> Verdict:
    """Allowed, and what the server is told are the folders of the settings; nothing else of the machine."""
    named = tuple(configured)
    return Verdict("allow", "ok", f"told: {', '.join(named) or 'no folder'}", subject="roots")


def judge_sampling(configured: bool) -> Verdict:
    """Whether a server may have the client's model write for it: only where the settings say so."""
    if configured:
        return Verdict("allow", "ok", "the settings let this server ask for it", subject="sampling")
    why = "the settings do not let this server use the client's model; say sampling = true for it"
    return Verdict("refuse", "sampling-not-allowed", why, subject="sampling")
