"""What a memory's fields may hold: one that could be stored and not be read again would hide all others."""

from datetime import datetime
from typing import get_args

from ...core.text.foreign import is_text
from ...errors import UsageError
from ...model.memory import Durability, MemoryKind, MemoryRecord, MemoryWrite, Visibility

TEXTS = ("subject_id", "tenant_id", "purpose", "provenance", "text", "relation", "run_id")
OPTIONAL_TEXTS = ("consent", "scope")
LONGEST = 4_000
"""Characters of a field that says something of a memory, at most: each stands beside the text wherever that goes."""
MOMENTS = ("expires_at", "valid_from", "valid_until", "created_at", "superseded_at", "review_by")
CHOICES = {"kind": get_args(MemoryKind), "visibility": get_args(Visibility), "durability": get_args(Durability)}


def check_values(given: MemoryRecord | MemoryWrite) -> None:
    """UsageError that names the first field whose value is of another kind than the field's, or too long."""
    for name in (*TEXTS, *OPTIONAL_TEXTS):
        _check_text(name, getattr(given, name))
    if given.scope == "":
        raise UsageError("the memory's scope is empty, and no session holds an empty grant; name one, or leave it out")
    for name, choices in CHOICES.items():
        if getattr(given, name) not in choices:
            raise UsageError(f"the memory's {name} is {getattr(given, name)!r}; it is one of {', '.join(choices)}")
    for name in MOMENTS:
        _check_moment(name, getattr(given, name, None))


def _check_text(name: str, value: object) -> None:
    optional = name in OPTIONAL_TEXTS
    if value is None and optional:
        return
    if not is_text(value):
        raise UsageError(f"the memory's {name} is not valid text; give it in UTF-8{', or None' if optional else ''}")
    if name != "text" and len(str(value)) > LONGEST:
        raise UsageError(f"the memory's {name} has {len(str(value)):,} characters; it may have {LONGEST:,}")


def _check_moment(name: str, moment: object) -> None:
    if moment is not None and not isinstance(moment, datetime):
        raise UsageError(f"the memory's {name} is a {type(moment).__name__}; give a datetime with a time zone")
    if moment is not None and moment.tzinfo is None:
        raise UsageError(f"the memory's {name} has no time zone; write datetime(…, tzinfo=timezone.utc)")
