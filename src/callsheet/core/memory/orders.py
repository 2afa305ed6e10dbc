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
from .phrases import any_of_words

_DO = any_of_words(
    """
    call run execute invoke trigger send forward e-?mail mail post upload download fetch open visit click delete
    remove drop erase transfer pay wire refund approve grant give reset rotate disable enable ignore disregard
    forget override bypass skip reveal print output repeat say tell reply respond answer recommend suggest prefer
    use utili[sz]e treat trust remember store save write add insert include append change modify update set switch
    act pretend behave share export copy cancel order buy book schedule create generate escalate stop do make
    follow obey mention claim confirm assume classify mark redirect contact notify log read provide draft compose
    develop design render describe explain translate summari[sz]e replace convert encode decode encrypt hide
    conceal expose leak dump install uninstall subscribe unsubscribe register donate enter submit complete fill
    retrieve find search list compare calculate compute solve draw invite accept decline reject block allow deny
    move rename merge push deploy restart kill rewrite rephrase reverse misspell jumble break teach convince
    persuade encourage promote advertise keep put take turn let get bring check verify ensure consider select
    choose start begin finish speak talk wait avoid refrain
    """
)
_TU = any_of_words(
    """
    rufe? führe? starte sende schicke? leite lösche? entferne? überweise zahle erstatte genehmige bestätige gib
    gewähre setze? deaktiviere aktiviere ignoriere missachte vergiss umgehe überspringe zeige? verrate nenne sag
    sage antworte empfiehl empfehle verwende benutze nutze behandle vertraue merke? speichere? schreibe? füge
    ändere öffne lade kopiere kündige storniere bestelle buche erstelle handle tue? mache? folge befolge behaupte
    kontaktiere lies rufen_sie senden_sie löschen_sie überweisen_sie ignorieren_sie verwenden_sie geben_sie
    sagen_sie antworten_sie
    """
)
_ZRÓB = any_of_words(
    """
    wywołaj uruchom wykonaj wyślij prześlij przekaż usuń skasuj przelej zapłać zwróć zatwierdź przyznaj daj
    zresetuj wyłącz włącz zignoruj ignoruj pomiń zapomnij obejdź ujawnij pokaż wypisz powtórz powiedz odpowiedz
    odpowiadaj poleć polecaj używaj użyj traktuj zaufaj ufaj zapamiętaj pamiętaj mów zapisz napisz dodaj wstaw
    zmień ustaw otwórz pobierz skopiuj anuluj zamów kup zarezerwuj utwórz zachowuj udawaj rób zrób stosuj
    przestrzegaj twierdź potwierdź skontaktuj przeczytaj
    """
)
_ACT = rf"(?:{_DO}|{_TU}|{_ZRÓB})\b"
_SOFTENED = any_of_words(
    """please kindly always never just only immediately silently first then also do_not don't and you_must you_should
    bitte immer stets niemals nie sofort zuerst dann nur proszę zawsze nigdy natychmiast najpierw potem tylko"""
)
_HEAD = rf"\W{{0,8}}(?:{_SOFTENED}\s+)*"
_WHEN = any_of_words(
    """when(?:ever)? if once as_soon_as every_time each_time in_case upon on_seeing wenn sobald falls immer_wenn
    jedes_mal jeśli jeżeli gdy kiedy ilekroć za_każdym_razem"""
)
_WHERE = any_of_words("in for during on at bei beim auf für während nach vor zu w na przy podczas dla po przed")
_FINITE = any_of_words(
    """is are was were has have had can could may might must will would should does did includes? contains? provides?
    means shows? starts? ends? began became took uses used refers? occurs? requires? needs? helps? ist sind jest
    są"""
)
"""Verbs of a statement: a word before them that could be an order is a noun."""
_THING = any_of_words(
    """the an? this that these those it them him her me us your my his their our all every any no each another
    everything nothing anything https?://*"""
)
_OF_A_THING = rf"(?:{_THING}|what|which|who|whatever|whoever)\b"
_NOUN = rf"(?:\s*(?:[=/]|of\b|-|ich\b)|(?:\s+(?!{_OF_A_THING})\w+){{0,3}}\s+{_FINITE}\b)"
_WHO = any_of_words(
    """you the_assistant the_agent the_model the_system the_ai the_bot assistants? agents? models? any_agent
    any_assistant every_agent every_assistant du der_assistent der_agent der_bot das_modell das_system die_ki
    assistenten agenten asystent agent model bot"""
)
_MUST = any_of_words(
    """must should shall will ought_to needs?_to has_to have_to are_to can_now may_now muss musst soll sollst sollen
    sollte[nst]* müssen darf darfst möge mögen musi ma powinien"""
)
_ALL = any_of_words("all any every future alle jede[rsn]? künftige wszystkie każd[yeą]")
_ARE_TO = any_of_words("must should shall have_to are_to müssen sollen muss soll muszą mają musi powinn*")
_FROM_NOW = any_of_words(
    """from_now_on from_this_moment henceforth in_all_future you_are_now ab_sofort ab_jetzt künftig od_teraz odtąd
    musisz powinieneś powinnaś"""
)
_ASKED = any_of_words("you user customer asks? asked sees? du nutzer kunde fragt użytkownik klient zapyta")
_NO_VERB = any_of_words(
    """it they we he she you i and or but nor which who whose what when where why how if so yet then than as at by
    for from in into of off on onto out over under to up down with without further furthermore moreover
    nevertheless another within about above across after against along among around before behind below beneath
    beside besides between beyond despite during except inside like near outside past since through throughout
    till toward* unlike until upon via per is are was were be been being am do does did has have had can could may
    might must shall should will would not only even also both either neither all half some most many much few
    more less each every any no none such there here now today again still just perhaps maybe however instead
    otherwise thus hence therefore because although though while whereas unless whether once that this these those
    the an? *ing *ed *ly *[^s]s"""
)
"""Words that are no order though a thing follows: a sentence that begins so has its subject elsewhere."""
_BARE = rf"(?!{_NO_VERB}\s)[a-z]{{2,}}(?:\s+(?:out|up|off|down|on|over))?\s+{_THING}(?![\w-])"
"""A bare verb with its object: whatever the verb, it can only be an order."""
_SUBORDINATE = any_of_words("when(?:ever)? if before after while once until unless to in for upon whoever")
_YOUR = any_of_words("goal task job role mission purpose instructions? orders? objective")
_BEST = any_of_words(
    "best better great good wise nice helpful mandatory required necessary essential important crucial"
)
_ORDER = re.compile(
    rf"""(?ix)
    # an order at the head of a sentence, behind a label, or after "and"
    (?:^|[:;—–]\s|["“„']|\b(?:and|then|und|dann|i|potem)\s+(?=(?:call|run|send|delete|transfer)\b)){_HEAD}{_ACT}
      (?!{_NOUN})(?=\s*[\w"“„'(@#/<`$€£]|\s*[.!]?\s*$)
    # behind where or when it holds
    | ^\W*{_WHERE}\s[^.,!?\n]{{2,60}},\s*{_HEAD}{_ACT}(?!{_NOUN})
    | ^\W*{_WHERE}\s[^.,!?\n]{{2,60}}\s(?:{_TU}|{_ZRÓB})\b(?!\s+ich\b)
    | \b{_WHEN}\s[^.!?\n]{{2,120}}?(?:[,:]|\bthen\b|\bdann\b|—|–|->|=>|→)\s*{_HEAD}{_ACT}
    | \b{_ACT}\s[^.!?\n]{{1,80}}\b{_WHEN}\s[^.!?\n]{{0,40}}\b{_ASKED}\b
    # somebody is to do it, always; it is the thing to do
    | \b{_WHO}\s+(?:\w+\s+\w+\s+)?{_MUST}\b | \b{_ALL}\s+(?:\w+\s+){{1,3}}{_ARE_TO}\s+ | \b{_FROM_NOW}\b
    | \b(?:procedure|policy|rule|step|process|way|answer|response)\b[^.!?\n]{{0,60}}\bis\s+(?:always\s+)?to\s+{_DO}\b
    # the act itself, written as code, and whose channel it would be
    | \b[a-z_]\w*\(\s*[^)\n]{{0,60}}\)(?=\s*[.;!]?\s*$|\s*;) | \b(?:curl|wget)\s+\S+ | \brm\s+-rf?\b | [|]\s*(?:ba)?sh\b
    | <\s*/?\s*(?:system|instructions?|assistant|tool_call|important|admin)\b | \[/?(?:INST|SYSTEM|ADMIN)\]
    | "role"\s*:\s*"(?:system|developer|assistant)"
    """
)
_ADDRESS = r"(?:(?:hey|hi|hello|dear|hallo|liebe[rs]?|drog[ai])\s+)?"
_READER = any_of_words(
    "claude chatgpt gpt gemini copilot assistant asystencie assistent ki ai bot chatbot model agent llm"
)
_WANTS = any_of_words("wants? would_like would_want expects? asks? needs? instructs? requires? allows? tells? told")
_BY_FORM = re.compile(
    rf"""(?ix)
    ^{_HEAD}{_BARE} | ^\W*{_SUBORDINATE}\s[^,!?\n]{{2,80}},\s*{_HEAD}{_BARE}
    | \bso\s+{_DO}\s+(?:it|this|them|that|the|all)\b | \byour\s+(?:\w+\s+)?{_YOUR}\s+(?:is|are)\b
    | ^{_HEAD}be\s+(?:sure|careful|certain|ready)\s+to\b
    | ^{_HEAD}(?!haben|sind|können|werden|wollen)\w{{3,}}en\s+Sie\b(?!.*\?)
    | ^\W*{_ADDRESS}{_READER}\s*, | \b(?:the|your|an?)\s+(?:ai\s+)?(?:assistant|chatbot|language\s+model|llm)\s+\w+s\b
    | \b{_WANTS}\s+you\s+to\b | \b(?:is|are)\s+(?:always\s+|never\s+)?to\s+be\s+\w+ed\b
    | \b(?:one|man)\s+(?:must|should|muss|soll|sollte|darf)\b | \b{_WHEN}\s[^.!?\n]{{2,120}}\b\w{{2,}}st\s+du\b
    | \b(?:należy|trzeba|nie\s+wolno|proszę|nie\s+zapomnij)\s+(?:\w+\s+)?\w+(?:ać|ić|yć|eć|ąć|ść)\b
    | \b(?:would\s+be|is|it's)\s+{_BEST}\s+(?:if|that|for)\s+{_WHO}\b
    | ^{_HEAD}\w{{2,}}(?:aj|uj|ij|yj|ów)(?:cie)?\b(?!\s+(?:jest|są|ma|mają|był|została?|nie)\b)\s+\w
    """
)
"""Orders by the form of their sentence, whatever the verb; read where the punctuation still stands."""
_ASIDE = any_of_words(
    "ignor* disregard forget override bypass skip missacht* vergiss umgeh* überspring* pomiń zapomnij obejdź"
)
_RULES = any_of_words(
    """guidance messages? instructions? rules? policy policies prompts? guidelines? safety checks? restrictions?
    safeguards? anweisung* regeln? richtlinie* vorgabe* prüfung* sicherheit* instrukcj* zasad* reguł* polityk*
    zabezpiecze*"""
)
_OVERRIDE = re.compile(
    rf"(?i)\b{_ASIDE}\b.{{0,40}}\b{_RULES}\b|\bsystem\s+prompt\b|\b(?:all|any|the)\s+(?:earlier|previous|prior|above)\s+{_RULES}\b|\bjailbreak\w*\b"
    r"|\b(?:developer|debug|admin|god|dan|unrestricted|maintenance|root)\s+mode\b"
)
_WAIVED = any_of_words(
    """pre-?approved pre-?authori[sz]ed has_been_approved has_been_authori[sz]ed confirmation_is_not approval_is_not
    without_asking ohne_nachfrage ohne_nachzufragen ohne_zu_fragen bez_pytania"""
)
_GRANT = re.compile(
    rf"""(?ix)
    (?<!\w){_WAIVED}(?!\w)
    | \b(?:is|are|was|were|am)\s+(?:already\s+|hereby\s+|always\s+)?
      (?:approved|authori[sz]ed|permitted|exempt|whitelisted|allowed)\s+(?:to|for|by|from|in\s+advance)\b
    | \b(?:without|no|skip(?:s|ping)?)\s+(?:any\s+|further\s+|additional\s+|the\s+)?
      (?:confirmation|approval|authori[sz]ation|verification|checks?)\b
    | \b(?:confirmation|approval|verification|authori[sz]ation)s?\s+(?:is|are)\s+(?:not|no\s+longer|never)\s+\w+
    | \b(?:treat|consider|regard)\s+(?:me|this\s+user|him|her|them|the\s+user)\s+as\s+(?:an?\s+)?
      (?:admin\w*|root|owner|superuser|verified|trusted|staff)\b
    | \b(?:has|have|with|given|granted|gets?|receives?)\s+
      (?:(?:full|unlimited|unrestricted|all)\s+(?:\w+\s+)?|(?:admin\w*|root)\s+)
      (?:access|rights|permissions?|privileges)\b
    | \bmay\s+(?:access|see|read|refund|delete|change|rotate)\s+(?:all|any|every|other)\b
    | \b(?:genehmigt|freigegeben|autorisiert|berechtigt)\b
      (?=.{{0,30}}\b(?:im\s+voraus|ohne|immer|ab\s+sofort|alle\w*|zu)\b|\s*[.!]?$)
    | \bohne\s+(?:weitere\s+|jede\s+)?(?:bestätigung|genehmigung|freigabe|prüfung|rückfrage)\b
    | \b(?:volle|alle|uneingeschränkte)\s+(?:admin\w*|rechte|berechtigungen|zugriff\w*)\b
    | \b(?:zatwierdzon\w+|upoważnion\w+|autoryzowan\w+)\b
      (?=.{{0,30}}\b(?:z\s+góry|bez|zawsze|do|wszystk\w+)\b|\s*[.!]?$)
    | \bbez\s+(?:dalszego\s+|żadnego\s+)?(?:potwierdzeni\w+|zgody|weryfikacji|zatwierdzeni\w+)\b
    | \bpełn\w+\s+(?:dostęp|uprawnieni\w+)\b
    """
)
_VOUCHED = any_of_words(
    """system.?record user.?stated verified_fact confirmed_fact fact hypothesis system developer
    admin(?:istrator)? trusted official verified policy instruction fakt tatsache systemeintrag systemmeldung
    bestätigte_tatsache zapis_systemowy potwierdzony_fakt"""
)
_TRUSTED = any_of_words(
    """system.?record user.?stated trusted confirmed system admin verified user high full vertrauenswürdig* hoch
    zaufan* wysokie"""
)
_KEY = any_of_words(
    "source trust trust_level origin provenance authority label confirmed_by quelle vertrauen źródło zaufanie"
)
_LABEL = re.compile(
    rf"""(?ix)
    ^\W*{_VOUCHED}\s*(?:\([^)\n]{{0,40}}\))?\s*[:\]>|#—–-] | \b{_KEY}\s*[=:]\s*["'“]?{_TRUSTED}\b
    | \b(?:this\s+is|treat\s+(?:this|it)\s+as|mark(?:ed)?\s+(?:this\s+|it\s+)?as|das\s+ist|dies\s+ist|to\s+jest
        |traktuj\s+(?:to\s+)?jako)\s+(?:an?\s+|the\s+|eine?\s+)?
      (?:system[\s_-]?record|verified|confirmed|trusted|official|bestätigte?|verifizierte?|potwierdzon\w+|zweryfikowan\w+)
      \s*(?:fact|record|information|memory|tatsache|fakt|informacj\w+)?
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
    by_form = next((found.group() for each in sentences(as_read(text)) if (found := _BY_FORM.search(each))), "")
    return by_form or next((words for reading in _readings(text) for words in _ordered(reading)), "")


def _ordered(text: str) -> Iterator[str]:
    yield from (found.group() for found in map(_OVERRIDE.search, [text]) if found)
    yield from (found.group() for each in sentences(text) if (found := _ORDER.search(each)))
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
