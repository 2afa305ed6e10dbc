"""OpenHands' version 0: actions and observations as events.

With function calling an action carries the model's whole response (`tool_call_metadata`), once for each of its calls;
without it the action itself is the call, and the observation after it its result. What the model sees of an observation
follows OpenHands' `conversation_memory.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ....model.message import Block, CallBlock, MediaBlock, Message, ResultBlock, TextBlock
from ....model.transcript import Event, Offered
from ..shared.chat import call_of, listed, thoughts_of, tool_of, usage_of
from ..shared.rows import mapping, text
from .view import View

Raw = Mapping[str, Any]
Taken = tuple[str, Iterator[Event]]
UNSEEN = frozenset(
    "change_agent_state agent_state_changed recall null condensation_request loop_recovery server_ready"
    " agent_condensed success status start_task pause resume stop".split()
)
"""Actions and observations that the model never sees."""
TOOLS: Mapping[str, str] = {"run": "execute_bash", "run_ipython": "execute_ipython_cell"}
"""Names of the tools by which actions are run, where the action says no other."""
NOT_ARGUMENTS = frozenset(
    "thought action action_risk is_confirmed confirmation_state security_risk keep_prompt kernel_init_code hidden"
    " id timestamp source message timeout cause tool_call_metadata llm_metrics is_input blocking set_hard_timeout"
    " include_extra is_static".split()
)
WORKSPACE = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")


def is_event(raw: Raw) -> bool:
    """True for an action or an observation."""
    kind = raw.get("action", raw.get("observation"))
    known = ("args", "extras", "content", "thought", "source")
    return isinstance(kind, str) and any(key in raw for key in known)


def take(view: View, index: int, raw: Raw) -> Taken:
    """What kind of entry this is, and its events."""
    action, observation = text(raw.get("action")), text(raw.get("observation"))
    if action:
        taker = ACTIONS.get(action, _acted)
        silent = action in UNSEEN and "tool_call_metadata" not in raw
        return action, iter(()) if silent else taker(view, index, raw, _arguments(raw))
    if observation:
        return observation, _observed(view, index, raw, observation)
    return "unknown event", iter(())


def _arguments(raw: Raw) -> Raw:
    """An action's arguments; in older files they stand in the action itself."""
    return mapping(raw.get("args")) or raw


def _system(view: View, index: int, raw: Raw, arguments: Raw) -> Iterator[Event]:
    message = Message("system", (TextBlock(text(arguments.get("content"))),), "text")
    tools = arguments.get("tools")
    yield Offered(
        system=(message,),
        tools=tuple(map(tool_of, tools)) if isinstance(tools, list) else None,
        **view.common(index, raw),
    )


def _message(view: View, index: int, raw: Raw, arguments: Raw) -> Iterator[Event]:
    """A message of the person, or of the agent, whose response has no call."""
    blocks: list[Block] = [TextBlock(text(arguments.get("content")))]
    images = arguments.get("image_urls") or arguments.get("images_urls")
    blocks += [MediaBlock("image", url=each) for each in listed(images) if isinstance(each, str)]
    # Older files do not say who speaks; the task comes first.
    person = raw.get("source") == "user" or ("source" not in raw and not view.responded)
    if person:
        yield from view.say(index, raw, Message("user", tuple(blocks), "text"), "person")
        return
    response = f"message-{raw.get('id', index)}"
    yield from view.call(index, raw, response, usage=view.spent(mapping(raw.get("llm_metrics"))))
    yield from view.say(index, raw, Message("assistant", tuple(blocks), "text"), "model", response)


def _acted(view: View, index: int, raw: Raw, arguments: Raw) -> Iterator[Event]:
    """An action of the agent: a call. One of the person is told to the agent."""
    if raw.get("source") == "user":
        told = f"User executed the command:\n{text(arguments.get('command'))}"
        if raw.get("action") == "run":
            yield from view.say(index, raw, Message("user", (TextBlock(told),), "text"), "person")
        return
    metadata = mapping(raw.get("tool_call_metadata"))
    response = mapping(metadata.get("model_response"))
    spent = view.spent(mapping(raw.get("llm_metrics")))
    if not metadata:
        call = CallBlock(_own_id(raw, index), _tool(raw), _given(arguments))
        thought = _thought(arguments)
        name = f"action-{raw.get('id', index)}"
        yield from view.call(index, raw, name, usage=spent)
        yield from view.say(index, raw, Message("assistant", (*_texts(thought), call)), "model", name)
        view.expect(raw, call.id or "")
        return
    name = text(response.get("id")) or f"action-{raw.get('id', index)}"
    choices = response.get("choices")
    said = mapping(mapping(choices[0] if isinstance(choices, list) and choices else None).get("message"))
    call_id = text(metadata.get("tool_call_id"))
    own = next((each for each in listed(said.get("tool_calls")) if mapping(each).get("id") == call_id), None)
    block = call_of(own) if own else CallBlock(call_id, text(metadata.get("function_name")), _given(arguments))
    first = not view.knows(name)
    words = text(said.get("content")) or (_thought(arguments) if not said else "")
    blocks = (*thoughts_of(said), *_texts(words), block) if first else (block,)
    usage = usage_of(response.get("usage")) or spent
    yield from view.call(index, raw, name, text(response.get("model")), usage)
    yield from view.say(index, raw, Message("assistant", blocks), "model", name)
    view.expect(raw, call_id)


def _condensed(view: View, index: int, raw: Raw, arguments: Raw) -> Iterator[Event]:
    names = arguments.get("forgotten_event_ids")
    if isinstance(names, list):
        forgotten = {str(each) for each in names}
    else:
        first, last = arguments.get("forgotten_events_start_id"), arguments.get("forgotten_events_end_id")
        span = range(first, last + 1) if isinstance(first, int) and isinstance(last, int) else ()
        forgotten = {name for name in view.names if name.isdecimal() and int(name) in span}
    offset = arguments.get("summary_offset")
    summary = text(arguments.get("summary"))
    yield from view.condense(index, raw, forgotten, summary, offset if isinstance(offset, int) else None)


ACTIONS: Mapping[str, Callable[[View, int, Raw, Raw], Iterator[Event]]] = {
    "system": _system,
    "message": _message,
    "condensation": _condensed,
}


def _observed(view: View, index: int, raw: Raw, kind: str) -> Iterator[Event]:
    """An observation: the result of a call, or something the harness tells."""
    extras = mapping(raw.get("extras"))
    call_id = text(mapping(raw.get("tool_call_metadata")).get("tool_call_id"))
    call = view.answered(raw, call_id)
    if call and kind != "recall":
        words = _seen(raw, extras, kind)
        failed = True if kind in ("error", "user_rejected") else None
        result = ResultBlock(call, (TextBlock(words),), is_error=failed, name=_tool_name(raw))
        facts = {**_facts(raw, extras), "results": {call: extras or raw}}
        yield from view.say(index, raw, Message("tool", (result,)), "tool", facts=facts)
    elif kind == "recall":
        if told := "\n\n".join(_recalled(extras)):
            yield from view.say(index, raw, Message("user", (TextBlock(told),), "text"), "harness", shown=False)
    elif kind == "error" and raw.get("source") == "agent":
        error = text(raw.get("content"))
        yield from view.failed(index, raw, error)
        yield from view.say(index, raw, _told(_seen(raw, extras, kind)), "harness")
    elif kind not in UNSEEN and (words := _seen(raw, extras, kind)):
        if kind == "run":
            words = f"\nObserved result of command executed by user:\n{words}"
        yield from view.say(index, raw, _told(words), "harness")


def _told(words: str) -> Message:
    return Message("user", (TextBlock(words),), "text")


def _seen(raw: Raw, extras: Raw, kind: str) -> str:
    """What the agent reads of an observation."""
    content = text(raw.get("content"))
    if kind == "error":
        return f"{content}\n[Error occurred in processing last action]"
    if kind == "user_rejected":
        return f"OBSERVATION:\n{content}\n[Last action has been rejected by the user]"
    about = mapping(extras.get("metadata"))
    if kind != "run" or not about:
        return content
    lines = [f"{text(about.get('prefix'))}{content}{text(about.get('suffix'))}"]
    if folder := text(about.get("working_dir")):
        lines.append(f"[Current working directory: {folder}]")
    if interpreter := text(about.get("py_interpreter_path")):
        lines.append(f"[Python interpreter: {interpreter}]")
    if about.get("exit_code", -1) != -1:
        lines.append(f"[Command finished with exit code {about['exit_code']}]")
    return "\n".join(lines)


def _facts(raw: Raw, extras: Raw) -> dict[str, Any]:
    about = mapping(extras.get("metadata"))
    code = about.get("exit_code", extras.get("exit_code", raw.get("exit_code")))
    facts: dict[str, Any] = {"exit_code": code} if isinstance(code, int) else {}
    return {**facts, "cwd": about["working_dir"]} if about.get("working_dir") else facts


def _recalled(extras: Raw) -> Iterator[str]:
    """The texts of what was recalled; the words around them are not in the file."""
    for key in WORKSPACE:
        if words := text(extras.get(key)):
            yield words
    known = extras.get("microagent_knowledge")
    for each in map(mapping, listed(known)):
        if words := text(each.get("content")):
            yield words


def _thought(arguments: Raw) -> str:
    """The thought in an action; later versions keep it as an object."""
    thought = arguments.get("thought")
    return text(mapping(thought).get("text")) or text(thought)


def _texts(words: str) -> tuple[TextBlock, ...]:
    return (TextBlock(words),) if words.strip() else ()


def _tool(raw: Raw) -> str:
    action = text(raw.get("action"))
    return TOOLS.get(action, action)


def _tool_name(raw: Raw) -> str | None:
    return text(mapping(raw.get("tool_call_metadata")).get("function_name")) or None


def _own_id(raw: Raw, index: int) -> str:
    return f"call-{raw.get('id', index)}"


def _given(arguments: Raw) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key not in NOT_ARGUMENTS and value is not None}
