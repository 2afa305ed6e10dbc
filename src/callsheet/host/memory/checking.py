"""What a memory's fields may hold: one that could be stored and not be read again would hide all others."""

from datetime import datetime
from typing import get_args

from ...core.text.foreign import is_text
from ...errors import UsageError
from ...model.memory import Durability, MemoryKind, MemoryRecord, MemoryWrite, Visibility

TEXTS = ("subject_id", "tenant_id", "purpose", "provenance", "text", "relation", "run_id")
OPTIONAL_TEXTS = ("consent", "scope")
MOMENTS = ("expires_at", "valid_from", "valid_until", "created_at", "superseded_at", "review_by")
CHOICES = {"kind": get_args(MemoryKind), "visibility": get_args(Visibility), "durability": get_args(Durability)}


def check_values(given: MemoryRecord | MemoryWrite) -> None:
    """UsageError that names the first field whose value is of another kind than the field's."""
    for name in TEXTS:
        if not is_text(getattr(given, name)):
            raise UsageError(f"the memory's {name} is not valid text; give it in UTF-8")
    for name in OPTIONAL_TEXTS:
        if getattr(given, name) is not None and not is_text(getattr(given, name)):
            raise UsageError(f"the memory's {name} is not valid text; give it in UTF-8, or None")
    for name, choices in CHOICES.items():
        if getattr(given, name) not in choices:
            raise UsageError(f"the memory's {name} is {getattr(given, name)!r}; it is one of {', '.join(choices)}")
    for name in MOMENTS:
        moment = getattr(given, name, None)
        if moment is not None and not isinstance(moment, datetime):
            raise UsageError(f"the memory's {name} is a {type(moment).__name__}; give a datetime with a time zone")
        if moment is not None and moment.tzinfo is None:
            raise UsageError(f"the memory's {name} has no time zone; write datetime(…, tzinfo=timezone.utc)")
