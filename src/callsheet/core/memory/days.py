"""Days that are counted from the one on which they are said: "yesterday" is another day tomorrow (C6).

Nobody can read them right later, so a statement that has one does not last. Of an event it is kept, with the day
written out beside it.
"""

import re
from datetime import date, timedelta

from ..text.foreign import as_read
from .phrases import any_of_words

_DAYS = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "yesterday": -1,
    "last night": -1, "tomorrow": 1, "the day before yesterday": -2, "the day after tomorrow": 2,
    "heute": 0, "gestern": -1, "vorgestern": -2, "morgen": 1, "übermorgen": 2,
    "dzisiaj": 0, "dziś": 0, "wczoraj": -1, "przedwczoraj": -2, "jutro": 1, "pojutrze": 2,
}  # fmt: skip
_SPAN = any_of_words(
    """secs? mins? hrs? [smhd] seconds? minutes? hours? days? weeks? months? years? sekunden? minuten? stunden?
    tage?n? wochen? monate?n? jahre?n? sekund* minut* godzin* dni dzień tygodni* tydzień miesi* lat rok*"""
)
_TIME_OF_YEAR = any_of_words(
    """monday tuesday wednesday thursday friday saturday sunday weekend week month year summer winter spring fall
    autumn montag dienstag mittwoch donnerstag freitag samstag sonntag wochenende woche monat jahr sommer herbst
    poniedziałek wtorek środę czwartek piątek sobotę niedzielę tydzień tygodniu miesiąc* roku? lato zimę"""
)
_NEXT = any_of_words(
    """last next this this_coming this_past letzte[nrsm]? vorige[nrsm]? nächste[nrsm]? kommende[nrsm]? diese[nrsm]?
    zeszł* ubiegł* następn* przyszł* tym ten tę"""
)
_FEW = any_of_words(
    "an? one two three four five six few a_few a_couple_of several ein(?:e[rnm]?)? zwei drei vier einigen ein_paar"
    " dwa dwie trzy cztery kilka [0-9]+"
)
_VAGUE = any_of_words(
    "recently lately the_other_day (?<!would\\s)soon neulich kürzlich bald demnächst niedawno ostatnio wkrótce niedługo"
    " za_chwilę in_a_moment in_kürze"
)
_DAY = any_of_words(" ".join(sorted((each.replace(" ", "_") for each in _DAYS if each != "morgen"), key=len)[::-1]))
_RELATIVE = re.compile(
    rf"""(?ix)
    (?<!\w){_DAY}(?!\w)
    | (?<!am[ ])(?<!jeden[ ])(?<!guten[ ])(?<!\w)morgen(?!\w)
    | \b{_NEXT}\s+{_TIME_OF_YEAR}\b(?!\s+of\b)
    | \b{_FEW}\s+{_SPAN}\s+ago\b | \bvor\s+{_FEW}\s+{_SPAN}\b | \b(?:{_FEW}\s+)?{_SPAN}\s+temu\b
    | \bin\s+{_FEW}\s+{_SPAN}\b(?!\s+(?:or|per|from|steps?)) | \bza\s+(?:{_FEW}\s+)?{_SPAN}\b
    | (?<!\w){_VAGUE}(?!\w)
    """
)


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
