"""Standing rules on the form of answers: language, length, units, what they must not hold; and answers against them."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Said
from ..blocks import ReadBlock
from ..contract import Moment, finding, quote
from ..texts.facts import sentences

LEAST_WORDS = 12
SLACK = 1.5
Check = Callable[[str], bool]
"""True for an answer that breaks the rule."""
_STANDING = re.compile(
    r"\b(?:always|never|every|each|all|any|from now on|throughout|going forward|for the rest|at all times"
    r"|until i say|in general"
    r"|whole conversation|please keep|only ever)\b",
    re.IGNORECASE,
)
_LANGUAGES = {
    "english": "the and of to is that you it for with this are have not but was from they will".split(),
    "german": "der die das und ist nicht ein eine zu den mit sich auf für dem von sie ich wird auch".split(),
    "french": "le la les et est des une un du que pour dans vous pas sur avec qui ce sont plus".split(),
    "spanish": "el la los las y es de que en un una por con para su del se no está más".split(),
    "italian": "il la le e è di che un una per con non si del sono della gli nel più ha".split(),
    "portuguese": "o a os as e é de que em um uma por com para não se do da está mais".split(),
    "dutch": "de het een en is van niet dat op te met voor zijn ik die er aan ook wordt".split(),
}
_LANGUAGE = re.compile(
    rf"\b(?:answer|reply|respond|write|speak|communicate|answers?|replies"
    rf"|responses?)\b[^.\n]{{0,40}}\bin ({'|'.join(_LANGUAGES)})\b",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"\b(?:at most|no more than|not more than|under|fewer than|less than|maximum(?: of)?|within|up to)\s+(\d{1,3}"
    r"|one|two|three|four"
    r"|five)\s+(words?|sentences?|lines?)\b|\b(?:in|with)\s+(one|two|three|\d{1,2})\s+(sentences?|words?"
    r"|lines?)(?:\s+or (?:fewer|less))?\b",
    re.IGNORECASE,
)
_UNIT = re.compile(r"(?:\d|one|two|three|four|five) (?:words?|sentences?|lines?)\b")
_ANSWERS = re.compile(
    r"\b(?:answer|reply|repl(?:y|ies)|respon[ds]\w*|messages?|outputs?|write|keep|be)\b", re.IGNORECASE
)
_NO = r"\b(?:no|never use|do not use|don['’]t use|without|avoid)(?: any| using)? "
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_WITHOUT: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (name, re.compile(_NO + said, re.IGNORECASE), re.compile(shown, re.MULTILINE))
    for name, said, shown in (
        ("emojis", r"emojis?\b", "[\U0001f300-\U0001faff\u2600-\u26ff\u2705\u274c\u2728]"),
        ("bullet points", r"(?:bullet(?:ed|s)?(?: ?points?| lists?)?|lists)\b", r"^\s*[-*•] \S.*\n\s*[-*•] \S"),
        ("tables", r"(?:markdown )?tables?\b", r"^\s*\|.*\|\s*$\n\s*\|[-: |]+\|"),
        ("headings", r"(?:markdown )?head(?:ing|er)s?\b", r"^#{1,4} \S"),
        ("markdown", r"markdown\b", r"^#{1,4} \S|\*\*\S[^*\n]*\*\*|^\s*\|[-: |]+\|"),
        ("code blocks", r"code (?:blocks?|fences?)\b", r"^```"),
        ("exclamation marks", r"exclamation (?:marks?|points?)", r"\w!(?:\s|$)"),
    )
)
_UNITS: tuple[tuple[str, re.Pattern[str], re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (
        name,
        re.compile(rf"\b(?:use|in|with|give|show|report)\b[^.\n]{{0,40}}\b(?:{said})\b", re.IGNORECASE),
        re.compile(mine),
        re.compile(other),
    )
    for name, said, mine, other in (
        ("Celsius", "celsius|°c", r"\d ?°? ?C\b|Celsius", r"\d ?°? ?F\b|Fahrenheit"),
        ("Fahrenheit", "fahrenheit|°f", r"\d ?°? ?F\b|Fahrenheit", r"\d ?°? ?C\b|Celsius"),
        (
            "metric units",
            "metric(?: units| system)?|kilomet(?:re|er)s",
            r"\d ?(?:km|m|kg|cm)\b",
            r"\d ?(?:miles?|mi|ft|feet|lbs?|inches)\b",
        ),
        ("euros", "euros?|eur", r"€|\bEUR\b|\beuros?\b", r"\$ ?\d|\bUSD\b|\bdollars?\b"),
        ("24-hour times", "24.hour(?: clock| format| times?)?", r"\b(?:1[3-9]|2[0-3]):\d\d\b", r"\d ?[AaPp]\.?[Mm]\b"),
    )
)
_SIGNS = {
    "bullet points": ("bullet", "list"),
    "headings": ("heading", "header"),
    "Celsius": ("celsius", "°"),
    "Fahrenheit": ("fahrenheit", "°"),
    "metric units": ("metric", "kilomet"),
    "euros": ("euro", "eur "),
    "24-hour times": ("24-hour", "24 hour"),
}
"""Words without which a text holds no such rule, where it is not the name itself."""
_FIX = "State the rules on the form of answers once more beside the current task, and check them by code."


@dataclass(slots=True)
class _Form:
    """A rule on answers: its name, where it stands, how it is broken."""

    name: str
    block: ReadBlock
    said: str
    broken: Check


class AnswersDetector:
    """Finds an answer against a standing rule on the form of all answers."""

    def __init__(self) -> None:
        self._forms: dict[str, _Form] = {}
        self._answer: ReadBlock | None = None
        self._turn = 1
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        for block in moment.blocks:
            if block.kind == "text" and block.source in ("person", "system", "summary"):
                if block.source == "person":
                    self._close(moment.turn - 1)
                self._learn(block)
            elif block.kind == "text" and block.source == "model":
                self._answer = block
            elif block.kind == "call" and isinstance(moment.event, Said):
                self._answer = None
            self._turn = moment.turn

    def result(self) -> Iterable[Finding]:
        """The answers against a rule, each rule once."""
        self._close(self._turn)
        return self._found

    def _learn(self, block: ReadBlock) -> None:
        if next(_forms(block.head), None) is None:
            return
        for sentence in block.reading.sentences:
            if block.source == "person" and not _STANDING.search(sentence):
                continue
            for name, broken in _forms(sentence):
                self._forms[name.split(":")[0]] = _Form(name, block.brief, sentence, broken)

    def _close(self, turn: int) -> None:
        """What the model said last before a person speaks, or before the end, is an answer."""
        answer, self._answer = self._answer, None
        for key, form in list(self._forms.items()) if answer is not None else ():
            assert answer is not None
            if answer.message == form.block.message or not form.broken(answer.head):
                continue
            del self._forms[key]
            title = f"A standing rule on answers is not followed: {form.name}"
            quotes = (Quote(form.block.record, form.said[:300], "the rule"), quote(answer, "an answer against it"))
            disproof = "The rule was for other answers, or somebody asked for this form."
            self._found.append(
                finding("position-loss", max(turn, 1), "form-forgotten", title, quotes, _FIX, disproof, "policy")
            )


def _forms(sentence: str) -> Iterator[tuple[str, Check]]:
    """The rules in a sentence, each with what tells that an answer breaks it."""
    small = sentence.lower()
    if any(f"in {name}" in small for name in _LANGUAGES) and (found := _LANGUAGE.search(sentence)):
        wanted = found[1].casefold()
        yield f"language: {wanted}", lambda text: language(text) not in ("", wanted)
    if _UNIT.search(small) and _ANSWERS.search(sentence) and (found := _LONG.search(sentence)):
        count, unit = found[1] or found[3], (found[2] or found[4]).casefold().rstrip("s")
        most = _NUMBERS.get(count.casefold()) or int(count)
        yield f"length: {most} {unit}s", lambda text: _size(text, unit) > max(SLACK * most, most + 1)
    for name, said, shown in _WITHOUT:
        if _may(name, small) and said.search(sentence):
            yield f"no {name}", partial(_shows, shown)
    for name, said, mine, other in _UNITS:
        if _may(name, small) and said.search(sentence):
            yield f"in {name}", partial(_other, mine, other)


def _may(name: str, small: str) -> bool:
    return any(sign in small for sign in _SIGNS.get(name, (name.rstrip("s"),)))


def _shows(shown: re.Pattern[str], text: str) -> bool:
    return shown.search(text) is not None


def _other(mine: re.Pattern[str], other: re.Pattern[str], text: str) -> bool:
    return other.search(text) is not None and mine.search(text) is None


def language(text: str) -> str:
    """The language of a text by its small words; empty where it is too short or two come near each other."""
    words = re.findall(r"[^\W\d_]+", re.sub(r"```.*?```|`[^`]*`", " ", text[:3_000], flags=re.DOTALL).casefold())
    if len(words) < LEAST_WORDS:
        return ""
    counts = sorted(((sum(word in known for word in words), name) for name, known in _LANGUAGES.items()), reverse=True)
    (most, name), (second, _) = counts[:2]
    return name if most >= 0.12 * len(words) and most >= 1.7 * second else ""


def _size(text: str, unit: str) -> int:
    if unit == "word":
        return len(text.split())
    return (
        sum(1 for _ in sentences(text)) if unit == "sentence" else sum(1 for line in text.splitlines() if line.strip())
    )
