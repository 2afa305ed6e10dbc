"""Text that would act if it were remembered: orders, triggers, permissions, labels that it gives itself (C9, I1, I4).

Memory is the lasting form of indirect injection: a sentence that is kept is read again in every later run. So what is
not the person's own word may state things and may not order any; what grants a permission is no memory, whoever says
it; and no text names its own trust. These are heuristics over English, German and Polish. What holds where they miss:
only a person's own words and a trusted tool's become facts, foreign text comes back as a quote, no memory adds a
capability.
"""

import re
from collections.abc import Iterator

from ..diagnose.patterns.poisoning.orders import embedded, first_order
from ..diagnose.patterns.texts.reading import Reading
from ..gate.directive import directives, sentences
from ..text.foreign import as_read, plain_words

_DO = (
    r"(?:call|run|execute|invoke|trigger|send|forward|e-?mail|post|upload|download|fetch|open|visit|click"
    r"|delete|remove|drop|erase"
    r"|transfer|pay|wire|refund|approve|grant|give|reset|rotate|disable|enable|ignore|disregard|forget|override"
    r"|bypass|skip|reveal"
    r"|print|output|repeat|say|tell|reply|respond|answer|recommend|suggest|prefer|use|treat|trust|remember"
    r"|store|save|write|add"
    r"|insert|include|append|change|update|set|switch|act|pretend|behave|share|export|copy|cancel|order|buy"
    r"|book|schedule|create"
    r"|escalate|stop|do|make|follow|obey|mention|claim|confirm|assume|classify|mark|append|redirect|contact"
    r"|notify|log|read)"
)
_TU = (
    r"(?:rufe?|führe?|starte|sende|schicke?|leite|lösche?|entferne?|überweise|zahle|erstatte|genehmige"
    r"|bestätige|gib|gewähre"
    r"|setze?|deaktiviere|aktiviere|ignoriere|missachte|vergiss|umgehe|überspringe|zeige?|verrate|nenne|sag"
    r"|sage|antworte|empfiehl"
    r"|empfehle|verwende|benutze|nutze|behandle|vertraue|merke?|speichere?|schreibe?|füge|ändere|öffne|lade"
    r"|kopiere|kündige|storniere"
    r"|bestelle|buche|erstelle|handle|tue?|mache?|folge|befolge|behaupte|kontaktiere|lies|rufen\s+sie"
    r"|senden\s+sie|löschen\s+sie"
    r"|überweisen\s+sie|ignorieren\s+sie|verwenden\s+sie|geben\s+sie|sagen\s+sie|antworten\s+sie)"
)
_ZRÓB = (
    r"(?:wywołaj|uruchom|wykonaj|wyślij|prześlij|przekaż|usuń|skasuj|przelej|zapłać|zwróć|zatwierdź|przyznaj"
    r"|daj|zresetuj|wyłącz"
    r"|włącz|zignoruj|ignoruj|pomiń|zapomnij|obejdź|ujawnij|pokaż|wypisz|powtórz|powiedz|odpowiedz|odpowiadaj"
    r"|poleć|polecaj|używaj"
    r"|użyj|traktuj|zaufaj|ufaj|zapamiętaj|zapisz|napisz|dodaj|wstaw|zmień|ustaw|otwórz|pobierz|skopiuj|anuluj"
    r"|zamów|kup|zarezerwuj"
    r"|utwórz|zachowuj|udawaj|rób|zrób|stosuj|przestrzegaj|twierdź|potwierdź|skontaktuj|przeczytaj)"
)
_SOFT = (
    r"(?:(?:please|kindly|always|never|just|only|immediately|silently|first|then|also|do\s+not|don['’]t|and"
    r"|you\s+must|you\s+should"
    r"|bitte|immer|stets|niemals|nie|sofort|zuerst|dann|nur|proszę|zawsze|nigdy|natychmiast|najpierw|potem"
    r"|tylko|nie)\s+)*"
)
_WHEN = (
    r"\b(?:when(?:ever)?|if|once|as\s+soon\s+as|every\s+time|each\s+time|in\s+case|upon|wenn|sobald|falls"
    r"|immer\s+wenn|jedes\s+mal"
    r"|jeśli|jeżeli|gdy|kiedy|ilekroć|za\s+każdym\s+razem)\b"
)
_ACT = re.compile(
    rf"""(?ix)
    # an order at the head of a sentence, of a clause, or behind a label
    (?:^|[:;—–]\s|["“„'(\[]\s*|\b(?:and|then|und|dann|i|potem)\s+(?:then\s+)?(?=(?:call|run|send|delete|transfer)\b))
      \W*{_SOFT}(?:{_DO}|{_TU}|{_ZRÓB})\b(?!\s*(?:[=/]|is\b|are\b|was\b|ist\b|sind\b|jest\b|są\b|of\b|-))
      (?!(?:\s+(?!(?:the|an?|that|this|these|his|her|your|my|every|all|any)\b)\w+){{1,2}}\s+(?:is|are|was|were
        |has|have|starts?|ends?)\b)(?=\s*[\w"“„'(@#/<`]|\s*[.!]?\s*$)
    # an order behind where or when it holds
    | ^\W*(?:in|for|during|on|at|bei|für|während|w|przy|podczas|dla)\s[^.,!?\n]{{2,60}},\s*{_SOFT}(?:{_DO}
    |{_TU}|{_ZRÓB})\b
      (?!\s*(?:of\b|-)|(?:\s+\w+){{0,2}}\s+(?:is|are|was|were|has|have)\b)
    # a trigger with what is to be done
    | {_WHEN}[^.!?\n]{{2,120}}?(?:[,:]|\bthen\b|\bdann\b|\bto\b|—|–|->|=>|→)\s*{_SOFT}(?:{_DO}|{_TU}|{_ZRÓB})\b
    | \b(?:{_DO}|{_TU}|{_ZRÓB})\b\s[^.!?\n]{{1,80}}{_WHEN}[^.!?\n]{{0,40}}\b(?:you|user|customer|asks?|asked
    |sees?|du|nutzer|kunde|fragt|użytkownik|klient|zapyta)\b
    # somebody is to do it
    | \b(?:you|the\s+(?:assistant|agent|model|system|ai|bot)|assistants?|agents?|models?)\s+(?:must|should
    |shall|will|need\s+to|have\s+to|are\s+to|can\s+now|may\s+now)\b
    | \b(?:du|der\s+(?:assistent|agent|bot)|das\s+(?:modell|system)|die\s+ki|assistenten|agenten)\s+(?:muss
    |musst|soll|sollst|sollen|sollte[nst]*|müssen|darf|darfst)\b
    | \b(?:musisz|powinieneś|powinnaś|(?:asystent|agent|model|system|bot)\s+(?:musi|ma|powinien))\b
    | \b(?:all|any|every|future|alle|jede[rsn]?|künftige|wszystkie|każd[yeą])\s+(?:\w+\s+){{1,3}}(?:must|should
    |shall|have\s+to|are\s+to|müssen|sollen|muss|soll|muszą|mają|musi|powinn\w+)\s+
    | \b(?:from\s+now\s+on|henceforth|in\s+all\s+future|ab\s+(?:sofort|jetzt)|künftig|od\s+teraz|odtąd)\b
    # the act itself, written as code
    | \b[a-z_]\w*\(\s*[^)\n]{{0,60}}\)(?=\s*[.;!]?\s*$|\s*;) | \b(?:curl|wget)\s+\S+ | \brm\s+-rf?\b | \
    |\s*(?:ba)?sh\b
    | <\s*/?\s*(?:system|instructions?|assistant|tool_call|important|admin)\b | \[/?(?:INST|SYSTEM|ADMIN)\]
    """
)
_OVERRIDE = re.compile(
    r"""(?ix)
    \b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,40}\b(?:instructions?|rules?|polic(?:y|ies)
      |prompts?|guidelines?|safety|checks?|restrictions?|safeguards?)\b
    | \b(?:ignorier\w*|missacht\w*|vergiss|umgeh\w*|überspring\w*)\b.{0,40}\b(?:anweisung\w*|regel\w*
    |richtlinie\w*|vorgabe\w*|prüfung\w*|sicherheit\w*)\b
    | \b(?:zignoruj|ignoruj|pomiń|zapomnij|obejdź)\b.{0,40}\b(?:instrukcj\w*|zasad\w*|reguł\w*|polityk\w*
    |zabezpiecze\w*)\b
    | \b(?:developer|debug|admin|god|dan|unrestricted|maintenance|root)\s+mode\b | \bsystem\s+prompt\b
    | \bjailbreak\w*\b
    """
)
_GRANT = re.compile(
    r"""(?ix)
    \b(?:pre-?approved|pre-?authori[sz]ed|has\s+been\s+(?:approved|authori[sz]ed)|(?:is|are|was|were
      |am)\s+(?:already\s+|hereby\s+|always\s+)?(?:approved|authori[sz]ed|permitted|exempt|whitelisted
      |allowed)\s+(?:to|for|by|from|in\s+advance)
       |(?:without|no|skip(?:s|ping)?)\s+(?:any\s+|further\s+|additional\s+|the\s+)?(?:confirmation|approval
       |authori[sz]ation|verification|checks?)(?:\s+(?:is|are)\s+(?:needed|required|necessary))?
       |(?:confirmation|approval|verification|authori[sz]ation)s?\s+(?:is|are)\s+(?:not|no\s+longer
       |never)\s+(?:needed|required|necessary)
       |(?:treat|consider|regard)\s+(?:me|this\s+user|him|her|them|the\s+user)\s+as\s+(?:an?\s+)?(?:admin\w*
       |root|owner|superuser|verified|trusted|staff)
       |(?:has|have|with|given|granted|gets?|receives?)\s+(?:full|unlimited|unrestricted|admin\w*|root
       |all)\s+(?:\w+\s+)?(?:access|rights
       |permissions?|privileges)
       |may\s+(?:access|see|read|refund|delete|change|rotate)\s+(?:all|any|every|other)\b)
    | \b(?:genehmigt|freigegeben|autorisiert|berechtigt)\b(?=.{0,30}\b(?:im\s+voraus|ohne|immer|ab\s+sofort
    |alle\w*|zu)\b|\s*[.!]?$)
    | \bohne\s+(?:weitere\s+|jede\s+)?(?:bestätigung|genehmigung|freigabe|prüfung|rückfrage)\b | \b(?:volle
    |alle|uneingeschränkte)\s+(?:admin\w*|rechte|berechtigungen|zugriff\w*)\b
    | \b(?:zatwierdzon\w+|upoważnion\w+|autoryzowan\w+)\b(?=.{0,30}\b(?:z\s+góry|bez|zawsze|do|wszystk\w+)\b
    |\s*[.!]?$)
    | \bbez\s+(?:dalszego\s+|żadnego\s+)?(?:potwierdzeni\w+|zgody|weryfikacji|zatwierdzeni\w+)\b
    | \bpełn\w+\s+(?:dostęp|uprawnieni\w+)\b
    """
)
_LABEL = re.compile(
    r"""(?ix)
    ^\W*(?:system[\s_-]*record|user[\s_-]*stated|verified\s+fact|confirmed\s+fact|(?:fact|hypothesis|system
      |developer|admin(?:istrator)?|trusted|official|verified|policy|instruction)
       |fakt|tatsache|systemeintrag|system\s*meldung|bestätigte?\s+tatsache|zapis\s+systemowy
       |potwierdzony\s+fakt)\s*(?:\([^)\n]{0,40}\))?\s*[:\]>|—–-]
    | \b(?:source|trust|trust_level|origin|provenance|authority|label|confirmed_by|quelle|vertrauen|źródło
    |zaufanie)\s*[=:]\s*["'“]?(?:system[\s_-]?record|user[\s_-]?stated|trusted|confirmed|system|admin|verified
    |user|vertrauenswürdig|zaufan\w+)
    | \b(?:this\s+is|treat\s+(?:this|it)\s+as|mark(?:ed)?\s+(?:this\s+|it\s+)?as|das\s+ist|dies\s+ist|to\s+jest
    |traktuj\s+(?:to\s+)?jako)\s+(?:an?\s+|the\s+|eine?\s+)?(?:system[\s_-]?record|verified|confirmed|trusted
    |official|bestätigte?|verifizierte?|potwierdzon\w+|zweryfikowan\w+)\s*(?:fact|record|information|memory
    |tatsache|fakt|informacj\w+)?
    """
)


def order(text: str, own_words: bool) -> str:
    """The words of a text that order something; empty where it only states.

    In a person's own words only what would set rules aside is one, or what stands in text handed on between its marks:
    a standing wish ("always answer in German") is what a memory is for.
    """
    if own_words:
        for reading in _readings(text):
            if found := _OVERRIDE.search(reading):
                return found.group()
        handed_on = embedded(text)
        return order(handed_on, own_words=False) if handed_on else ""
    return next((words for reading in _readings(text) for words in _ordered(reading)), "")


def _ordered(text: str) -> Iterator[str]:
    yield from (found.group() for found in map(_OVERRIDE.search, [text]) if found)
    yield from (found.group() for each in sentences(text) if (found := _ACT.search(each)))
    yield from directives(text)
    at = first_order(Reading(text))
    if at is not None:
        yield text[at : at + 60]


def grant(text: str) -> str:
    """The words of a text that would permit or approve something; empty where it does not."""
    return next((found.group() for each in _readings(text) if (found := _GRANT.search(each))), "")


def label(text: str) -> str:
    """The words of a text that say how far it may be trusted; empty where it does not."""
    return next((found.group() for each in _readings(text) if (found := _LABEL.search(each))), "")


def _readings(text: str) -> tuple[str, ...]:
    """The text as a reader takes it in, and its bare words: spelled-out words joined, look-alikes read as Latin."""
    return (as_read(text), " ".join(plain_words(text)))
