"""What keeping a long conversation costs the engine, round by round; beside other packages on the same messages.

`round_NAME_N`: a conversation of N messages stands; a call and its result come, nothing is due, and the request is
made: what is new is added, triggers are checked, messages are handed over. `session_NAME`: the same for a whole
conversation of 1,000 messages in a window of 20,000 tokens, in which everybody cuts, clears or summarises whenever it
is due; the mean of its rounds. Times are of the processor, not of the clock. A model that writes a summary is a fake
one, ours is made by rule. `grows_NAME`: how many times as long a round takes on 10,000 messages as on 100. `new_NAME`:
messages that a round on 10,000 edits and lays out, of which two are new.

`billed NAME`: what the long sessions of CALLSHEET_DATA (bench/DATA.md) would have been billed and what survived, ours
and theirs (`history_billed.py` says how); without that folder it is left out. `--billed` measures this alone.

    python bench/history.py [--json] [--check] [-n 20]
    CALLSHEET_DATA=... python bench/history.py --billed [--json] [--window 100000]

The peers come from `requirements/bench.txt`; one that is not installed is named on stderr and left out. LangChain and
pydantic-ai-harness count four characters as a token, ours estimates by the text; Strands counts messages alone.
"""

import argparse
import asyncio
import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.layout.edited import edited_message
from callsheet.core.history.summary.by_rule import draft
from callsheet.core.history.terms import Terms
from callsheet.drive import drive
from callsheet.edges.counters.estimate import EstimateCounter
from callsheet.model.history import Entry
from callsheet.model.history_policy import Clear, Compact, HistoryPolicy, Slide, Trigger
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock
from history_billed import FOLDERS, SENT, billed, lines
from recordings import folder

SIZES = (100, 1_000, 10_000)
SESSION, WINDOW, KEEP = 1_000, 20_000, 10_000
FULL = Trigger("threshold", 1.0, KEEP / WINDOW)
NEVER = 100_000_000
"""Tokens that no conversation here has."""
CALLS = 6
Said = tuple[str, str, str]
"""Who speaks (`person`, `call`, `result`, `model`), a call's id, and the text."""
Round = Callable[[Sequence[Said]], int]
"""Takes what is new in, makes the request, and gives the number of its messages."""
Start = Callable[[int | None], Round]
"""A policy ready to begin, with a window of so many tokens, or one that is never full."""


def conversation() -> Iterator[Said]:
    """Turns of a person, each with calls and results one after the other and an answer; without an end."""
    number = 0
    while True:
        yield "person", "", f"Question {number}: why does the job of step {number} fail, and what do we change? " * 3
        for call in range(CALLS):
            yield "call", f"c{number}-{call}", f"src/service/part_{call}.py"
            yield (
                "result",
                f"c{number}-{call}",
                f"def step_{number}(value: int) -> int:\n    return value + {call}\n" * 20,
            )
        yield "model", "", f"The step {number} fails because of the value of part {number % CALLS}. " * 4
        number += 1


def said(count: int, talk: Iterator[Said]) -> list[Said]:
    return [next(talk) for _ in range(count)]


# Ours


def ours(*steps: Any) -> Start:
    return lambda window: _ours(HistoryPolicy("bench", steps), window)


def _ours(policy: HistoryPolicy, window: int | None) -> Round:
    held, count = Conversation(policy), EstimateCounter().count
    terms = Terms(int((window or NEVER) * 1.25), count, tools=frozenset(("read",)))
    speakers: Mapping[str, Any] = {"person": "person", "result": "tool"}

    def take(new: Sequence[Said]) -> int:
        for each in new:
            tokens = (count(each[2]),)
            held.add(Entry(len(held.history), message(each), tokens, speakers.get(each[0], "model")))
        return len(drive(held.prepare(terms), draft).shown)  # type: ignore[arg-type]

    return take


def message(each: Said) -> Message:
    who, call_id, text = each
    if who == "call":
        return Message("assistant", (CallBlock(id=call_id, name="read", arguments={"path": text}),))
    if who == "result":
        return Message("tool", (ResultBlock(call_id=call_id, blocks=(TextBlock(text=text),)),))
    return Message("user" if who == "person" else "assistant", (TextBlock(text=text),), form="text")


def edited_in_a_round(start: Start) -> int:
    """How many messages a round on 10,000 edits and lays out anew, of which two are new."""
    take, talk = start(None), conversation()
    take(said(SIZES[-1] + 1, talk))
    seen = 0

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal seen
        seen += event == "call" and frame.f_code is edited_message.__code__

    new = said(2, talk)
    sys.setprofile(count)
    try:
        take(new)
    finally:
        sys.setprofile(None)
    return seen


# Peers


def _langchain_messages(new: Sequence[Said]) -> list[Any]:
    lc = importlib.import_module("langchain_core.messages")
    made: Mapping[str, Callable[[str, str], Any]] = {
        "person": lambda _, text: lc.HumanMessage(text),
        "call": lambda at, text: lc.AIMessage("", tool_calls=[{"id": at, "name": "read", "args": {"path": text}}]),
        "result": lambda at, text: lc.ToolMessage(text, tool_call_id=at),
        "model": lambda _, text: lc.AIMessage(text),
    }
    return [made[who](call_id, text) for who, call_id, text in new]


def langchain_trim(window: int | None) -> Round:
    lc = importlib.import_module("langchain_core.messages")
    messages: list[Any] = []

    def take(new: Sequence[Said]) -> int:
        messages.extend(_langchain_messages(new))
        options = {"token_counter": lc.utils.count_tokens_approximately, "start_on": "human", "include_system": True}
        return len(lc.trim_messages(messages, max_tokens=window or NEVER, **options))

    return take


def langchain_clear(window: int | None) -> Round:
    middleware = importlib.import_module("langchain.agents.middleware")
    edit = middleware.ClearToolUsesEdit(trigger=window or NEVER)
    editing, messages = middleware.ContextEditingMiddleware(edits=[edit]), list[Any]()

    def take(new: Sequence[Said]) -> int:
        messages.extend(_langchain_messages(new))
        request = middleware.ModelRequest(model=_fake_chat(), messages=messages)
        return len(editing.wrap_model_call(request, lambda edited: edited.messages))

    return take


def langchain_summarize(window: int | None) -> Round:
    middleware = importlib.import_module("langchain.agents.middleware")
    trigger, keep = ("tokens", window or NEVER), ("tokens", KEEP)
    summarizing = middleware.SummarizationMiddleware(_fake_chat(), trigger=trigger, keep=keep)
    messages: list[Any] = []

    def take(new: Sequence[Said]) -> int:
        messages.extend(_langchain_messages(new))
        changed = summarizing.before_model({"messages": messages}, None)
        if changed is not None:
            messages[:] = changed["messages"][1:]  # the first one says that all others go
        return len(messages)

    return take


def _fake_chat() -> Any:
    fakes = importlib.import_module("langchain_core.language_models.fake_chat_models")
    return fakes.FakeListChatModel(responses=["A summary of what was said and done. " * 20])


def strands_sliding(window: int | None) -> Round:
    managers = importlib.import_module("strands.agent.conversation_manager")
    manager = managers.SlidingWindowConversationManager(window_size=40 if window else NEVER)
    agent: Any = SimpleNamespace(messages=[])
    made: Mapping[str, Callable[[str, str], tuple[str, Any]]] = {
        "person": lambda _, text: ("user", {"text": text}),
        "call": lambda at, text: ("assistant", {"toolUse": {"toolUseId": at, "name": "read", "input": {"path": text}}}),
        "result": lambda at, text: (
            "user",
            {"toolResult": {"toolUseId": at, "status": "success", "content": [{"text": text}]}},
        ),
        "model": lambda _, text: ("assistant", {"text": text}),
    }

    def take(new: Sequence[Said]) -> int:
        for who, call_id, text in new:
            role, block = made[who](call_id, text)
            agent.messages.append({"role": role, "content": [block]})
        manager.apply_management(agent)
        return len(agent.messages)

    return take


def harness(name: str, **options: Any) -> Start:
    return lambda window: _harness(name, options if window else {}, window)


def _harness(name: str, options: Mapping[str, Any], window: int | None) -> Round:
    compaction = importlib.import_module("pydantic_ai_harness.compaction")
    said_as, run = importlib.import_module("pydantic_ai.messages"), importlib.import_module("pydantic_ai")
    models, fake = importlib.import_module("pydantic_ai.models"), importlib.import_module("pydantic_ai.models.test")
    usage = importlib.import_module("pydantic_ai.usage")
    model = fake.TestModel(custom_output_text="A summary of what was said and done. " * 20)
    step = getattr(compaction, name)(max_tokens=window or NEVER, **options)
    made: Mapping[str, Callable[[str, str], Any]] = {
        "person": lambda _, text: said_as.ModelRequest([said_as.UserPromptPart(text)]),
        "call": lambda at, text: said_as.ModelResponse([said_as.ToolCallPart("read", {"path": text}, at)]),
        "result": lambda at, text: said_as.ModelRequest([said_as.ToolReturnPart("read", text, at)]),
        "model": lambda _, text: said_as.ModelResponse([said_as.TextPart(text)]),
    }
    ctx = run.RunContext(deps=None, model=model, usage=usage.RunUsage(), messages=[])
    loop = asyncio.new_event_loop()

    def take(new: Sequence[Said]) -> int:
        ctx.messages.extend(made[who](call_id, text) for who, call_id, text in new)
        parameters = models.ModelRequestParameters()
        request = models.ModelRequestContext(
            model=model, messages=list(ctx.messages), model_settings=None, model_request_parameters=parameters
        )
        return len(loop.run_until_complete(step.before_model_request(ctx, request)).messages)

    return take


OURS: Mapping[str, Start] = {
    "full": ours(),
    "slide": ours(Slide(FULL)),
    "clear": ours(Clear(FULL)),
    "compact": ours(Compact(FULL)),
}
PEERS: Mapping[str, Start] = {
    "langchain_trim": langchain_trim,
    "langchain_clear": langchain_clear,
    "langchain_summarize": langchain_summarize,
    "strands_sliding": strands_sliding,
    "harness_sliding": harness("SlidingWindowCompaction", keep_tokens=KEEP),
    "harness_clear": harness("ClearToolResults"),
    "harness_summarize": harness("SummarizingCompaction", keep_tokens=KEEP),
}
BESIDE = {
    "full": "langchain_trim",
    "slide": "langchain_trim",
    "clear": "langchain_clear",
    "compact": "langchain_summarize",
}


def measured(name: str, start: Start, n: int) -> dict[str, dict[str, Any]]:
    told: dict[str, dict[str, Any]] = {}
    for size in SIZES:
        take, talk = start(None), conversation()
        take(said(size + 1, talk))  # the person has spoken, or a call is answered: it is the model's turn
        times = []
        for turn in range(n + 1):
            new = said(2, talk)
            begun = time.process_time()
            take(new)
            if turn:
                times.append(time.process_time() - begun)
        told[f"round_{name}_{size}"] = {"value": round(statistics.median(times) * 1e3, 4), "unit": "ms", "n": n}
    least, most = told[f"round_{name}_{SIZES[0]}"]["value"], told[f"round_{name}_{SIZES[-1]}"]["value"]
    told[f"grows_{name}"] = {"value": round(most / least, 1), "unit": "times", "n": n}
    take, talk = start(WINDOW), conversation()
    begun = time.process_time()
    take(said(1, talk))
    for _ in range(SESSION // 2):
        take(said(2, talk))
    told[f"session_{name}"] = {
        "value": round((time.process_time() - begun) / (SESSION // 2) * 1e3, 4),
        "unit": "ms per round",
        "n": SESSION // 2,
    }
    return told


def speed(n: int) -> dict[str, dict[str, Any]]:
    """The times of everybody, ours beside the peer's that does the same."""
    told: dict[str, dict[str, Any]] = {}
    for name, start in PEERS.items():
        try:
            told |= measured(name, start, n)
        except ImportError as missing:
            print(f"{name}: not measured, {missing.name} is not installed", file=sys.stderr)
    for name, start in OURS.items():
        told |= measured(f"callsheet_{name}", start, n)
        told[f"new_{name}"] = {"value": edited_in_a_round(start), "unit": "messages", "n": 1}
        for kind in (*(f"round_{{}}_{size}" for size in SIZES), "session_{}"):
            figure, peer = told[kind.format(f"callsheet_{name}")], kind.format(BESIDE[name])
            if peer in told and figure["value"]:
                figure |= {"peer": peer, "ratio": round(told[peer]["value"] / figure["value"], 1)}
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a round touches more than what is new")
    parser.add_argument("--billed", action="store_true", help="measure billed tokens and survival alone")
    parser.add_argument("--window", type=int, default=SENT, help="the window, in tokens, of what is billed")
    parser.add_argument("-n", type=int, default=20, help="rounds of each kind")
    options = parser.parse_args()
    data = folder(*FOLDERS)
    timed = {} if options.billed else speed(options.n)
    paid = {} if data is None else billed(data, options.window)
    if options.json:
        print(json.dumps({"bench": "history", "figures": timed | paid}))
    else:
        for key, figure in timed.items():
            more = f"   {figure['peer']} takes {figure['ratio']} times as long" if "peer" in figure else ""
            print(f"{key:<36} {figure['value']:>10} {figure['unit']}{more}")
        for line in lines(paid):
            print(line)
    if options.check and any(timed[f"new_{name}"]["value"] != 2 for name in OURS if timed):
        sys.exit(1)


if __name__ == "__main__":
    main()
