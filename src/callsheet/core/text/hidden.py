"""Foreign text without what a reader does not see or a machine obeys (I1, D5): control and bidirectional characters,
invisible ones, terminal sequences, control tokens of chat templates, images that are fetched from elsewhere.

What a script or an emoji needs stays: joiners in Persian, Indic and emoji, variation selectors after what they select
for, the flags of England, Scotland and Wales, a word's soft hyphens, marks of direction beside right-to-left letters.
Cleaning what is clean changes nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

HiddenRule = Literal["control-sequence", "hidden-characters", "bidi-control", "role-token", "remote-image"]
SHOWN = 200
"""Characters of what was removed that a finding shows."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was removed by a rule: how many times, and its beginning, written so that a person sees it."""

    rule: HiddenRule
    times: int
    removed: str


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text that says to a machine what it says to a person, and what was taken out of it."""

    text: str
    findings: tuple[Finding, ...] = ()

    @property
    def rules(self) -> tuple[HiddenRule, ...]:
        """The rules that found something, each once."""
        return tuple(each.rule for each in self.findings)


Removed = list[tuple[HiddenRule, str]]


def cleaned(text: str) -> Cleaned:
    """The text without anything hidden, and one finding per rule that took something out."""
    removed: Removed = []
    while (clean := _once(text, removed)) != text:
        text = clean  # what is gone may have kept two halves apart
    grouped = groupby(sorted(removed, key=lambda each: each[0]), key=lambda each: each[0])
    return Cleaned(text, tuple(_finding(rule, [part for _, part in parts]) for rule, parts in grouped))


def _finding(rule: HiddenRule, parts: list[str]) -> Finding:
    return Finding(rule, len(parts), " ".join(map(shown, parts[:SHOWN]))[:SHOWN])


def shown(text: str) -> str:
    """A text as a person can see it: tag characters as the letters they spell, all else that shows nothing escaped."""
    return "".join(_seen(each) for each in text)


def _seen(character: str) -> str:
    if 0xE0020 <= ord(character) < 0xE007F:
        return chr(ord(character) - 0xE0000)
    unseen = _UNSEEN.match(character) or _CONTROL.match(character)
    return ascii(character)[1:-1] if unseen else character


def _once(text: str, removed: Removed) -> str:
    text = _SEQUENCE.sub(lambda found: _control(found, removed), text)
    if not text.isascii():
        text = _UNSEEN.sub(lambda found: _unseen(found, removed), text)
    text = _ROLE_TOKEN.sub(lambda found: _role_token(found, removed), text)
    return _without_images(text, removed) if "//" in text else text


# --- control characters and terminal sequences (ECMA-48), in seven bits and in eight ---------------------------------

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_SEQUENCE = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, the cursor, erasing
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x00-\x08\x0a-\x1f\x7f-\x9f]*(?:\x07|\x1b\\\\|\x9c))?"  # OSC, DCS …
    "|\x1b[ -/]*[0-~]?"
    "|" + _CONTROL.pattern
)


def _control(found: re.Match[str], removed: Removed) -> str:
    removed.append(("control-sequence", found.group()))
    # What lets a terminal write over a line ends one here, so that nothing of it is lost.
    return "\n" if found.group() in ("\r", "\x85") else ""


# --- characters that show nothing (Default_Ignorable_Code_Point), and where a script needs one -----------------------

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]+"
)
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]"
)
_JOINING = (  # the cursive scripts, and those whose vowels and conjuncts a joiner shapes
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f\ua800-\ua8df\ua980-\ua9df"
    "\uaae0-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010fff\U00011000-\U00011fff"
    "\U00013000-\U0001345f\U0001e900-\U0001e95f]"
)
_UNSPACED = "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u1aaf\ua980-\ua9df\uaa60-\uaadf]"
_HAN = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_RIGHT_TO_LEFT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_REGISTERED = "|".join("".join(chr(0xE0000 + ord(each)) for each in flag) for flag in ("gbeng", "gbsct", "gbwls"))
_NEEDED = tuple(
    (re.compile(unseen), re.compile(f"(?:{before})$"), re.compile(after))
    for unseen, before, after in (
        ("\ufe0f?\u200d", _PICTURE, _PICTURE),
        ("[\ufe0e\ufe0f]", f"{_PICTURE}|[0-9#*]", ""),
        (f"(?:{_REGISTERED})\U000e007f", "\U0001f3f4", ""),
        ("[\u200c\u200d]", _JOINING, rf"{_JOINING}|\W|$"),
        ("\u200b", _UNSPACED, ""),
        ("\u200b", "", _UNSPACED),
        ("[\ufe00-\ufe0d]", r"0|[^\x00-\x7f\s]", ""),
        ("[\U000e0100-\U000e01ef]", _HAN, ""),
        ("\u00ad", r"\w\w", r"\w\w"),
        ("[\u061c\u200e\u200f]", f"{_RIGHT_TO_LEFT}.*", ""),
        ("[\u061c\u200e\u200f]", "", f".*{_RIGHT_TO_LEFT}"),
        ("\u034f", r"\w|[^\x00-\x7f]", "[\u0300-\u036f\u0591-\u05c7]"),
        ("[\u115f\u1160]{1,2}", "[\u1100-\u11ff]|", "[\u1100-\u11ff]|(?<=[\u1100-\u11ff])"),
        ("[\u17b4\u17b5]", "[\u1780-\u17ff]", ""),
        ("[\u180b-\u180f]", "[\u1820-\u18aa]", ""),
        ("[\U0001bca0-\U0001bca3]", "[\U0001bc00-\U0001bc9f]", ""),
        ("[\U0001d173-\U0001d17a]", "[\U0001d100-\U0001d1ff]", ""),
    )
)
"""What may stand where nothing is seen, each time once: after what, and before what."""
AROUND = 8
"""Characters before and after that are looked at."""


def _unseen(found: re.Match[str], removed: Removed) -> str:
    run, text = found.group(), found.string
    before, after = text[max(0, found.start() - AROUND) : found.start()], text[found.end() : found.end() + AROUND]
    for unseen, wanted_before, wanted_after in _NEEDED:
        if unseen.fullmatch(run) and wanted_before.search(before) and wanted_after.match(after):
            return run
    removed.append(("bidi-control" if _BIDI.search(run) else "hidden-characters", run))
    return "\ufffd" if "\ud800" <= run <= "\udfff\uffff" else ""  # half a character is no text


# --- control tokens of chat templates: broken by their first character, so that a reader still sees them -------------

_ROLE_TOKEN = re.compile(
    r"""[<](?=[|｜][\w▁ .:/-]{1,60}[|｜]>)                        # Qwen, Llama 3, OpenAI, DeepSeek
    | [<](?=/?(?:start_of_turn|end_of_turn|start_of_image|end_of_image|bos|eos|unused\d{1,4})>)             # Gemma
    | [<](?=</?SYS>>)                                              # Llama 2
    | \[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\])    # Mistral
    """,
    re.VERBOSE,
)


def _role_token(found: re.Match[str], removed: Removed) -> str:
    text, start = found.string, found.start()
    removed.append(("role-token", text[start : start + 24].splitlines()[0]))
    return "‹" if found.group() == "<" else "⟦"


# --- images that a page fetches when it shows the text, and with them whatever their address says --------------------

_REMOTE = r"(?:https?:)?//"
_IMAGE_END = re.compile(
    rf"\](?:\(\s{{0,9}}(?:<{_REMOTE}[^<>\n]*>|{_REMOTE}[^\s)]*)[^)\n]*\)|\[([^\[\]]{{0,999}})\])", re.I
)
_HTML_IMAGE = re.compile(rf"<(?:img|image|source)\b[^<>]{{0,9999}}?{_REMOTE}[^<>]{{0,9999}}>", re.I)
_DEFINITION = re.compile(rf"^[ ]{{0,3}}\[([^\[\]]{{1,999}})\]:\s{{0,9}}<?{_REMOTE}\S*.*$", re.I | re.M)
LONGEST_ALT = 2_000
"""Characters of an image's description that are looked through for its beginning."""


def _without_images(text: str, removed: Removed) -> str:
    text = _HTML_IMAGE.sub(lambda found: _gone(found.group(), "", removed), text)
    if "![" not in text:
        return text
    remote = {_label(each.group(1)) for each in _DEFINITION.finditer(text)}
    done: list[str] = []
    at = 0
    for found in _IMAGE_END.finditer(text):
        done += text[at : found.start()]
        at, start = found.end(), _opening(done)
        alt = "".join(done[start + 2 :]) if start >= 0 else ""
        by_label = found.group(1) is not None and _label(found.group(1) or alt) not in remote
        if start < 0 or by_label:
            done += found.group()
        else:
            done[start:] = _gone("".join(done[start:]) + found.group(), alt, removed)
    text = "".join(done) + text[at:]
    return _shortcuts(text, remote, removed) if remote else text


def _shortcuts(text: str, remote: set[str], removed: Removed) -> str:
    """Without the images that are named by their description alone: `![label]`."""

    def replaced(found: re.Match[str]) -> str:
        label = found.group(1)
        return _gone(found.group(), label, removed) if _label(label) in remote else found.group()

    return re.sub(r"!\[([^\[\]]{1,999})\](?![\[(])", replaced, text)


def _opening(text: Sequence[str]) -> int:
    """Where the image begins whose description ends with the text; -1 where that is a link's or nothing's."""
    depth = 0
    for at in range(len(text) - 1, max(-1, len(text) - LONGEST_ALT), -1):
        if text[at] == "]":
            depth += 1
        elif text[at] == "[" and depth:
            depth -= 1
        elif text[at] == "[":
            return at - 1 if at and text[at - 1] == "!" else -1
    return -1


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def _gone(image: str, alt: str, removed: Removed) -> str:
    removed.append(("remote-image", image))
    return f"(image removed: {alt.strip()})" if alt.strip() else "(image removed)"
