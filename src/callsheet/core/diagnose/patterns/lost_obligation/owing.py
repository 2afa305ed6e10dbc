"""How it is said that something is owed: requests for later, promises, changes for a moment; and what does it."""

import re

VERB = (
    r"(?:add|update|fix|write|create|run|delete|remove|rename|document|test|check|verify|send|report|refund"
    r"|cancel|notify|tell|message|ping|post|slack|mail|announce|inform|drop|push|tag|release|merge"
    r"|include|mention|clean|revert|bump|publish|deploy|commit|change|confirm|email|call|book|summari[sz]e|list"
    r"|explain|move|close|follow up|prepare|provide|share|look into|investigate|open|file|submit|implement"
    r"|refactor|handle|address|restore|re-?run|schedule|double.check|validate|review|install|refresh|mark|log"
    r"|record|note|put|save|store|export|print|attach|upload|back ?up|archive|generate)"
)
PROMISE = re.compile(
    r"\bI(?:'ll| will|’ll|'m going to| am going to)\s+"
    r"(?:(?:also|then|later|afterwards|finally|come back (?:to|and))\s+)*"
    r"(?!(?:also|then|later|finally|be|have|need|let|know|wait|now|try|see|look at|start|begin|continue|proceed|go|keep"
    r"|use|take|not|never|first|just|assist|help|make sure|do|get|compare|find)\b)[a-z]{3,}"
    r"|\bI(?:'ll| will|’ll) (?:have|get|make sure|arrange)\b[^.?!\n]{3,60}?\b(?:sent|e-?mailed|mailed|done|added"
    r"|fixed|updated|refunded|removed|delivered|booked|written|checked|prepared)\b"
    rf"|\bTODO\b:?\s+\w+|\b(?:I|we) still (?:need|have) to {VERB}\b",
    re.IGNORECASE,
)
SIGNS = ("i'll", "i will", "i’ll", "going to", "todo", "still ", "temporar")
"""What promises begin with: texts without any are read no further."""
LATER = re.compile(
    r"\b(?:later|afterwards?|at the end|once (?:that|this|it|the)\b|when (?:that|this|it|i)\b|after (?:that|this"
    r"|the)\b|then|also|finally"
    r"|in a moment|next|before (?:we|i) finish|come back|as soon as|shortly|by the end|tomorrow|TODO|still)",
    re.IGNORECASE,
)
OVER = (
    r"(?:done|finished|ready|through|complete[d]?|in place|passe[sd]|pass|green|over|merged|works|working|deployed"
    r"|fixed|live|up)"
)
REQUEST = re.compile(
    r"(?:\b(?P<strong>don[’']t forget to|do not forget to|remember to|at the (?:very )?end,?"
    rf"|(?:when|once|as soon as|after) (?:[^.,;?!]|\.\w){{2,60}}\b{OVER}(?: (?:with|on|for) \S+(?: \w+)?)?,?"
    r"|as (?:a|the|your) (?:last|final) step,?|before you (?:finish|end|stop|close|wrap up),?)"
    r"|\bmake sure (?:to|that you|you)|\bbe sure to|^(?:finally|afterwards|after that|also|and|lastly),?)"
    rf"\s+(?:please\s+|also\s+|then\s+)*(?P<deed>{VERB})\b",
    re.IGNORECASE,
)
SAME = re.compile(
    r"\b(?:then|and|also|please)\s+(?:please\s+|also\s+)?do (?:the same|this|that|it) (?:too )?(?:for|with|to|in|on)\b",
    re.IGNORECASE,
)
THEN = re.compile(
    rf"(?:^|[,;:]\s*|\b(?:and|then|please|also|must|should|to)\s+){VERB}\b[^.;?!]{{3,100}}"
    rf"\b(?:when|once|as soon as|after)\b[^.,;?!]{{2,60}}\b{OVER}\b",
    re.IGNORECASE,
)
FILE = re.compile(
    r"(?:^|[,;]|\band|\bthen|\bplease|\balso)\s*(?:please\s+|also\s+|then\s+)*(?:save|export|put|add|update|write|create|document"
    r"|rename|bump|adjust|extend|mention|note|record)\b"
    r"[^,;.\n]{0,60}?\b(?:in|to|into|the|file)?\s*[`\"']?([\w./-]*\w\.(?:md|txt|py|js|ts|tsx|json|ya?ml|toml|rst"
    r"|cfg|go|rs|java|rb|sh|sql|html|css))\b",
    re.IGNORECASE,
)
FOR_A_MOMENT = re.compile(
    r"\bfor a (?:moment|second|minute)\b.{0,80}\b(?:back|again|out|off)\b|"
    r"\btemporar(?:y|ily)\b.{0,40}\b(?:disabl|comment|chang|set|switch|skip|remov|add|hard.?cod|patch|lower|rais|stub"
    r"|mock|renam|downgrad|revert|mov|insert|edit|modif)"
    r"|\b(?:disabl|comment|chang|set|switch|skip|remov|add|hard.?cod|patch|lower|rais|stub|mock|renam|downgrad|mov"
    r"|insert|edit|modif)\w*\b.{0,60}\btemporar(?:y|ily)\b",
    re.IGNORECASE,
)
PUT_BACK = re.compile(
    r"\b(?:take|remove|delete|drop) (?:it|them|that|this|the)\b.{0,30}\b(?:again|out|off)\b.{0,20}\b(?:after|afterwards"
    r"|later|once|when|again|then)\b|"
    r"\b(?:put|set|chang|switch|turn|roll)\w* (?:it|them|that|this|everything|the [\w -]{2,40}) back\b"
    r"|\b(?:and|then|but|to)\b.{0,12}\b(?:revert|restore|undo|re-?enable|uncomment)\b (?:it|th|my|every)"
    r"|\b(?:revert|restore|undo|re-?enable|uncomment)\b.{0,60}\b(?:afterwards?|again|when|once|after|later"
    r"|at the end|before you)\b"
    r"|\b(?:afterwards?|when|once|after|later|at the end|before you)\b.{0,60}"
    r"\b(?:revert|restore|undo|re-?enable|uncomment)\b",
    re.IGNORECASE,
)
ASIDE = re.compile(
    r"\W*(?:also|and|by the way|btw|one more|another (?:thing|question)|lastly|finally|additionally|oh|plus|besides"
    r"|separately|on another note)\b.*\?$",
    re.IGNORECASE,
)
CLAUSES = re.compile(r"(?<=[.!?])\s+|\n+")
RETURN = re.compile(
    r"\bI(?:'ll| will|’ll) (?:also )?(?:(?:get|come|circle|report|call|ring|write) (?:you )?back|let you know|follow up"
    r"|keep you (?:posted|updated)|(?:update|call|ring|remind|notify|inform) you)\b",
    re.IGNORECASE,
)
CONDITION = re.compile(r"\b(?:once|when|after|if|as soon as|until|unless) (?:you|your|it helps)\b|\bplease\b|\?", re.I)
SEND = re.compile(
    r"\b(?:(?:notify|message|ping|inform|announce|post|send)\b(?!\s+(?:me|us)\b)|(?:e-?mail|mail|text|slack|sms)\b"
    r"|send\s+(?:me|us)\s+(?:an?\s+)?(?:e-?mail|mail|text|sms|slack))\b",
    re.IGNORECASE,
)
DEEDS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (SEND, re.compile(r"mail|slack|send|notif|messag|post|sms|ping|webhook|comment|teams|announce", re.I)),
    (re.compile(r"\bcommit\b", re.I), re.compile("commit", re.I)),
    (re.compile(r"\bpush\b", re.I), re.compile("push|pull.?request|create_or_update", re.I)),
    (
        re.compile(r"\b(?:delete|drop|clean)\b", re.I),
        re.compile(r"\brm\b|delete|remove|drop|prune|clean|unlink|cancel|\s-[dD]\b", re.I),
    ),
)
"""What must be asked for by a call, and what such a call is known by."""
TELL = re.compile(
    rf"(?:^|[,;.:]\s*|\b(?:and|then|please|also)\s+){SEND.pattern}[^.?!\n]*?"
    r"(?:[\w.+-]+@[\w-]+\.\w+|(?<!\w)[#@][a-z][\w-]+|\bslack\b|\bchannel\b)",
    re.IGNORECASE,
)
RESTORES = re.compile(
    r"\b(?:checkout|restor|revert|reset|stash pop|undo|undid|undone|re-?enabl|uncomment|switch(?:ed)? back"
    r"|(?:put|set|changed?) (?:\w+ ){0,4}back|back to (?:its|the) )|\.bak\b|\.orig\b",
    re.IGNORECASE,
)
REFUSED = re.compile(
    r"\b(?:cannot|can[’']t|could ?n[o’']t|unable|not able|did ?n[o’']t|have ?n[o’']t|no (?:tool|access|way)|skipp"
    r"|not possible|only (?:you|a person) can)",
    re.IGNORECASE,
)
