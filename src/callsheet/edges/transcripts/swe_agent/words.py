"""How SWE-agent writes down what was said: history entries and trajectory steps as messages, states as facts."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ....core.text.parse_json import parse_json
from ....model.message import Block, CallBlock, Message, NativeBlock, ResultBlock, TextBlock
from ..shared.chat import calls_of, texts_of, thoughts_of
from ..shared.rows import mapping, text

Raw = Mapping[str, Any]
SHELL = "bash"
NOWHERE = "n/a"
TYPED = frozenset("role content thought action agent message_type tool_calls thinking_blocks".split())


def key_of(raw: Raw) -> tuple[str, int]:
    """What identifies an entry in a window: its role and its text. A moved cache marker changes neither."""
    role = text(raw.get("role"))
    return ("user" if role == "tool" else role, hash(text_of(raw.get("content"))))


def text_of(content: Any) -> str:
    """The text of a content; of a list, that of its parts."""
    if isinstance(content, str) or not isinstance(content, list):
        return content if isinstance(content, str) else ""
    parts = map(mapping, content)
    return "".join(text(each.get("text")) or text(mapping(each.get("image_url")).get("url")) for each in parts)


def spoken(raw: Raw, action_id: str) -> Message:
    """What the model said: its reasoning, its thought, and its calls.

    Without function calling the action is a command line in the text; it is a call of the shell with the id
    `action_id`, and the thought is what stands beside it.
    """
    calls = tuple(calls_of(raw))
    words = raw.get("content")
    action = text(raw.get("action"))
    native = {key: value for key, value in raw.items() if key not in TYPED and value is not None}
    if not calls and action.strip():
        native["content"] = words
        thought = text(raw.get("thought"))
        words = thought if thought.strip() and thought != words else _before(text_of(words), action)
        calls = (CallBlock(action_id, SHELL, {"command": action}),)
    texts = texts_of(words) if words else ()
    return Message("assistant", (*thoughts_of(raw), *texts, *calls), native=native)


def _before(words: str, action: str) -> str:
    """What stands in front of an action, without the marks that open it."""
    at = words.rfind(action.strip())
    return words[:at].removesuffix("\n").rpartition("\n")[0] if at >= 0 else words


def listened(raw: Raw, call_ids: tuple[str, ...]) -> Message:
    """A message to the model: the result of the calls before it where there were any, else text."""
    blocks = texts_of(raw.get("content"))
    if not call_ids:
        return Message("user", blocks, "text" if isinstance(raw.get("content"), str) else "blocks")
    given = raw.get("tool_call_ids")
    ids = tuple(each for each in given if isinstance(each, str)) if isinstance(given, list) else ()
    role = "tool" if raw.get("role") == "tool" else "user"
    results = [ResultBlock(each, blocks if at == 0 else ()) for at, each in enumerate(ids or call_ids)]
    return Message("tool" if role == "tool" else "user", tuple(results))


def demonstrated(raw: Raw) -> Message:
    """A message of a demonstration: text, for its calls never happened here."""
    blocks: tuple[Block, ...] = texts_of(raw.get("content"))
    if raw.get("tool_calls"):
        blocks = (*blocks, NativeBlock(type="demonstrated", fields={"tool_calls": raw["tool_calls"]}))
    return Message("assistant" if raw.get("role") == "assistant" else "user", blocks)


def call_ids(message: Message) -> tuple[str, ...]:
    """The ids of a message's calls."""
    return tuple(each.id for each in message.calls if each.id)


def state_of(raw: Any) -> tuple[dict[str, str], bool]:
    """The facts in a step's state, and whether they were taken before the action.

    Up to version 0.7 the state is a text, taken before the action; since 1.0 an object, taken after it.
    """
    before = isinstance(raw, str)
    if before:
        with suppress(ValueError):
            raw = parse_json(raw)
    return dict(_facts(mapping(raw))), before


def _facts(state: Raw) -> Iterator[tuple[str, str]]:
    for key, name in (("working_dir", "cwd"), ("open_file", "open_file")):
        if (value := text(state.get(key))) and value != NOWHERE:
            yield name, value


def outcome(info: Raw) -> dict[str, Any]:
    """What a run came to, out of its `info`."""
    facts = {"patch": info.get("submission"), "status": info.get("exit_status")}
    return {key: value for key, value in facts.items() if value is not None}


def words(given: str) -> tuple[Block, ...]:
    """A text as blocks."""
    return (TextBlock(given),) if given else ()
