"""Will a statement help another time, and does nobody have to ask for it anew? By its form, in three languages (C6)."""

import re

from ..text.foreign import as_read
from ..text.likeness import STOP
from .phrases import spoken
from .sameness import said

_ASKS = re.compile(
    r"""(?ix)
    \?\s*["'”»)]*\s*$
    | ^\W*(?:what|when|where|who|whom|whose|why|how|which)(?:['’]s|\s+(?:is|are|am|was|were|do|does|did|can
    |could|will|would
      |should|has|have|many|much|long|often|to))\b
    | ^\W*(?:is\s+there|are\s+there|can\s+you|could\s+you|would\s+you|will\s+you|do\s+you|does\s+(?:it|this
    |that)|did\s+you
      |have\s+you|kannst\s+du|können\s+sie|könntest\s+du|könnten\s+sie|gibt\s+es|hast\s+du|haben\s+sie|czy
      |możesz|mógłbyś
      |może\s+pan)\b
    | ^\W*(?:was|wann|wo|wer|warum|wieso|weshalb|wie)\s+(?:ist|sind|war|kann|hat|wird|soll|muss|finde|bekomme
    |geht|gibt|liegt
      |heißt|viele?|lange|oft|komme|mache)\b
    | ^\W*(?:co|kiedy|gdzie|kto|dlaczego|jak|który|która|które|ile)\s+(?:jest|są|to|mogę|można|będzie|mam|ma
    |był|długo|często)\b
    """
)
_REQUESTS = re.compile(
    r"""(?ix)
    ^\W*(?:(?:hi|hello|hey|ok|so|and)\W+)?(?:please|pls|kindly|let['’]?s|let\s+me|help\s+me|show\s+me|tell\s+me
      |give\s+me
        |send\s+me|find\s+me|summari[sz]e|translate|explain|rewrite|fix|write|create|generate|compare|list
        |check|look\s+up
        |i(?:['’]d|\s+would)\s+like\s+(?:you\s+)?to\s+(?:know|ask|see|check|cancel|return|order|book)
        |i\s+need\s+you\s+to
        |i\s+want\s+you\s+to|i\s+have\s+a\s+question|bitte|zeig(?:e|\s+mir)?|sag\s+mir|gib\s+mir|erkläre?
        |übersetze?|hilf\s+mir
        |fasse?|schreib(?:e)?|ich\s+habe\s+eine\s+frage|proszę|pokaż|powiedz\s+mi|daj\s+mi|pomóż|wyjaśnij
        |przetłumacz|napisz
        |mam\s+pytanie)\b
    """
)
_STANDING_WISH = spoken(
    """always never every_time from_now_on in_future whenever immer nie niemals ab_jetzt künftig zawsze nigdy
    od_teraz keep_my keep_it keep_your call_me address_me write_(?:to_)?me answer_me_(?:in|only) nenn_mich
    schreib*_mir antworte_mir mów_mi do_mnie only_by only_in only_via nur_per nur_auf nur_noch tylko"""
)
"""A request that holds for the next time as well."""
_PHRASES = frozenset(
    """hi hello hey thanks thank you ok okay yes no sure great fine good nice cool bye goodbye cheers welcome sorry
    please morning afternoon evening day night see later well done right exactly perfect awesome hmm oh wow yeah yep
    nope very much so lot really there again all agreed understood got it
    hallo guten tag morgen abend danke schön dank vielen bitte ja nein gut super genau tschüss servus moin alles klar
    cześć dzień dobry wieczór dziękuję dzięki tak nie dobrze świetnie super pa żegnaj proszę jasne""".split()
)
"""Words of which greetings, thanks and nods are made."""
_WORD = re.compile(r"[^\W_][\w'’-]*")
_POINTING = re.compile(
    r"""(?ix)^\W*(?:it|this|that|these|those|es|das|dies|to|ten|ta|ono)\s+
      (?:is|was|does|did|has|had|will|would|works?|worked|didn['’]t|doesn['’]t|looks?|seems?|helped|failed|ist
        |war|geht|ging
        |funktioniert|hat|jest|było|działa|nie)\b.{0,40}$
    | ^\W*(?:(?:i|we|ich|wir|ja|my)\s+)?\w+\s+(?:it|this|that|them|these|those|es|das|dies|to|tego)\W*$"""
)
_CODE = re.compile(
    r"""(?mx) ^\s*```|^\s*(?:diff\s--git|@@\s-\d|[+-]{3}\s[ab]/|Traceback\s\(most|File\s"|def\s\w+\(
      |class\s\w+[:(]|import\s\w+|from\s\w+\simport
        |\#include|SELECT\s.+\sFROM\s|total\s\d+$|[d-][rwx-]{9}\s|\$\s\w+|<\?xml|<!DOCTYPE|<html)
        | ^\s*[\[{]\s*["\[{].*[\]}]\s*$"""
)
_IN_A_FILE = re.compile(
    r"""(?ix)
    (?:^|[\s`"'(])[\w./\\-]*[\w-]\.(?:py|js|ts|tsx|go|rs|java|rb|c|h|cpp|cs|md|rst|txt|json|ya?ml|toml|xml|html
      |css|sql|sh|lock|csv|ini|cfg|log)\b
      [`"']?\s+(?:contains?|says?|defines?|has|lists?|imports?|shows?|holds?|is\s+\d|declares?|includes?
        |enthält|sagt|definiert|hat|listet
        |zawiera|mówi|definiuje|ma)\b
    | \b(?:line|zeile|linia|wiersz)\s+\d+\s+(?:of|in|von|w)\b | \b(?:HEAD|branch|commit)\s+\w+\s+(?:is|points
    |ist|jest)\b
    | \b(?:folder|directory|repository|repo|ordner|verzeichnis|katalog|repozytorium)\b[^.]{0,30}\b(?:contains?
    |has|lists?|enthält|zawiera)\s+\d
    """
)
_SUM = re.compile(
    r"(?<![\d.,])\d[\d.,]*\s*(?:[+*/×÷^-]|plus|minus|times|divided\s+by|mal|geteilt\s+durch|razy|dodać)\s*\d[\d.,]*\s*(?:="
    r"|is|are|equals|ist|gleich|to|równa)"
    r"|^\W*(?:\d[\d.,]*|an?|one|ein(?:e)?|jeden)\s+\w+\s+(?:is|equals|has|are|ist|hat|entspricht|sind|to"
    r"|ma)\s+\d[\d.,]*\s+\w+\W*$",
    re.I,
)
_OF_THE_WORLD = re.compile(
    r"""(?ix)
    \b(?:is|was|are|ist|sind|jest|są|to(?=\s+(?:stolica|język|kontynent|planeta|liczba)))\s+(?:an?\s+|the\s+
      |eine?\s+|die\s+|der\s+)?(?:\w+\s+){0,2}?
      (?:capital\s+of|programming\s+language|chemical\s+element|prime\s+number|continent|planet|hauptstadt
        |programmiersprache|kontinent
        |primzahl|stolic[aą]|język(?:iem)?\s+programowania|kontynent(?:em)?|planet[aą]|liczb[aą]\s+pierwsz[aą]
        |mammals?|largest\s+\w+\s+in\s+the\s+world)\b
    | \bwater\s+(?:boils|freezes)\b | \bthe\s+(?:earth|sun|moon)\s+(?:is|orbits|revolves|rises)\b
    | \b(?:wasser\s+(?:kocht|gefriert)|woda\s+wrze)\b
    """
)


def one_off(text: str) -> str:
    """Why a text would not help another time, in a few words; empty where it would."""
    read = as_read(text).strip()
    words = [word.casefold() for word in _WORD.findall(read)]
    if not words:
        return "it has no words"
    if all(word in _PHRASES | STOP for word in words):
        return "it is a greeting, a nod or a filler"
    if _ASKS.search(read):
        return "it is a question"
    if _REQUESTS.search(read) and not _STANDING_WISH.search(read):
        return "it is a request for this one time"
    if _POINTING.search(read) and len(said(read).words) < 3:
        return "it does not say what it speaks of"
    return ""


def at_hand(text: str) -> str:
    """Where what a text says can be had at any time, in a few words; empty where only somebody's word has it."""
    read = as_read(text).strip()
    if _CODE.search(read):
        return "it is code, a listing or output, which can be read or run again"
    if _IN_A_FILE.search(read):
        return "a look into the file or repository answers it"
    if _SUM.search(read):
        return "it can be computed"
    return "it is general knowledge" if _OF_THE_WORLD.search(read) else ""
