"""Sentences of untrusted text that speak to whoever answers: they are no evidence, so an answer may not repeat them.

A heuristic for one harm alone, words put into an answer's mouth (I1, I4), and no wall: it knows the ways of ordering
such words that are listed here, in English, German and Polish, and whoever finds another way gets through. Calls,
sources and arguments are guarded by rules that need no such guess: allowlist, working set and owned resources; what a
tool found stands in the answer whatever else it says. Each language has the same five kinds: who is to hear it, an
order to say it, the answer itself, the words announced as words, the model called by what it is.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from ..text.foreign import as_read
from ..text.words import FILLERS

_START = r"(?:^|[:;]\s)\W{0,8}"

_HEARER = r"(?:customers?|users?|clients?|callers?|readers?|requesters?|them|him|her|person)"
_SAY = (
    r"(?:say|tell|state|claim|report|mention|inform|assure|reassure|answer|reply|respond|write|cite|announce|declare"
    r"|communicate|convey|advise|promise|confirm|explain|notify)"
)
_MUST = r"(?:must|should|shall|will|ought\s+to|ha(?:s|ve)\s+to|needs?\s+to|(?:is|are)\s+(?:now\s+)?to)"
_REPLY = r"(?:answer|reply|response)"
_ENGLISH = rf"""
    \b(?:ignore|disregard|forget)\b.{{0,40}}\b(?:rules?|instructions?|previous|prior|above|everything)\b
    # who is to hear it
    | \b{_SAY}\s+(?:to\s+)?(?:the\s+|every\s+|this\s+|your\s+)?{_HEARER}\b.{{0,20}}(?:\bthat\b|:|["“„])
    | \blet\s+(?:the\s+|every\s+|this\s+)?{_HEARER}\s+know\b | \bmake\s+sure\s+(?:that\s+)?(?:the\s+)?{_HEARER}\b
    | \b(?:said|told|stated|reported|communicated|conveyed|mention|explain|confirm)\s+to\s+(?:the\s+)?{_HEARER}\b
    | \b{_HEARER}\s+{_MUST}\s+(?:be\s+(?:told|informed|assured|advised)|hear|learn|read|know|believe)\b
    # an order to say it
    | {_START}(?:please\s+|kindly\s+|just\s+|only\s+|always\s+|simply\s+)*
        (?:(?:say|answer|reply|respond|write|print|repeat|cite)\b(?!\s*=)
           | (?:state|claim|report|announce|declare|pretend|insist|mention|assert|output)
             \s*(?:\bthat\b|["“„]|:\s\w+\s\w+\s\w))
    | \byou\s+(?:must|should|shall|are\s+now|will\s+now)\b.{{0,40}}\b(?:{_SAY}|call|use)\b
    # the answer itself
    | \byour\s+(?:(?:final|next|whole|full|own|first|last|entire)\s+)?(?:{_REPLY}|wording)\b
    | \b(?:in|as|for|into)\s+(?:the|every|each)\s+{_REPLY}\b(?!\s+(?:body|header|code|status|time|object|payload))
    | \b(?:the|this|every|each)\s+(?:final\s+|whole\s+)?{_REPLY}\s+{_MUST}\s+(?:\w+\s+)?
        (?:say|state|read|mention|claim|tell|explain|begin|start|end|open|close|contain|include)\b
    | \b(?:the|this|every)\s+{_REPLY}\s+(?:states|says|reads|claims|mentions|tells)\b | \b{_REPLY}\s+(?:text|wording)\b
    | \bmake\s+(?:the|this|every)\s+{_REPLY}\b | \bwhen\s+you\s+(?:reply|answer|respond)\b
    | \b(?:include|mention|add)\b.{{0,30}}\b(?:sentence|answer|reply|response)\b
    # the words as words
    | \b(?:with|by|these|following|exact|this\s+very)\s+(?:the\s+)?(?:words?|sentences?|phrases?|line)\s*[:"“„]
    # the model, by what it is
    | \b(?:note|message|instruction)s?\s+(?:to|for)\s+(?:the\s+)?(?:ai|assistant|model|language\s+model|agent)\b
    | \b(?:the|an?y?)\s+(?:ai\s+|support\s+)?(?:assistant|language\s+model|model|agent|chatbot|bot)
        (?:'s\s+{_REPLY}|s?\s+(?:must|should|shall|{_MUST}\s+(?:\w+\s+)?{_SAY}))\b
    | {_START}(?:dear\s+|hey\s+)?(?:ai|assistant|chatbot|language\s+model)\s*[,:]
    | \bwho(?:ever)?\s+(?:\w+\s+){{0,3}}(?:answers|replies|responds|handles|reads)\b.{{0,40}}\b{_MUST}\b
"""

_HÖRER = r"(?:kund\w*|nutzer\w*|benutzer\w*|anwender\w*|anrufer\w*|leser\w*|fragend\w*|ihm|ihnen)"
_SAG = (
    r"(?:sag(?:e|en|st|t)?|antwort(?:e|en|est|et)|schreib\w*|zitier\w*|behaupt\w*|erklär\w*|erwähn\w*|versicher\w*"
    r"|bestätig\w*|verkünd\w*|mitteil\w*|mitzuteilen|informier\w*|bericht(?:e|en|et)|teil(?:e|en|t)?|weis(?:e|en|t)?"
    r"|gib|geben|nenn(?:e|en|t)?|richte|auszurichten)"
)
_MUSS = r"(?:muss|müssen|soll\w*|darf|dürfen|hat|haben|ist|sind)"
_GERMAN = rf"""
    \b(?:ignorier\w*|missacht\w*|vergiss)\b.{{0,40}}\b(?:regeln|anweisung\w*|alles|bisherig\w*|vorherig\w*)
    | \b{_SAG}\b.{{0,30}}\b{_HÖRER}\b.{{0,40}}(?:\bdass\b|:|["“„]) | \b{_HÖRER}\b.{{0,20}}\b{_SAG}\s*(?:,\s*dass\b|:)
    | \b(?:erwähne|weise|teile|sag\w*|schreib\w*)\b.{{0,30}}\b(?:{_HÖRER}|satz)\b
    | {_START}(?:bitte\s+|nur\s+|stets\s+|immer\s+)*
        (?:(?:sag|sage|sagen|antworte|antworten|schreib|schreibe|zitiere|nenne|erwähne)\b
           | (?:behaupte|behaupten|erkläre|versichere|bestätige|verkünde|formuliere|berichte|melde)\b.{{0,30}}
             (?:\bdass\b|["“„]|:|\bantwort\b))
    | \b(?:deine|ihre|eure|jede)[rn]?\s+antwort(?:en)?\b | \b(?:in|als|für)\s+(?:der|die|jede[rn]?)\s+antwort\b
    | \b(?:die|diese)\s+antwort\s+(?:lautet|{_MUSS}|beginnt|endet|sagt)\b
    | \b(?:diese[rnms]?|folgende[rnms]?|mit\s+den)\s+(?:worte?n?|sätze?n?|satz)\s*[:"“„]
    | \b(?:der|die|das|ein|jeder)\s+(?:assistent|sprachmodell|modell|ki|agent|chatbot|bot)\s+{_MUSS}\b
    | {_START}(?:lieber\s+|liebe\s+)?(?:assistent|ki|sprachmodell|chatbot)\s*[,:]
    | \bwer\s+(?:\w+\s+){{0,3}}(?:antwortet|liest|bearbeitet)\b
"""

_SŁUCHACZ = r"(?:klient\w*|użytkownik\w*|czytelnik\w*|dzwoniąc\w*|pytając\w*)"
_MÓW = (
    r"(?:powie(?:dz|dzieć|dzcie)|odpowie(?:dz|dzieć|dzcie)|napisz\w*|napisać|zacytuj\w*|podaj\w*|twierdź\w*|zapewnij\w*"
    r"|zapewnić|poinformuj\w*|poinformować|wspomnij\w*|przekaż\w*|przekazać|dodaj\w*|stwierdź\w*|oświadcz\w*|ogłoś\w*"
    r"|potwierdź\w*|wyjaśnij\w*|wmów\w*)"
)
_MUSI = r"(?:ma|musi|powinien|powinna|powinno|niech|brzmi|zaczyna|kończy)"
_POLISH = rf"""
    \b(?:zignoruj|pomi[nń]|zapomnij)\b.{{0,40}}\b(?:zasad\w*|instrukcj\w*|poprzedni\w*|wszystk\w*)
    | \b{_MÓW}\b.{{0,30}}\b(?:{_SŁUCHACZ}|zdanie|że)\b | \b{_SŁUCHACZ}\b.{{0,20}}\b{_MÓW}\b
    | {_START}(?:prosz[eę]\s+|tylko\s+|zawsze\s+)*
        (?:(?:powiedz|odpowiedz|napisz|zacytuj|podaj|twierdź|oświadcz)\b
           | (?:zakończ|zacznij|rozpocznij|dodaj|ogłoś|stwierdź|zapewnij)\b.{{0,30}}(?:\bże\b|["“„]|:))
    | \bw\s+(?:swojej\s+|twojej\s+|każdej\s+)?odpowiedzi\b
    | \b(?:twoj[aąeęi]|swoj[aąeęi])\w*\s+odpowied\w* | \bodpowiedź\s+{_MUSI}\b
    | \b(?:zdaniem|słowami|słowa|zdanie)\s*[:"“„]
    | \b(?:asystent\w*|model\w*|agent|chatbot|bot)\s+{_MUSI}\b | {_START}(?:drogi\s+)?(?:asystencie|chatbocie)\s*[,:]
    | \bkto\w*\s+(?:\w+\s+){{0,3}}(?:odpowiada|czyta|obsługuje)\b
"""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+")
OVERLAP = 0.6
LEAST_WORDS = 3


@cache
def _addressed() -> re.Pattern[str]:
    """Compiled when an answer is judged for the first time: it takes as long as a sixth of all the core's imports."""
    return re.compile(rf"(?:{_ENGLISH}|{_GERMAN}|{_POLISH})", re.IGNORECASE | re.VERBOSE)


def sentences(text: str) -> tuple[str, ...]:
    """The text's sentences and lines, blank ones left out."""
    return tuple(each.strip() for each in _SENTENCE.split(text) if each.strip())


@lru_cache(maxsize=256)
def directives(text: str) -> tuple[str, ...]:
    """The sentences that address whoever answers, each with the one after it, which may hold the words."""
    found = sentences(as_read(text))
    return tuple(" ".join(found[at : at + 2]) for at, each in enumerate(found) if _addressed().search(each))


def echoes(sentence: str, told: Iterable[str]) -> bool:
    """True when most of the sentence's words that say something stand in one directive, in whatever order.

    A sentence with at most one such word repeats a directive where it stands in it as it is.
    """
    words, spoken = _words(as_read(sentence)), _spoken(as_read(sentence))
    if len(words) > 1:
        return any(len(words & _words(each)) / len(words) >= OVERLAP for each in told)
    return len(spoken.split()) >= LEAST_WORDS and any(spoken in _spoken(each) for each in told)


def without_directives(text: str) -> str:
    """The text's sentences but for those that address whoever answers."""
    return " ".join(each for each in sentences(text) if not _addressed().search(as_read(each)))


def _spoken(text: str) -> str:
    """The words in their order, a blank around each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - FILLERS
