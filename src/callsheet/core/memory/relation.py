"""What a statement is about, where its sentence says so: the relation that a correction is matched by (C5).

Two readings. A *relation* is one that a subject has one of, such as a plan, a name or a home: saying it anew corrects
what was said. A *topic* is whatever stands before the verb ("the dog is old"): it corrects nothing, for a dog can be
old and friendly, but what a model infers may not contradict a fact of the same topic.
"""

import re
from functools import lru_cache

from ..text.foreign import as_read

_OWNER = (
    r"(?:(?:the|my|our|his|her|their|its|user'?s?|customer'?s?|client'?s?|subject'?s?|mein(?:e|er|en|em)?|unser(?:e)?"
    r"|der|die|das|kunden?|nutzers?|mój|moja|moje|nasz(?:a|e)?|klienta|użytkownika)\s+)*"
)
_IS = r"(?:\s+(?:is|are|was|will\s+be|ist|sind|heißt|lautet|to|jest|są|brzmi)(?:\s+(?:now|on|jetzt|teraz))?|\s*[:=])\s+"
_TOPIC = re.compile(rf"^\W*{_OWNER}(?P<topic>[^\W_][\w'-]*(?:\s+[\w'-]+){{0,3}}?){_IS}(?P<value>\S.*)", re.I)
_SINGLE = frozenset(
    """plan tier subscription name nickname surname birthday birthdate age address city country home job profession
    occupation employer company role title language locale timezone currency email phone status
    tarif paket abo nachname vorname geburtstag alter adresse stadt land beruf arbeitgeber firma sprache zeitzone
    währung abonament nazwisko imię urodziny wiek adres miasto kraj zawód pracodawca język waluta strefa""".split()
)
_CHOSEN = re.compile(
    r"^(?:favou?rite|preferred|default|current|new|lieblings\w+|bevorzugte\w*|ulubion\w+|domyśln\w+)\b"
)
_STATED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (relation, re.compile(pattern, re.I))
    for relation, pattern in (
        ("name", r"\b(?:call\s+me|my\s+name\s+is|ich\s+heiße|nenn(?:e|t)?\s+mich|nazywam\s+się|mam\s+na\s+imię)\s+\S"),
        ("home", r"\b(?:lives?\s+in|moved\s+to|wohn(?:e|t)\s+in|leb(?:e|t)\s+in|mieszka(?:m)?\s+w)\s+\S"),
        ("employer", r"\b(?:works?\s+(?:for|at)|arbeite[t]?\s+(?:bei|für)|pracuj(?:ę|e)\s+(?:w|dla))\s+\S"),
        ("plan", r"\b(?:is|are|am|on|to)\s+(?:on\s+|to\s+)?(?:the\s+)?(?:plan\s+\w+|\w+\s+plan)\b"),
    )
)


@lru_cache(maxsize=4_096)
def normal(relation: str) -> str:
    """A relation's name as it is compared: folded, blanks single."""
    return " ".join(as_read(relation).casefold().replace("_", " ").split())


@lru_cache(maxsize=16_384)
def relation_of(text: str) -> str:
    """The relation that a statement is of, by its own words, where a subject has but one such thing; else empty."""
    topic = topic_of(text)
    if topic and (_CHOSEN.match(topic) or topic.split()[-1] in _SINGLE):
        return topic
    read = as_read(text)
    return next((relation for relation, pattern in _STATED if pattern.search(read)), "")


@lru_cache(maxsize=16_384)
def topic_of(text: str) -> str:
    """What stands before the verb of a statement "X is Y", without whose it is; empty where there is no such verb."""
    found = _TOPIC.match(as_read(text))
    return normal(found["topic"]) if found else ""
