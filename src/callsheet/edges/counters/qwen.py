"""Qwen2.5 without its weights at hand: its chat template said in Python, and its tokenizer.

The template's words are what the model was trained on; that they are said as its own template says them, a test with
the weights shows.
"""

import importlib
import importlib.util
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any
from unicodedata import is_normalized

from ...errors import UsageError
from .bpe import PATTERNS, merged, pieces
from .prompt import TemplateCounter
from .template import Message, flat, to_json

TOKENIZER = "quicktok"

SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
"""What the template says itself where the first message is no system message."""

TOOLS = (
    "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>{}\n</tools>\n\n"
    "For each function call, return a json object with function name and arguments within <tool_call></tool_call> "
    'XML tags:\n<tool_call>\n{{"name": <function-name>, "arguments": <args-json-object>}}\n</tool_call>'
)
GENERATION = "<|im_start|>assistant\n"

CONTROL_TOKENS = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|repo_name|>", "<|file_sep|>", "<tool_call>", "</tool_call>"),
    *("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>", "<|quad_start|>", "<|quad_end|>"),
    *("<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>", "<|box_end|>"),
    *("<|vision_start|>", "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"),
)
"""Qwen2.5's control tokens, one token each wherever they stand. The tokenizer's own list is Qwen3's, with four more."""


class QwenTokenizer:
    """Qwen2.5's tokenizer, opened at its first use. UsageError when it is not installed."""

    control = re.compile("|".join(map(re.escape, CONTROL_TOKENS)))

    def __init__(self) -> None:
        if importlib.util.find_spec(TOKENIZER) is None:
            raise UsageError(
                "counting for Qwen needs its tokenizer, which is not installed; run `pip install 'callsheet[embedded]'`"
            )
        self._encoding: Any = None

    def count(self, text: str) -> int:
        """Tokens of text without control tokens."""
        encoding = self._open()
        return sum(len(part) if isinstance(part, list) else int(encoding.count(part)) for part in self._parts(text))

    def encode(self, text: str) -> Sequence[tuple[int, int]]:
        """Ids of those tokens, each with its length in bytes of UTF-8."""
        encoding = self._open()
        ids: list[int] = []
        for part in self._parts(text):
            if isinstance(part, list):
                ids += map(encoding.encode_single_token, part)
            else:
                ids += encoding.encode_ordinary(part)
        return [(token, len(encoding.decode_single_token_bytes(token))) for token in ids]

    def control_id(self, token: str) -> int:
        """The id of one control token."""
        return int(self._open().encode_single_token(token))

    def _parts(self, text: str) -> Iterator[str | list[bytes]]:
        """Text that the fast tokenizer may take as it is, or else the tokens of a piece.

        It composes text first (Unicode NFC), as the model's own library does; a llama.cpp server does not.
        """
        if text.isascii() or is_normalized("NFC", text):
            yield text
            return
        for piece in pieces(PATTERNS["qwen2"], text):
            yield piece if is_normalized("NFC", piece) else merged(self._rank, piece.encode())

    def _rank(self, left: bytes, right: bytes) -> int | None:
        try:
            return int(self._open().encode_single_token(left + right))
        except KeyError:
            return None

    def _open(self) -> Any:
        if self._encoding is None:  # a third of a second; twice, where two threads come first, does no harm
            self._encoding = importlib.import_module(TOKENIZER).get_encoding("qwen3")
        return self._encoding


class QwenCounter(TemplateCounter):
    """Counts for Qwen2.5 as a llama.cpp server does, and needs no weights. UsageError without the tokenizer."""

    name = "qwen2.5-chatml"

    def __init__(self) -> None:
        super().__init__(self.name, render, QwenTokenizer())


def render(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], generation: bool) -> str:
    """The prompt as Qwen2.5's template writes it.

    Without a leading system message it says its own, and tools stand in the system message. Neighbouring `tool`
    messages share a user turn, other roles than the four are left out.
    """
    said = flat(messages)
    leads = bool(said) and said[0]["role"] == "system"
    system = said[0]["content"] if leads else SYSTEM
    offered = TOOLS.format("".join("\n" + to_json(tool) for tool in tools)) if tools else ""
    turns = [turn for role, run in groupby(said[leads:], key=lambda each: each["role"]) for turn in _turns(role, run)]
    return f"<|im_start|>system\n{system}{offered}<|im_end|>\n{''.join(turns)}{GENERATION if generation else ''}"


def _turns(role: str, run: Iterator[Message]) -> Iterator[str]:
    """Neighbouring messages of one role as the template renders them."""
    if role == "tool":
        responses = "".join(f"\n<tool_response>\n{each['content']}\n</tool_response>" for each in run)
        yield f"<|im_start|>user{responses}<|im_end|>\n"
    elif role in ("system", "user", "assistant"):
        for each in run:
            calls = each.get("tool_calls", ()) if role == "assistant" else ()
            text = f"\n{each['content']}" if each["content"] or not calls else ""
            yield f"<|im_start|>{role}{text}{''.join(map(_called, calls))}<|im_end|>\n"


def _called(call: Mapping[str, Any]) -> str:
    function = call["function"]
    arguments = to_json(function["arguments"])
    return f'\n<tool_call>\n{{"name": "{function["name"]}", "arguments": {arguments}}}\n</tool_call>'
