"""The counter of a model whose template and tokenizer are known: the rendered prompt, its tokens, and their number."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...model.prompt import Counted
from .server_chat import as_chat
from .template import Message, Render, joined

CACHED_COUNTS = 8_192
PREFILL_JOIN = "\n\n"
NO_TOKEN = -1
"""Instead of an id: bytes for which a vocabulary has no token. The model never sees them."""

Tools = Sequence[Mapping[str, Any]]


class Tokenizer(Protocol):
    """Turns text into tokens; each of its `control` tokens is one token wherever it stands, a user's text included."""

    control: re.Pattern[str]

    def count(self, text: str) -> int:
        """Tokens of text without control tokens."""

    def encode(self, text: str) -> Sequence[tuple[int, int]]:
        """Ids of those tokens, each with its length in bytes of UTF-8; `NO_TOKEN` for bytes that it leaves out."""

    def control_id(self, token: str) -> int:
        """The id of one control token."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a prompt: their ids, and for each the byte of the prompt's UTF-8 at which it ends."""

    ids: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, token: int) -> tuple[int, int]:
        """The bytes [start, end) of one token."""
        return (self.ends[token - 1] if token else 0), self.ends[token]


class TemplateCounter:
    """Counts as a llama.cpp server does: by the model's chat template, then its tokenizer. Safe between threads.

    What stands between two control tokens is tokenized on its own, so that it is counted once: its count is kept by
    content hash, the latest few thousand of them.
    """

    def __init__(self, name: str, render: Render, tokenizer: Tokenizer, kept: int = CACHED_COUNTS) -> None:
        self.name = name
        self._render = render
        self._tokenizer = tokenizer
        self._kept = kept
        self._counts: dict[bytes, int] = {}
        self._lock = threading.Lock()

    def count(self, text: str) -> int:
        """Tokens of one text on its own, control tokens in it counted as such."""
        return sum(1 if control else self._tokenizer.count(piece) for piece, control in self.pieces(text))

    def count_prompt(self, body: bytes, dialect: str) -> Counted:
        """Tokens of the whole prompt that this request becomes, ready for the reply.

        ValueError where the body is no JSON object or the dialect is none that a llama.cpp server speaks; UsageError
        where the model's template refuses the messages.
        """
        pieces = self.pieces(self.prompt(*as_chat(dialect, json.loads(body))))
        return Counted(
            sum(1 if control else self.piece_tokens(piece) for piece, control in pieces), f"{self.name} (exact)"
        )

    def prompt(self, messages: Sequence[Message], tools: Tools = (), reply: bool = True) -> str:
        """The text the model reads for messages and tools as `as_chat` gives them, before it replies, or without that.

        A last message of the assistant's is what the reply continues, so that it is not closed; where it says nothing,
        the server does not open the reply either.
        """
        if not reply or not messages or messages[-1].get("role") != "assistant" or messages[-1].get("tool_calls"):
            return _sound(self._render(messages, tools, reply))
        *before, last = messages
        content = last["content"]
        text = content if isinstance(content, str) else joined(content, PREFILL_JOIN)
        opened = bool(content or last.get("reasoning_content"))
        return _sound(self._render(before, tools, opened) + text)

    def tokens(self, prompt: str) -> Tokens:
        """The tokens of a rendered prompt, with the bytes they stand for."""
        ids: list[int] = []
        ends: list[int] = []
        end = 0
        for token, width in self._encoded(prompt):
            end += width
            if token != NO_TOKEN:
                ids.append(token)
                ends.append(end)
            elif ends:
                ends[-1] = end
        return Tokens(tuple(ids), tuple(ends))

    def _encoded(self, prompt: str) -> Iterator[tuple[int, int]]:
        for piece, control in self.pieces(prompt):
            if control:
                yield self._tokenizer.control_id(piece), len(piece.encode())
            else:
                yield from self._tokenizer.encode(piece)

    def pieces(self, text: str) -> Iterator[tuple[str, bool]]:
        """The text cut at its control tokens, each piece with whether it is one."""
        text, start = _sound(text), 0
        for match in self._tokenizer.control.finditer(text):
            if start < match.start():
                yield text[start : match.start()], False
            yield match.group(), True
            start = match.end()
        if start < len(text):
            yield text[start:], False

    def piece_tokens(self, piece: str) -> int:
        """Tokens of one of these pieces that is no control token."""
        digest = hashlib.blake2b(piece.encode(), digest_size=16).digest()
        with self._lock:
            known = self._counts.get(digest)
        if known is not None:
            return known
        tokens = self._tokenizer.count(piece)
        with self._lock:
            self._counts[digest] = tokens
            while len(self._counts) > self._kept:
                del self._counts[next(iter(self._counts))]
        return tokens


def _sound(text: str) -> str:
    """The text with every half of a surrogate pair, which no encoder takes, as the replacement character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
