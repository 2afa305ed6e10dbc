"""What a sentence is by its own words: a decision with its reason, a cause, a question, a promise, a next step.

Rules of form, not of meaning: they find the sentence, and the sentence is kept as it was said.
"""

import re
from collections.abc import Iterator

SHORTEST, LONGEST = 12, 500
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-ZÀ-ÖØ-ÞĄĆČĘŁŃŚŠŹŻŽ0-9`\"'(\[*/-])|\n+")
_FENCE = re.compile(r"^```.*?(?:^```|\Z)", re.MULTILINE | re.DOTALL)
_BULLET = re.compile(r"^(?:[-*+>#•]+|\d{1,2}[.)])\s+")
DECISION = re.compile(
    r"\b(?:decid(?:ed?|ing)|decision|let'?s (?:use|go|keep|do|make|switch|stay|take|try)|go(?:ing)? with"
    r"|opt(?:ed|ing) for"
    r"|instead of|rather than|ch(?:oose|ose|osen|oosing)|settled on|agreed|prefer(?:red)?"
    r"|best (?:approach|option|way)"
    r"|the (?:approach|plan|solution|strategy|simplest|cleanest|right (?:fix|way))|switch(?:ed|ing) (?:to|from)"
    r"|we(?:'ll| will) (?:use|keep|go|not)|I(?:'ll| will) (?:use|keep|go with|not)"
    r"|trade-?off|ruled out|reject(?:ed|ing)"
    r"|entsch(?:eide|ied|ieden|eidung)|beschlossen|statt(?:dessen)?|bevorzug\w*|verworfen|festgelegt"
    r"|zdecydowa\w*|postanowi\w*|decyzj\w*|zamiast|wybra[łl]\w*|wybieram\w*|odrzuci\w*)\b",
    re.IGNORECASE,
)
REASON = re.compile(
    r"\b(?:because|since|so that|as (?:it|this|that|they|we)\b|due to|in order to|otherwise|to avoid"
    r"|which (?:means|avoids)"
    r"|this (?:way|avoids|keeps|lets|ensures|means)|that way|therefore|hence|the reason"
    r"|weil|denn|damit|sonst|um zu|deshalb|ponieważ|bo|żeby|aby|dlatego|inaczej)\b",
    re.IGNORECASE,
)
CAUSE = re.compile(
    r"\b(?:root cause|caused by|culprit|turns out|due to|stems from|fails? because"
    r"|(?:broke|breaks|failing|failed) because"
    r"|the (?:real |actual |underlying |main |core )?(?:problem|issue|bug|cause|reason|error|failure)s? "
    r"(?:is|was|were|here|comes?|lies)|fix(?:ed)? (?:is|was|by)|missing because)\b",
    re.IGNORECASE,
)
OPEN = re.compile(
    r"\b(?:open question|unresolved|unclear|still (?:need|unclear|open|fail|missing|unknown)|not yet"
    r"|to be (?:decided|confirmed|clarified)|to ?do\b|pending|blocked|waiting for|remains? to"
    r"|needs? (?:a decision|confirmation"
    r"|approval)|(?:noch|bleibt|weiter) (?:offen|unklar|ungeklärt|zu klären)|unklar|ungeklärt|steht (?:noch )?aus"
    r"|niejasn\w*|nie wiadomo|do (?:wyjaśnienia|ustalenia)|nierozstrzygnięt\w*)",
    re.IGNORECASE,
)
NEXT = re.compile(
    r"^(?:now|next|then|first|finally|after that)\b|\b(?:next step|next,|let me|let's|I'?ll|I will|I need to|I should"
    r"|we need to|we should|going to|remaining (?:step|work|task)"
    r"|als nächstes|nächste[rn]? Schritt|ich werde|wir werden|następny krok|w następnym kroku|następnie)\b",
    re.IGNORECASE,
)
PROMISE = re.compile(
    r"\b(?:I(?:'ve| have)? (?:promised?|refunded|issued|escalated|booked|cancelled|scheduled)|(?:we|I)(?:'ll| will) "
    r"(?:refund|send|issue|escalate|credit|call|contact|follow|notify|replace|waive|review|process)"
    r"|you(?:'ll| will) (?:receive|get|be|see)|has been (?:approved|refunded|issued|escalated|booked"
    r"|cancelled|scheduled))\b",
    re.IGNORECASE,
)
FINDING = re.compile(
    r"\b(?:found (?:that|out)?|shows?|showed|confirm(?:s|ed)|according to|evidence|reports?|reported|indicates?"
    r"|suggests?|conclu(?:de|sion)|measured|results? (?:are|is|show))\b",
    re.IGNORECASE,
)
DONE = re.compile(
    r"\b(?:done|complete[d]?|passes|passing|passed|works?|working|fixed|implemented|added|updated|created|all (?:green"
    r"|tests)|fail(?:s|ing|ed)?|succeed(?:s|ed)?|committed|pushed|merged|deployed|ready|remaining)\b",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text that are long enough to say something, code blocks left out."""
    if "```" in text:
        text = _FENCE.sub("\n", text)
    for piece in _END.split(text):
        said = _BULLET.sub("", piece.strip()).strip()
        if SHORTEST <= len(said) <= LONGEST:
            yield said


def with_reason(said: list[str], at: int) -> str:
    """A decision's sentence with the one behind it where that one gives the reason, as they were said."""
    if REASON.search(said[at]) or at + 1 >= len(said) or not REASON.search(said[at + 1]):
        return said[at]
    return f"{said[at]} {said[at + 1]}"
