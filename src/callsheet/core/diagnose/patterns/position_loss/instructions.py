"""Standing instructions that can be checked on calls: what must not be used, run, written or changed."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..blocks import Call, ReadBlock

_NAMED = (
    r"(?:`([^`\n]{2,60})`|['\"]([^'\"\n]{2,60})['\"]"
    r"|((?:git|npm|npx|pip|yarn|pnpm|bun|docker|podman|sudo|conda|poetry|make|kubectl|terraform|curl|wget|sed)"
    r"(?: [a-z-]{2,15})?|rm(?: -rf)?|pytest|unittest|jest|vitest)\b|([\w./-]*[/_.]\w[\w./-]*))"
)
_NEVER = re.compile(
    r"\b(?:never|do ?n[o']t|don.t|must not|must never|do not ever|avoid|no)\s+(?:ever\s+)?"
    r"(use|using|run|running|edit|editing|touch|modify|modifying|change|changing|delete|deleting|call|calling"
    r"|write to|push|commit to"
    rf"|remove|overwrite|install)\s+(?:the |any |a |with )?(?:file |tool |command |folder |directory )?{_NAMED}",
    re.IGNORECASE,
)
_NAMES = 4  # groups of _NAMED
_INSTEAD = re.compile(rf"\buse {_NAMED},? (?:and )?(?:not|instead of|rather than|never) {_NAMED}", re.IGNORECASE)
_ALONE = re.compile(
    rf"\b(?:leave|keep)s? (?:the )?{_NAMED}(?: \w+)? (?:alone|as (?:it )?(?:is|are)|unchanged|untouched|out of)\b"
    rf"|{_NAMED}(?: \w+)? (?:must|should|has to|have to|needs to)(?: not be (?:changed|edited|modified|touched"
    rf"|deleted|removed)"
    rf"| (?:stay|remain|be left|be kept) (?:as (?:it )?(?:is|are)|unchanged|untouched|alone))"
    rf"|{_NAMED}(?: \w+)? is (?:off.limits|read.only|frozen|generated)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:never|do ?n[o']t|don.t|must not|not|leave|without)\s+(?:ever\s+)?(?:touch|edit|modify|chang|delet|remov)\w*"
    r"(?:ing)?\s+(?:any(?:thing)?\s+)?(?:of\s+)?(?:files?\s+)?(?:in\s+|inside\s+|under\s+)?(?:the\s+|any\s+|our\s+"
    r"|existing\s+)*"
    r"(?:`?([a-z][\w-]{2,30})`?/?\s+(?:folder|directory|dir|module|package|files?|configs?)\b|(tests?)\b)",
    re.IGNORECASE,
)
_NO_MORE = re.compile(
    r"\b(?:no|without|not add|not adding|avoid|avoid adding|don.t add)\s+(?:any\s+|adding\s+|new\s+|extra\s+"
    r"|additional\s+"
    r"|third.party\s+|external\s+|runtime\s+)*(?:dependenc\w+|packages|libraries)\b",
    re.IGNORECASE,
)
_NOT_ADD = re.compile(
    r"\b(?:(?:do not|don['’]t)(?!\s+(?:need|have|want)\b)|never|must not|without|avoid)\b(?:[^.;\n]|\.\w){0,80}?"
    r"\b(?:add(?:ing)?|install(?:ing)?|pull(?:ing)? in)\s+"
    r"(?:(?:any|new|more|other|extra|npm|pip|python|node|system|third.party)\s+)*"
    r"(?:dependenc\w+|packages|libraries)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(
    rf"\bonly\s+(?:touch|edit|modify|change|write(?: to)?|work (?:in|on))\s+(?:the )?(?:file )?{_NAMED}"
    rf"|\b(?:touch|edit|modify|change)\s+(?:only|nothing but|no file (?:but|except))\s+(?:the )?(?:file )?{_NAMED}",
    re.IGNORECASE,
)
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
_ALONE_WORDS = (
    "alone",
    "as is",
    "as it is",
    "as they are",
    "as are",
    "unchanged",
    "untouched",
    "must not be",
    "should not be",
    "off",
    "read",
    "frozen",
    "generated",
)
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


@dataclass(slots=True)
class Rule:
    """An instruction that can be checked: what must not occur in calls, or must occur in every answer."""

    verb: str
    what: str
    block: ReadBlock
    said: str
    round: int
    kept: int = 0
    missed: int = 0
    told: bool = False


def rules(block: ReadBlock, at: int) -> Iterator[Rule]:
    """The instructions in a text that can be checked on calls and answers."""
    for sentence in block.reading.sentences:
        for verb, what in _told(sentence, sentence.lower()):
            if what:
                yield Rule(verb, what, block, sentence, at)


def _told(sentence: str, small: str) -> Iterator[tuple[str, str]]:
    """What a sentence, in small letters too, tells to do or not: the verb and on what."""
    if any(word in small for word in _FORBIDDING):
        yield from _forbidden(sentence)
    if any(word in small for word in _ALONE_WORDS):
        yield from (("edit", _first(found.groups())) for found in _ALONE.finditer(sentence))
    if "only" in small or "nothing but" in small:
        named = (_first(found.groups()) for found in _ONLY.finditer(sentence))
        yield from (("write outside", what) for what in named if "." in what)
    if "use " in small:
        yield from (("use", _first(found.groups()[_NAMES:])) for found in _INSTEAD.finditer(sentence))
    if any(word in small for word in _LASTING):
        yield from (("always", _first(found.groups()[1:])) for found in _ALWAYS.finditer(sentence))


def _forbidden(sentence: str) -> Iterator[tuple[str, str]]:
    yield from ((found[1].casefold().split()[0], _first(found.groups()[1:])) for found in _NEVER.finditer(sentence))
    yield from (("", found[1].casefold()) for found in _GENERAL.finditer(sentence))
    yield from (("edit in", (found[1] or found[2]).casefold()) for found in _PLACE.finditer(sentence))
    if _NO_MORE.search(sentence) or _NOT_ADD.search(sentence):
        yield "", "install"


def broken(rule: Rule, call: Call) -> bool:
    """True where a call does what a rule forbids: writes that file, runs that command, uses that tool."""
    if rule.verb in _CHANGES or rule.verb in ("edit in", "write outside"):
        path = next((value for key, value in _pairs(call) if "path" in key or "file" in key), "")
        return bool(path) and bool(_WRITERS.search(call.name)) and _concerns(rule, "/" + path)
    if call.name == rule.what:
        return True
    means = _MEANS.get(rule.what.rstrip("s"), re.escape(rule.what)) if not rule.verb else re.escape(rule.what)
    words = rf"(?:^|[;&|(]\s*|\bsudo\s+)(?:{means})(?![\w-])"
    return any(re.search(words, value.strip()) for key, value in _pairs(call) if key in _COMMANDS)


def _concerns(rule: Rule, path: str) -> bool:
    """True where a rule on files forbids to write this one."""
    same = path.endswith("/" + rule.what.lstrip("./"))
    if rule.verb == "write outside":
        return not same
    if rule.verb != "edit in":
        return same
    if rule.what.startswith("test"):
        return re.search(r"/tests?/|/test_|_test\.|\.(?:test|spec)\.", path) is not None
    return f"/{rule.what}/" in path or f"/{rule.what}." in path


def _pairs(call: Call) -> Iterator[tuple[str, str]]:
    if isinstance(call.arguments, dict):
        yield from ((str(key), value) for key, value in call.arguments.items() if isinstance(value, str))


def _first(groups: Iterable[str | None]) -> str:
    return next((each for each in groups if each), "").strip().rstrip(".,;:")
