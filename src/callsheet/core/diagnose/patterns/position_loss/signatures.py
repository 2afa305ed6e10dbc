"""Signatures: a function whose definition stands in the window is called as if it had another one (E2, H2)."""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Said
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote
from ..texts.reading import READ_AT_MOST, Reading, places

MOST = 3_000
BETWEEN = 1
LONGEST = 1_000
"""Characters of a definition up to its last parameter."""
_DEFINED = re.compile(r"\bdef (\w{4,60})\(([^()]*(?:\([^()]*\)[^()]*)*)\)", re.DOTALL)
_TOLD = re.compile(r"`(?:def |function |async def )?(\w{4,60})\(([\w ,*=:\[\]|.'\"]*)\)(?: ?-> ?[\w\[\], |.]+)?:?`")
_FENCED = re.compile(r"```\w*\n(.*?)```|`([^`\n]+)`", re.DOTALL)
_SEEKS = re.compile(
    r"\b(?:what|which|let me|i(?:['’]ll| need to| have to|['’]m not sure| do(?:n['’]t| not) (?:know|remember"
    r"|recall))|need to|not sure)\b"
    r"(?:[^.?!\n]|\.(?=\w)){0,60}?(?:\b(?:signature|arguments?|parameters?|params|takes?|accepts?)\b(?:[^.?!\n]"
    r"|\.(?=\w)){0,30}?"
    r"`?\b(?:\w+\.)*(\w*_\w+|\w+(?=\())|`(?:\w+\.)*(\w{4,60})(?:\(\))?`(?:[^.?!\n]|\.(?=\w)){0,25}?\b(?:signature"
    r"|arguments?|parameters?"
    r"|params|takes?|accepts?|expects?)\b)",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"TypeError: (?:[\w.]+\.)?(\w{4,60})\(\) (?:got an unexpected keyword argument|missing \d+ required"
    r"|takes (?:from )?\d+ (?:to \d+ )?positional arguments?|got multiple values).{0,120}"
)
_NUMBER = re.compile(r"\n\s*\d+[\t→|:]")
_KEYWORD = re.compile(r"(?<![\w.=!<>])(\w+)\s*=(?!=)")
_PARAMETER = re.compile(r"^\s*(\*{0,2})(\w+)", re.DOTALL)
_NEW = (
    "new_string",
    "new_str",
    "content",
    "file_text",
    "new_text",
    "replacement",
    "code",
    "insert",
    "patch",
    "input",
    "newText",
    "command",
    "cmd",
)
_FIX = (
    "Put the signatures that the next edit calls beside it, word for word, instead of trusting the model to remember."
)


class SignaturesDetector:
    """Finds calls with arguments that the definition, read before, does not have; and errors that say so."""

    def __init__(self) -> None:
        self._defined: OrderedDict[str, tuple[ReadBlock, str, int]] = OrderedDict()
        self._folded: dict[str, str] = {}
        self._many: set[str] = set()
        self._told: set[str] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.source == "model" and block.kind == "text" and self._defined:
                self._seeks(moment, block)
            if block.source == "model" and block.kind != "thinking":
                for text in _code(block):
                    self._defines(moment, block, text)
                    self._check(moment, block, text)
                    self._learn(text, block, moment.round)
            elif block.source != "model":
                if block.kind == "result" and "TypeError" in block.text:
                    self._failed(moment, block)
                if block.source in ("person", "system", "summary", "harness"):
                    for found in _TOLD.finditer(block.head):
                        self._learn(f"def {found[1]}({found[2]})", block, moment.round)
                self._learn(block.head, block, moment.round)

    def result(self) -> Iterable[Finding]:
        """The calls against a known signature, each function once."""
        return self._found

    def _learn(self, text: str, block: ReadBlock, at: int) -> None:
        for found in _definitions(text):
            name, told = found[1], " ".join(found[2].split())
            known = self._defined.get(name)
            if known is not None and known[1] != told:
                # Written anew, or two functions of one name: nobody can say which one is called.
                self._many.add(name)
            elif known is None and len(self._defined) < MOST:
                self._folded[name.lower()] = name
                self._defined[name] = (
                    ReadBlock(block.kind, block.source, found[0], block.record, call=block.call),
                    told,
                    at,
                )

    def _defines(self, moment: Moment, block: ReadBlock, text: str) -> None:
        """A function that was asked for with these parameters is written with others."""
        for found in _definitions(text):
            known = self._defined.get(found[1])
            if known is None or known[0].source not in ("person", "system", "summary") or found[1] in self._told:
                continue
            asked, written = _parameters(known[1]), _parameters(" ".join(found[2].split()))
            if found[1] in self._many or asked is None or written is None or not asked or asked <= written:
                continue
            self._told.add(found[1])
            title = f"{found[1]} was asked for with {', '.join(sorted(asked - written))}, and is written without"
            self._tell(moment, title, known[0], quote(block, "as written", found[0]), block.call)

    def _seeks(self, moment: Moment, block: ReadBlock) -> None:
        """The model asks, or says that it does not know, what a function takes whose definition it has."""
        for found in _SEEKS.finditer(block.head):
            name = found[1] or found[2]
            known = self._defined.get(name)
            if known is None or name in self._many or name in self._told or moment.round - known[2] <= BETWEEN:
                continue
            self._told.add(name)
            title = f"The model asks what {name} takes, whose definition it had read"
            self._tell(moment, title, known[0], quote(block, "asked again", found[0]), None)

    def _check(self, moment: Moment, block: ReadBlock, text: str) -> None:
        if not self._defined:
            return
        called = self._known(block.reading) - self._many - self._told
        for name, arguments in (call for each in sorted(called) for call in _calls(each, text)):
            known = self._defined[name]
            if name in self._told or moment.round - known[2] < BETWEEN:
                continue
            if not (wrong := _mistake(arguments, known[1])):
                continue
            self._told.add(name)
            title = f"{name} is called with {wrong} than its definition, read before, has"
            self._tell(moment, title, known[0], quote(block, "the call", f"{name}({arguments})"), block.call)

    def _known(self, reading: Reading) -> set[str]:
        """The functions with a known definition that a text names."""
        return {self._folded[word] for word in self._folded.keys() & reading.words}

    def _failed(self, moment: Moment, block: ReadBlock) -> None:
        for found in _WRONG.finditer(block.text[-READ_AT_MOST:]):
            known = self._defined.get(found[1])
            if known is None or found[1] in self._told or moment.round - known[2] < BETWEEN:
                continue
            self._told.add(found[1])
            title = f"{found[1]} was called against its definition, which had been read before"
            self._tell(moment, title, known[0], quote(block, "what came of it", found[0]), block.call)

    def _tell(self, moment: Moment, title: str, known: ReadBlock, wrong: Quote, call: Call | None) -> None:
        quotes = (quote(known, "the definition"), wrong)
        disproof = "It is another function of that name, or its definition was changed since."
        self._found.append(
            finding(
                "position-loss",
                moment.turn,
                "signature-forgotten",
                title,
                quotes,
                _FIX,
                disproof,
                "state",
                [known.call, call],
            )
        )


def _definitions(text: str) -> Iterator[re.Match[str]]:
    """The definitions in a text, also where its lines are numbered."""
    for at in places(text, "def "):
        found = _DEFINED.match(_NUMBER.sub("\n", text[at : at + LONGEST]))
        if found is not None:
            yield found


def _code(block: ReadBlock) -> Iterator[str]:
    """The code that a model writes: into files, into a shell, between fences."""
    if block.call is None:
        yield from (found[1] or found[2] or "" for found in _FENCED.finditer(block.head))
        return
    values = block.call.arguments if isinstance(block.call.arguments, dict) else {}
    for key, value in values.items():
        if key in _NEW and isinstance(value, str):
            yield value[:READ_AT_MOST]
        elif key == "edits" and isinstance(value, list):
            for each in value:
                yield from (str(each[name])[:READ_AT_MOST] for name in _NEW if isinstance(each, dict) and name in each)


def _calls(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Calls of a bare name, or of a method of self, with their arguments where their brackets close."""
    if f"{name}(" not in text:
        return
    for found in re.finditer(rf"(?:(?<![\w.])|(?<=\bself\.))({name})\(", text):
        if text[max(found.start() - 6, 0) : found.start()].rstrip().endswith(("def", "class")):
            continue
        depth, end = 1, found.end()
        while end < min(len(text), found.end() + 600) and depth:
            depth += (text[end] in "([{") - (text[end] in ")]}")
            end += 1
        if not depth:
            yield found[1], text[found.end() : end - 1]


def _mistake(arguments: str, told: str) -> str:
    """What a call's arguments have that the parameters do not allow: another keyword, or too many."""
    names = _parameters(told)
    flat = _flat(re.sub(r"(['\"]).*?\1", "''", arguments))
    if names is None or "lambda" in flat or " for " in flat or "..." in flat:
        return ""
    if strange := sorted(set(_KEYWORD.findall(flat)) - names):
        return f"another argument ({strange[0]}=)"
    given = [part for part in flat.split(",") if part.strip()]
    if any(part.strip().startswith("*") for part in given):
        return ""
    most = len(names - {"self", "cls"})
    return f"more arguments ({len(given)})" if "*" not in told and len(given) > most else ""


def _flat(text: str) -> str:
    """The text without what stands in inner brackets."""
    while (less := re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}", "", text)) != text:
        text = less
    return text


def _parameters(told: str) -> frozenset[str] | None:
    """The names of a definition's parameters; None where it takes any keyword."""
    found = [_PARAMETER.search(part) for part in _flat(told).split(",")]
    if any(each is not None and each[1] == "**" for each in found):
        return None
    return frozenset(each[2] for each in found if each is not None)
