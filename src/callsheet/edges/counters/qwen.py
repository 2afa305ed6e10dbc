"""Exact token counts for Qwen2.5 models, template included: what a llama.cpp server reports as prompt tokens."""

import hashlib
import importlib
import importlib.util
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ...errors import UsageError
from .qwen_bpe import count_plain

TOKENIZER = "quicktok"
CACHED_COUNTS = 8_192
ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
"""The roles the template knows, and what the server makes of them."""

SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
"""What the template says itself where the first message is no system message."""

GENERATION = "<|im_start|>assistant\n"

CONTROL_TOKENS = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|repo_name|>", "<|file_sep|>", "<tool_call>", "</tool_call>"),
    *("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>", "<|quad_start|>", "<|quad_end|>"),
    *("<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>", "<|box_end|>"),
    *("<|vision_start|>", "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"),
)
"""Qwen2.5's control tokens, one token each wherever they stand. The tokenizer's own list is Qwen3's, with four more."""

CONTROL = re.compile("|".join(map(re.escape, CONTROL_TOKENS)))


class QwenCounter:
    """Counts as the server does, which reads control tokens in any text, a user's too. Safe to share between threads.

    A message is counted once: its count is kept by content hash, the latest few thousand of them. UsageError when the
    tokenizer is not installed.
    """

    name = "qwen2.5-chatml"
    exact = True

    def __init__(self) -> None:
        if importlib.util.find_spec(TOKENIZER) is None:
            raise UsageError(
                "counting for Qwen needs its tokenizer, which is not installed; run `pip install 'callsheet[embedded]'`"
            )
        self._encoding: Any = None
        self._counts: dict[bytes, int] = {}
        self._lock = threading.Lock()

    def count(self, text: str) -> int:
        """Tokens of one text on its own, control tokens in it counted as such."""
        parts = CONTROL.split(_sound(text)) if ">" in text else [_sound(text)]  # all of them end in it
        return len(parts) - 1 + sum(count_plain(self._open(), part) for part in parts if part)

    def count_prompt(self, messages: Sequence[tuple[str, str]]) -> int:
        """Tokens of the whole prompt of (role, text) messages, after the chat template, ready for the reply.

        As in the template: without a leading system message it says its own, `developer` is `system`, neighbouring
        `tool` messages share a user turn, other roles are left out. A last `assistant` message is what the reply
        continues, so that it is not closed.
        """
        known = [(ROLES[role], text) for role, text in messages if role in ROLES]
        if not known or known[0][0] != "system":
            known.insert(0, ("system", SYSTEM))
        opening = GENERATION
        if known[-1][0] == "assistant":
            *known, (_, begun) = known
            opening = GENERATION + begun if begun else ""  # the server drops an empty beginning whole
        turns = [turn for role, run in groupby(known, key=lambda message: message[0]) for turn in _turns(role, run)]
        return sum(self._cached(turn) for turn in turns) + self._cached(opening)

    def _cached(self, turn: str) -> int:
        # Turns begin and end at control tokens, where every piece is tokenized on its own: the sum is the whole.
        digest = hashlib.blake2b(turn.encode(errors="surrogatepass"), digest_size=16).digest()
        with self._lock:
            known = self._counts.get(digest)
        if known is not None:
            return known
        tokens = self.count(turn)
        with self._lock:
            self._counts[digest] = tokens
            while len(self._counts) > CACHED_COUNTS:
                del self._counts[next(iter(self._counts))]
        return tokens

    def _open(self) -> Any:
        if self._encoding is None:  # a third of a second; twice, where two threads come first, does no harm
            self._encoding = importlib.import_module(TOKENIZER).get_encoding("qwen3")
        return self._encoding


def _turns(role: str, run: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Neighbouring messages of one role as the template renders them."""
    if role == "tool":
        responses = "".join(f"\n<tool_response>\n{text}\n</tool_response>" for _, text in run)
        yield f"<|im_start|>user{responses}<|im_end|>\n"
    else:
        yield from (f"<|im_start|>{role}\n{text}<|im_end|>\n" for _, text in run)


def _sound(text: str) -> str:
    """The text with every half of a surrogate pair, which no encoder takes, as the replacement character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
