"""The prompt cache of a session: each call's cached reads, where the prefix broke and why, and sudden drops (G2, G3).

Where a file holds requests, two consecutive ones are compared; else what happened between two calls says what can be
known. Of each conversation its latest request is kept, and of each call a few figures.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....model.diagnosis import CacheBreak, CacheRound, Finding, Part
from ....model.message import Usage
from ....model.transcript import Called, Ended, Event, Offered, Replaced, Reported, Said
from ..tokens.spending import Price, no_price
from ..window import Window
from .alarm import alarm
from .causes import CAUSES
from .eviction import Eviction, advice
from .relation import UNBROKEN, Relation, SentRequest, relate
from .terms import (
    ANSWERS_TOO,
    FIVE_MINUTES,
    LEAST,
    LEASTS,
    STEPS,
    is_marked,
    lifetime,
    provider_of,
    reports_cache,
    shared_part,
    stepped,
)

RECENT = 1_024
"""How many of the latest calls may still be reported anew."""
NOISE = 1_024
"""Tokens by which cached reads may vary without anything having broken."""
CHANGES = {
    "compaction": Relation("changed", cause="compacted"),
    "rewind": Relation("truncated", cause="cut-back"),
    "eviction": Relation("changed", cause="results-cleared"),
    "edit": Relation("changed", cause="message-edited"),
    "new-conversation": Relation("new-conversation", cause="new-conversation"),
}
OURS = frozenset(CAUSES) - {"expired", "provider", "unknown", "model-changed", "other-endpoint"}


@dataclass(slots=True)
class _Thread:
    """What stands since the last call of one conversation, and that call."""

    sent: SentRequest | None = None
    call: int = -1
    since: Relation | None = None
    offered: bool = False


@dataclass(slots=True)
class _Call:
    """One call: its round, how it goes on from the call before in its conversation, and when entries of it expire.

    The first call of a conversation (`begins`) is held against the call before it in the file: it may share its prefix.
    """

    round: CacheRound
    before: int
    relation: Relation
    at: float | None
    share: float | None = None
    marked: bool | None = None
    lifetime: float = FIVE_MINUTES
    reported: bool = False
    begins: bool = False


class CacheRounds:
    """Follows the prompt cache through a session; `price` gives the tariff of a model by its name."""

    def __init__(self, price: Price = no_price) -> None:
        self._price = price
        self._threads: dict[str, _Thread] = {}
        self._calls: list[_Call] = []
        self._recent: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._latest: SentRequest | None = None
        self._latest_call = -1
        self._turn = 0
        self._evictions: dict[str, Eviction] = {}
        self.reported = False
        """Whether a report of the file says how much was read from a cache."""

    def take(self, event: Event, window: Window | None = None, parts: Sequence[Part] = ()) -> None:
        """Takes one event in."""
        if isinstance(event, Called):
            self._call(event)
        elif isinstance(event, Reported):
            self._report(event)
        elif isinstance(event, Said):
            self._turn += event.speaker == "person" and not event.again
        elif isinstance(event, Replaced):
            change = replace(CHANGES[event.change], first_changed_part=f"msg{event.kept}")
            self._thread(event.thread).since = change
        elif isinstance(event, Offered):
            self._offer(event)
        elif isinstance(event, Ended):
            self._threads.pop(event.thread, None)

    def result(self) -> tuple[tuple[CacheRound, ...], tuple[CacheBreak, ...], tuple[Finding, ...]]:
        """The rounds, the breaks among them, and what is alarming: sudden drops, an eviction that costs more."""
        rounds, breaks, findings = list[CacheRound](), list[CacheBreak](), list[Finding]()
        for call in self._calls:
            each, broken = self._judged(call)
            rounds.append(each)
            if broken is not None:
                breaks.append(broken)
                findings += alarm(self._calls[call.before].round, each, broken)
        findings += [finding for each in self._evictions.values() for finding in advice(each, self._price)]
        return tuple(rounds), tuple(breaks), tuple(findings)

    def _thread(self, name: str) -> _Thread:
        return self._threads.setdefault(name, _Thread())

    def _offer(self, event: Offered) -> None:
        thread = self._thread(event.thread)
        part = "tools" if event.tools is not None else "system" if event.system is not None else None
        if part is not None and thread.offered:
            thread.since = Relation("changed", part, cause=f"{part}-changed")
        thread.offered = True

    def _call(self, event: Called) -> None:
        thread = self._thread(event.thread)
        sent = SentRequest(event.prompt, event.endpoint) if event.prompt is not None or event.endpoint else None
        model = event.model or (event.prompt.model if event.prompt is not None else "") or ""
        begins = thread.call < 0
        if begins:
            thread.sent, thread.call = self._latest, self._latest_call
        own = self._relation(thread, sent, model)
        shown = relate(self._latest, sent) if sent is not None and self._latest is not None else own
        record = CacheRound(
            round=len(self._calls) + 1,
            record=event.record,
            usage=Usage(),
            turn=max(1, self._turn),
            thread=event.thread,
            model=model,
            relation="" if not self._calls and shown.kind == "none" else shown.kind,
            first_changed_part=shown.first_changed_part,
        )
        call = _Call(record, thread.call, own, event.at, begins=begins)
        if event.prompt is not None:
            call.marked = is_marked(event.prompt)
            call.lifetime = lifetime(event.prompt, Usage())
            if own.breaks and own.first_changed_part and thread.sent is not None and thread.sent.prompt is not None:
                marked = provider_of(model) == "anthropic" and "cache_control" not in thread.sent.prompt.parameters
                call.share = shared_part(thread.sent.prompt, own.first_changed_part, marked)
            self._evict(event.thread, event, model)
        self._calls.append(call)
        self._recent[event.thread, event.response] = len(self._calls) - 1
        if len(self._recent) > RECENT:
            self._recent.popitem(last=False)
        thread.sent, thread.call, thread.since, thread.offered = sent, len(self._calls) - 1, None, True
        if sent is not None:
            self._latest, self._latest_call = sent, thread.call

    def _relation(self, thread: _Thread, sent: SentRequest | None, model: str) -> Relation:
        """How a call continues the one before it in its conversation."""
        if thread.call < 0:
            return Relation("none")
        if sent is not None and thread.sent is not None:
            return relate(thread.sent, sent)
        before = self._calls[thread.call].round.model
        if before and model and before != model:
            return Relation("model", "model", cause="model-changed")
        return thread.since or Relation("append")

    def _evict(self, name: str, event: Called, model: str) -> None:
        assert event.prompt is not None, "only a request says how to evict"
        if "context_management" in event.prompt.parameters:
            held = self._evictions.setdefault(name, Eviction(event.prompt.parameters["context_management"], model))
            held.last, held.record, held.turn = event.record, event.record, max(1, self._turn)

    def _report(self, event: Reported) -> None:
        reported = reports_cache(event.usage)
        self.reported |= reported
        at = self._recent.get((event.thread, event.response))
        if at is None:
            return
        call, usage = self._calls[at], event.usage
        call.reported = reported
        call.lifetime = max(call.lifetime, lifetime(None, usage))
        share = usage.cached_read / usage.prompt if reported and usage.prompt else None
        kept = replace(usage, raw={key: usage.raw[key] for key in usage.raw if "tokens" in key.lower()})
        call.round = replace(call.round, usage=kept, share=share, warm=usage.cached_read > 0 if reported else None)
        held = self._evictions.get(event.thread)
        if held is not None:
            held.grow(usage.prompt)

    def _judged(self, call: _Call) -> tuple[CacheRound, CacheBreak | None]:
        """A round with what was expected of it, and its break, if its prefix broke."""
        before = self._calls[call.before] if call.before >= 0 else None
        expected, reason = self._expected(call, before)
        read = call.round.usage.cached_read
        if call.reported and expected is not None and not reason:
            reason = self._why(call, before, expected)
        if not call.reported:
            reason = ""
        judged = replace(call.round, expected=expected, reason=reason)
        if before is None or call.begins or not _broke(call, before, read):
            return judged, None
        return judged, self._break(call, before)

    def _expected(self, call: _Call, before: _Call | None) -> tuple[int | None, str]:
        """The tokens that should have come from the cache; None with the reason where nothing can be said."""
        if before is None:
            return 0, "warm-before" if call.round.usage.cached_read else ""
        if call.relation.kind in ("none", "server-state"):
            return None, "not-comparable"
        if call.relation.kind in ("model", "other-endpoint"):
            return 0, ""
        provider, usage = provider_of(call.round.model), before.round.usage
        least = LEASTS.get(provider, LEAST)
        if provider == "anthropic" or usage.cache_write:
            if call.marked is False:
                return 0, ""
            whole = usage.cached_read + usage.cache_write
        else:
            whole = min(usage.prompt + (usage.output if provider in ANSWERS_TOO else 0), call.round.usage.prompt)
        if call.relation.breaks:
            if call.share is None:
                return None, "not-comparable"
            whole = min(whole, int(call.share * usage.prompt))
        return stepped(whole, provider, least), ""

    def _why(self, call: _Call, before: _Call | None, expected: int) -> str:
        """Why reads differ from what was expected by more than the provider's step; "" where they agree."""
        read, step = call.round.usage.cached_read, STEPS.get(provider_of(call.round.model), 1)
        if abs(read - expected) <= step or before is None:
            return ""
        if read > expected:
            return "estimated" if call.share is not None else "warm-before"
        if _gap(call, before) > before.lifetime:
            return "expired"
        return "estimated" if call.share is not None else "provider"

    def _break(self, call: _Call, before: _Call) -> CacheBreak:
        relation = call.relation
        cause, detail = relation.cause, ""
        if not cause:
            gap = _gap(call, before)
            known = call.marked is not None
            cause = "expired" if gap > before.lifetime else "provider" if known else "unknown"
            detail = _between(call, gap)
        usage = before.round.usage
        held = usage.cached_read + usage.cache_write if usage.cache_write or usage.cached_read else 0
        lost = max(0, held - call.round.usage.cached_read) if call.reported else 0
        tariff = self._price(call.round.model)
        prices = tariff.of(call.round.usage.prompt) if tariff else None
        cost = lost * ((prices.cache_write or prices.input) - prices.cached_read) / 1_000_000 if prices else None
        return CacheBreak(
            round=call.round.round,
            cause=cause,
            item=relation.item or relation.first_changed_part,
            record=call.round.record,
            byte=relation.byte,
            ours=cause in OURS,
            lost=lost,
            cost=cost,
            detail=detail or CAUSES.get(cause, ""),
        )


def _broke(call: _Call, before: _Call, read: int) -> bool:
    """True where a round's prefix ended early: what was sent says so, or what was read."""
    if call.relation.kind not in UNBROKEN | {"server-state", "none"}:
        return True
    if not call.reported or not before.reported:
        return False
    usage = before.round.usage
    held = usage.cached_read + usage.cache_write
    return bool(held) and (not read or read < held - max(NOISE, held // 20))


def _gap(call: _Call, before: _Call) -> float:
    """Seconds between two calls; 0 where the file does not say when they were."""
    return max(0.0, call.at - before.at) if call.at is not None and before.at is not None else 0.0


def _between(call: _Call, gap: float) -> str:
    told = f"{gap:,.0f} s after the call before" if gap else "the file does not say when it was called"
    if call.marked is not None:
        return told
    return f"{told}; system text and tools of the request are not in the file"
