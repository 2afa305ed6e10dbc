"""A report as one HTML page that needs nothing else: its style, its script and its figures are inside it."""

import html
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from ... import __version__

SCRIPTS = ("dom", "table", "session", "timeline", "moving", "parts", "findings", "start")
"""In the order in which they are joined: a later one may use what an earlier one defines."""
UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""What could end a script element or a line of one: as JSON escapes, which mean the same to a reader of JSON."""
PLACE = re.compile(r"\{\{(\w+)\}\}")


def page(report: Mapping[str, Any]) -> str:
    """The page of a report. Its policy allows its own style and script by their hashes, and nothing from outside.

    Texts of the transcript stand in a block of JSON alone, and the script makes text nodes of them; only the title is
    written into the markup, escaped.
    """
    script = _script()
    style = _source("page.css")
    parts = {
        "policy": f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        "title": html.escape(f"{PurePath(str(report['source'])).name} - callsheet inspect"),
        "version": html.escape(__version__),
        "style": style,
        "report": embedded(report),
        "script": script,
    }
    return PLACE.sub(lambda place: parts[place[1]], _source("page.html"))


def embedded(document: Any) -> str:
    """A document as JSON that can stand inside a script element, whatever its texts hold."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).translate(UNSAFE)


def _script() -> str:
    return '"use strict";\n(() => {\n' + "\n".join(_source(f"{name}.js") for name in SCRIPTS) + "\n})();\n"


def _source(name: str) -> str:
    return (files(__package__) / "source" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
