"""Foreign text made safe to stand inside a delimited block: nothing in it can close the block or pose as another (I1).

Two rules, on the text itself, so that they hold for every model: a `<` that would open or close one of our tags becomes
`‹`, and the first character of a chat template's control token (`<|im_end|>`, `<start_of_turn>`, `[INST]` …) is broken
the same way. Both are judged on what a reader may take the text for: compatibility letters folded, marks and invisible
characters gone, letters of another alphabet that look like Latin ones read as those.
"""

import html
import re
import unicodedata
from functools import lru_cache
from itertools import accumulate

TAGS = (
    *("evidence", "memory", "observation", "example", "notice", "value", "task", "question", "claim", "decision"),
    *("instructions", "tools", "policy", "role", "tool-guidance", "output", "boundary"),
    *("conversation-summary", "handover", "notes", "standing-rules", "current-state"),
    *("document", "example-artifact", "skill", "skill-instructions"),
    *("system", "developer", "user", "assistant", "tool_call", "tool_response", "think"),
)

# No blank can be matched in two ways: foreign text must not be able to make the search slow.
_SLASH = r"(?:/\s*)?"
_ANGLE = rf"""
    \s*{_SLASH}(?:{"|".join(TAGS)})\b                                                   # our tags, and the roles'
    | \s*\|                                                                             # Qwen, Llama 3, DeepSeek
    | \s*{_SLASH}(?:(?:start|end)_of_\w+|bos|eos|s|pad|unk|mask|unused\d+)\s*>          # Gemma, SentencePiece
    | \s*(?:<\s*)?{_SLASH}sys\s*>>                                                       # Llama 2
"""
_SQUARE = r"""
    /?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|CALL_ID|ARGS|THINK|IMG\w*)\]    # Mistral
"""
_LOOK_ALIKE = re.compile(rf"<(?={_ANGLE})|\[(?={_SQUARE})", re.IGNORECASE | re.VERBOSE)
_BROKEN = {"<": "‹", "[": "⟦"}
_OPENING = "<\uff1c\ufe64[\uff3b\ufe47"  # every character whose compatibility form is one of the two
_SURROGATE = re.compile("[\ud800-\udfff]")


def neutral(text: str) -> str:
    """The text with every look-alike of a delimiter or control token broken, and line ends made `\\n`.

    Text without any comes back unchanged, so quotes stay quotes. A lone surrogate, which is no text, becomes U+FFFD.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if plain.isascii() and "<" not in plain and "[" not in plain:
        return plain
    plain = _SURROGATE.sub("\ufffd", plain)
    if plain.isascii() or not any(mark in plain for mark in _OPENING):
        return _LOOK_ALIKE.sub(lambda found: _BROKEN[found.group()], plain)
    seen = [_taken_for(character) for character in plain]
    starts = {
        offset: at for at, offset in enumerate(accumulate(map(len, seen), initial=0)) if at < len(seen) and seen[at]
    }
    broken = {starts[found.start()]: _BROKEN[found.group()] for found in _LOOK_ALIKE.finditer("".join(seen))}
    return "".join(broken.get(at, character) for at, character in enumerate(plain)) if broken else plain


def as_read(text: str) -> str:
    """The text as a reader takes it in: compatibility letters folded, characters that show nothing left out."""
    return text if text.isascii() else "".join(map(_read_as, unicodedata.normalize("NFC", text)))


def as_taken(text: str) -> str:
    """The text in the Latin letters and the digits that a reader takes it for, whatever alphabet they are of."""
    return text if text.isascii() else "".join(map(_digit, "".join(map(_taken_for, text))))


def _digit(character: str) -> str:
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


@lru_cache(maxsize=2048)
def _read_as(character: str) -> str:
    """What a character reads as: its compatibility form, without marks and format characters that show nothing."""
    if character.isascii():
        return character
    folded = unicodedata.normalize("NFKC", character)
    return "".join(each for each in folded if unicodedata.category(each) not in ("Cf", "Mn", "Me", "Cc"))


@lru_cache(maxsize=2048)
def _taken_for(character: str) -> str:
    """What a character may be taken for in a delimiter: its base letter, the Latin one that it looks like, a slash."""
    if character.isascii():
        return character
    folded = unicodedata.normalize("NFKD", character)
    shown = "".join(each for each in folded if unicodedata.category(each)[0] not in "MC" and each not in _EMPTY)
    return shown.translate(_ALIKE)


_EMPTY = "\u115f\u1160\u2800"  # letters and a symbol without ink
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_SPELLED = re.compile(r"\b[^\W_](?:[-. _][^\W_]\b){2,}")
_LETTERS = re.compile(r"[^\W_]+")
_CYRILLIC = str.maketrans("асеорхуіјѕԁԛԝкмтвнг", "aceopxyijsdqwkmtbhr")
_ALIKE: dict[int, int | str] = {
    **_CYRILLIC,
    **str.maketrans("АСЕОРХУІЈЅКМТВНѵһӏΑΕΙΚΜΝΟΡΤΥΧαεικνορτυχϲϳıɑɡⅼ", "aceopxyijskmtbhvhlaeikmnoptyxaeikvoptuxcjiagl"),
    **dict.fromkeys(map(ord, "\u2215\u2044\u29f8\u2571\u27cb"), "/"),
}


def plain_words(text: str) -> list[str]:
    """The words of a text as a reader takes them in, case-folded: without markup, spelled-out words joined, and letters
    of another alphabet that look like Latin ones read as those where a word mixes both."""
    read = _MARKUP.sub("", as_read(html.unescape(text))).casefold()
    joined = _SPELLED.sub(lambda run: re.sub(r"[-. _]", "", run.group()), read)
    return [_one_alphabet(word) for word in _LETTERS.findall(joined)]


def _one_alphabet(word: str) -> str:
    mixed = not word.isascii() and any("a" <= letter <= "z" for letter in word)
    return word.translate(_CYRILLIC) if mixed else word


def is_text(value: object) -> bool:
    """True for text that every store and protocol can take: half a surrogate pair is none."""
    return isinstance(value, str) and _SURROGATE.search(value) is None
