"""How an answer says that it does not know, in English, German and Polish."""

import re

UNKNOWN = re.compile(
    r"""(?x) \b(?:
      i\ (?:really\ |simply\ )?(?:do\ not|don't|cannot|can't|could\ not|couldn't)
        \ (?:know|tell|say|find|see|determine|answer)
    | (?:it\ is|it's|is|was|are)\ (?:un|not\ )known | unable\ to\ (?:tell|say|find|determine|answer)
    | not\ (?:\w+\ )?(?:stated|mentioned|given|provided|specified|available|found|told|in\ the\ (?:text|conversation))
    | no\ (?:information|mention|record|answer)\b | none\ (?:is\ |was\ )?(?:available|given|found|mentioned)
    | nothing\ (?:here\ )?(?:tells|says|mentions)
    | (?:ich\ )?weiss\ (?:ich\ |es\ |das\ )*nicht
    | kann\ (?:ich\ |es\ |das\ )*nicht\ (?:sagen|finden|beantworten|bestimmen)
    | keine\ (?:angabe|information|ahnung)\w* | nicht\ (?:bekannt|angegeben|erwähnt|genannt|bestimmbar)
    | unbekannt | nie\ (?:wiem|podano|wiadomo|znam) | nie\ znala\w+
    | nie\ mogę\ (?:tego\ )?(?:powiedzieć|znaleźć|odpowiedzieć|określić|ustalić)
    | brak\ (?:informacji|danych|odpowiedzi) | nieznan[eya]
    )"""
)
BARE = re.compile(r"(?:unknown|none|n/a|null|nothing|unbekannt|keine[rs]?|brak)[.!]?")
"""Words that say so where they are the whole answer."""


def unknowing(said: str) -> int | None:
    """Where a plain text says that it does not know; None where it does not say so."""
    if BARE.fullmatch(said):
        return 0
    # Casefolding has made ss of ß; an apostrophe may be curly.
    found = UNKNOWN.search(said.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return found.start() if found else None
