"""Gemini requests: JSON to prompt and back (Gemini API reference; google-genai 3.6.1 `types`, the REST field names).

The model's name and whether the reply is streamed stand in the URL: `Prompt.model` and `stream` are None after decoding
and are not written. `Prompt.parameters` keep of a split object (`systemInstruction`, `generationConfig`, `toolConfig`)
what is not typed, under the object's own name.
"""

from collections.abc import Mapping
from typing import Any

from ....model.message import Block, Form
from ....model.prompt import OutputSchema, Prompt, ToolChoice
from ..fields import Drift, present, request_object, typed
from .parts import read_message, read_parts, write_message, write_parts
from .spelling import either, note, snake, spelled, unsnaked
from .tools import read_tools, write_tools

TYPED = frozenset(("contents", "tools"))
OBJECTS = ("systemInstruction", "generationConfig", "toolConfig")
PARAMETERS = frozenset("cachedContent safetySettings labels model store serviceTier modelArmorConfig".split())
GENERATION = frozenset(
    """temperature topP topK candidateCount stopSequences seed presencePenalty frequencyPenalty responseLogprobs
    logprobs responseModalities responseMimeType responseSchema responseJsonSchema responseFormat mediaResolution
    speechConfig audioTimestamp thinkingConfig imageConfig routingConfig modelSelectionConfig enableAffectiveDialog
    enableEnhancedCivicAnswers translationConfig audioTranscriptionConfig maxOutputTokens""".split()
)
TOOL_CONFIG = frozenset(("functionCallingConfig", "retrievalConfig", "includeServerSideToolInvocations"))
LIMIT = "maxOutputTokens"
SCHEMAS = ("responseJsonSchema", "responseSchema")
JSON = "application/json"
CALLING = frozenset(("mode", "allowedFunctionNames"))


def decode(raw: Mapping[str, Any]) -> Prompt:
    """The prompt of a request body. ValueError where it has no list of contents."""
    raw = request_object(raw)
    drift = Drift()
    contents = typed(raw, "contents", list)
    objects = {key: typed(raw, key, dict) for name in OBJECTS if (key := either(raw, name))}
    config, at = _part_of(objects, "generationConfig")
    limit = either(config, LIMIT)
    output, taken = _read_output(config)
    form, system = _read_system(objects, drift)
    choice = _read_choice(objects)
    rest = drift.rest(raw, TYPED | set(objects), PARAMETERS | {snake(each) for each in PARAMETERS}, "request")
    if at:
        rest[at] = drift.rest(config, {*taken, limit or ""}, GENERATION | {snake(each) for each in GENERATION}, at)
    return Prompt(
        messages=tuple(read_message(each, f"contents[{number}]", drift) for number, each in enumerate(contents)),
        system=system,
        system_form=form,
        tools=read_tools(raw, drift),
        choice=choice,
        output=output,
        max_output=typed(config, limit, int) if limit else None,
        max_output_key=limit or "",
        parameters=rest | _others(objects, choice, drift),
        unknown=tuple(drift.paths),
    )


def encode(prompt: Prompt) -> dict[str, Any]:
    """The request body as a tree. What the dialect cannot say is a ValueError."""
    body = dict(prompt.parameters)
    if prompt.system or prompt.system_form != "absent":
        _add(body, "systemInstruction", {"parts": write_parts(prompt.system)})
    _add(body, "toolConfig", _write_choice(prompt.choice) if prompt.choice and prompt.choice.mode else {})
    limit = present(**{prompt.max_output_key or LIMIT: prompt.max_output})
    _add(body, "generationConfig", {**limit, **(_write_output(prompt.output) if prompt.output else {})})
    system = either(body, "systemInstruction")
    return {
        **({system: body.pop(system)} if system else {}),
        **({"tools": write_tools(prompt.tools)} if prompt.tools is not None else {}),
        "contents": [write_message(each) for each in prompt.messages],
        **body,
    }


def _add(body: dict[str, Any], name: str, fields: Mapping[str, Any]) -> None:
    """Puts typed fields into the object of this name, beside what the parameters say of it."""
    key = either(body, name) or name
    if fields:
        body[key] = {**body.get(key, {}), **fields}


def _part_of(objects: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], str]:
    """One of the split objects and the name it stands under; empty where it is not there."""
    key = either(objects, name) or ""
    return objects.get(key, {}), key


def _read_system(objects: Mapping[str, Any], drift: Drift) -> tuple[Form, tuple[Block, ...]]:
    raw, at = _part_of(objects, "systemInstruction")
    if "parts" not in raw:
        return "absent", ()
    return "blocks", read_parts(typed(raw, "parts", list), f"{at}.parts", drift)


def _others(objects: Mapping[str, Any], choice: ToolChoice | None, drift: Drift) -> dict[str, Any]:
    """What the instruction and the tools' configuration say beside the typed fields."""
    rest: dict[str, Any] = {}
    system, at = _part_of(objects, "systemInstruction")
    if at and (set(system) != {"parts"} or at != "systemInstruction"):
        rest[at] = drift.rest(system, {"parts"}, {"role"}, at)
    config, at = _part_of(objects, "toolConfig")
    if at:
        taken = {either(config, "functionCallingConfig") or ""} if choice else set()
        rest[at] = drift.rest(config, taken, TOOL_CONFIG | {snake(each) for each in TOOL_CONFIG}, at)
    return rest


def _read_choice(objects: Mapping[str, Any]) -> ToolChoice | None:
    """The choice where its form is documented; any other stays a parameter."""
    config, _ = _part_of(objects, "toolConfig")
    key = either(config, "functionCallingConfig")
    if key is None or not isinstance(config[key], dict):
        return None
    calling, found = unsnaked(config[key], CALLING)
    mode, names = calling.get("mode"), calling.get("allowedFunctionNames")
    if not isinstance(names, list | None) or not all(isinstance(each, str) for each in names or ()):
        return None
    native = {name: value for name, value in calling.items() if name not in CALLING}
    if names == []:
        native["allowedFunctionNames"] = []
    if key != "functionCallingConfig":
        found = (*found, "functionCallingConfig")
    return _chosen(mode, tuple(names or ()), native | note(found))


def _chosen(mode: Any, names: tuple[str, ...], native: dict[str, Any]) -> ToolChoice | None:
    """`VALIDATED` lets the model speak or call, a call held to its schema: with names, what others call allowed."""
    match mode, names:
        case "ANY", ():
            return ToolChoice("any", native=native)
        case "ANY", (_,):
            return ToolChoice("tool", names, native=native)
        case "ANY", _:
            return ToolChoice("allowed", names, True, native=native)
        case "VALIDATED", (_, *_):
            return ToolChoice("allowed", names, native=native)
        case "NONE" | "AUTO", ():
            return ToolChoice("none" if mode == "NONE" else "auto", native=native)
        case "VALIDATED", ():
            return ToolChoice("auto", native={**native, "mode": mode})
    return None


def _write_choice(choice: ToolChoice) -> dict[str, Any]:
    modes = {"any": "ANY", "tool": "ANY", "none": "NONE", "auto": "AUTO"}
    mode = modes.get(choice.mode) or ("ANY" if choice.required else "VALIDATED")
    names = {"allowedFunctionNames": list(choice.names)} if choice.names else {}
    calling = spelled({"mode": mode, **names, **choice.native}, choice.native)
    return spelled({"functionCallingConfig": calling}, choice.native)


def _read_output(config: Mapping[str, Any]) -> tuple[OutputSchema | None, tuple[str, ...]]:
    """The schema a reply is held to, and the fields that said it; the note `:schema` names the field it stood in.

    The API's own schemas (`responseSchema`) name their types in capitals. A media type alone stays a parameter.
    """
    places = [(name, key) for name in SCHEMAS if (key := either(config, name))]
    mime = either(config, "responseMimeType")
    if len(places) != 1 or mime is None or config[mime] != JSON:
        return None, ()
    (name, key) = places[0]
    found = tuple(usual for usual, said in ((name, key), ("responseMimeType", mime)) if usual != said)
    where = {":schema": name} if name != SCHEMAS[0] else {}
    return OutputSchema(config[key], strict=None, native=where | note(found)), (key, mime)


def _write_output(output: OutputSchema) -> dict[str, Any]:
    key = output.native.get(":schema", SCHEMAS[0])
    return spelled({"responseMimeType": JSON, key: output.schema}, output.native)
