"""Messages content: JSON to blocks (Messages API reference; anthropic 2.14 `types/beta/beta_content_block_param`).

A field that is null is no typed one: it stays in `native`, so that what came back byte for byte goes back so.
"""

from collections.abc import Callable, Mapping, Set
from typing import Any, get_args

from ....model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    Form,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    Role,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
)
from ..fields import Drift, cache_mark, given, typed
from .tools import read_tool, said

ROLES = frozenset(("user", "assistant", "system"))
SYSTEM = frozenset(("clear_at", "output_config"))
"""What a system message between the turns may say beside its content."""
SERVER_RESULTS = frozenset(
    f"{tool}_tool_result"
    for tool in "web_search web_fetch code_execution bash_code_execution text_editor_code_execution tool_search advisor"
    " mcp".split()
)
CALLS = frozenset(("tool_use", "server_tool_use", "mcp_tool_use"))
CARRIED = frozenset(("fallback", "mcp_tool_listing", "browser_state", "web_search_result"))
"""Blocks that are the provider's own and opaque, sent back as they came."""
SOURCES: Mapping[str, Set[str]] = {
    "base64": {"type", "media_type", "data"},
    "url": {"type", "url"},
    "file": {"type", "file_id"},
    "text": {"type", "media_type", "data"},
    "content": {"type", "content"},
}
NOTHING: frozenset[str] = frozenset()


def read_message(raw: Any, path: str, drift: Drift) -> Message:
    """One message. ValueError where its content has no form of the dialect; an unknown role keeps it whole."""
    role = given(raw, "role")
    if not isinstance(role, str) or role not in ROLES:
        drift.paths.append(f"{path}.role")
        return Message("user", (NativeBlock(fields=dict(raw), known=False),), native={"role": role})
    form, blocks = read_content(raw, path, drift)
    if form == "object":
        raise ValueError(f"{path}.content is an object, neither text nor a list")
    known: Role = next(each for each in get_args(Role) if each == role)
    rest = drift.rest(raw, {"role", "content"}, SYSTEM if role == "system" else NOTHING, path)
    return Message(known, blocks, form, native=rest)


def read_content(raw: Mapping[str, Any], path: str, drift: Drift) -> tuple[Form, tuple[Block, ...]]:
    """The form and the blocks of what holds `content`; one object has no blocks."""
    content = raw.get("content")
    if content is None:
        return "null" if "content" in raw else "absent", ()
    if isinstance(content, str):
        return "text", (TextBlock(content),)
    if isinstance(content, Mapping):
        return "object", ()
    if not isinstance(content, list):
        raise ValueError(f"{path}.content is {type(content).__name__}, neither text nor a list")
    return "blocks", read_blocks(content, f"{path}.content", drift)


def read_blocks(raw: list[Any], path: str, drift: Drift) -> tuple[Block, ...]:
    """The blocks of a list; one that nobody knows is kept whole."""
    return tuple(
        drift.block(each, f"{path}[{at}]", lambda one, where: READERS[one["type"]](one, where, drift))
        for at, each in enumerate(raw)
    )


def _beside(raw: Mapping[str, Any], typed_fields: Set[str], declared: Set[str], path: str, drift: Drift) -> Any:
    """The cache mark and the native fields, which every block may have."""
    fields = typed_fields | {"type", "cache_control"}
    mark = raw.get("cache_control")
    native = drift.rest(raw, {key for key in fields if raw.get(key) is not None}, declared | fields, path)
    return {"cache": None if mark is None else cache_mark(mark), "native": native}


def _text(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    citations = said(raw, "citations", list)
    return TextBlock(
        typed(raw, "text", str),
        None if citations is None else tuple(citations),
        **_beside(raw, {"text", "citations"}, NOTHING, path, drift),
    )


def _media(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    source = typed(raw, "source", dict)
    origin = typed(source, "type", str)
    if set(source) != SOURCES[origin] or (raw["type"] == "image" and origin in ("text", "content")):
        raise ValueError(f"{path}.source is none of the dialect's")
    form, blocks = read_content(source, f"{path}.source", drift)
    if origin == "content" and form not in ("text", "blocks"):
        raise ValueError(f"{path}.source.content is neither text nor a list")
    plain = origin == "text"
    return MediaBlock(
        "image" if raw["type"] == "image" else "document",
        media_type=said(source, "media_type", str),
        data=None if plain else said(source, "data", str),
        text=said(source, "data", str) if plain else None,
        url=said(source, "url", str),
        file_id=said(source, "file_id", str),
        title=said(raw, "title", str),
        blocks=blocks if origin == "content" else None,
        form=form if origin == "content" else "blocks",
        **_beside(raw, {"source", "title"}, {"context", "citations", "transformations"}, path, drift),
    )


def _upload(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    file_id = typed(raw, "file_id", str)
    return MediaBlock("document", type=raw["type"], file_id=file_id, **_beside(raw, {"file_id"}, NOTHING, path, drift))


def _source(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    texts = read_blocks(typed(raw, "content", list), f"{path}.content", drift)
    blocks = tuple(each for each in texts if isinstance(each, TextBlock))
    if len(blocks) != len(texts):
        raise ValueError(f"{path}.content holds more than text")
    return SourceBlock(
        typed(raw, "source", str),
        typed(raw, "title", str),
        blocks,
        said(raw, "citations", dict),
        **_beside(raw, {"source", "title", "content", "citations"}, NOTHING, path, drift),
    )


def _thinking(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    if raw["type"] == "redacted_thinking":
        sealed = typed(raw, "data", str)
        return ThinkingBlock(type=raw["type"], encrypted=sealed, **_beside(raw, {"data"}, NOTHING, path, drift))
    return ThinkingBlock(
        typed(raw, "thinking", str),
        signature=said(raw, "signature", str),
        **_beside(raw, {"thinking", "signature"}, NOTHING, path, drift),
    )


def _call(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    """A call; a stream that was cut inside its arguments leaves them as text."""
    given_input = raw["input"]
    if not isinstance(given_input, dict | str):
        raise ValueError(f"{path}.input is no object")
    kind = raw["type"]
    return CallBlock(
        said(raw, "id", str),
        typed(raw, "name", str),
        None if isinstance(given_input, str) else given_input,
        given_input if isinstance(given_input, str) else None,
        kind != "tool_use",
        type="" if kind == "tool_use" else kind,
        **_beside(raw, {"id", "name", "input"}, {"caller", "toolset_name", "server_name"}, path, drift),
    )


def _result(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    form, blocks = read_content(raw, path, drift)
    kind = raw["type"]
    fields = {"tool_use_id", "content", "is_error"}
    return ResultBlock(
        said(raw, "tool_use_id", str),
        blocks,
        form,
        raw["content"] if form == "object" else None,
        said(raw, "is_error", bool),
        type="" if kind == "tool_result" else kind,
        server=kind in SERVER_RESULTS,
        **_beside({**raw, "content": True}, fields, {"caller", "toolset_name"}, path, drift),
    )


def _compaction(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    return CompactionBlock(
        said(raw, "content", str),
        said(raw, "encrypted_content", str),
        signature=said(raw, "signature", str),
        **_beside(raw, {"content", "encrypted_content", "signature"}, {"tool_changes"}, path, drift),
    )


def _change(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    """A tool that comes or goes, named or with its definition."""
    added = raw["type"] == "tool_addition"
    match raw["tool"]:
        case {"type": "tool_reference", "name": str(name), **more} if not more:
            change = ToolChangeBlock(added, (name,))
        case {"type": "mcp_tool_reference", "server_name": str(server), "name": str(name), **more} if not more:
            change = ToolChangeBlock(added, (name,), server=server)
        case {"type": "mcp_toolset_reference", "server_name": str(server), **more} if not more:
            change = ToolChangeBlock(added, server=server)
        case {"type": "tool_definition", "definition": definition, **more} if not more:
            change = ToolChangeBlock(added, definitions=(read_tool(definition, f"{path}.tool.definition", drift),))
        case _:
            raise ValueError(f"{path}.tool is no reference and no definition")
    beside = _beside(raw, {"tool"}, NOTHING, path, drift)
    return ToolChangeBlock(change.added, change.names, change.definitions, change.server, **beside)


def _reference(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    names = (typed(raw, "tool_name", str),)
    return ToolChangeBlock(names=names, type=raw["type"], **_beside(raw, {"tool_name"}, NOTHING, path, drift))


def _carried(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    return NativeBlock(type=raw["type"], fields=dict(raw))


READERS: Mapping[str, Callable[[Mapping[str, Any], str, Drift], Block]] = {
    "text": _text,
    "image": _media,
    "document": _media,
    "container_upload": _upload,
    "search_result": _source,
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "tool_result": _result,
    "compaction": _compaction,
    "tool_addition": _change,
    "tool_removal": _change,
    "tool_reference": _reference,
    **dict.fromkeys(CALLS, _call),
    **dict.fromkeys(SERVER_RESULTS, _result),
    **dict.fromkeys(CARRIED, _carried),
}
"""Every block type a request or a response may hold."""
