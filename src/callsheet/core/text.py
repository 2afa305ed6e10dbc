"""Foreign text made safe to stand inside a delimited block: nothing in it can close the block or pose as another (I1).

Two rules, on the text itself, so that they hold for every model: a `<` that would open or close one of our tags, also
in a compatibility form of Unicode or with blanks in between, becomes `‹`; and a control token of a chat template
(`<|im_end|>`, `<start_of_turn>`, `[INST]` …) is broken the same way.
"""

import re
import unicodedata

TAGS = (
    *("evidence", "memory", "observation", "example", "notice", "value", "task", "question", "decision"),
    *("instructions", "tools", "policy", "role", "tool-guidance", "output", "boundary"),
    *("system", "developer", "user", "assistant", "tool_call", "tool_response"),
)

_LESS = "<\uff1c\ufe64"
_BLANK = r"[\s\u200b-\u200f\u2060\ufeff]*"
_TAG = re.compile(rf"[{_LESS}](?={_BLANK}[/\uff0f\u2215]?{_BLANK}(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)
_CONTROL = re.compile(
    rf"[{_LESS}](?={_BLANK}\||{_BLANK}/?{_BLANK}(?:start_of_turn|end_of_turn|bos|eos|s|pad|unk)\s*>)"
    r"|\[(?=/?(?:INST|SYS)\])|[\uff1c<](?=<\s*/?SYS>>)",
    re.IGNORECASE,
)


def neutral(text: str) -> str:
    """The text with every look-alike of a delimiter or control token broken, and line ends made `\\n`.

    Text without any comes back unchanged, so quotes stay quotes. Compatibility letters that would spell a tag name are
    folded before they are judged.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if not any(mark in plain for mark in _LESS + "["):
        return plain
    if not plain.isascii():
        plain = _fold_tags(plain)
    return _CONTROL.sub(_broken, _TAG.sub("‹", plain))


def _broken(match: re.Match[str]) -> str:
    return "⟦" if match.group() == "[" else "‹"


def _fold_tags(text: str) -> str:
    """Compatibility-folds what stands right after a `<`: fullwidth or mathematical letters may spell a tag name."""
    return re.sub(rf"[{_LESS}][^\s>]{{1,40}}", lambda run: unicodedata.normalize("NFKC", run.group()), text)
