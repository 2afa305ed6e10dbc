"""OpenHands' SDK, version 1: events of named kinds (openhands-sdk `event/`), read leniently."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from ....core.text.parse_json import parse_json
from ....model.message import Block, MediaBlock, Message, ResultBlock, TextBlock, ThinkingBlock
from ....model.transcript import Event, Offered, Speaker
from ..shared.chat import call_of, compact, listed, message_of, texts_of, thoughts_of, tool_of, usage_of
from ..shared.rows import mapping, number, text
from .view import View

Raw = Mapping[str, Any]
UNSEEN = frozenset(
    "ConversationStateUpdateEvent CondensationRequest PauseEvent InterruptEvent TokenEvent StreamingDeltaEvent"
    " HookExecutionEvent ACPToolCallEvent ConversationErrorEvent LLMCompletionLogEvent".split()
)
STATS = "stats"


def is_event(raw: Raw) -> bool:
    """True for an event of the SDK."""
    kind = text(raw.get("kind"))
    return "id" in raw and (kind.endswith("Event") or kind in KINDS or kind in UNSEEN) and "source" in raw


def take(view: View, index: int, raw: Raw) -> tuple[str, Iterator[Event]]:
    """What kind of event this is, and its events."""
    kind = text(raw.get("kind"))
    taker = KINDS.get(kind)
    if taker is not None:
        return kind, taker(view, index, raw)
    return (kind if kind in UNSEEN else f"unknown {kind}"), iter(())


def _system(view: View, index: int, raw: Raw) -> Iterator[Event]:
    parts = (mapping(raw.get(key)) for key in ("system_prompt", "dynamic_context"))
    blocks = tuple(TextBlock(text(each.get("text"))) for each in parts if each)
    tools = raw.get("tools")
    yield Offered(
        system=(Message("system", blocks),),
        tools=tuple(map(_tool, tools)) if isinstance(tools, list) else None,
        **view.common(index, raw),
    )


def _tool(raw: Any) -> Any:
    entry = mapping(raw)
    if "function" in entry or "parameters" in entry:
        return tool_of(raw)
    schema = entry.get("input_schema") or mapping(entry.get("mcp_tool")).get("inputSchema")
    name = entry.get("name") or entry.get("title") or entry.get("kind")
    return tool_of({"name": name, "description": entry.get("description"), "parameters": schema})


def _message(view: View, index: int, raw: Raw) -> Iterator[Event]:
    """A message of the person, or an answer of the agent that calls no tool."""
    llm = mapping(raw.get("llm_message"))
    blocks = (*_thinking(llm), *_blocks(llm.get("content")))
    if raw.get("source") == "agent" and llm.get("role") != "user":
        response = text(raw.get("llm_response_id")) or f"message-{raw.get('id')}"
        yield from view.call(index, raw, response)
        yield from view.say(index, raw, Message("assistant", blocks), "model", response)
        return
    added = _blocks(raw.get("extended_content"))
    speaker: Speaker = "person" if raw.get("source") == "user" else "harness"
    facts = {"kinds": dict.fromkeys(range(len(blocks), len(blocks) + len(added)), "memory")} if added else {}
    yield from view.say(index, raw, Message("user", (*blocks, *added)), speaker, facts=facts)


def _action(view: View, index: int, raw: Raw) -> Iterator[Event]:
    """A call of a response; parallel ones share its id, and the first one holds its thought."""
    response = text(raw.get("llm_response_id")) or f"action-{raw.get('id')}"
    given = raw.get("tool_call")
    call = call_of(given if given else {"id": raw.get("tool_call_id"), "name": raw.get("tool_name"), **_action_of(raw)})
    blocks = (*_thinking(raw), *_blocks(raw.get("thought")), call)
    yield from view.call(index, raw, response)
    yield from view.say(index, raw, Message("assistant", blocks), "model", response)
    view.expect(raw, text(raw.get("tool_call_id")))


def _action_of(raw: Raw) -> dict[str, Any]:
    action = mapping(raw.get("action"))
    return {"arguments": {key: value for key, value in action.items() if key != "kind"}}


def _observation(view: View, index: int, raw: Raw) -> Iterator[Event]:
    seen = mapping(raw.get("observation"))
    blocks = (*_observed(seen), *_blocks(raw.get("extended_content")))
    failed = seen.get("is_error", seen.get("error"))
    facts = _facts(seen)
    yield from _result(view, index, raw, blocks, bool(failed) if failed is not None else None, facts)


def _observed(seen: Raw) -> tuple[Block, ...]:
    """What the model reads of an observation: its content; the words its class puts around it are not in the file."""
    for key in ("content", "output", "text", "message"):
        if seen.get(key):
            return _blocks(seen[key])
    if error := text(seen.get("error")):
        return (TextBlock(error),)
    left = {key: value for key, value in seen.items() if key not in ("kind", "is_error") and value not in (None, [])}
    return (TextBlock(compact(left)),) if left else ()


def _facts(seen: Raw) -> dict[str, Any]:
    about = mapping(seen.get("metadata"))
    code = seen.get("exit_code", about.get("exit_code"))
    facts: dict[str, Any] = {"exit_code": code} if isinstance(code, int) else {}
    return {**facts, "cwd": about["working_dir"]} if about.get("working_dir") else facts


def _rejected(view: View, index: int, raw: Raw) -> Iterator[Event]:
    told = f"Action rejected: {text(raw.get('rejection_reason'))}"
    yield from _result(view, index, raw, (TextBlock(told),), True, {})


def _error(view: View, index: int, raw: Raw) -> Iterator[Event]:
    yield from _result(view, index, raw, (TextBlock(text(raw.get("error"))),), True, {})


def _result(
    view: View, index: int, raw: Raw, blocks: tuple[Block, ...], failed: bool | None, facts: dict[str, Any]
) -> Iterator[Event]:
    call = view.answered(raw, text(raw.get("tool_call_id"))) or None
    result = ResultBlock(call, blocks, "blocks", is_error=failed, name=text(raw.get("tool_name")) or None)
    if call and "observation" in raw:
        facts = {**facts, "results": {call: raw["observation"]}}
    yield from view.say(index, raw, Message("tool", (result,)), "tool", facts=facts)


def _condensation(view: View, index: int, raw: Raw) -> Iterator[Event]:
    names, offset = raw.get("forgotten_event_ids"), raw.get("summary_offset")
    forgotten = {str(each) for each in names} if isinstance(names, list) else set()
    place = offset if isinstance(offset, int) else None
    yield from view.condense(index, raw, forgotten, text(raw.get("summary")), place)


def _state(view: View, index: int, raw: Raw) -> Iterator[Event]:
    """What the responses used, where a state says it; each is counted once."""
    value = mapping(raw.get("value"))
    stats = value if raw.get("key") == STATS else mapping(value.get(STATS))
    services = mapping(stats.get("usage_to_metrics") or stats.get("service_to_metrics"))
    yield from view.counted(index, raw, tuple(map(mapping, services.values())))


def _completion(view: View, index: int, raw: Raw) -> Iterator[Event]:
    log: Any = raw.get("log_data")
    with suppress(ValueError):
        log = parse_json(log) if isinstance(log, str) else log
    response = mapping(mapping(log).get("response"))
    usage = usage_of(response.get("usage"))
    if (name := text(response.get("id"))) and usage is not None:
        cost = number(mapping(log).get("cost"))
        yield from view.report(index, raw, name, usage, text(response.get("model")), cost)


def _thinking(raw: Raw) -> tuple[ThinkingBlock, ...]:
    blocks = tuple(thoughts_of(raw))
    item = mapping(raw.get("responses_reasoning_item"))
    if not item:
        return blocks
    summary = tuple(TextBlock(each) for each in listed(item.get("summary")) if isinstance(each, str))
    return (ThinkingBlock(id=item.get("id"), summary=summary, encrypted=item.get("encrypted_content")),)


def _blocks(content: Any) -> tuple[Block, ...]:
    """The SDK's contents as blocks; an image content may hold several addresses."""
    if not isinstance(content, list):
        return texts_of(content) if content else ()
    blocks: list[Block] = []
    for each in map(mapping, content):
        if isinstance(each.get("text"), str):
            blocks.append(TextBlock(each["text"]))
        elif isinstance(each.get("image_urls"), list):
            blocks += [MediaBlock("image", url=url) for url in each["image_urls"] if isinstance(url, str)]
        elif each:
            blocks += message_of({"role": "user", "content": [each]}).blocks
    return tuple(blocks)


KINDS: Mapping[str, Callable[[View, int, Raw], Iterator[Event]]] = {
    "SystemPromptEvent": _system,
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "UserRejectObservation": _rejected,
    "AgentErrorEvent": _error,
    "Condensation": _condensation,
    "ConversationStateUpdateEvent": _state,
    "LLMCompletionLogEvent": _completion,
}
