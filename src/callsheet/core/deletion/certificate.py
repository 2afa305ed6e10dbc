"""The certificate as bytes that are signed, and what makes a document none of ours."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from ...model.deletion import Certificate

FIELDS = frozenset(each.name for each in fields(Certificate))
FORMAT = 1


def document(certificate: Certificate) -> dict[str, Any]:
    """The certificate as a JSON object."""
    return asdict(certificate)


def signed_bytes(written: Mapping[str, Any]) -> bytes:
    """What is signed: every field but the signature, as JSON with sorted keys, no blanks and ASCII alone."""
    body = {name: value for name, value in written.items() if name != "signature"}
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def read_certificate(data: bytes) -> tuple[Mapping[str, Any], str]:
    """The document, and why it is no certificate; the reason is empty where it has the form of one.

    Fields that nobody signs could say anything, so that a document with others than ours is none.
    """
    try:
        found = json.loads(data.decode(), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return {}, "it is no whole JSON document"
    if isinstance(found, dict) and isinstance(found.get("certificate"), dict):
        found = found["certificate"]  # what `memory delete` prints
    if not isinstance(found, dict) or found.keys() != FIELDS:
        return {}, "it has not the fields of a certificate"
    if found["format"] != FORMAT:
        return {}, "it is of another version of callsheet"
    if not (_is_hexadecimal(found["signature"], 64) and _is_hexadecimal(found["public_key"], 32)):
        return found, "it is not signed"
    return found, ""


def _is_hexadecimal(value: Any, length: int) -> bool:
    return isinstance(value, str) and len(value) == 2 * length and not set(value) - set("0123456789abcdef")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found
