"""Langfuse observations and LangSmith runs: the model calls of a trace, one after another (SDKs 5.0 and 0.15).

Of the other observations and runs (chains, tools, retrievers) it is known what they are, and nothing is said in them
that the next model call does not say.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...core.render.figures import counted, figures
from ...model.message import Message, Response, TextBlock, Usage
from ...model.prompt import Prompt
from ...model.transcript import Accounted, Event
from . import langchain
from .format import Format, Record, Sample
from .shared import loose
from .shared.chat import listed
from .shared.requests import Call, Conversations
from .shared.rows import mapping, number, seconds, text

ENTRIES = ("observations", "runs", "data")
TYPES = frozenset("SPAN GENERATION EVENT AGENT TOOL CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL".split())
RUNS = frozenset("llm chain tool retriever prompt parser embedding".split())


def refuses(sample: Sample) -> str:
    """Why a sample holds no observations or runs, "" where it does."""
    values: Iterable[Any] = sample.records
    if sample.shape == "object":
        values = [each for key in ENTRIES for each in listed(sample.members.get(key))] or [sample.members]
    return "" if any(_kind(each) for value in values for each in _rows(value)) else "no observation and no run is in it"


def _rows(value: Any) -> list[Any]:
    """The observations or runs in a record: itself, or those under one of its members, children behind their parent."""
    if isinstance(value, Mapping):
        inner = next((value[key] for key in ENTRIES if isinstance(value.get(key), list)), None)
        if inner is not None:
            return list(inner)
        children = value.get("child_runs")
        if isinstance(children, list) and children:
            return [{**value, "child_runs": None}, *(row for each in children for row in _rows(each))]
        return [value]
    return list(value) if isinstance(value, list) else []


def _kind(row: Any) -> str:
    """ "langfuse" or "langsmith", "" where a row is neither."""
    if not isinstance(row, Mapping):
        return ""
    if text(row.get("run_type")) in RUNS and ("inputs" in row or "dotted_order" in row or "trace_id" in row):
        return "langsmith"
    traced = "traceId" in row or "trace_id" in row
    return "langfuse" if traced and str(row.get("type", "")).upper() in TYPES else ""


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of the model calls among observations and runs."""
    conversations = Conversations()
    for record in records:
        if record.index < 0:
            continue
        rows = _rows(record.value)
        kinds = {kind for row in rows if (kind := _kind(row))}
        for place, row in enumerate(rows):
            kind = _kind(row)
            call = CALLS[kind](row, record.index, f"{record.index}.{place}") if kind else None
            if call is not None:
                yield from conversations.take(call)
        kind = text(mapping(record.value).get("run_type")) or text(mapping(record.value).get("type"))
        yield Accounted(record=record.index, fate="kept" if kinds else "unknown", type=kind)
    yield from conversations.end()


def _langfuse(row: Mapping[str, Any], record: int, place: str) -> Call | None:
    if str(row.get("type", "")).upper() != "GENERATION":
        return None
    asked, told = loose.decoded(row.get("input")), loose.decoded(row.get("output"))
    model, name = text(row.get("model")) or text(row.get("providedModelName")), text(row.get("id")) or place
    settings = mapping(row.get("modelParameters") or row.get("model_parameters"))
    offered = mapping(asked).get("tools") or mapping(asked).get("functions") or settings.get("tools")
    return Call(
        record=record,
        prompt=_prompt(_messages(asked), offered, model),
        response=_response(_messages(told, "assistant"), name, model, _langfuse_usage(row)),
        name=name,
        model=model,
        at=seconds(row.get("startTime") or row.get("start_time")),
        error=text(row.get("statusMessage")) if row.get("level") == "ERROR" else "",
        cost=_cost(row, "totalCost", "calculatedTotalCost"),
    )


def _langfuse_usage(row: Mapping[str, Any]) -> Usage:
    """Figures by kind; `input` leaves out what was cached, unless the total says that it includes it."""
    said = mapping(row.get("usageDetails") or row.get("usage_details") or row.get("usage"))
    read = counted(said, "input_cached_tokens", "cache_read_input_tokens", "input_cache_read", "input_cached")
    written = counted(said, "cache_creation_input_tokens", "input_cache_creation", "input_cache_write_tokens")
    given = counted(said, "input", "prompt_tokens", "promptTokens", "input_tokens")
    extra = sum(counted(said, key) for key in said if key.startswith("output_") and key != "output_tokens")
    output = counted(said, "output", "completion_tokens", "completionTokens", "output_tokens")
    total = counted(said, "total", "total_tokens", "totalTokens")
    includes = total and total in (given + output, given + output + extra) and (read or written)
    uncached = max(0, given - read - written) if includes else given
    beside = extra if total and total == given + read + written + output + extra else 0
    return Usage(uncached, read, written, output + beside, figures(said))


def _langsmith(row: Mapping[str, Any], record: int, place: str) -> Call | None:
    if row.get("run_type") != "llm":
        return None
    inputs, outputs = mapping(row.get("inputs")), mapping(row.get("outputs"))
    extra = mapping(row.get("extra"))
    settings, metadata = mapping(extra.get("invocation_params")), mapping(extra.get("metadata"))
    model = text(settings.get("model")) or text(settings.get("model_name")) or text(metadata.get("ls_model_name"))
    name, told = text(row.get("id")) or place, _generated(outputs)
    asked = inputs.get("messages") or inputs.get("input") or inputs.get("prompts")
    return Call(
        record=record,
        prompt=_prompt(_messages(asked), inputs.get("tools") or settings.get("tools"), model),
        response=_response(_messages(told, "assistant"), name, model, _langsmith_usage(row, outputs, told)),
        name=name,
        model=model,
        at=seconds(row.get("start_time")),
        error=text(row.get("error")),
        cost=_cost(row, "total_cost"),
    )


def _generated(outputs: Mapping[str, Any]) -> Any:
    """What the model said: LangChain's generations, a provider's own response, or a message."""
    generations = outputs.get("generations")
    while isinstance(generations, list) and generations:
        generations = generations[0]
    if isinstance(generations, Mapping):
        return generations.get("message") or generations.get("text")
    choices = outputs.get("choices")
    if isinstance(choices, list) and choices:
        return mapping(choices[0]).get("message")
    return outputs.get("output") or outputs.get("message") or (outputs if "content" in outputs else None)


def _langsmith_usage(row: Mapping[str, Any], outputs: Mapping[str, Any], told: Any) -> Usage:
    """The usage of the message itself, else the run's own figures; both include what was cached."""
    said = langchain.plain(told)
    own = langchain.usage_of(said) if said is not None else None
    if own is None:
        held = outputs.get("usage_metadata") or mapping(row.get("extra")).get("usage_metadata")
        own = langchain.usage_of({"usage_metadata": held}) if isinstance(held, Mapping) else None
    if own is not None and (own.prompt or own.output):
        return own
    details = mapping(row.get("prompt_token_details"))
    whole = mapping(mapping(outputs.get("llm_output")).get("token_usage")) or mapping(outputs.get("usage"))
    return loose.usage(
        {**whole, **{key: row[key] for key in ("prompt_tokens", "completion_tokens") if row.get(key)}, **details},
        ("cache_read",),
        ("cache_creation", "cache_write"),
        ("prompt_tokens", "input_tokens"),
        ("completion_tokens", "output_tokens"),
    )


def _messages(raw: Any, usual: str = "user") -> tuple[Message, ...]:
    """Messages of any form, LangChain's dumps among them; a mere text is said by `usual`."""
    value = loose.decoded(raw)
    if isinstance(value, Mapping) and "messages" in value:
        value = value["messages"]
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if isinstance(value, str):
        return (Message(usual, (TextBlock(value),), "text"),) if value else ()  # type: ignore[arg-type]
    listed = value if isinstance(value, list) else [value]
    return tuple(_message(each, usual) for each in listed if isinstance(each, Mapping | str) and each)


def _message(raw: Any, usual: str) -> Message:
    if isinstance(raw, str):
        return Message(usual, (TextBlock(raw),), "text")  # type: ignore[arg-type]
    said = langchain.plain(raw)
    if said is not None:
        return loose.message({**said, "role": said.get("role") or said["type"].removesuffix("MessageChunk").lower()})
    return loose.message({"role": usual, **raw})


def _prompt(asked: tuple[Message, ...], tools: Any, model: str) -> Prompt | None:
    return Prompt(model=model or None, messages=asked, tools=loose.tools(tools)) if asked else None


def _response(told: tuple[Message, ...], name: str, model: str, usage: Usage) -> Response | None:
    if not told and not usage.prompt and not usage.output:
        return None
    blocks = tuple(block for each in told for block in each.blocks)
    return Response(Message("assistant", blocks), usage=usage, id=name, model=model)


def _cost(row: Mapping[str, Any], *keys: str) -> float | None:
    value = next((row[key] for key in keys if isinstance(row.get(key), int | float | str) and row.get(key)), None)
    try:
        return number(float(value)) if value is not None else None
    except (ValueError, OverflowError):
        return None


CALLS = {"langfuse": _langfuse, "langsmith": _langsmith}
FORMAT = Format("traces", "Langfuse observations or LangSmith runs", refuses, read, ENTRIES)
