"""Will a statement still be true tomorrow? By the words that tie it to a moment, in English, German and Polish (C6).

Three kinds do not last: what says `now`, in a word or as a time of day; what reads an instrument, a status or a
counter; and what counts its days from today, which nobody can read right later. The last of them is kept of an event,
with the day written out beside it. A habit, a limit or a wish is none of them, whatever numbers it has.
"""

import re
from datetime import date, timedelta

from ..text.foreign import as_read
from .relation import relation_of

_NOW = re.compile(
    r"""(?ix)
    \b(?:right\s+now|now(?=\s*[.,;!]|\s*$)|now\s+(?:at|is|has|shows|reads)|is\s+now|are\s+now|currently
      |at\s+the\s+moment
        |at\s+present|presently|for\s+now|as\s+of\s+(?:now|today)|so\s+far|meanwhile|temporarily|momentarily
        |(?:in|within)\s+the\s+next\s+(?:few\s+)?\w+|this\s+(?:second|minute|hour)|still\s+(?:running|waiting
        |loading|pending)
        |just\s+(?:now|logged|opened|clicked|started|finished|asked|called|restarted))\b
    | \b(?:jetzt|gerade(?!\s+(?:deshalb|weil))|momentan|zurzeit|zur\s+zeit|derzeit|aktuell|im\s+(?:moment|augenblick)
        |soeben|vorübergehend|bis\s+jetzt|bislang|noch\s+immer)\b
    | \b(?:teraz|obecnie|aktualnie|w\s+tej\s+chwili|w\s+tym\s+momencie|na\s+razie|chwilowo|tymczasowo|właśnie
    |dotychczas)\b
    """
)
_CLOCK = re.compile(
    r"""(?ix)
    \b(?:it\s+is|it['’]s|the\s+time\s+is|time\s*:|clock\s+(?:shows|says)|as\s+of|es\s+ist|uhrzeit\s*:?
      |die\s+uhr\s+zeigt
        |stand(?=\s*:?\s*\d)|jest|mamy|godzina(?:\s+to)?)\s*:?\s*(?:about\s+|exactly\s+|kurz\s+nach\s+|godzina\s+)?
      (?:\d{1,2}[:.]\d{2}|\d{1,2}\s*(?:am|pm|o['’]clock|uhr)|noon|midnight|mittag|mitternacht|południe|północ)\b
    | ^\W*\d{1,2}:\d{2}(?::\d{2})?\s*(?:am|pm|uhr)?\W*$
    | ^\W*\[?\d{4}-\d\d-\d\d[T\s]\d{1,2}:\d{2}
    """
)
_METRIC = (
    r"(?:load|cpu|ram|memory(?:\s+usage)?|disk|usage|utili[sz]ation|temperature|latency|throughput|traffic"
    r"|queue|uptime"
    r"|battery|error\s+rate|balance|price|rate|stock|weather|humidity|signal|response\s+time|backlog|version\s+count"
    r"|auslastung|last|temperatur|speicher\w*|latenz|durchsatz|warteschlange|akku\w*|kontostand|saldo|preis"
    r"|kurs|wetter"
    r"|luftfeuchtigkeit|fehlerrate|obciążenie|obciążenia|temperatura|pamięć|dysk|opóźnienie|kolejka|bateria"
    r"|stan\s+konta"
    r"|cena|kurs|pogoda|wilgotność)"
)
_UNIT = (
    r"(?:%|percent|prozent|procent|°\s*[cf]?\b|ms\b|seconds?\b"
    r"|gb\b|mb\b|kb\b|req(?:uests)?/s|rpm\b|fps\b|[€$£]|eur\b|usd\b|pln\b|zł\b)"
)
_READING = re.compile(
    rf"""(?ix)
    \b{_METRIC}\b[^.!?\n]{{0,40}}?\d[\d.,]*\s*{_UNIT} | \d[\d.,]*\s*{_UNIT}[^.!?\n]{{0,25}}?\b{_METRIC}\b
    | \b(?:load|queue|backlog|uptime|warteschlange|kolejka|kontostand|saldo|balance)\b[^.!?\n]{{0,20}}?\b(?:is
    |at|ist|liegt|jest|wynosi|[:=])
      [^.!?\n]{{0,15}}?\d
    | \b(?:weather|wetter|pogoda)\b[^.!?\n]{{0,30}}\b(?:is|looks|ist|wird|jest)\b | \bit\s+is\s+(?:raining
    |snowing|sunny|cold|hot)\b
    | \bes\s+(?:regnet|schneit)\b | \b(?:pada|świeci\s+słońce)\b
    """
)
_STATE = (
    r"(?:up|down|running|stopped|offline|online|healthy|unhealthy|degraded|busy|idle|unreachable|reachable"
    r"|in\s+progress"
    r"|pending|loading|waiting|queued|failing|unavailable|available|out\s+of\s+stock|in\s+stock|logged\s+(?:in|out)"
    r"|on\s+hold|connected|disconnected|overloaded|typing|asleep|away|hungry|tired|sick|happy|angry|sad|bored"
    r"|stressed"
    r"|ausgefallen|erreichbar|nicht\s+erreichbar|überlastet|verfügbar|ausverkauft|eingeloggt|in\s+arbeit"
    r"|in\s+bearbeitung"
    r"|müde|hungrig|krank|wütend|traurig|gestresst|niedostępn[aey]|dostępn[aey]|w\s+toku|uruchomion[aey]"
    r"|zatrzyman[aey]"
    r"|przeciążon[aey]|zajęt[aey]|zmęczon[aey]|głodn[aey]|chor[aey]|zł[aey]|smutn[aey])"
)
_STATUS = re.compile(
    rf"(?i)\b(?:is|are|am|ist|sind|bin|läuft|jest|są|jestem)\s+(?:all\s+|very\s+|so\s+|not\s+|sehr\s+|wieder\s+"
    rf"|bardzo\s+|back\s+)?"
    rf"{_STATE}(?=\s*(?:[.,;!]|$|and\b|und\b|again\b|wieder\b|since\b|seit\b|od\b|due\b|because\b|weil\b))"
    rf"|\bstatus(?:\s+(?:is|ist|to|jest)|\s*[:=])\s*{_STATE}\b|\bläuft\s+(?:nicht|wieder|noch)\b"
)
_COUNTED = (
    r"(?:open|unread|pending|active|queued|failed|failing|running|remaining|waiting|unresolved|overdue|online"
    r"|logged\s+in"
    r"|connected|left|new|offene?|ungelesene?|ausstehende?|aktive?|wartende?|fehlgeschlagene?|laufende?|neue"
    r"|übrig|angemeldet"
    r"|otwartych|otwarte|nieprzeczytan\w+|oczekując\w+|aktywn\w+|nowych|nowe|pozostał\w+|zalogowan\w+)"
)
_COUNT = re.compile(
    rf"""(?ix)
    \b\d[\d.,]*\s+(?:\w+\s+)?{_COUNTED}\b | \b\d[\d.,]*\s+[\w-]+\s+(?:are|is|were|sind|ist|są
      |jest)\s+(?:\w+\s+)?{_COUNTED}\b
    | \b\d+\s+(?:of\s+\d+\s+)?tests?\s+(?:pass|fail|ran|bestanden|przeszł)\w* | \b\d+\s+(?:passed|failed|skipped)\b
    """
)
_STANDING = re.compile(
    r"""(?ix)\b(?:prefers?|preferred|usually|always|never|every|each|limit|maximum|minimum|at\s+most|at\s+least
      |threshold|target
    |default|budget|should|must|wants?|bevorzug\w+|meistens|immer|nie|jede[nrsm]?|grenze|höchstens|mindestens
    |schwelle|soll
    |muss|möchte|will|prefer\w+|zwykle|zawsze|nigdy|każd\w+|limit|najwyżej|co\s+najmniej|próg|powinn\w+|musi
    |chce|woli)\b"""
)
"""A habit, a limit or a wish: what holds whenever, though it speaks of numbers."""

_SHORT_IS = re.compile(r"(?i)(?<=[a-z])['’](?:m|re|s)\b(?=\s+(?!own\b))")
"""The verb in "I'm", "they're", "it's"; also a genitive, which is of no account to the patterns."""
_DAYS = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "yesterday": -1,
    "last night": -1, "tomorrow": 1, "the day before yesterday": -2, "the day after tomorrow": 2,
    "heute": 0, "gestern": -1, "vorgestern": -2, "übermorgen": 2,
    "dzisiaj": 0, "dziś": 0, "wczoraj": -1, "przedwczoraj": -2, "jutro": 1, "pojutrze": 2,
}  # fmt: skip
_UNITS_OF_TIME = (
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tage?n?|wochen?"
    r"|monate?n?|jahre?n?"
    r"|sekund\w*|minut\w*|godzin\w*|dni|dzień|tygodni\w*|tydzień|miesi\w+|lat|rok\w*)"
)
_WEEKDAY = (
    r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|week|month|year|summer|winter|spring"
    r"|fall|autumn"
    r"|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|wochenende|woche|monat|jahr|sommer|herbst"
    r"|poniedziałek|wtorek|środę|czwartek|piątek|sobotę|niedzielę|tydzień|tygodniu|miesiąc\w*|roku?|lato|zimę"
    r"|weekend)"
)
_RELATIVE = re.compile(
    rf"""(?ix)
    \b(?:the\s+day\s+(?:before\s+yesterday|after\s+tomorrow)|today|tonight|tomorrow|yesterday|last\s+night
        |this\s+(?:morning|afternoon|evening))\b
    | \b(?:heute|gestern|vorgestern|übermorgen)\b | \bmorgen(?=\s+(?:früh|abend|mittag|nachmittag|um)|\s*[.,;!]
    |\s*$|\s+\w)(?<!am\ morgen)(?<!jeden\ morgen)(?<!guten\ morgen)
    | \b(?:dzisiaj|dziś|wczoraj|przedwczoraj|jutro|pojutrze)\b
    | \b(?:last|next|this|this\s+coming|this\s+past)\s+{_WEEKDAY}\b
    | \b(?:letzte[nrsm]?|vorige[nrsm]?|nächste[nrsm]?|kommende[nrsm]?|diese[nrsm]?)\s+{_WEEKDAY}\b
    | \b(?:w\s+)?(?:zeszł\w+|ubiegł\w+|następn\w+|przyszł\w+|tym|ten|tę)\s+{_WEEKDAY}\b
    | \bw\s+przyszłym\s+{_WEEKDAY}\b
    | \b(?:a|an|one|two|three|four|five|six|few|a\s+few|a\s+couple\s+of|several|\d+)\s+{_UNITS_OF_TIME}\s+ago\b
    | \bvor\s+(?:einer|einem|zwei|drei|vier|einigen|ein\s+paar|\d+)\s+{_UNITS_OF_TIME}\b
    | \b(?:(?:\d+|dwa|dwie|trzy|cztery|kilka)\s+)?{_UNITS_OF_TIME}\s+temu\b
    | \bin\s+(?:a|an|one|two|three|a\s+few|einer|einem|zwei|drei|\d+)\s+{_UNITS_OF_TIME}\b(?!\s+(?:or|per|from
    |steps?))
    | \bza\s+(?:(?:\d+|dwa|dwie|trzy|kilka)\s+)?{_UNITS_OF_TIME}\b
    | \b(?:recently|lately|the\s+other\s+day|soon|neulich|kürzlich|bald|demnächst|niedawno|ostatnio|wkrótce
    |niedługo)\b
    """
)


def passing(text: str) -> str:
    """The words that tie a statement to a moment, as they stand there; empty for one that lasts."""
    read = _SHORT_IS.sub(" is", as_read(text))
    for pattern in (_CLOCK, _STATUS, _COUNT):
        if found := pattern.search(read):
            return found.group().strip()
    if _STANDING.search(read):
        return ""
    # "now lives in Berlin": where one lives or works lasts, though it was not always so.
    found = _READING.search(read) or (None if relation_of(read) else _NOW.search(read))
    return found.group().strip() if found else ""


def relative_day(text: str) -> str:
    """The words that count a day from the one on which they are said; empty where there are none."""
    found = _RELATIVE.search(as_read(text))
    return found.group().strip() if found else ""


def dated(text: str, today: date) -> str:
    """The text with the day on which it is said written beside each day that it counts from there.

    Of a span of time only what it is counted from is known, so that day is named: "last week [said on 2026-11-30]".
    """

    def marked(found: re.Match[str]) -> str:
        words = found.group()
        days = _DAYS.get(" ".join(words.casefold().split()))
        if days is None:
            return f"{words} [said on {today.isoformat()}]"
        return f"{words} [{(today + timedelta(days=days)).isoformat()}]"

    return _RELATIVE.sub(marked, as_read(text))
