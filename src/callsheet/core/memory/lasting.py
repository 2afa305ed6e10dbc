"""Will a statement still be true tomorrow? By the words that tie it to a moment, in English, German and Polish (C6).

Three kinds do not last: what says `now`, in a word or as a time of day; what reads an instrument, a status or a
counter; and what counts its days from today (`days`). A habit, a limit or a wish is none of them, whatever numbers
it has.
"""

import re

from ..text.foreign import as_read
from .phrases import any_of_words, spoken
from .relation import relation_of

_NOW = spoken(
    """
    in_the_last in_the_past_hour in_the_past_minute in_the_past_day in_der_letzten in_den_letzten w_ostatniej
    w_ostatnich right_now now_at now_is now_has now_shows now_reads now_playing is_now are_now currently
    at_the_moment at_present presently for_now as_of_now as_of_today as_of_this_morning so_far meanwhile
    temporarily momentarily this_second this_minute this_hour is_still are_still still_running still_waiting
    still_loading still_pending just_now just_logged just_opened just_clicked just_started just_finished
    just_asked just_called just_restarted in_the_next_few within_the_next jetzt gerade momentan zurzeit zur_zeit
    derzeit aktuell im_moment im_augenblick soeben vorübergehend bis_jetzt bislang noch_immer ist_noch sind_noch
    immer_noch teraz obecnie aktualnie w_tej_chwili w_tym_momencie na_razie chwilowo tymczasowo właśnie dotychczas
    nadal wciąż
    """
)
_AT_THE_END = re.compile(r"(?i)\bnow(?=\s*[.,;!]|\s*$)")
_TIME = r"(?:\d{1,2}[:.]\d{2}|\d{1,2}\s*(?:am|pm|o['’]clock|uhr)|noon|midnight|mittag|mitternacht|południe|północ)\b"
_TELLS_TIME = any_of_words(
    """it_is it's the_time_is time_is time: clock_shows clock_says as_of stand es_ist die_uhr_zeigt uhrzeit: jest
    mamy godzina_to jest_godzina"""
)
_WEEKDAYS = any_of_words(
    """monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag
    sonntag poniedziałek wtorek środa czwartek piątek sobota niedziela"""
)
_CLOCK = re.compile(
    rf"""(?ix)
    \b{_TELLS_TIME}\s*:?\s*(?:about\s+|exactly\s+|just\s+after\s+|kurz\s+nach\s+|godzina\s+)?{_TIME}
    | ^\W*\d{{1,2}}:\d{{2}}(?::\d{{2}})?\s*(?:am|pm|uhr)?\W*$ | ^\W*\[?\d{{4}}-\d\d-\d\d[T\s]\d{{1,2}}:\d{{2}}
    | ^\W*(?:it\s+is|it['’]s|today\s+is|heute\s+ist|es\s+ist|dziś\s+jest|dzisiaj\s+jest|jest)\s+{_WEEKDAYS}\W*$
    """
)
_INSTRUMENT = any_of_words(
    """inbox cart basket visitors heartbeat progress bestand lager posteingang warenkorb besucher magazyn* koszyk*
    skrzynk* odwiedzając* load cpu utili[sz]ation temperature* latency throughput traffic queue uptime battery
    backlog balance humidity response_time error_rate memory_usage disk_usage exchange_rate stock auslastung
    temperatur* latenz* durchsatz warteschlange* akkustand kontostand luftfeuchtigkeit fehlerrate wechselkurs
    obciążeni* opóźnieni* kolejk* wilgotnoś* stan_konta saldo kurs_wymiany"""
)
"""What has another value whenever it is looked at: any number beside it is a reading."""
_METRIC = any_of_words(
    """ram memory disk usage price rate signal weather speicher* preis kurs wetter last akku* pamię* dysk* cena
    pogod* bateri*"""
)
_UNIT = r"(?:%|percent|prozent|procent|°\s*[cf]?|ms|seconds?|gb|mb|kb|req(?:uests)?/s|rpm|fps|[€$£]|eur|usd|pln|zł)"
_SKY = any_of_words("raining snowing sunny cold hot cloudy windy kalt warm heiß windig zimno ciepło gorąco")
_READING = re.compile(
    rf"""(?ix)
    \b{_INSTRUMENT}\b[^.!?\n]{{0,40}}?\d | (?<![\d.,])\d[\d.,]*\s*{_UNIT}?\s[^.!?\n]{{0,25}}?\b{_INSTRUMENT}\b
    | \b{_METRIC}\b[^.!?\n]{{0,40}}?\d[\d.,]*\s*{_UNIT}(?!\w)
    | (?<![\d.,])\d[\d.,]*\s*{_UNIT}\s[^.!?\n]{{0,25}}?\b{_METRIC}\b
    | \b(?:at|bei|na\s+poziomie)\s+\d[\d.,]*\s*(?:%|percent|prozent|procent)(?!\w)
    | \b(?:{_INSTRUMENT}|{_METRIC}|level|strength|poziom|stand)\s+(?:is|ist|jest|:)?\s*(?:\w+\s+)?
      (?:low|high|empty|full|critical|normal|niedrig|hoch|leer|voll|niski|wysoki)\b
    | \b\d[\d.,]*\s*(?:degrees|grad|stopni)\b | ^\W*(?:gleich|zaraz|trwa|trwają)\s
    | ^\W*(?:at|um|o|o\s+godzinie)\s+\d{{1,2}}[:.]\d{{2}}\b | \bidle\s+for\b
    | \b(?:weather|wetter|pogoda)\b[^.!?\n]{{0,30}}\b(?:is|looks|ist|wird|jest)\b
    | \b(?:it\s+is|es\s+ist|jest)\s+(?:very\s+|sehr\s+|bardzo\s+)?{_SKY}\b
    | \bes\s+(?:regnet|schneit)\b | \b(?:pada|świeci\s+słońce)\b
    """
)
_STATE = any_of_words(
    """occupied vacant paused in_use fast_leer fast_voll belegt live warm ready frozen stuck blocked jammed boarding
    up down running stopped offline online healthy unhealthy degraded busy idle unreachable reachable in_progress
    pending loading waiting queued failing passing unavailable available out_of_stock in_stock logged_in
    logged_out on_hold connected disconnected overloaded typing asleep away hungry tired sick happy angry sad
    bored stressed open closed full empty out_of_order late delayed out_for_delivery in_transit on_the_way
    on_its_way waiting_in_line in_line in_a_meeting on_the_phone on_a_call at_lunch unresolved overdue ausgefallen
    erreichbar nicht_erreichbar überlastet verfügbar ausverkauft eingeloggt in_arbeit in_bearbeitung müde hungrig
    krank wütend traurig gestresst offen geschlossen voll leer verspätet unterwegs im_gespräch
    in_einer_besprechung niedostępn* dostępn* w_toku uruchomion* zatrzyman* przeciążon* zajęt* zmęczon* głodn*
    chor[aey] smutn* otwart* zamknięt* pełn[aey] pust* opóźnion* w_drodze na_spotkaniu"""
)
_END = r"(?=\s*(?:[.,;!]|$|and\b|und\b|again\b|wieder\b|since\b|seit\b|od\b|due\b|because\b|weil\b))"
_STATUS = re.compile(
    rf"""(?ix)
    \b(?:is|are|am|ist|sind|bin|läuft|jest|są|jestem)\s+
      (?:(?:all|very|so|not|still|back|sehr|wieder|noch|immer|bardzo|znowu|wciąż|nadal)\s+)*{_STATE}{_END}
    | \b(?:waits|wartet|warten|czeka|czekają|steht\s+still|stoi|has\s+run\s+out|ran\s+out|skończył[ao]?\s+się)\b
    | \bstatus(?:\s+(?:is|ist|to|jest)|\s*[:=])\s*\w+ | \bläuft\s+(?:\w+\s+)?(?:nicht|wieder|noch)\b
    | \b(?:build|pipeline|ci|light|ampel|check)\s+(?:is|ist)\s+(?:green|red|yellow|grün|rot|gelb)\b
    """
)
_COUNTED = any_of_words(
    """open unread pending active queued failed failing running remaining waiting unresolved overdue online logged_in
    connected left new offene? offenen ungelesene? ausstehende? aktive? wartende? fehlgeschlagene? laufende? neue
    übrig angemeldet otwartych otwarte nieprzeczytan* oczekując* aktywn* nowych nowe pozostał* zalogowan*"""
)
_COUNT = re.compile(
    rf"""(?ix)
    \b\d[\d.,]*\s+(?:\w+\s+)?{_COUNTED}(?!\w)
    | \b\d[\d.,]*\s+[\w-]+\s+(?:are|is|were|sind|ist|są|jest)\s+(?:\w+\s+)?{_COUNTED}(?!\w)
    | \b\d+\s+(?:of\s+\d+\s+)?tests?\s+(?:pass|fail|ran|bestanden|przeszł)\w* | \b\d+\s+(?:passed|failed|skipped)\b
    | \b(?:number|count|anzahl|zahl|liczba)\s+(?:of|der|von)?\s*[^.!?\n]{{0,40}}?\s*(?:is|ist|wynosi|to|[:=])\s*\d
    """
)
_GOING_ON = re.compile(r"(?i)\b(?:is|are)\s+(?:being\s+)?(?!living|working|using|missing|outstanding)[a-z]{2,}ing\b")
_STANDING = spoken(
    """prefers? preferred usually always never every each limit maximum minimum at_most at_least threshold target
    default budget should must wants? bevorzug* meistens immer nie jede[nrsm]? grenze höchstens mindestens
    schwelle soll muss möchte will prefer* zwykle zawsze nigdy każd* najwyżej co_najmniej próg powinn* musi chce
    woli"""
)
"""A habit, a limit or a wish: what holds whenever, though it speaks of numbers."""
_HISTORY = re.compile(r"(?is)^(?=.*\b(?:1\d|20)\d\d\b).*\b(?:was|were|war|waren|betrug|był|była|było|wynosi[łl]\w*)\b")
"""What was, in a year that is named."""
_SHORT_IS = re.compile(r"(?i)(?<=[a-z])['’](?:m|re|s)\b(?=\s+(?!own\b))")
"""The verb in "I'm", "they're", "it's"; also a genitive, which is of no account to the patterns."""


def passing(text: str, reported: bool = False) -> str:
    """The words that tie a statement to a moment, as they stand there; empty for one that lasts.

    What a tool has `reported` as going on is a status; a person or a model tells of a life that way.
    """
    read = _SHORT_IS.sub(" is", as_read(text))
    for pattern in (_CLOCK, _STATUS, _COUNT):
        if found := pattern.search(read):
            return found.group().strip()
    if _STANDING.search(read) or _HISTORY.search(read):
        return ""
    # "now lives in Berlin": where one lives or works lasts, though it was not always so.
    found = (
        _READING.search(read)
        or (_GOING_ON.search(read) if reported else None)
        or (None if relation_of(read) else _now(read))
    )
    return found.group().strip() if found else ""


def _now(text: str) -> re.Match[str] | None:
    return _NOW.search(text) or _AT_THE_END.search(text)
