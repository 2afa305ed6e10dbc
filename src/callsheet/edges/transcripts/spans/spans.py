"""Spans of model calls: the OpenTelemetry GenAI conventions, OpenInference, and the older names of either.

Read as OTLP JSON (a document or lines) and as flat lists of spans. Content is opt-in: a span without messages is a call
without a request. Usage includes what was cached.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....model.message import Message, Response, Usage
from ....model.prompt import Prompt
from ....model.transcript import Accounted, Event
from ..format import Format, Record, Sample
from ..shared import loose
from ..shared.chat import listed
from ..shared.requests import Call, Conversations
from ..shared.rows import mapping, seconds, text
from .attributes import attributes_of, nested

CALLING = frozenset(("chat", "generate_content", "text_completion", "completion", "response", "responses"))
MARKS = ("gen_ai.", "llm.", "openinference.", "traceloop.")
READ = ("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read", "llm.usage.cache_read_input_tokens")  # fmt: skip
WRITTEN = ("gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.cache_creation.input_tokens",
           "gen_ai.usage.cache_creation_input_tokens", "llm.token_count.prompt_details.cache_write",
           "llm.usage.cache_creation_input_tokens")  # fmt: skip
INPUT = ("gen_ai.usage.input_tokens", "llm.token_count.prompt", "gen_ai.usage.prompt_tokens")
OUTPUT = ("gen_ai.usage.output_tokens", "llm.token_count.completion", "gen_ai.usage.completion_tokens")
MODELS = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "llm.request.model")
ENTRIES = ("resourceSpans", "resource_spans", "spans", "data", "batches")


def spans_in(row: Any) -> Iterator[Mapping[str, Any]]:
    """The spans in a record: OTLP's three layers, a list, or one span."""
    if isinstance(row, list):
        for each in row:
            yield from spans_in(each)
    elif isinstance(row, Mapping):
        layers = (*ENTRIES, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
        inner = next((row[key] for key in layers if isinstance(row.get(key), list)), None)
        if inner is not None:
            yield from spans_in(inner)
        elif _is_span(row):
            yield row


def _is_span(row: Mapping[str, Any]) -> bool:
    held = "attributes" in row or any(str(key).startswith("attributes.") for key in row)
    named = ("spanId", "span_id", "context", "traceId", "trace_id", "context.span_id", "span_kind", "kind")
    return held and any(key in row for key in named)


def refuses(sample: Sample) -> str:
    """Why a sample holds no spans of model calls, "" where it does."""
    values: Iterable[Any] = sample.records
    if sample.shape == "object":
        values = [each for key in ENTRIES for each in listed(sample.members.get(key)) if isinstance(each, Mapping)]
        values = values or [sample.members]
    found = [span for value in values for span in spans_in(value)]
    if not found:
        return "no spans with attributes are in it"
    marked = any(str(key).startswith(MARKS) for span in found for key in attributes_of(span))
    return "" if marked else "none of its spans has gen_ai. or llm. attributes"


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of the spans, in their order."""
    conversations = Conversations()
    for record in records:
        if record.index < 0:
            continue
        found = 0
        for number, span in enumerate(spans_in(record.value)):
            found += 1
            call = _call(span, record.index, f"{record.index}.{number}")
            if call is not None:
                yield from conversations.take(call)
        name = text(mapping(record.value).get("name"))
        yield Accounted(record=record.index, fate="kept" if found else "unknown", type=name or "spans")
    yield from conversations.end()


def _call(span: Mapping[str, Any], record: int, place: str) -> Call | None:
    """The model call of a span, None where it is one of something else."""
    said = attributes_of(span)
    for event in listed(span.get("events")):
        if isinstance(event, Mapping) and str(event.get("name", "")).startswith("gen_ai.client.inference"):
            said = {**attributes_of(event), **said}
    kind, operation = text(said.get("openinference.span.kind")).upper(), text(said.get("gen_ai.operation.name"))
    asked, told = _messages(said, span, "input"), _messages(said, span, "output")
    calls_model = kind == "LLM" or operation in CALLING
    if not (calls_model or (not kind and not operation and (asked or told))):
        return None
    name = text(said.get("gen_ai.response.id")) or text(span.get("spanId")) or text(span.get("span_id")) or place
    model = next((text(said[key]) for key in MODELS if text(said.get(key))), "")
    flat = {key.replace(".", "_"): value for key, value in said.items() if ".usage." in key or "token_count" in key}
    usage = loose.usage(
        flat, *(tuple(each.replace(".", "_") for each in keys) for keys in (READ, WRITTEN, INPUT, OUTPUT))
    )
    status = mapping(span.get("status"))
    return Call(
        record=record,
        prompt=_prompt(said, asked, model),
        response=_response(told, name, model, usage),
        name=name,
        model=model,
        endpoint=text(said.get("server.address")),
        at=seconds(span.get("startTimeUnixNano") or span.get("start_time_unix_nano") or span.get("start_time")),
        error=text(said.get("error.type")) or (text(status.get("message")) if not told else ""),
        continues=text(said.get("gen_ai.request.previous_response.id")),
    )


def _prompt(said: Mapping[str, Any], asked: tuple[Message, ...], model: str) -> Prompt | None:
    system = loose.decoded(said.get("gen_ai.system_instructions"))
    blocks = tuple(loose.content_blocks(system)) if system else ()
    if not asked and not blocks:
        return None
    named = [mapping(each.get("tool")).get("json_schema") or each for each in nested(said, "llm.tools")]
    declared = said.get("gen_ai.tool.definitions") or named or nested(said, "llm.request.functions")
    return Prompt(
        model=text(said.get("gen_ai.request.model")) or model or None,
        messages=asked,
        system=blocks,
        system_form="blocks" if blocks else "absent",
        tools=loose.tools(declared),
    )


def _response(told: tuple[Message, ...], name: str, model: str, usage: Usage) -> Response | None:
    if not told and not usage.prompt and not usage.output:
        return None
    blocks = tuple(block for each in told for block in each.blocks)
    return Response(Message("assistant", blocks), usage=usage, id=name, model=model)


def _messages(said: Mapping[str, Any], span: Mapping[str, Any], side: str) -> tuple[Message, ...]:
    """The messages of one side, by the newest convention that the span follows."""
    if said.get(f"gen_ai.{side}.messages"):
        return loose.messages(said[f"gen_ai.{side}.messages"])
    listed = nested(said, f"llm.{side}_messages")
    if listed:
        return tuple(_open(each) for each in listed)
    older = nested(said, "gen_ai.prompt" if side == "input" else "gen_ai.completion")
    if older:
        usual = "user" if side == "input" else "assistant"
        return tuple(loose.message({"role": usual, **each}) for each in older)
    return tuple(_of_events(span, side))


def _open(raw: Mapping[str, Any]) -> Message:
    """A message of OpenInference, whose parts and calls are each wrapped in an object of their own."""
    said = mapping(raw.get("message")) or raw
    contents = [mapping(each.get("message_content")) or each for each in listed(said.get("contents"))]
    calls = [
        mapping(each.get("tool_call")) or each for each in listed(said.get("tool_calls")) if isinstance(each, Mapping)
    ]
    content = contents or said.get("content")
    return loose.message({**said, "content": content, "tool_calls": calls})


def _of_events(span: Mapping[str, Any], side: str) -> Iterator[Message]:
    """Messages that older conventions told as events of the span: gen_ai.user.message, gen_ai.choice and the like."""
    for event in listed(span.get("events")):
        name = str(event.get("name", "")) if isinstance(event, Mapping) else ""
        said = attributes_of(event) if name.startswith("gen_ai.") else {}
        if side == "output" and name == "gen_ai.choice":
            told = loose.decoded(said.get("message")) or said
            yield loose.message({"role": "assistant", **mapping(told)})
        elif side == "input" and name.endswith(".message"):
            role = name.split(".")[1]
            extra = {"tool_call_id": said.get("id")} if role == "tool" else {}
            yield loose.message({"role": role, **extra, **said, "tool_calls": loose.decoded(said.get("tool_calls"))})


FORMAT = Format("spans", "OpenTelemetry GenAI or OpenInference spans", refuses, read, ENTRIES)
