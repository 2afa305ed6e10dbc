"""Reading an OpenAPI document: `openapi-pydantic` checks its structure, `referencing` follows its references."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ...errors import UsageError

VERSIONS = {"3.0": "openapi_pydantic.v3.v3_0", "3.1": "openapi_pydantic.v3.v3_1"}
"""The module that knows each version."""


def read_document(file: Path) -> Mapping[str, Any]:
    """The document of a JSON or YAML file. UsageError for what is no OpenAPI 3.0 or 3.1, and without the extra."""
    try:
        # Over JSON: the day of an example is text then, and the code of a response too.
        data = json.loads(json.dumps(yaml.safe_load(file.read_text(encoding="utf-8-sig")), default=str))
    except (OSError, ValueError, TypeError, RecursionError, yaml.YAMLError) as error:
        raise UsageError(f"{file} cannot be read ({' '.join(str(error).split())}); give JSON or YAML") from error
    version = str(data.get("openapi", ""))[:3] if isinstance(data, Mapping) else ""
    if version not in VERSIONS:
        raise UsageError(f"{file} is no OpenAPI 3.0 or 3.1 (its `openapi` is {version or 'missing'!r}); convert it")
    try:
        _loaded(VERSIONS[version]).OpenAPI.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"{file}: {where}: {first['msg']}; mend the document") from error
    found: Mapping[str, Any] = data
    return found


def resolver(document: Mapping[str, Any], file: Path) -> Callable[[Any], Any]:
    """What gives the value behind a `$ref`, and any other value as it is. UsageError for one that leads nowhere."""
    referencing = _loaded("referencing")
    drafts = _loaded("referencing.jsonschema")
    resource = drafts.DRAFT202012.create_resource(document)
    found = referencing.Registry().with_resource("", resource).resolver()
    return partial(_resolved, found, file)


def _resolved(found: Any, file: Path, value: Any) -> Any:
    seen: set[str] = set()
    while isinstance(value, Mapping) and isinstance(value.get("$ref"), str):
        reference = value["$ref"]
        if not reference.startswith("#") or reference in seen:
            why = "leads to itself" if reference in seen else "leads out of the document"
            raise UsageError(f"{file}: the reference {reference!r} {why}; put it into the document")
        seen.add(reference)
        try:
            value = found.lookup(reference).contents
        except Exception as error:  # its errors share no base but Exception's
            raise UsageError(f"{file}: the reference {reference!r} leads nowhere; mend it") from error
    return value


def _loaded(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(
            "OpenAPI documents need openapi-pydantic and referencing, which are not installed; "
            "run `pip install 'callsheet[openapi]'`"
        ) from error
