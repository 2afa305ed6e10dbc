"""Tokens of tool definitions: what a tool costs as it is offered, and with a description of one sentence (D7)."""

import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from json import dumps

from ...model.message import ToolDefinition

KEPT = 4_096
"""How many definitions are remembered by their content."""
SENTENCE = re.compile(r"(?:[.!?](?=\s)|\n\s*\n)")
"""Where a first sentence ends: at a full stop before a blank, or with the paragraph."""
ABBREVIATED = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.")


class Definitions:
    """Counts tool definitions, each of equal content once; `count` gives the tokens of a text."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._known: dict[bytes, int] = {}
        self._last: tuple[Sequence[ToolDefinition], int] = ((), 0)

    def tokens(self, tools: Sequence[ToolDefinition]) -> int:
        """Tokens of all of them; a file that says the same tools with every call costs one comparison each."""
        last, total = self._last
        if tools is not last and tools != last:
            total = sum(map(self.tool, tools))
            self._last = tools, total
        return total

    def tool(self, tool: ToolDefinition) -> int:
        """Tokens of one definition; a deferred one is kept out of the prompt, so that it has none."""
        return 0 if tool.deferred else self._text(definition(tool))

    def short(self, tool: ToolDefinition) -> int:
        """Tokens of the same definition with its description cut to the first sentence."""
        described = str(tool.description or "")
        saved = self._text(described) - self._text(first_sentence(described))
        return 0 if tool.deferred else self.tool(tool) - max(0, saved)

    def _text(self, text: str) -> int:
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._known.get(digest)
        if known is None:
            if len(self._known) >= KEPT:
                self._known.clear()
            known = self._known[digest] = self._count(text)
        return known


def definition(tool: ToolDefinition) -> str:
    """The definition as compact JSON, name, description and schema as most dialects say them; a provider's own tool
    is what it says of itself."""
    said = {"name": str(tool.name), "description": str(tool.description or ""), "parameters": tool.schema}
    if tool.type and not tool.schema and not tool.description:
        said = {"type": tool.type, "name": str(tool.name), **tool.native}
    return dumps(said, ensure_ascii=False, separators=(",", ":"), default=str)


def first_sentence(text: str) -> str:
    """The first sentence of a description, without the blanks around it; the whole where it is one sentence."""
    text = text.strip()
    for end in SENTENCE.finditer(text):
        if not text[: end.end()].endswith(ABBREVIATED):
            return text[: end.end()].strip()
    return text


def is_one_sentence(tool: ToolDefinition) -> bool:
    """Whether a tool is described in one sentence at most."""
    described = str(tool.description or "").strip()
    return first_sentence(described) == described
