"""What a call would carry out: values that its receiver may not be told, and links that nobody trusted gave (I1, I4).

What is found: a value as it stands, in other writing (percent, escapes of HTML and of programs, base64, base32,
hexadecimal, also one within another; look-alike and invisible letters; backwards, set apart), and eight words of a
passage in a row. What is not: a value in other words, in a cipher, or split over several calls.
"""

import codecs
import html
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from ...text.foreign import as_read, as_taken
from ...text.hidden import shown
from ...text.words import FILLERS
from .matching import Sought, address, named_at
from .words import Span, Word, parts, words

_DATE_OR_TIME = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:t[\d:.]+z?)?|\d{1,2}:\d{2}(?::\d{2})?|(?:19|20)\d{2}|\d{1,2}\.\d{1,2}\.\d{4}"
)
_FEWEST_CHARACTERS = 4
_COMPACT = 6
"""Characters that a value must have to be looked for with whatever stands between them left out."""
_HOST = 8
"""The same for a web address."""
_PASSAGE = 8
_NESTED = 2
"""Writings that are looked for within each other."""
_ENCODED = re.compile(r"[A-Za-z0-9+/_=-]{8,}")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_BASE32_DIGITS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHIJKLMNOPQRSTUV")
_BASE32 = re.compile(r"[A-Za-z2-7]{8,}=*")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8}))")
_DIGITS = re.compile(r"[0-9]+")
_SPELLED_DOT = re.compile(  # from where a run of blanks begins, so that a long one is gone through once
    r"(?<!\s)\s*(?:\[\.\]|\(\.\)|\[dot\]|\(dot\)|\bdot\b)\s*|(?<!\s)\s+\.\s*(?=\w)|[\u3002\uff0e\uff61]", re.IGNORECASE
)
_REACHES = re.compile(r"^(?:mailto|tel|sms):", re.IGNORECASE)
_SPELLED_SCHEME = re.compile(r"\bhxxp", re.IGNORECASE)
_LINK = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{1,20}:(?://|\\\\)|www\.)[^\s<>\"'()]+"
    r"|\b(?:(?:mailto|tel|sms):|(?:java|vb)script:|data:(?:text|application|image/svg)[^\s,]{0,80},)[^\s<>\"']+"
    r"|(?<![\w.])(?:(?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f.]*:[0-9a-f:.]*\])(?::\d|/)[^\s<>\"'()]*"
    r"|(?<![@\w.-])(?:[\w-]+\.)++[^\W\d_]{2,}+(?![@\w-])(?::\d+)?(?:/[^\s<>\"'()]*)?",
    re.IGNORECASE,
)
_FILE = frozenset(
    "c cc cfg cpp css csv doc docx gif go gz h htm html ini java jpeg jpg js json lock log md mp3 mp4 ods odt pdf png "
    "ppt pptx py rb rs rst rtf sh sql svg tar toml ts tsv tsx txt wav webp xls xlsx xml yaml yml zip".split()
)


class Place(NamedTuple):
    """A value as it stands in the text that it comes from."""

    value: str
    span: Span


def values(text: str, secret: bool = False) -> Iterator[Place]:
    """What in a text is worth keeping: numbers, codes and addresses; of a secret, every word but the commonest."""
    for word in words(text):
        letters = sum(map(str.isalnum, word.text))
        told = any(map(str.isdigit, word.text)) or "@" in word.text or (secret and word.text not in FILLERS)
        if told and letters >= _FEWEST_CHARACTERS and not _DATE_OR_TIME.fullmatch(word.text):
            yield Place(text[word.start : word.end], (word.start, word.end))


def carried(content: str, text: str, secret: bool = False) -> Place | None:
    """The first value of a text, or eight of its words in a row, that the content carries; None where there is none."""
    writings = tuple(forms(content))
    spelled = [frozenset(word.text for word in words(each)) for each in writings]
    spelled += [frozenset(_DIGITS.findall(each)) for each in writings]
    compact = [_compact(each) for each in writings]
    compact += [each[::-1] for each in compact]
    for found in values(text, secret):
        (word,) = words(found.value)[:1]
        bare = _compact(found.value)
        if any(word.text in each for each in spelled) or (
            len(bare) >= _COMPACT and any(bare in each for each in compact)
        ):
            return found
    return _passage(parts(content), text)


def forms(content: str) -> Iterator[str]:
    """The content, and what it reads as where parts of it are in another writing, or in one within another."""
    found = {content: None}
    for _ in range(_NESTED):
        found |= dict.fromkeys(form for each in tuple(found) for form in _read(each))
    yield from found


def _read(content: str) -> Iterator[str]:
    if not content.isascii():
        yield from (as_read(content), as_taken(content), shown(content))
    if "&" in content:
        yield html.unescape(content)
    if "%" in content:
        yield _PERCENT.sub(lambda found: _hex(found.group().replace("%", "")) or found.group(), content)
    if "\\" in content:
        yield _ESCAPE.sub(_escaped, content)
    for word in _ENCODED.findall(content):
        yield from filter(None, (_base64(word), _hex(word)))
    for word in _BASE32.findall(content):
        yield from filter(None, [_base32(word)])


def _escaped(found: re.Match[str]) -> str:
    code = int(next(filter(None, found.groups())), 16)
    return chr(code) if code <= sys.maxunicode else found.group()


def _base32(word: str) -> str | None:
    digits = word.rstrip("=").upper().translate(_BASE32_DIGITS)
    whole, over = divmod(5 * len(digits), 8)
    try:
        return (int(digits, 32) >> over).to_bytes(whole, "big").decode()
    except UnicodeDecodeError:
        return None


def _base64(word: str) -> str | None:
    padded = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return codecs.decode((padded + "=" * (-len(padded) % 4)).encode(), "base64").decode()
    except ValueError:
        return None


def _hex(word: str) -> str | None:
    try:
        return bytes.fromhex(word).decode() if _HEX.fullmatch(word) else None
    except UnicodeDecodeError:
        return None


def _compact(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _close(text: str) -> str:
    """The text with nothing between its letters but dots, so that words side by side make no host."""
    return "".join(each for each in text.casefold() if each.isalnum() or each == ".")


def _passage(content: tuple[Word, ...], text: str) -> Place | None:
    said = {tuple(each.text for each in content[at : at + _PASSAGE]) for at in range(len(content) - _PASSAGE + 1)}
    if not said:
        return None
    source = parts(text)
    for at in range(len(source) - _PASSAGE + 1):
        run = source[at : at + _PASSAGE]
        if tuple(each.text for each in run) in said:
            return Place(text[run[0].start : run[-1].end], (run[0].start, run[-1].end))
    return None


def links(text: str) -> Iterator[str]:
    """Every web address in a text, with or without its scheme; a file's name is none."""
    for found in _LINK.finditer(text):
        link = found.group().rstrip(".,;:!?")
        site = address(link)
        named = site is not None and (site.host.rpartition(".")[2] not in _FILE or "/" in link)
        if named or site is None or _plain(link):
            yield link


def _plain(link: str) -> bool:
    return link.casefold().startswith(("http://", "https://", "www."))


def untrusted_links(content: str, trusted: tuple[str, ...], read: tuple[str, ...]) -> Iterator[str]:
    """The links of a content that no trusted text gives, also where it writes otherwise what was read."""
    writings = tuple(forms(refanged(content)))
    said = [link for each in writings for link in links(each)]
    known = (link for text in read for link in links(refanged(text)))
    close = [_close(each) for each in writings]
    close += [each[::-1] for each in close]
    spelled = (link for link in known if len(bare := _close(link)) >= _HOST and any(bare in each for each in close))
    for link in dict.fromkeys((*said, *spelled)):
        if not any(named_at(Sought(_REACHES.sub("", link)), text) is not None for text in trusted):
            yield link


def refanged(text: str) -> str:
    """The text with addresses that were taken apart put together: `evil[.]example` and `evil . example`."""
    return _SPELLED_SCHEME.sub("http", _SPELLED_DOT.sub(".", text))
