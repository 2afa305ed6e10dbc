"""Codex' rollouts: model items, turns and compactions as they happened, and the events of its screen beside them.

The model's items name no response. One is told from the next by the count of tokens that follows it, or goes before its
items in older versions; and, in files that have none, by the results between. Screen events repeat what items say, and
are not read again. codex-rs `protocol`, `rollout` and `history`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ....model.message import Message, TextBlock
from ....model.transcript import Accounted, Began, Called, Change, Ended, Event, Offered, Replaced, Reported, Said
from ..format import Format, Record, Sample
from ..shared.rows import Copies, Tail, mapping, no_object, seconds, text
from .items import SILENT, exit_code_of, item_of, message_of, speaker_of, usage_of

NOTICES = frozenset(
    "world_state inter_agent_communication inter_agent_communication_metadata security_risk_score realtime_item"
    " state".split()
)
EVENTS = frozenset(
    """agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break
    apply_patch_approval_request background_event collab_agent_interaction_begin collab_agent_interaction_end
    collab_agent_spawn_begin collab_agent_spawn_end collab_close_begin collab_close_end collab_resume_begin
    collab_resume_end collab_waiting_begin collab_waiting_end context_compacted deprecation_notice
    dynamic_tool_call_request dynamic_tool_call_response elicitation_request entered_review_mode error
    exec_approval_request exec_command_begin exec_command_end exec_command_output_delta exited_review_mode
    guardian_assessment hook_completed hook_started image_generation_begin image_generation_end item_completed
    item_started mcp_startup_complete mcp_startup_update mcp_tool_call_begin mcp_tool_call_end model_reroute
    patch_apply_begin patch_apply_end patch_apply_updated plan_update request_permissions request_user_input
    session_configured shutdown_complete skills_update_available stream_error sub_agent_activity task_complete
    task_started terminal_interaction thread_goal_updated thread_name_updated thread_rolled_back
    thread_settings_applied token_count turn_aborted turn_complete turn_diff turn_started undo_completed
    undo_started user_message view_image_tool_call warning web_search_begin web_search_end""".split()
)
ENDS = frozenset(("exec_command_end", "patch_apply_end", "mcp_tool_call_end", "dynamic_tool_call_response"))
"""Screen events that say more of a call than its result does."""
WAITING = 64
KEPT_BYTES = 80_000
"""What a compaction of the older kind keeps of a person's messages: 20,000 tokens."""
SESSION = ("id", "cwd", "cli_version", "originator", "source", "model_provider", "forked_from_id", "parent_thread_id")
Row = Mapping[str, Any]


@dataclass(slots=True)
class Response:
    """The response under way: whether its usage is known, and came before its items; whether results have come."""

    name: str
    said: bool = False
    reported: bool = False
    early: bool = False
    answered: bool = False


class Reader:
    """Turns the rows of one rollout into events; keeps places, and what an older compaction may keep."""

    def __init__(self) -> None:
        self._began = False
        self._length = 0
        self._turns: list[int] = []
        self._tail = Tail()
        self._copies = Copies()
        self._response: Response | None = None
        self._counted = self._recorded = False
        self._totals: Any = None
        self._model = self._cwd = self._system = self._title = ""
        self._ended: dict[str, Row] = {}
        self._common: dict[str, Any] = {}
        self._takers: Mapping[str, Callable[[Record, Row], Iterator[Event]]] = {
            "session_meta": self._meta,
            "turn_context": self._context,
            "event_msg": self._event,
            "compacted": self._compacted,
            "token_usage_record": self._usage_record,
        }

    def take(self, record: Record) -> Iterator[Event]:
        """The events of one row, and what became of it."""
        row = record.value
        if not isinstance(row, dict):
            yield no_object(record)
            return
        self._common = {"record": record.index, "at": seconds(row.get("timestamp", row.get("created_at")))}
        kind, payload = text(row.get("type")), mapping(row.get("payload"))
        item = item_of(row)
        within = payload.get("type")
        name = f"{kind}/{within}" if isinstance(within, str) else kind or text(row.get("role"))
        if self._copies.has(row.get("timestamp") or row.get("call_id") or row.get("id"), row):
            yield Accounted(record=record.index, fate="kept", type=name)
            return
        yield from self._begin(payload if kind == "session_meta" else row if "git" in row else {})
        if item is not None:
            message, known = message_of(item)
            yield from self._item(record, item, message)
        elif kind in self._takers:
            known = kind != "event_msg" or text(payload.get("type")) in EVENTS
            yield from self._takers[kind](record, payload)
        else:
            known = kind in NOTICES or "record_type" in row or ("id" in row and "instructions" in row)
        yield Accounted(record=record.index, fate="kept" if known else "unknown", type=name)

    def end(self) -> Iterator[Event]:
        """The end of the conversation, with its title where it has one."""
        if self._began:
            yield Ended(facts={"title": self._title} if self._title else {}, **self._common)

    def _begin(self, meta: Row) -> Iterator[Event]:
        if not self._began:
            self._began = True
            facts = {key: meta[key] for key in SESSION if meta.get(key)}
            # A fork's own rows are in its file, and of what went before only where that is.
            base = text(mapping(meta.get("history_base")).get("thread_id"))
            yield Began(facts={**facts, "inherits": base} if base else facts, **self._common)
        instructions = meta.get("base_instructions") or meta.get("instructions")
        system = text(instructions) or text(mapping(instructions).get("text"))
        if system and system != self._system:
            self._system = system
            yield Offered(system=(Message("system", (TextBlock(system),), "text"),), **self._common)

    def _meta(self, _record: Record, meta: Row) -> Iterator[Event]:
        self._cwd = text(meta.get("cwd")) or self._cwd
        yield from ()

    def _context(self, _record: Record, context: Row) -> Iterator[Event]:
        self._model = text(context.get("model")) or self._model
        self._cwd = text(context.get("cwd")) or self._cwd
        yield from ()

    def _item(self, record: Record, item: Row, message: Message) -> Iterator[Event]:
        if text(item.get("type")) in SILENT:
            return
        speaker = speaker_of(message)
        if speaker == "model":
            yield from self._call()
            yield from self._say(record, Said(message=message, speaker=speaker, response=self._name, **self._common))
            return
        if speaker == "tool" and self._response:
            self._response.answered = True
        elif speaker != "tool":
            self._response = None
        if speaker == "person":
            self._turns.append(self._length)
        facts = self._facts(item, message) if speaker == "tool" else {}
        if self._cwd:
            facts["cwd"] = self._cwd
        yield from self._say(record, Said(message=message, speaker=speaker, facts=facts, **self._common))

    def _facts(self, item: Row, message: Message) -> dict[str, Any]:
        call = text(item.get("call_id"))
        ended = self._ended.pop(call, None)
        code = mapping(ended).get("exit_code", exit_code_of(message))
        facts: dict[str, Any] = {} if ended is None else {"results": {call: ended}}
        return {**facts, "exit_code": code} if isinstance(code, int) else facts

    @property
    def _name(self) -> str:
        return self._response.name if self._response else ""

    def _call(self, early: bool = False) -> Iterator[Event]:
        """The model is called where what comes next cannot be part of the response under way."""
        now = self._response
        over = now is None or (now.reported and now.said and not now.early)
        if now is None or over or early or (now.answered and (now.reported or not self._counted)):
            now = self._response = Response(f"r{self._common['record']}", reported=early, early=early)
            yield Called(response=now.name, model=self._model, **self._common)
        now.said = now.said or not early

    def _say(self, record: Record, said: Said) -> Iterator[Event]:
        self._tail.add(self._length, said, record.size)
        self._length += 1
        yield said

    def _event(self, _record: Record, event: Row) -> Iterator[Event]:
        kind, call = text(event.get("type")), text(event.get("call_id"))
        if kind == "token_count" and not self._recorded:
            yield from self._token_count(mapping(event.get("info")))
        elif kind == "thread_rolled_back" and self._turns and (turns := event.get("num_turns")):
            first = self._turns[max(0, len(self._turns) - turns)] if isinstance(turns, int) else self._length
            yield from self._cut("rewind", first)
        elif kind in ("error", "stream_error"):
            error = text(event.get("message")) or "unknown"
            yield Called(response=f"r{self._common['record']}", model=self._model, error=error, **self._common)
        elif kind == "thread_name_updated":
            self._title = text(event.get("thread_name")) or self._title
        elif kind in ENDS and call:
            self._ended[call] = event
            if len(self._ended) > WAITING:
                del self._ended[next(iter(self._ended))]

    def _token_count(self, info: Row) -> Iterator[Event]:
        """What the latest response used. The same totals again are the same response again."""
        totals, last = info.get("total_token_usage"), info.get("last_token_usage")
        if isinstance(last, Mapping) and (totals is None or totals != self._totals):
            self._totals = totals
            yield from self._report(last)

    def _usage_record(self, _record: Record, noted: Row) -> Iterator[Event]:
        """Newer rollouts report each response once, by its id, beside the counts of the screen."""
        if isinstance(used := noted.get("usage"), Mapping):
            again = self._response is not None and self._response.reported and not self._recorded
            self._recorded = True
            yield from self._report(used, again)

    def _report(self, used: Row, again: bool = False) -> Iterator[Event]:
        self._counted = True
        now = self._response
        if not again and (now is None or now.reported):
            yield from self._call(early=True)
        elif now:
            now.reported = True
        yield Reported(usage=usage_of(used), response=self._name, model=self._model, **self._common)

    def _cut(self, change: Change, kept: int, **facts: Any) -> Iterator[Event]:
        self._length = kept
        self._tail.cut(kept)
        self._turns = [each for each in self._turns if each < kept]
        self._response = None
        yield Replaced(change=change, kept=kept, facts=facts, **self._common)

    def _compacted(self, record: Record, what: Row) -> Iterator[Event]:
        """The history that takes the place of all before; where it is not written down, what Codex made of it then."""
        history = what.get("replacement_history")
        facts = {key: what[key] for key in ("window_number", "window_id") if key in what}
        if isinstance(history, list):
            said = [self._kept(mapping(each)) for each in history]
        else:
            summary = Message("user", (TextBlock(text(what.get("message"))),))
            said = [*self._kept_before(), Said(message=summary, speaker="summary", **self._common)]
        yield from self._cut("compaction", 0, **facts)
        for each in said:
            if each.speaker == "person":
                self._turns.append(self._length)
            yield from self._say(Record(record.index, None, size=record.size // len(said)), each)

    def _kept(self, item: Row) -> Said:
        message, _ = message_of(item)
        speaker = speaker_of(message)
        return Said(message=message, speaker=speaker, again=speaker != "summary", **self._common)

    def _kept_before(self) -> list[Said]:
        """What stood before the first prompt, and of the prompts the latest that fit."""
        turns, first = set(self._turns), min(self._turns, default=0)
        prompts, used = [], 0
        for said, size in reversed(self._tail.keep(turns.__contains__)):
            used += size
            if used > KEPT_BYTES:
                break
            prompts.append(said)
        head = [said for said, _ in self._tail.keep(lambda position: position < first)]
        return [replace(each, again=True, **self._common) for each in (*head, *reversed(prompts))]


def refuses(sample: Sample) -> str:
    """Why this is no rollout of Codex', "" where it is one."""
    if sample.shape != "lines":
        return "it is one JSON document, not a row per line"
    if any(isinstance(each, dict) and _is_row(each) for each in sample.records):
        return ""
    return "no row is a session_meta, a response_item or another row with a payload"


def _is_row(row: Row) -> bool:
    if isinstance(row.get("payload"), dict):
        return row.get("type") in (
            "session_meta",
            "response_item",
            "event_msg",
            "turn_context",
            "compacted",
            "world_state",
        )
    return "record_type" in row or ("instructions" in row and "git" in row and "timestamp" in row)


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a rollout's rows, in their order."""
    reader = Reader()
    for record in records:
        yield from reader.take(record)
    yield from reader.end()


FORMAT = Format("codex", "Codex rollout", refuses, read)
