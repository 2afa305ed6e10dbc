"""Numbers in words of English, German and Polish: `twenty-five`, `fünfundzwanzig`, `dwadzieścia pięć`."""

import re
from collections.abc import Iterable, Mapping

_EN = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen""".split()
_EN_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_DE = """null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
    achtzehn neunzehn""".split()
_DE_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
_PL = """zero - dwa|dwie|dwóch|dwoma|dwaj|dwu trzy|trzech|trzema|trzem|trzej cztery|czterech|czterema|czterem
    pięć|pięciu    sześć|sześciu siedem|siedmiu osiem|ośmiu dziewięć|dziewięciu dziesięć|dziesięciu jedenaście|jedenastu
    dwanaście|dwunastu trzynaście|trzynastu czternaście|czternastu piętnaście|piętnastu szesnaście|szesnastu
    siedemnaście|siedemnastu osiemnaście|osiemnastu dziewiętnaście|dziewiętnastu""".split()
_PL_TENS = """dwadzieścia|dwudziestu trzydzieści|trzydziestu czterdzieści|czterdziestu pięćdziesiąt|pięćdziesięciu
    sześćdziesiąt|sześćdziesięciu siedemdziesiąt|siedemdziesięciu osiemdziesiąt|osiemdziesięciu
    dziewięćdziesiąt|dziewięćdziesięciu""".split()
_PL_HUNDREDS = """sto|stu dwieście|dwustu trzysta|trzystu czterysta|czterystu pięćset|pięciuset sześćset|sześciuset
    siedemset|siedmiuset osiemset|ośmiuset dziewięćset|dziewięciuset""".split()


def _table(words: Iterable[str], step: int = 1, first: int = 0) -> dict[str, int]:
    return {word: at * step for at, each in enumerate(words, first) for word in each.split("|")}


_VALUES: Mapping[str, Mapping[str, int]] = {
    "en": {**_table(_EN), **_table(_EN_TENS, 10, 2)},
    "de": {**_table(_DE), **_table(_DE_TENS, 10, 2)},
    "pl": {**_table(_PL), **_table(_PL_TENS, 10, 2), **_table(_PL_HUNDREDS, 100, 1)},
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SCALES |= {
    **dict.fromkeys(("tysiąc", "tysiące", "tysięcy"), 1_000),
    **dict.fromkeys(("milion", "miliony", "milionów"), 1_000_000),
}
_IRREGULAR = {"third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_EN_ORDINALS = {
    **{f"{word}th": at for at, word in enumerate(_EN) if at > 3 and at not in (5, 8, 9, 12)},
    **_IRREGULAR,
    **{f"{word[:-1]}ieth": at * 10 for at, word in enumerate(_EN_TENS, 2)},
}
"""Without `first` and `second`, which say more than a number."""
_DE_ORDINALS = _table("dritt viert fünft sechst siebt acht neunt zehnt elft zwölft".split(), first=3)
_PL_ORDINALS = _table("trzeci czwart piąt szóst siódm ósm dziewiąt dziesiąt".split(), first=3)
_ORDINALS: Mapping[str, tuple[Mapping[str, int], re.Pattern[str]]] = {
    "en": (
        {**_EN_ORDINALS, "first": 1, "second": 2},
        re.compile(
            rf"\b(?:(?P<tens>{'|'.join(_EN_TENS)})[\s-](?P<unit>first|second|{'|'.join(_EN_ORDINALS)})"
            rf"|(?P<word>{'|'.join(_EN_ORDINALS)}))\b(?!-\w)",
            re.IGNORECASE,
        ),
    ),
    "de": (_DE_ORDINALS, re.compile(rf"\b(?P<word>{'|'.join(_DE_ORDINALS)})e[rnms]?\b", re.IGNORECASE)),
    "pl": (
        _PL_ORDINALS,
        re.compile(
            rf"\b(?P<word>{'|'.join(_PL_ORDINALS)})(?:y|a|e|ego|ej|emu|ym|ą|ych|ymi|m|mi|ch)?\b",
            re.IGNORECASE,
        ),
    ),
}
_UNIT = r"(?:year|day|hour|minute|second|week|month)s?\b"


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted((word for word in words if word != "-"), key=len, reverse=True))


_EN_WORD, _EN_SCALE = _any(_VALUES["en"]), "hundred|thousand|million|billion"
_PL_WORD = rf"{_any(_VALUES['pl'])}|tysiąc|tysiące|tysięcy"
SPELLED: Mapping[str, re.Pattern[str]] = {
    "en": re.compile(
        rf"\b(?:a[\s-](?:{_EN_SCALE})|(?:{_EN_WORD}))"
        rf"(?:[\s-](?:{_EN_WORD}|{_EN_SCALE})|(?:(?<=hundred)|(?<=thousand))\sand\s(?:{_EN_WORD}))*"
        rf"\b(?!-(?!{_UNIT})\w)",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?:(?:ein|zwei|drei|vier|fünf|sech|sieb|acht|neun|zehn|elf|zwölf|zwan|hundert|tausend|dreißig)"
        r"[a-zäöüß]*|null)\b(?!-)",
        re.IGNORECASE,
    ),
    "pl": re.compile(rf"\b(?:{_PL_WORD})(?:\s(?:{_PL_WORD}|milion(?:y|ów)?))*\b(?!-)", re.IGNORECASE),
}
"""By language, what may be a number in words; `number_of` tells whether it is one."""


def number_of(words: str, language: str) -> str:
    """The digits of a number in words; the words themselves where they are none, or the article `one`."""
    parts = [each for each in re.split(r"[\s-]+", words.lower()) if each not in ("a", "and")]
    total = current = 0
    for part in parts:
        scale, value = _SCALES.get(part), _german(part) if language == "de" else _VALUES[language].get(part)
        if scale is not None:
            current = (current or 1) * scale
            total, current = (total + current, 0) if scale >= 1_000 else (total, current)
        elif value is None or current % (10 if value < 10 else 100 if value < 100 else 1_000):
            return words
        else:
            current += value
    return words if total + current == 1 else str(total + current)


def _german(word: str) -> int | None:
    """The value of a German number, which is one word up to a million."""
    if word in _VALUES["de"]:
        return _VALUES["de"][word]
    for name, scale in (("tausend", 1_000), ("hundert", 100)):
        many, found, rest = word.partition(name)
        if found:
            left, right = _german(many) if many else 1, _german(rest.removeprefix("und")) if rest else 0
            return None if left is None or right is None else left * scale + right
    unit, _, tens = word.partition("und")
    if unit in _DE[1:10] and tens in _DE_TENS:
        return _VALUES["de"][unit] + _VALUES["de"][tens]
    return None


def ordinals(text: str, language: str) -> str:
    """The text with its ordinals in words as `3th`, whatever their ending."""
    values, pattern = _ORDINALS[language]

    def written(found: re.Match[str]) -> str:
        parts = found.groupdict()
        tens = _VALUES["en"][parts["tens"].casefold()] if parts.get("tens") else 0
        return f"{tens + values[(parts.get('unit') or parts['word']).casefold()]}th"

    return pattern.sub(written, text)
