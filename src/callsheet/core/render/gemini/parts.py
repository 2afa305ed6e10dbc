"""Gemini contents: JSON to messages and back (Gemini API reference; google-genai 3.6.1 `types.Part`).

A part is one object with one field that says what it is. Beside it may stand a signature, which has to come back on the
very same part, and fields about the part. What a part's inner object says beside the typed fields is kept in `native`
under that object's own name.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....model.content import Content, Text
from ....model.message import (
    Block,
    CallBlock,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    Role,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
)
from ....model.message import Media as MediaKind
from ..fields import Drift, given, optional, present, typed
from .spelling import note, spelled, unsnaked

ROLES: Mapping[str, Role] = {"user": "user", "model": "assistant", "function": "tool"}
WRITTEN = {"user": "user", "tool": "user", "assistant": "model"}
DATA = frozenset(
    """text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall
    toolResponse""".split()
)
"""What a part can be: it has exactly one of these, or nothing but a signature."""
BESIDE = frozenset(
    """thought videoMetadata mediaResolution partMetadata mediaProcessing speechMetadata documentMetadata
    spreadsheetMetadata audioMetadata audioTranscription""".split()
)
PART = DATA | BESIDE | {"thoughtSignature"}
INNER: Mapping[str, frozenset[str]] = {
    "inlineData": frozenset(("mimeType", "data", "displayName")),
    "fileData": frozenset(("mimeType", "fileUri", "displayName")),
    "functionCall": frozenset(("id", "name", "args")),
    "functionResponse": frozenset(("id", "name", "response", "parts")),
    "executableCode": frozenset(("id", "language", "code")),
    "codeExecutionResult": frozenset(("id", "outcome", "output")),
    "toolCall": frozenset(("id", "toolType", "args")),
    "toolResponse": frozenset(("id", "toolType", "response")),
}
DECLARED = frozenset(("partialArgs", "willContinue", "scheduling"))
"""Fields of inner objects that the SDK declares beside the typed ones."""
SIGNATURE = "thoughtSignature"
RUN = "code_execution"
"""The name under which the model's own runs of code are called and answered."""
CONTENT = frozenset(("role", "parts"))


def read_message(raw: Any, path: str, drift: Drift) -> Message:
    """One content. ValueError where it is no object or its parts are no list.

    The role and the parts it stands with are kept as said where the dialect would say them otherwise: no role at all,
    the old `function`, one that nobody knows (read as the user's, which has the least authority).
    """
    said = given(raw, "role")
    role: Role = ROLES.get(said, "user") if isinstance(said, str) else "user"
    if "role" in raw and not (isinstance(said, str) and said in ROLES):
        drift.paths.append(f"{path}.role")
    native = drift.rest(raw, CONTENT, frozenset(), path)
    if "role" not in raw:
        native[":roleless"] = True
    elif said != WRITTEN[role]:
        native[":role"] = said
    if "parts" not in raw:
        return Message(role, (), "absent", native=native)
    return Message(role, read_parts(typed(raw, "parts", list), f"{path}.parts", drift), native=native)


def read_parts(raw: Sequence[Any], path: str, drift: Drift) -> tuple[Block, ...]:
    """The parts as blocks; one of no known kind is kept whole."""
    return tuple(
        drift.block(each, f"{path}[{at}]", lambda one, where: _read_part(one, where, drift))
        for at, each in enumerate(raw)
    )


def _read_part(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    part, found = unsnaked(raw, PART)
    kinds = [key for key in part if key in DATA]
    if len(kinds) != 1 and not (not kinds and SIGNATURE in part):
        raise ValueError("a part must be one thing")
    kind = kinds[0] if kinds else SIGNATURE
    common: dict[str, Any] = {
        "signature": optional(part, SIGNATURE, str),
        "native": drift.rest(part, {kind, SIGNATURE}, BESIDE, path) | note(found),
    }
    if kind == SIGNATURE:
        return ThinkingBlock(type=SIGNATURE, **common)
    if kind == "text":
        thought = part.get("thought") is True
        if thought:
            del common["native"]["thought"]
        return (ThinkingBlock if thought else TextBlock)(text=typed(part, "text", str), **common)
    inner, spelt = unsnaked(typed(part, kind, dict), INNER[kind])
    more = drift.rest(inner, INNER[kind], DECLARED, f"{path}.{kind}")
    common["native"] |= ({kind: more} if more else {}) | note((*found, *spelt))
    return READERS[kind](kind, inner, common, drift)


def _read_media(kind: str, inner: Mapping[str, Any], common: dict[str, Any], drift: Drift) -> Block:
    media_type = optional(inner, "mimeType", str)
    first = (media_type or "").partition("/")[0]
    media: MediaKind = first if first in ("image", "audio", "video") else "document"  # type: ignore[assignment]
    title = optional(inner, "displayName", str)
    if kind == "inlineData":
        return MediaBlock(media, media_type, typed(inner, "data", str), title=title, **common)
    return MediaBlock(media, media_type, url=typed(inner, "fileUri", str), title=title, **common)


def _read_call(kind: str, inner: Mapping[str, Any], common: dict[str, Any], drift: Drift) -> Block:
    """A call; `written` is empty where no arguments were said, which means none."""
    server = kind == "toolCall"
    return CallBlock(
        id=optional(inner, "id", str),
        name=typed(inner, "toolType" if server else "name", str),
        arguments=typed(inner, "args", dict) if "args" in inner else {},
        written=None if "args" in inner else "",
        server=server,
        type=kind if server else "",
        **common,
    )


def _read_result(kind: str, inner: Mapping[str, Any], common: dict[str, Any], drift: Drift) -> Block:
    server = kind == "toolResponse"
    parts = optional(inner, "parts", list)
    if parts == []:
        common["native"][kind] = {**common["native"].get(kind, {}), "parts": []}
    return ResultBlock(
        call_id=optional(inner, "id", str),
        blocks=read_parts(parts or (), kind, drift),
        form="object" if "response" in inner else "absent",
        value=typed(inner, "response", dict) if "response" in inner else None,
        name=typed(inner, "toolType", str) if server else optional(inner, "name", str),
        server=server,
        type=kind if server else "",
        **common,
    )


def _read_run(kind: str, inner: Mapping[str, Any], common: dict[str, Any], drift: Drift) -> Block:
    """Code that the model has run, or what came of it; a later part of the same turn."""
    run_id = optional(inner, "id", str)
    said = {key: inner[key] for key in inner if key in INNER[kind] and key != "id"}
    if kind == "executableCode":
        return CallBlock(type=kind, id=run_id, name=RUN, arguments=said, server=True, **common)
    return ResultBlock(type=kind, call_id=run_id, name=RUN, value=said, form="object", server=True, **common)


READERS: Mapping[str, Callable[[str, Mapping[str, Any], dict[str, Any], Drift], Block]] = {
    "inlineData": _read_media,
    "fileData": _read_media,
    "functionCall": _read_call,
    "functionResponse": _read_result,
    "toolCall": _read_call,
    "toolResponse": _read_result,
    "executableCode": _read_run,
    "codeExecutionResult": _read_run,
}


def write_message(message: Message) -> dict[str, Any]:
    """One content. A system message is a ValueError: the API has a place of its own for such text."""
    if message.role not in WRITTEN:
        raise ValueError(f"Gemini takes no {message.role} message among its contents")
    role = {"role": message.native.get(":role", WRITTEN[message.role])}
    parts = {} if message.form == "absent" and not message.blocks else {"parts": write_parts(message.blocks)}
    return {**({} if ":roleless" in message.native else role), **parts, **spelled(message.native, {})}


def write_parts(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """Blocks as parts, each signature on its own part."""
    return [part for block in blocks for part in _write_block(block)]


def _write_block(block: Block) -> list[dict[str, Any]]:
    if isinstance(block, NativeBlock):
        return [dict(block.fields)]
    if isinstance(block, SourceBlock):
        return write_parts(block.blocks)
    kind, value = _written(block)
    native = dict(block.native)
    if isinstance(value, Mapping):
        value = spelled({**value, **native.pop(kind, {})}, block.native)
    said = {} if kind == SIGNATURE else {kind: value}
    thought = {"thought": True} if isinstance(block, ThinkingBlock) and said else {}
    return [spelled({**said, **thought, **present(thoughtSignature=block.signature), **native}, block.native)]


def _written(block: Block) -> tuple[str, Any]:
    """The name of a block's part and what the part says."""
    if isinstance(block, TextBlock):
        return "text", block.text
    if isinstance(block, ThinkingBlock):
        return ("text", block.text) if block.text is not None else (SIGNATURE, None)
    if isinstance(block, MediaBlock):
        return _write_media(block)
    if isinstance(block, CallBlock):
        return _write_call(block)
    if isinstance(block, ResultBlock):
        return _write_result(block)
    raise ValueError(f"Gemini has no part for a {type(block).__name__}")


def _write_media(block: MediaBlock) -> tuple[str, dict[str, Any]]:
    about = present(mimeType=block.media_type, displayName=block.title)
    if block.data is not None:
        return "inlineData", {**about, "data": block.data}
    if block.url is not None:
        return "fileData", {**about, "fileUri": block.url}
    raise ValueError("Gemini takes media as data or by address")


def _write_call(call: CallBlock) -> tuple[str, dict[str, Any]]:
    if call.type == "executableCode":
        return call.type, {**present(id=call.id), **call.arguments}
    arguments = {} if call.written == "" else {"args": call.arguments}
    if call.type == "toolCall":
        return call.type, {**present(id=call.id), "toolType": call.name, **arguments}
    return "functionCall", {**present(id=call.id), "name": call.name, **arguments}


def _write_result(result: ResultBlock) -> tuple[str, dict[str, Any]]:
    """A result; one that is no object yet becomes one as the API documents: under `output`, or `error`."""
    if result.type == "codeExecutionResult":
        return result.type, {**present(id=result.call_id), **result.value}
    media = [block for block in result.blocks if not isinstance(block, TextBlock)]
    parts = {"parts": write_parts(media)} if media else {}
    if result.form == "object":
        said = {"response": result.value}
    elif result.form == "absent" and not result.blocks:
        said = {}
    else:
        said = {"response": {"error" if result.is_error else "output": _joined(result)}}
    if result.type == "toolResponse":
        return result.type, {**present(id=result.call_id, toolType=result.name), **said}
    return "functionResponse", {**present(id=result.call_id, name=result.name), **said, **parts}


def _joined(result: ResultBlock) -> Text:
    """The texts of a result as one, each piece still its item's."""
    texts = [block.text for block in result.blocks if isinstance(block, TextBlock)]
    pieces = tuple(piece for text in texts for piece in (text.pieces if isinstance(text, Content) else (text,)))
    return Content(pieces) if any(isinstance(text, Content) for text in texts) else result.text
