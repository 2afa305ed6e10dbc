"""Sub-agent receipts: the window of a child, and what its parent may believe of the answer (F11).

A child's answer is a summary that somebody else wrote. So the parent takes no claim on trust: each names spans of what
the child was given, and the words it quotes must stand there. A claim without one that resolves is refused, by name of
the rule. That there is nothing to say is an answer like any other.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from ....model.message import Message
from ....model.receipt import Accepted, Claim, Receipt, Span
from ....model.verdict import Verdict
from ...text.blocks import text_of
from ...text.parse_json import parse_json

SHORTEST = 3
"""Characters that a quote must have at least, blanks aside: a shorter one stands anywhere, and shows nothing."""
Sources = Mapping[str, str]
"""The text of each source that a child was given, by the id it was given under."""


def sources_of(messages: Sequence[Message]) -> Sources:
    """What a child's window holds, as sources: each message's text by its number, as it is offered to the child."""
    return {str(number): "\n".join(text_of(block) for block in each.blocks) for number, each in enumerate(messages)}


def fingerprint_of(sources: Sources) -> str:
    """The fingerprint of what a child was given, by which a receipt names it where no manifest was recorded."""
    whole = blake2b(digest_size=16)
    for name in sorted(sources):
        for part in (name, sources[name]):
            data = part.encode("utf-8", "surrogatepass")
            whole.update(len(data).to_bytes(8, "big") + data)
    return "b2:" + whole.hexdigest()


def located(source: str, quote: str, sources: Sources) -> Span | None:
    """The span of a quote in a source, blanks read as one; None where it does not stand there.

    A child quotes; where in the text the quote stands is found by code, never by the child.
    """
    text = sources.get(source)
    words = quote.split()
    if text is None or sum(map(len, words)) < SHORTEST:
        return None
    at = text.find(quote)
    if at >= 0:
        return Span(source, at, at + len(quote), quote)
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return Span(source, found.start(), found.end(), found.group()) if found else None


def receipt_of(reply: str, manifest: str, sources: Sources) -> Receipt:
    """The receipt that a child's reply makes, each quote located in what it was given.

    The reply is one JSON object, `{"claims": [{"text", "quotes": [{"source", "quote"}]}]}` or
    `{"none_available": true}`. ValueError where it is neither; a quote that is not found leaves its claim without a
    span, which the parent refuses.
    """
    try:
        said = parse_json(reply)
    except ValueError as error:
        raise ValueError(
            f"a child's reply is no JSON ({error}); it gives claims with quotes, or none_available"
        ) from None
    claims = said.get("claims") if isinstance(said, dict) else None
    none = isinstance(said, dict) and said.get("none_available") is True
    if none == bool(claims) or not isinstance(claims or [], list):
        raise ValueError("a child's reply gives either claims, a list, or none_available, and not both")
    looked = tuple(sorted(sources)) if none else ()
    return Receipt(manifest, tuple(_claim(each, sources) for each in claims or ()), none, looked)


def _claim(said: Any, sources: Sources) -> Claim:
    if not isinstance(said, dict) or not isinstance(said.get("text"), str):
        raise ValueError(f"a claim is an object with a text and quotes, and not {said!r}")
    quotes = said.get("quotes", ())
    named = [each for each in quotes if isinstance(each, dict)] if isinstance(quotes, list) else []
    spans = (located(str(each.get("source")), str(each.get("quote")), sources) for each in named)
    return Claim(said["text"], tuple(span for span in spans if span is not None))


def accept(receipt: Receipt, manifest: str, sources: Sources) -> Accepted:
    """What a parent that gave a child these sources, on record as `manifest`, takes of its receipt."""
    judged = [(claim, judge(claim, receipt.manifest == manifest, sources.get)) for claim in receipt.claims]
    refused = tuple((claim, verdict) for claim, verdict in judged if verdict.outcome == "refuse")
    taken = tuple(claim for claim, verdict in judged if verdict.outcome == "allow")
    return Accepted(taken, refused, receipt.none_available and not receipt.claims, receipt.manifest)


def judge(claim: Claim, known: bool, read: Callable[[str], str | None]) -> Verdict:
    """Whether a claim may be believed: its receipt names what the child was given (`known`), and each span resolves."""
    if not known:
        why = "the receipt names another record than that of what the child was given"
        return Verdict("refuse", "receipt-unknown", why, subject=claim.text)
    if not claim.spans:
        return Verdict("refuse", "claim-without-span", "the claim names no place it rests on", subject=claim.text)
    broken = next(_unresolved(claim.spans, read), None)
    if broken is not None:
        why = f"{broken.quote[:80]!r} does not stand in {broken.source} at {broken.start}"
        return Verdict("refuse", "span-unresolved", why, subject=claim.text)
    return Verdict("allow", "ok", "each span resolves", subject=claim.text)


def _unresolved(spans: Iterable[Span], read: Callable[[str], str | None]) -> Iterator[Span]:
    for span in spans:
        text = read(span.source)
        whole = 0 <= span.start < span.end and len("".join(span.quote.split())) >= SHORTEST
        if text is None or not whole or text[span.start : span.end] != span.quote:
            yield span
