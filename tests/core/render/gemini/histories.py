"""Requests, as JSON, that follow the API's pages, and ones that do not; nothing here reads the code under test."""

from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]
NAMES = st.sampled_from(["search", "read_file", "a.b:c-d"])
IDS = st.sampled_from([None, None, "c1", "c2", "c3"])


def said(text: str, role: str = "user", **more: Any) -> Json:
    return {"role": role, "parts": [{"text": text, **more}]}


def call(name: str = "search", call_id: str | None = None, **more: Any) -> Json:
    return {"functionCall": {**({"id": call_id} if call_id else {}), "name": name, "args": {"q": "x"}}, **more}


def result(name: str = "search", call_id: str | None = None) -> Json:
    return {"functionResponse": {**({"id": call_id} if call_id else {}), "name": name, "response": {"output": "y"}}}


def tools(*names: str) -> list[Json]:
    return [{"functionDeclarations": [{"name": name, "parametersJsonSchema": {"type": "object"}} for name in names]}]


TEXTS = st.sampled_from(["a", "ü", "b c", "\n", "d", "e", "f", "g", "h", ""])
TEXT = st.builds(lambda text: {"text": text}, TEXTS)
THOUGHT = st.builds(
    lambda text, seal: {"text": text, "thought": True, **({"thoughtSignature": seal} if seal else {})},
    TEXTS,
    st.sampled_from(["", "c2VhbA=="]),
)
IMAGE = st.just({"inlineData": {"mimeType": "image/png", "data": "aGk="}})
CALL = st.builds(
    lambda name, call_id, seal: call(name, call_id, **({"thoughtSignature": "c2VhbA=="} if seal else {})),
    NAMES,
    IDS,
    st.booleans(),
)
RESULT = st.builds(result, NAMES, IDS)
PARTS = {"user": TEXT | IMAGE | RESULT, "model": TEXT | THOUGHT | CALL}


@st.composite
def contents(draw: st.DrawFn) -> list[Json]:
    """Any contents: mostly turns in order with every call answered, then disturbed in up to two places."""
    built: list[Json] = [said("begin")] if draw(st.integers(0, 9)) else []
    for _ in range(draw(st.integers(0, 4))):
        parts = draw(st.lists(PARTS["model"], min_size=1, max_size=3))
        asked = [part["functionCall"] for part in parts if "functionCall" in part]
        answers = [result(each["name"], each.get("id")) for each in asked]
        built.append({"role": "model", "parts": parts})
        built.append({"role": "user", "parts": draw(st.permutations(answers)) or [draw(TEXT)]})
        if draw(st.integers(0, 3)) == 0:
            built.append({"role": "user", "parts": [draw(TEXT)]})
    for _ in range(draw(st.integers(0, 2))):
        if built:
            place = draw(st.integers(0, len(built) - 1))
            role = draw(st.sampled_from(["user", "model"]))
            match draw(st.sampled_from(["drop", "add", "swap", "clear"])):
                case "drop":
                    del built[place]
                case "add":
                    built.insert(place, {"role": role, "parts": draw(st.lists(PARTS[role], min_size=1, max_size=2))})
                case "swap":
                    other = draw(st.integers(0, len(built) - 1))
                    built[place], built[other] = built[other], built[place]
                case "clear":
                    built[place] = {"role": built[place]["role"], "parts": []}
    return built


def documented(history: list[Json], signed: bool) -> bool:
    """True for contents that the API's pages allow: written from them, over the JSON alone.

    Contents of one role in a row are one turn. As many function responses as calls follow in the very next turn, before
    any content that holds none; each bears the name of its call, and its id where both have one. In the turn under way,
    which began when the user last said something, the first call of each step carries its signature. A text of
    nothing is no part.
    """
    if not history or history[0]["role"] != "user" or any(not each["parts"] for each in history):
        return False
    if any(part.get("text") == "" and "thought" not in part for each in history for part in each["parts"]):
        return False
    if history[-1]["role"] == "model":
        return False
    turns: list[tuple[str, list[list[Json]]]] = []
    for content in history:
        if turns and turns[-1][0] == content["role"]:
            turns[-1][1].append(content["parts"])
        else:
            turns.append((content["role"], [content["parts"]]))
    pairs = [("user", []), *turns]
    return all(_follows(pairs[at][1], pairs[at + 1]) for at in range(len(turns))) and (not signed or _signed(turns))


def _flat(contents_of_turn: list[list[Json]], key: str) -> list[Json]:
    return [part for parts in contents_of_turn for part in parts if key in part]


def _follows(before: list[list[Json]], turn: tuple[str, list[list[Json]]]) -> bool:
    role, parts = turn
    if role == "model":
        return not _flat(parts, "functionResponse")
    asked = [each["functionCall"] for each in _flat(before, "functionCall")]
    given = [each["functionResponse"] for each in _flat(parts, "functionResponse")]
    holds = [any("functionResponse" in part for part in each) for each in parts]
    return len(asked) == len(given) and holds == sorted(holds, reverse=True) and _paired(given, asked)


def _paired(given: list[Json], asked: list[Json]) -> bool:
    """Taken in order, each response finds a call that is still open."""
    left = list(asked)
    for each in given:
        fits = [
            one
            for one in left
            if one["name"] == each["name"] and ("id" not in one or "id" not in each or one["id"] == each["id"])
        ]
        if not fits:
            return False
        left.remove(fits[0])
    return True


def _signed(turns: list[tuple[str, list[list[Json]]]]) -> bool:
    begun = max(
        at
        for at, (role, parts) in enumerate(turns)
        if role == "user" and any("functionResponse" not in part for each in parts for part in each)
    )
    firsts = [_flat(parts, "functionCall")[:1] for role, parts in turns[begun:] if role == "model"]
    return all("thoughtSignature" in part for first in firsts for part in first)
