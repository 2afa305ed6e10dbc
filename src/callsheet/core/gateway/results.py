"""The check before a result reaches a model: without secrets, nothing hidden, as promised, not too large (D5)."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...model.gateway import Definition, Passed
from ..gate.contract import schema_errors
from ..text.hidden import cleaned
from ..text.redact import redact, redact_value

LARGEST = 100_000
"""Characters of one result that reach a model where the settings say nothing else; the rest is in the artifact."""
SHOWN_OF_LARGE = 4_000
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_BINARY = frozenset(("data", "blob"))
"""Fields whose value is bytes in base64; there is nothing to read in them."""


def passed(result: Mapping[str, Any], definition: Definition, largest: int = LARGEST, reference: str = "") -> Passed:
    """What of a tool's result may be told: text and structured fields, errors and metadata alike.

    `reference` is under which the whole is kept where something of it is not told.
    """
    without_secrets = _told(result)
    rules: list[str] = [] if without_secrets == result else ["secret-in-result"]
    clean, hidden = clean_value(without_secrets)
    rules += hidden
    failed = bool(result.get("isError"))
    if not failed and (broken := output_errors(definition, result)):
        text = f"The result breaks the tool's own output schema ({cleaned(broken[0]).text[:300]}) and is not shown."
        return Passed(_failure(text, reference), (*rules, "output-schema"), without_secrets, failed=True)
    if size(clean) > largest:
        return Passed(_cut(clean, largest, reference), (*rules, "result-too-large"), without_secrets, failed)
    return Passed(clean, tuple(rules), without_secrets if rules else None, failed)


def output_errors(definition: Definition, result: Mapping[str, Any]) -> tuple[str, ...]:
    """What of a result's structured content breaks the tool's output schema; nothing where it declares none."""
    schema = definition.get("outputSchema")
    if not isinstance(schema, Mapping):
        return ()
    if result.get("structuredContent") is None:
        return ("there is no structured content",)
    return schema_errors(schema, result["structuredContent"])


def clean_value(value: Any) -> tuple[Any, tuple[str, ...]]:
    """A JSON value with every string in it cleaned, keys included, and the rules that took something out."""
    rules: dict[str, None] = {}

    def clean(each: Any, key: str = "") -> Any:
        if isinstance(each, str):
            if _is_binary(key, each):
                return each
            found = cleaned(each)
            rules.update(dict.fromkeys(found.rules))
            return found.text
        if isinstance(each, Mapping):
            return {clean(str(name)): clean(inner, str(name)) for name, inner in each.items()}
        return [clean(inner) for inner in each] if isinstance(each, (list, tuple)) else each

    return clean(value), tuple(rules)


def size(value: Any) -> int:
    """Characters of all strings of a JSON value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(len(str(key)) + size(each) for key, each in value.items())
    return sum(map(size, value)) if isinstance(value, (list, tuple)) else 0


def _told(value: Any) -> Any:
    """The value without secrets. Bytes in base64 are left alone: no pattern finds a secret in them."""
    if isinstance(value, Mapping):
        told: dict[str, Any] = {}
        for name, each in value.items():
            if not isinstance(each, str):
                told[redact(str(name))] = _told(each)
            else:
                told |= {name: each} if _is_binary(str(name), each) else redact_value({name: each})
        return told
    return [_told(each) for each in value] if isinstance(value, (list, tuple)) else redact_value(value)


def _is_binary(name: str, value: str) -> bool:
    return name in _BINARY and _BASE64.fullmatch(value) is not None


def _failure(text: str, reference: str) -> dict[str, Any]:
    kept = f" It is kept as {reference}." if reference else ""
    return {"content": [{"type": "text", "text": text + kept}], "isError": True}


def _cut(result: Mapping[str, Any], largest: int, reference: str) -> dict[str, Any]:
    """The beginning of a large result, and where the whole of it is. Binary and structured parts are in the whole."""
    texts = [str(each.get("text", "")) for each in result.get("content", ()) if each.get("type") == "text"]
    beginning = "\n".join(texts)[: min(SHOWN_OF_LARGE, largest)]
    note = f"[{size(result):,} characters, of which these are the first {len(beginning):,}; the whole is {reference}]"
    told = {key: value for key, value in result.items() if key not in ("content", "structuredContent", "_meta")}
    return {**told, "content": [{"type": "text", "text": f"{beginning}\n{note}".lstrip()}]}


def failed(text: str, rule: str) -> Passed:
    """A failure in words, as a tool's result."""
    return Passed(_failure(text, ""), (rule,), failed=True)


def with_meta(passed_result: Passed, meta: Mapping[str, Any]) -> Passed:
    """The same result with what we say of it in `_meta`, where a model does not read and a program does."""
    value = {**passed_result.value, "_meta": {**(passed_result.value.get("_meta") or {}), **meta}}
    return replace(passed_result, value=value)
