"""Orders in foreign text: what speaks to a model as if it had a say, in several languages, and where it stands (I1)."""

import re

from ..texts.reading import Reading, signs

SHORT = 1_000
"""Characters of a text in which one small word of another language is a sign of it; in longer ones two are."""
REACH = 160
"""Characters that an order to a model has at most, after or before what it is looked for by."""
_MODES = r"(?:developer|debug|admin(?:istrator)?|maintenance|god|unrestricted|root|dan|test|override)"
_ORDERS: tuple[tuple[tuple[frozenset[str], ...], re.Pattern[str]], ...] = tuple(
    (tuple(map(signs, words)), re.compile(pattern))
    for words, pattern in (
        (
            (
                "ignore disregard forget override bypass",
                "instruction instructions rules prompt prompts guidelines directions policy policies",
            ),
            r"(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,4}?(?:instructions?|rules|prompts?|guidelines"
            r"|directions|polic(?:y|ies))\b",
        ),
        (("information important system admin",), r"<(?:information|important|system|admin)>"),
        (
            ("system admin developer tool inst im_start end_of_tool_output", "must always now the you"),
            r"\[/?(?:system|admin|developer|end of (?:tool )?(?:output|result)|inst)\]|<\|im_(?:start|end)\|>",
        ),
        (
            ("prompt instructions", "system your", "put send include print reveal repeat write append show copy"),
            r"\b(?:put|send|include|print|reveal|repeat|write|append|show|copy)\b[^.\n]{0,40}\b(?:the system prompt"
            r"|your (?:system prompt|instructions))",
        ),
        (("system", "override message notice prompt"), r"\bsystem (?:override|message|notice|prompt)\s*:"),
        (
            ("new updated additional", "instruction instructions"),
            r"\b(?:new|updated|additional) (?:system )?instructions?\s*(?:for|to|:)",
        ),
        (("from", "now", "on"), r"\bfrom now on\b,?"),
        (
            ("not don never", "tell mention inform reveal notify ask", "user customer"),
            r"\b(?:do not|don't|never) (?:tell|mention|inform|reveal|notify|ask)\b[^.\n]{0,30}\b(?:user|customer)\b",
        ),
        (
            (
                "assistant assistants ai ais agent agents model models claude chatgpt gpt",
                "must should have need needs required",
            ),
            r"\b(?:assistant|ai|ai agent|ai model|claude|chatgpt|gpt|language model)s?\b[^.\n]{0,20}\b(?:must|should"
            r"|have to|needs? to|are required to)\b",
        ),
        (
            ("important", "message note instruction messages notes instructions"),
            r"\bimportant (?:message|note|instruction)s? (?:from|to|for)\b",
        ),
        (
            ("before", "you", "solve answer continue proceed", "please must following first"),
            r"\bbefore you (?:can )?(?:solve|answer|continue|proceed)\b[^.\n]{0,80}\b(?:please|you must"
            r"|do the following|first)\b",
        ),
        # Orders to whoever works on the text, by name.
        (
            (
                "note message instruction instructions attention notice important hint reminder",
                "ai llm automated coding assistant assistants agent agents bot bots language",
                "to for",
            ),
            r"\b(?:note|message|instructions?|attention|notice|important|hint|reminder)\W{0,3}(?:(?:to|for)\W{1,3})"
            r"(?:all\s+|any\s+|the\s+)*(?:ai|llm|automated|coding|assistants?|agents?|bots?|language models?)\b",
        ),
        (
            ("agents assistants bots llms", "must should need have required please"),
            r"\b(?:ai|automated|coding|llm)?\s*(?:agents|assistants|bots|llms)\b[^.\n]{0,40}\b(?:must|should|need to"
            r"|have to|are required to|please)\b",
        ),
        (
            ("mode", "developer debug admin administrator maintenance god unrestricted root dan test override"),
            rf"\b{_MODES} mode\b[^.\n]{{0,40}}\b(?:enabled|activated|active|on|now|enter|is)\b"
            rf"|\b(?:enter|enable|activate|switch to|you are (?:now )?in)\b[^.\n]{{0,30}}\b{_MODES} mode\b",
        ),
        (
            ("you", "are", "now longer"),
            r"\byou are (?:now|no longer) (?:an?|the|in|bound|free|acting)\b",
        ),
        (
            (
                "without silently",
                "telling informing asking notifying mentioning run send execute add include upload",
            ),
            r"\bwithout (?:telling|informing|asking|notifying|mentioning)\b[^.\n]{0,30}\b(?:user|customer|person|it"
            r"|anyone)\b"
            r"|\bsilently (?:run|send|execute|add|include|upload)\b",
        ),
    )
)
"""Orders to a model, over a text in small letters; each is looked for only where one word of every group is."""
_ELSEWHERE = signs(
    "und der das den nicht ohne alle alles les des pas toutes tous sans los las todas todos que che tutte tutti senza"
    " não het een niet zonder"
)
_ABROAD = tuple(
    map(
        re.compile,
        (
            # In other languages: set aside what was told, from here on, to the assistant, behind the user's back.
            r"\b(?:ignorier|vergiss|missacht|negeer|vergeet)\w*\s+(?:\w+\s+){0,4}?\w*(?:anweisung|regel|vorgabe"
            r"|instruktion"
            r"|auftr[aä]g|instructie)\w*|\b(?:ignor[ae]\w*|oublie\w*|olvid\w*|dimentica\w*"
            r"|esque[cç]\w*)\s+(?:\w+\s+){0,4}?"
            r"(?:consignes|r[eè]gles|instrucciones|reglas|indicaciones|istruzioni|regole|instru[cç][oõ]es|regras)",
            r"\b(?:ab sofort|ab jetzt|d[eé]sormais|[aà] partir de (?:maintenant|ahora|agora)|d.ora in poi|vanaf nu)\b",
            r"\b(?:hinweis|anweisung|nachricht|achtung|wichtig\w*)\W{1,3}(?:\w+\W{1,3}){0,2}?(?:an|f[uü]r)\s+(?:den"
            r"|die|das|alle)?\s*"
            r"\w*(?:assistent|ki\b|bot|agent|modell|sprachmodell)|\b(?:consignes?|nota|aviso"
            r"|instrucci[oó]n\w*)\W{1,3}(?:\w+\W{1,3})"
            r"{0,2}?(?:pour|para|per)\s+(?:l.|el |la |o |il )?\s*(?:assist|ia\b|agent|mod)",
            r"\b(?:ohne|nicht|sans|sin|senza|zonder)\b[^.\n]{0,40}\b(?:nutzer|benutzer|anwender|kunde|utilisateur"
            r"|usuario|utente"
            r"|gebruiker)\w*",
            r"\b(?:assistent\w*|sprachmodell|ki|ki-\w+)\b[^.\n]{0,30}\b(?:muss|soll|sollen|müssen|bitte)\b",
        ),
    )
)
_FAR = ("忽略", "无视", "無視", "игнорир", "забуд")
_AFAR = re.compile(
    r"(?:忽略|无视|無視).{0,12}(?:指令|指示|说明|提示|規則|规则)|(?:指令|指示|規則).{0,8}(?:無視|忽略)"
    r"|(?:игнорир|забуд)\w*\s+(?:\w+\s+){0,4}?(?:инструкц|указан|правил)"
)
_SKILL = re.compile(r"^Base directory for this skill\b|^---\s*\nname: .*\n(?:.*\n)*?description: ", re.MULTILINE)
_EMBEDDED = re.compile(
    r"<(issue\w*|pr_description|problem_statement|documents?|e?mail|page|attachment|ticket|comment|web\w*|data"
    r"|context|article"
    r"|quote|content|text|file\w*)\b[^>]*>(.*?)</\1>|^(?:ISSUE|TICKET|EMAIL|PAGE|DOCUMENT"
    r"|ARTICLE):\s*$(.*?)(?=^[A-Z]{4,}:\s*$|\Z)"
    r"|^-{3,}\s*(?:Original|Forwarded) message\s*-{3,}(.*)\Z",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


def first_order(reading: Reading) -> int | None:
    """Where the first order to a model begins; None where there is none."""
    words, small = reading.words, reading.small
    places = []
    for groups, pattern in _ORDERS:
        if not any(map(words.isdisjoint, groups)):
            found = (pattern.search(small, start, end) for start, end in reading.around(groups[0], REACH))
            places += [first.start() for first in [next(filter(None, found), None)] if first]
    wanted: list[re.Pattern[str]] = []
    if len(_ELSEWHERE & words) > (len(small) > SHORT):
        wanted += _ABROAD
    if not small.isascii() and any(word in small for word in _FAR):
        wanted.append(_AFAR)
    places += [found.start() for found in (pattern.search(small) for pattern in wanted) if found]
    return min(places, default=None)


def embedded(text: str) -> str:
    """What of a person's message is not that person's: an issue, a mail, a page handed on between its marks."""
    if "<" not in text and ":" not in text:
        return ""
    if skill := _SKILL.search(text):
        return text[skill.start() :]
    return "\n".join(next(filter(None, found.groups()[1:]), "") for found in _EMBEDDED.finditer(text)).strip()


def without(text: str, part: str) -> str:
    """The text without a part of it, as far as that stands in it line by line."""
    if not part:
        return text
    if part in text:
        return text.replace(part, " ", 1)
    lines = set(part.splitlines())
    return "\n".join(line for line in text.splitlines() if line not in lines)
