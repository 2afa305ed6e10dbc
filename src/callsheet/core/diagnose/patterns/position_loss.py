"""Position loss: what was said early or in the middle is not seen any more. It is asked for again, broken, or restated
wrong (E2, H2)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ....model.diagnosis import Finding, Quote
from ....model.transcript import Replaced
from .clash import valued
from .clashing import Statements
from .contract import Call, Moment, Piece, finding, quote
from .facts import sentences, stem

RULES = 100
GIVEN = 200
ROUNDS_BETWEEN = 2
_GIVEN = re.compile(
    r"(?:\b(?:my|our|the|its?)\s+|^|\n)((?:[a-z]+\s){0,2}?(?:id|number|name|e-?mail(?: address)?|address|code|key"
    r"|phone|password|date"
    r"|account|branch|version|port|region|host|url|path|zip))(?:\s+is|\s*[:=]|\s+will be)\s+[`'\"]?"
    r"((?:[A-Z0-9][\w@.+/:-]*|[\w.+-]+@[\w.-]+|\w*\d[\w./:-]*|[\w./-]*/[\w./-]*))",
    re.IGNORECASE,
)
_ASK = re.compile(
    r"(?:could|can|would|will|may) (?:you|i)(?: please)?(?: also)? (?:provide|share|tell|give|have|get|know|send"
    r"|specify)\b[^.?!]*"
    r"|please (?:provide|share|tell|give|send|specify)\b[^.?!]*|what(?:'s| is| are) your\b[^.?!]*|i(?:'ll"
    r"| will)? need your\b[^.?!]*",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"not found|could ?n.t find|cannot find|incorrect|invalid|verify|confirm|double.check|another|different|new|again"
    r"|does ?n.t match|unable|does not|if you|other|correct",
    re.IGNORECASE,
)
_NAMED = (
    r"(?:`([^`\n]{2,60})`|['\"]([^'\"\n]{2,60})['\"]"
    r"|((?:git|npm|pip|yarn|pnpm|docker|sudo)(?: [a-z-]{2,15})?|rm(?: -rf)?)\b|([\w./-]*[/_.]\w[\w./-]*))"
)
_NEVER = re.compile(
    r"\b(?:never|do ?n[o']t|don.t|must not|must never|do not ever|avoid|no)\s+(?:ever\s+)?"
    r"(use|using|run|running|edit|editing|touch|modify|modifying|change|changing|delete|deleting|call|calling"
    r"|write to|push|commit to"
    rf"|remove|overwrite|install)\s+(?:the |any |a |with )?(?:file |tool |command |folder |directory )?{_NAMED}",
    re.IGNORECASE,
)
_INSTEAD = re.compile(rf"\buse {_NAMED},? (?:and )?(?:not|instead of|rather than|never) {_NAMED}", re.IGNORECASE)
_ALWAYS = re.compile(
    r"\b(?:always|every (?:reply|answer|response|message)|each (?:reply|answer|response|message))\b[^.\n]{0,40}?"
    r"\b(start|begin|end|finish|close|sign|include|add|prefix)\w*\b[^.\n]{0,40}?(?:`([^`\n]{2,60})`"
    r"|\"([^\"\n]{2,60})\"|“([^”\n]{2,60})”|'([^'\n]{2,60})')",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:never|do ?n[o'’]t|do not|must not|without)\s+(?:ever\s+)?(?:run(?:ning)? (?:the |any )?)?(commit|push"
    r"|install|tests?|deploy)(?:ting|ing)?\b"
    r"(?=\s*(?:$|[.,;!)]|any(?:thing)?\b|to\b|yet\b|it\b|the changes\b|packages\b|dependencies\b|new\b|or\b|and\b))",
    re.IGNORECASE,
)
_FORBIDDING = ("never", "not", "don", "avoid", "no ", "without")
_LASTING = ("always", "every ", "each ")
_MEANS = {
    "commit": r"git commit",
    "push": r"git push",
    "install": r"(?:npm|yarn|pnpm|brew|apt(?:-get)?|gem|cargo) (?:install|add|i)"
    r"|(?:python3? -m )?pip3? install|uv (?:add|pip install)",
    "test": r"pytest|(?:npm|yarn|pnpm|cargo|go|mix|make) (?:run )?test|jest|tox",
    "deploy": r"(?:\S+ )?deploy|kubectl apply|terraform apply",
}
_CHANGES = frozenset(
    "edit editing touch modify modifying change changing delete deleting write overwrite remove".split()
)
_WRITERS = re.compile(r"edit|write|patch|replace|create|delete|remove|insert", re.IGNORECASE)
_COMMANDS = ("command", "cmd", "script", "code", "input")
_FIX = "Put standing instructions and given values into a block of their own, stated once more beside the current task."


@dataclass(slots=True)
class _Rule:
    """An instruction that can be checked: what must not occur in calls, or must occur in every answer."""

    verb: str
    what: str
    piece: Piece
    said: str
    round: int
    kept: int = 0
    missed: int = 0
    told: bool = False


class PositionLossDetector:
    """Finds values asked for again, instructions that are broken or stop being followed, and facts restated wrong."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[Piece, str, str, int]] = {}
        self._never: dict[str, _Rule] = {}
        self._always: dict[str, _Rule] = {}
        self._facts: Statements[Piece] = Statements()
        self._last: Piece | None = None
        self._told: set[str] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        for piece in moment.pieces:
            if piece.kind == "call" and piece.call is not None:
                self._last = None
                self._call(moment, piece, piece.call)
            elif piece.kind == "text" and piece.source in ("person", "system", "summary"):
                if piece.source == "person":
                    self._answered(moment)
                self._learn(moment, piece)
            elif piece.kind == "text" and piece.source == "model":
                self._last = piece
                self._asked(moment, piece)
                self._restated(moment, piece)
        if isinstance(moment.event, Replaced):
            self._last = None

    def result(self) -> Iterable[Finding]:
        """The losses, each once."""
        return self._found

    def _learn(self, moment: Moment, piece: Piece) -> None:
        text = piece.head
        for word in [each for each in self._never if each in text.casefold()]:
            self._never.pop(word)  # whoever speaks of it again may have changed it
        for rule in rules(piece, moment.round):
            chosen = self._always if rule.verb == "always" else self._never
            if len(chosen) < RULES:
                chosen[rule.what.casefold()] = rule
        if piece.source in ("person", "summary"):
            for found in _GIVEN.finditer(text):
                if len(self._given) < GIVEN:
                    self._given[_attribute(found[1])] = (piece, found[0], found[2], moment.round)
        if said := valued(text):
            self._facts.learn(said, piece.brief)

    def _call(self, moment: Moment, piece: Piece, call: Call) -> None:
        for rule in self._never.values():
            if rule.told or not broken(rule, call):
                continue
            rule.told = True
            title = f"It was said not to {rule.verb} {rule.what}, and {call.name} does".replace("  ", " ")
            quotes = (
                Quote(rule.piece.record, rule.said, f"the instruction, {moment.round - rule.round} model calls before"),
                quote(piece, "what was done"),
            )
            disproof = "The instruction was taken back or meant another case, or somebody allowed this one."
            self._found.append(
                finding(
                    "position-loss", moment.turn, "instruction-broken", title, quotes, _FIX, disproof, "policy", [call]
                )
            )

    def _answered(self, moment: Moment) -> None:
        """A person speaks: what the model said last was its answer, and every standing rule on answers shows in it."""
        answer, self._last = self._last, None
        for rule in self._always.values() if answer is not None else ():
            assert answer is not None
            if rule.what.casefold() in answer.text.casefold():
                rule.kept, rule.missed = rule.kept + 1, 0
                continue
            rule.missed += 1
            if rule.kept < 2 or rule.missed < 2 or rule.told:
                continue
            rule.told = True
            title = f"An instruction followed {rule.kept} times is not followed any more: {rule.what}"
            quotes = (
                Quote(rule.piece.record, rule.said, "the instruction"),
                quote(answer, "an answer without it", answer.text[-300:]),
            )
            disproof = "The instruction was for the earlier answers only, or was taken back."
            self._found.append(
                finding("position-loss", moment.turn, "instruction-dropped", title, quotes, _FIX, disproof, "policy")
            )

    def _asked(self, moment: Moment, piece: Piece) -> None:
        for asked in _ASK.finditer(piece.head) if self._given else ():
            if _DOUBT.search(piece.head):
                return
            words = {stem(word) for word in re.findall(r"[a-z]+", asked[0].casefold())}
            for attribute, (given, said, value, at) in self._given.items():
                if attribute in self._told or not set(attribute.split()) <= words or moment.round - at < ROUNDS_BETWEEN:
                    continue
                self._told.add(attribute)
                title = f"The model asks for the {attribute} that it was given: {value}"
                quotes = (Quote(given.record, said, "given"), Quote(piece.record, asked[0], "asked for again"))
                disproof = "It asks for another one, or the value given had turned out wrong."
                self._found.append(
                    finding("position-loss", moment.turn, "asked-again", title, quotes, _FIX, disproof, "state")
                )

    def _restated(self, moment: Moment, piece: Piece) -> None:
        for clash in self._facts.check(valued(piece.head)):
            source = self._facts.origin(clash)
            key = " ".join(clash.values)
            if source is None or clash.kind not in ("number", "date", "time", "version") or key in self._told:
                continue
            self._told.add(key)
            title = f"{clash.values[0]} was given, and the model says {clash.values[1]}"
            quotes = (
                Quote(source.record, clash.sentences[0], f"as given: {clash.values[0]}"),
                Quote(piece.record, clash.sentences[1], f"as restated: {clash.values[1]}"),
            )
            disproof = "The value changed in between, or the two sentences speak of different things."
            self._found.append(
                finding("position-loss", moment.turn, "restated-wrong", title, quotes, _FIX, disproof, "state")
            )


def rules(piece: Piece, at: int) -> Iterator[_Rule]:
    """The instructions in a text that can be checked on calls and answers."""
    for sentence in sentences(piece.head):
        small = sentence.lower()
        if any(word in small for word in _FORBIDDING):
            for found in _NEVER.finditer(sentence):
                if what := _first(found.groups()[1:]):
                    yield _Rule(found[1].casefold().split()[0], what, piece, sentence, at)
            for found in _GENERAL.finditer(sentence):
                yield _Rule("", found[1].casefold(), piece, sentence, at)
        for found in _INSTEAD.finditer(sentence) if "use " in small else ():
            if what := _first(found.groups()[4:]):
                yield _Rule("use", what, piece, sentence, at)
        for found in _ALWAYS.finditer(sentence) if any(word in small for word in _LASTING) else ():
            if what := _first(found.groups()[1:]):
                yield _Rule("always", what, piece, sentence, at)


def broken(rule: _Rule, call: Call) -> bool:
    """True where a call does what a rule forbids: writes that file, runs that command, uses that tool."""
    if rule.verb in _CHANGES:
        path = next((value for key, value in _pairs(call) if "path" in key or "file" in key), "")
        return bool(_WRITERS.search(call.name)) and ("/" + path).endswith("/" + rule.what.lstrip("./"))
    if call.name == rule.what:
        return True
    means = _MEANS.get(rule.what.rstrip("s"), re.escape(rule.what)) if not rule.verb else re.escape(rule.what)
    words = rf"(?:^|[;&|(]\s*|\bsudo\s+)(?:{means})(?![\w-])"
    return any(re.search(words, value.strip()) for key, value in _pairs(call) if key in _COMMANDS)


def _pairs(call: Call) -> Iterator[tuple[str, str]]:
    if isinstance(call.arguments, dict):
        yield from ((str(key), value) for key, value in call.arguments.items() if isinstance(value, str))


def _first(groups: Iterable[str | None]) -> str:
    return next((each for each in groups if each), "").strip().rstrip(".,;:")


def _attribute(text: str) -> str:
    """What a value is of, as stems in the order of the words."""
    words = (stem(word) for word in text.casefold().replace("-", "").split())
    return " ".join(word for word in words if word not in ("is", "new", "old"))
