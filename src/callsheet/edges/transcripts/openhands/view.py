"""What OpenHands' agent sees of its events: messages in order, condensed now and then.

A condensation forgets events by their ids and puts a summary where it says. Of each message in the window its event's
id is kept, and the latest messages themselves, for those that stay after a condensation.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ....model.message import Message, TextBlock, Usage
from ....model.transcript import Called, Event, Replaced, Reported, Said, Speaker
from ..shared.chat import compact, usage_of
from ..shared.rows import Recall, Tail, mapping, number, seconds, text

Raw = Mapping[str, Any]
ACCUMULATED = "accumulated_token_usage"


class View:
    """The window of one conversation, the calls without a result, and what its responses used.

    `within` is the conversation that delegated it: what was used is counted for both together.
    """

    def __init__(self, thread: str = "", within: "View | None" = None) -> None:
        self.thread = thread
        self.parent = within.thread if within else None
        self.begun = False
        self.names: list[str] = []
        self._tail = Tail()
        self._calls: Recall[str] = Recall()
        self._latest = ""
        self._responses: Recall[bool] = within._responses if within else Recall()
        self._reported: Recall[bool] = within._reported if within else Recall()
        self._orphans: list[str] = []
        self._spent: Usage | None = None
        self.responded = self._counted = False

    def common(self, index: int, raw: Raw) -> dict[str, Any]:
        """The fields every event of an entry has."""
        return {"record": index, "thread": self.thread, "at": seconds(raw.get("timestamp"))}

    def knows(self, response: str) -> bool:
        """True for a response of which a part was said."""
        return bool(self._responses.get(response))

    def say(
        self, index: int, raw: Raw, message: Message, speaker: Speaker, response: str = "", **said: Any
    ) -> Iterator[Event]:
        """A message joins the window."""
        event = Said(message=message, speaker=speaker, response=response, **said, **self.common(index, raw))
        size = len(message.text) + sum(len(compact(each.arguments)) for each in message.calls)
        self._tail.add(len(self.names), event, size)
        self.names.append(str(raw.get("id", "")))
        yield event

    def call(self, index: int, raw: Raw, response: str, model: str = "", usage: Usage | None = None) -> Iterator[Event]:
        """The model is called, once for each response; what it used is counted once."""
        self.responded = True
        if not self.knows(response):
            self._responses.put(response, True)
            yield Called(response=response, model=model, **self.common(index, raw))
        if usage is not None and not self._reported.get(response):
            yield from self.report(index, raw, response, usage, model)

    def report(
        self, index: int, raw: Raw, response: str, usage: Usage, model: str = "", cost: float | None = None
    ) -> Iterator[Event]:
        """What a response used."""
        self._reported.put(response, True)
        self._counted = True
        yield Reported(response=response, usage=usage, model=model, cost=cost, **self.common(index, raw))

    def failed(self, index: int, raw: Raw, error: str) -> Iterator[Event]:
        """A call whose answer could not be used, and of which only that is recorded."""
        self._orphans.append(f"error-{index}")
        yield Called(response=f"error-{index}", error=error, **self.common(index, raw))

    def expect(self, raw: Raw, call: str) -> None:
        """A call waits for its result, which names the call, or the entry that holds it."""
        self._calls.put(str(raw.get("id")), call)
        self._latest = call

    def answered(self, raw: Raw, call: str) -> str:
        """The call that an entry is the result of, "" where it is none's."""
        cause = raw.get("cause", raw.get("action_id"))
        found = call or ("" if cause is None else self._calls.get(str(cause)) or "")
        if not found and cause is None and "id" not in raw:
            found = self._latest  # Older files name no cause.
        self._latest = "" if found == self._latest else self._latest
        return found

    def spent(self, metrics: Raw) -> Usage | None:
        """What was used since the last time, out of figures that accumulate; None where nothing was."""
        usage = usage_of(metrics.get(ACCUMULATED))
        if usage is None:
            return None
        before, self._spent = self._spent or Usage(), usage
        pairs = (
            (getattr(usage, key), getattr(before, key)) for key in ("input", "cached_read", "cache_write", "output")
        )
        used = Usage(*(max(0, now - then) for now, then in pairs))
        return used if used.prompt or used.output else None

    def condense(
        self, index: int, raw: Raw, forgotten: Collection[str], summary: str, offset: int | None
    ) -> Iterator[Event]:
        """Forgets events, and puts the summary of them in their place; without an offset there is none."""
        stay = [at for at, name in enumerate(self.names) if name not in forgotten]
        first = next((at for at, name in enumerate(self.names) if name in forgotten), len(self.names))
        summed = bool(summary) and offset is not None
        place = min(offset or 0, len(stay)) if summed else len(stay)
        first = min(first, place)
        facts = {"forgotten": len(self.names) - len(stay)}
        yield Replaced(change="compaction", kept=first, facts=facts, **self.common(index, raw))
        wanted = stay[first:]
        kept = [said for said, _ in self._tail.keep(set(wanted).__contains__)]
        names = [self.names[at] for at in wanted][len(wanted) - len(kept) :]
        del self.names[first:]
        self._tail.cut(first)
        told = Message("user", (TextBlock(summary),), "text")
        for at in range(len(kept) + 1):
            if summed and at == min(place - first, len(kept)):
                yield from self.say(index, {**raw, "id": f"{raw.get('id', '')}-summary"}, told, "summary")
            if at < len(kept):
                again = {**raw, "id": names[at]}
                yield from self.say(index, again, kept[at].message, kept[at].speaker, shown=kept[at].shown, again=True)

    def counted(self, index: int, raw: Raw, services: Iterable[Raw]) -> Iterator[Event]:
        """The usage that a state lists by response."""
        for metrics in services:
            for each in _listed(metrics):
                name, usage = text(each.get("response_id")), usage_of(each)
                if name and usage is not None and not self._reported.get(name):
                    yield from self.report(index, raw, name, usage, text(each.get("model")))
            whole = usage_of(metrics.get(ACCUMULATED))
            self._spent = whole or self._spent

    def settled(self, index: int, metrics: Raw) -> Iterator[Event]:
        """The usage that only the end of a file tells: by response where it is listed, else of the whole."""
        for each in _listed(metrics):
            name, usage = text(each.get("response_id")), usage_of(each)
            if usage is None or self._reported.get(name):
                continue
            if not self.knows(name) and self._orphans:
                name = self._orphans.pop(0)
            yield from self.report(index, {}, name, usage, text(each.get("model")))
        whole = usage_of(metrics.get(ACCUMULATED)) or (None if self._counted else self._spent)
        cost = number(metrics.get("accumulated_cost")) or None
        if whole is not None or cost is not None:
            yield Reported(record=index, thread=self.thread, usage=whole or Usage(), cost=cost)


def _listed(metrics: Raw) -> list[Raw]:
    given = metrics.get("token_usages")
    return [mapping(each) for each in given] if isinstance(given, list) else []
