"""Orders in foreign text: what speaks to a model as if it had a say, in several languages, and where it stands (I1)."""

import re
from functools import lru_cache

ORDERS: tuple[tuple[tuple[tuple[str, ...], ...], re.Pattern[str]], ...] = tuple(
    (words, re.compile(pattern))
    for words, pattern in (
        (
            (
                ("ignore", "disregard", "forget", "override", "bypass"),
                ("instruction", "rules", "prompt", "guideline", "directions", "polic"),
            ),
            r"(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,4}?(?:instructions?|rules|prompts?|guidelines"
            r"|directions|polic(?:y|ies))\b",
        ),
        ((("<information>", "<important>", "<system>", "<admin>"),), r"<(?:information|important|system|admin)>"),
        (
            (("system override", "system message", "system notice", "system prompt"),),
            r"\bsystem (?:override|message|notice|prompt)\s*:",
        ),
        ((("instruction",),), r"\b(?:new|updated|additional) (?:system )?instructions?\s*(?:for|to|:)"),
        ((("from now on",),), r"\bfrom now on\b,?"),
        (
            (("do not ", "don't ", "never "), ("user", "customer")),
            r"\b(?:do not|don't|never) (?:tell|mention|inform|reveal|notify|ask)\b[^.\n]{0,30}\b(?:user|customer)\b",
        ),
        (
            (
                ("assistant", "claude", "gpt", "language model", *(f"ai{end}" for end in "s ,:-(")),
                ("must", "should", "have to", "need to", "needs to", "are required to"),
            ),
            r"\b(?:assistant|ai|ai agent|ai model|claude|chatgpt|gpt|language model)s?\b[^.\n]{0,20}\b(?:must|should"
            r"|have to|needs? to|are required to)\b",
        ),
        (
            (("important message", "important note", "important instruction"),),
            r"\bimportant (?:message|note|instruction)s? (?:from|to|for)\b",
        ),
        (
            (("before you ",),),
            r"\bbefore you (?:can )?(?:solve|answer|continue|proceed)\b[^.\n]{0,80}\b(?:please|you must"
            r"|do the following|first)\b",
        ),
        # Orders to whoever works on the text, by name.
        (
            (
                ("note", "message", "instruction", "attention", "notice", "important", "hint", "reminder"),
                ("ai ", "ai:", "ais", "llm", "automated", "assistant", "agent", "bot", "language model"),
            ),
            r"\b(?:note|message|instructions?|attention|notice|important|hint|reminder)\W{0,3}(?:(?:to|for)\W{1,3})"
            r"(?:all\s+|any\s+|the\s+)*(?:ai|llm|automated|coding|assistants?|agents?|bots?|language models?)\b",
        ),
        (
            (
                ("agents", "assistants", "bots", "llms"),
                ("must", "should", "need to", "have to", "are required", "please"),
            ),
            r"\b(?:ai|automated|coding|llm)?\s*(?:agents|assistants|bots|llms)\b[^.\n]{0,40}\b(?:must|should|need to"
            r"|have to"
            r"|are required to|please)\b",
        ),
        (
            (
                (" mode",),
                (
                    "developer",
                    "debug",
                    "admin",
                    "maintenance",
                    "god",
                    "unrestricted",
                    "root",
                    "dan ",
                    "test",
                    "override",
                ),
            ),
            r"\b(?:developer|debug|admin(?:istrator)?|maintenance|god|unrestricted|root|dan|test"
            r"|override) mode\b[^.\n]{0,40}"
            r"\b(?:enabled|activated|active|on|now|enter|is)\b|\b(?:enter|enable|activate|switch to"
            r"|you are (?:now )?in)\b"
            r"[^.\n]{0,30}\b(?:developer|debug|admin(?:istrator)?|maintenance|god|unrestricted|root|dan"
            r"|override) mode\b",
        ),
        ((("you are now", "you are no longer"),), r"\byou are (?:now|no longer) (?:an?|the|in|bound|free|acting)\b"),
        (
            (("without", "silently"), ("user", "asking", "telling", "mention", "confirm")),
            r"\bwithout (?:telling|informing|asking|notifying|mentioning)\b[^.\n]{0,30}\b(?:user|customer|person|it"
            r"|anyone)\b"
            r"|\bsilently (?:run|send|execute|add|include|upload)\b",
        ),
        # The same in other languages: set aside what was told, from here on, to the assistant, behind the user's back.
        (
            (
                (
                    "ignorier",
                    "vergiss",
                    "missacht",
                    "negeer",
                    "vergeet",
                    "ignora",
                    "ignore",
                    "oubli",
                    "olvid",
                    "dimentica",
                    "esque",
                ),
            ),
            r"\b(?:ignorier|vergiss|missacht|negeer|vergeet)\w*\s+(?:\w+\s+){0,4}?\w*(?:anweisung|regel|vorgabe"
            r"|instruktion"
            r"|auftr[aä]g|instructie)\w*|\b(?:ignor[ae]\w*|oublie\w*|olvid\w*|dimentica\w*"
            r"|esque[cç]\w*)\s+(?:\w+\s+){0,4}?"
            r"(?:consignes|r[eè]gles|instrucciones|reglas|indicaciones|istruzioni|regole|instru[cç][oõ]es|regras)",
        ),
        (
            (
                (
                    "ab sofort",
                    "ab jetzt",
                    "désormais",
                    "partir de maintenant",
                    "partir de ahora",
                    "ora in poi",
                    "partir de agora",
                    "vanaf nu",
                ),
            ),
            r"\b(?:ab sofort|ab jetzt|d[eé]sormais|[aà] partir de (?:maintenant|ahora|agora)|d.ora in poi|vanaf nu)\b",
        ),
        (
            (
                (
                    "hinweis",
                    "anweisung",
                    "nachricht",
                    "achtung",
                    "wichtig",
                    "note",
                    "consigne",
                    "nota",
                    "aviso",
                    "instruc",
                ),
            ),
            r"\b(?:hinweis|anweisung|nachricht|achtung|wichtig\w*)\W{1,3}(?:\w+\W{1,3}){0,2}?(?:an|f[uü]r)\s+(?:den"
            r"|die|das|alle)?\s*"
            r"\w*(?:assistent|ki\b|bot|agent|modell|sprachmodell)|\b(?:consignes?|nota|aviso"
            r"|instrucci[oó]n\w*)\W{1,3}(?:\w+\W{1,3})"
            r"{0,2}?(?:pour|para|per)\s+(?:l.|el |la |o |il )?\s*(?:assist|ia\b|agent|mod)",
        ),
        (
            (("nutzer", "benutzer", "anwender", "kunde", "utilisateur", "usuario", "utente", "gebruiker"),),
            r"\b(?:ohne|nicht|sans|sin|senza|zonder)\b[^.\n]{0,40}\b(?:nutzer|benutzer|anwender|kunde|utilisateur"
            r"|usuario|utente"
            r"|gebruiker)\w*",
        ),
        (
            (("assistent", "sprachmodell", "ki ", "ki-"), ("muss", "soll", "bitte", "müssen")),
            r"\b(?:assistent\w*|sprachmodell|ki|ki-\w+)\b[^.\n]{0,30}\b(?:muss|soll|sollen|müssen|bitte)\b",
        ),
        (
            (("忽略", "无视", "無視", "игнорир", "забудь"),),
            r"(?:忽略|无视|無視).{0,12}(?:指令|指示|说明|提示|規則|规则)|(?:指令|指示|規則).{0,8}(?:無視|忽略)"
            r"|(?:игнорир|забуд)\w*\s+(?:\w+\s+){0,4}?(?:инструкц|указан|правил)",
        ),
    )
)
"""Orders to a model, over a text in small letters; each is looked for only where one word of every group is."""
_SKILL = re.compile(r"^Base directory for this skill\b|^---\s*\nname: .*\n(?:.*\n)*?description: ", re.MULTILINE)
_EMBEDDED = re.compile(
    r"<(issue\w*|pr_description|problem_statement|documents?|e?mail|page|attachment|ticket|comment|web\w*|data"
    r"|context|article"
    r"|quote|content|text|file\w*)\b[^>]*>(.*?)</\1>|^(?:ISSUE|TICKET|EMAIL|PAGE|DOCUMENT"
    r"|ARTICLE):\s*$(.*?)(?=^[A-Z]{4,}:\s*$|\Z)"
    r"|^-{3,}\s*(?:Original|Forwarded) message\s*-{3,}(.*)\Z",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


@lru_cache(maxsize=16)  # several patterns ask of the same text
def first_order(text: str) -> int | None:
    """Where the first order to a model begins; None where there is none."""
    small = text.lower()
    small = small if len(small) == len(text) else text
    places = (pattern.search(small) for groups, pattern in ORDERS if _has_all(groups, small))
    return min((found.start() for found in places if found), default=None)


def _has_all(groups: tuple[tuple[str, ...], ...], text: str) -> bool:
    for words in groups:
        for word in words:
            if word in text:
                break
        else:
            return False
    return True


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
