"""The same facts in other words: dates, numbers and units written otherwise, synonyms, clauses and sentences moved.

Written apart from what reads facts, so that the two cannot share a mistake.
"""

import re
from collections.abc import Callable

MONTHS = "January February March April May June July August September October November December".split()
COUNTS = "zero one two three four five six seven eight nine ten eleven twelve".split()
SYNONYMS = {
    "begin": "start", "began": "started", "purchase": "buy", "purchased": "bought", "film": "movie", "films": "movies",
    "championship": "title", "you should": "you need to", "make sure": "ensure", "located": "situated",
    "in order to": "to", "below": "following", "a large": "a big", "released": "published", "announced": "made known",
    "because": "since", "about": "roughly", "also": "too", "will be": "is going to be", "cannot": "can not",
}  # fmt: skip


def dates(text: str) -> str:
    """Dates in another of their forms: 2020-01-06 and January 6, 2020 become 6 January 2020; 6 January, Jan 6."""
    names = "|".join([*MONTHS, *(name[:3] for name in MONTHS)])
    text = re.sub(
        r"\b(\d{4})-(\d\d)-(\d\d)\b(?!-)", lambda m: f"{int(m[3])} {MONTHS[(int(m[2]) - 1) % 12]} {m[1]}", text
    )
    return re.sub(rf"\b({names})\.? (\d{{1,2}}), (\d{{4}})", lambda m: f"{m[2]} {m[1][:3]}. {m[3]}", text)


def numbers(text: str) -> str:
    """Numbers and units otherwise: three months, 300 seconds for 5 minutes, $1,000 million, 1500 for 1,500."""
    text = re.sub(r"(\d+) minutes?\b", lambda m: f"{int(m[1]) * 60} seconds", text)
    text = re.sub(r"(\d+(?:\.\d+)?) billion\b", lambda m: f"{float(m[1]) * 1000:,g} million", text)
    text = re.sub(r"(?<![\d.,-])(\d|1[0-2])(?= (?:days|weeks|months|years|hours)\b)", lambda m: COUNTS[int(m[1])], text)
    text = re.sub(r"(?<![\d,.])(\d{1,3}),(\d{3})(?![\d,])", r"\1\2", text)
    return re.sub(r"(\d) ?%", r"\1 percent", text)


def synonyms(text: str) -> str:
    """Words replaced by others that mean the same."""
    for one, other in SYNONYMS.items():
        text = re.sub(rf"\b{one}\b", other, text)
    return text


def shorter(text: str) -> str:
    """Without what stands in brackets, and without adverbs."""
    return re.sub(r" \([^()]*\)|\b(?:really|very|officially|also|finally|currently) ", "", text)


def moved(text: str) -> str:
    """The sentences in the opposite order, and a leading clause (`On Sunday, …`) put last."""
    text = re.sub(r"(?m)^((?:In|On|At|After|Before|To) [^,.\n]+), ([^.\n]+)\.", r"\2 \1.", text)
    return "\n".join(" ".join(reversed(re.split(r"(?<=[a-z]\.) (?=[A-Z])", line))) for line in text.split("\n"))


def plainer(text: str) -> str:
    """The same text with another layout: no marks of Markdown, other blanks, straight quotes."""
    return re.sub(r"[*_`]{1,3}(?=\w)|(?<=\w)[*`]{1,3}", "", re.sub(r"[ \t]+\n", "\n", text)).replace("’", "'")


REWORDINGS: tuple[Callable[[str], str], ...] = (dates, numbers, synonyms, shorter, moved, plainer)


def reworded(text: str) -> list[str]:
    """The text in every rewording that changes it, then in all of them at once."""
    whole = text
    for each in REWORDINGS:
        whole = each(whole)
    made = [each(text) for each in REWORDINGS] + [whole]
    return list(dict.fromkeys(each for each in made if each != text))
