"""Documents with a published type: each is held against it before it is printed, and its JSON Schema can be had."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

DRAFT = "https://json-schema.org/draft/2020-12/schema"


class Published:
    """What a command prints with `--json`, as a dataclass. Neither it nor any part of it holds a field not its own."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, str]] = {"extra": "forbid"}

    @classmethod
    def check(cls, document: Mapping[str, Any]) -> None:
        """Nothing for a document of this type; a pydantic ValidationError is a defect of ours, not of the file."""
        _adapter(cls).validate_python(document)

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """The JSON Schema of the document."""
        return {"$schema": DRAFT, **_adapter(cls).json_schema()}


def _adapter(kind: type[Published]) -> Any:
    return import_module("pydantic").TypeAdapter(kind)
