"""What assembling costs: engine time per decision by number of candidates, and a 32k-token set with its manifest.

`core_N`: plan, scope, utility, redundancy, packing, layout and rendering of N candidates at hand, seen before.
`store_N`: the same with sources, redaction, the count of the whole prompt, and everything on record in SQLite.
`set_32k_warm`, `set_32k_cold`: a decision of 32,000 tokens with its manifest and without a store, when its texts were
seen before and when every one of them is new. The peer is langchain-core's `trim_messages` over the same texts, with
its approximate counter or with ours, measured in the same run; where it is not installed, the peer is left out.
"""

import argparse
import importlib.util
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from callsheet.core.decide import Prepared, prepare
from callsheet.core.record.fingerprint import fingerprint
from callsheet.core.sources.instructions import BOUNDARY, kind_item, section_item
from callsheet.drive import drive
from callsheet.drive.items import Items
from callsheet.drive.outside import Outside
from callsheet.edges.counters.estimate import EstimateCounter
from callsheet.edges.counters.qwen import TOKENIZER, QwenCounter
from callsheet.edges.stores import open_tenant
from callsheet.model.effect import Effect
from callsheet.model.evidence import Evidence, Query, Search
from callsheet.model.policy import AssemblyPolicy, DecisionKind, ModelProfile, Policy, Project, Section
from callsheet.model.request import RequestContext
from callsheet.model.task import Task, TaskState
from callsheet.ports import Counter
from callsheet.testing import FakeStates, fake_ports

NOW = datetime(2026, 7, 15, tzinfo=UTC)
CTX = RequestContext("bench", "bench", "u1", now=NOW)
QUESTION = "Why does the client fail after the update?"
WINDOW, ROOM = 36_000, 400
SIZES = (10, 100, 1_000)
ITEMS, CHARACTERS = 125, 1_100
"""As many sections as fill 32,000 tokens, each as long as the index cuts them."""
COMMON = """
    the of and to a in is it you that he was for on are with as his they be at one have this from or had by hot but some
    what there we can out other were all your when up use word how said an each she which do their time if will way
    about many then them would write like so these her long make thing see him two has look more day could go come did
    sound no most number who over know water than call first people may down side been now find any new work part take
    get place made live where after back little only round man year came show every good me give our under name very
    through just form much great think say help low line before turn cause same mean differ move right boy old too does
    tell sentence set three want air well also play small end put home read hand port large spell add even land here
    must big high such follow act why ask men change went light kind off need house picture try us again animal point
    mother world near build self earth father head stand own page should country found answer school grow study still
    learn plant cover food sun four thought let keep eye never last door between city tree cross since hard start might
    request account server client token status invoice version update failure console region limit retry header
"""
LIMITS = {"set_32k_warm": 5.0, "set_32k_cold": 15.0}


class Nothing:
    """A ledger that keeps nothing: what the engine costs without a store."""

    def begin(self, *_: Any) -> None: ...

    def write(self, *_: Any) -> None: ...

    def sending(self, *_: Any) -> None: ...


@dataclass
class Given:
    """An index that gives back what the round is to have."""

    evidence: tuple[Evidence, ...] = ()

    def search(self, query: Query) -> Search:
        return Search(self.evidence, len(self.evidence))


@dataclass
class Bench:
    """One engine: its policy, its cache of items, its index and its outside."""

    policy: Policy
    items: Items
    index: Given
    outside: Outside
    run: int = 0

    def decision(self) -> Prepared:
        """One decision prepared, under a run id of its own."""
        self.run += 1
        return drive(prepare(CTX, Task(QUESTION, f"bench-{self.run}"), self.policy), self.outside)


def texts(count: int, seed: str, characters: int = CHARACTERS) -> list[str]:
    """Texts of which no two say the same, from a fixed seed; words as frequent as in prose, one in eight rare."""
    chance = random.Random(seed)
    common = COMMON.split()
    often = [1 / (place + 3) for place in range(len(common))]
    rare = [f"{one}{other}" for one in common[60:] for other in ("ation", "less", "_id", "ing", "v2", "Error")]

    def text() -> str:
        said = chance.choices(common, often, k=characters // 4)
        for place in range(0, len(said), 8):
            said[place] = chance.choice(rare)
        return " ".join(said)[:characters].capitalize()

    return [text() for _ in range(count)]


def evidence(found: list[str], seed: str) -> tuple[Evidence, ...]:
    """Each text as a section of a document of its own, relevance falling."""
    return tuple(
        Evidence(
            evidence_id=f"{seed}/{number:05}@v1#text",
            tenant_id="bench",
            document_id=f"{seed}/{number:05}",
            version="v1",
            section="text",
            heading="",
            text=text,
            start=0,
            end=len(text),
            relevance=1 - number / (2 * len(found)),
            rank=number + 1,
        )
        for number, text in enumerate(found)
    )


def counter() -> Counter:
    """The exact counter where its tokenizer is installed, else the estimate."""
    return QwenCounter() if importlib.util.find_spec(TOKENIZER) else EstimateCounter()


def policy(count: Counter, evidence: int) -> Policy:
    """One decision kind that takes so many pieces of evidence where they fit."""
    items = Items(count)
    kind = DecisionKind("answer", "support", instruction="Decide: answer from the evidence, and name it.", cite=True)
    sections = (Section(f"section-{n}", "policy", "v1", text) for n, text in enumerate(texts(4, "sections", 300)))
    project = Project(
        instructions=tuple(items.measured(section_item(each)) for each in (*sections, BOUNDARY)),
        tools=(),
        examples=(),
        decisions={"answer": kind},
        entry="answer",
        kind_instructions={"answer": items.measured(kind_item(kind, "v1"))},
        policy_version="v1",
    )
    profile = ModelProfile("bench", "openai_chat", WINDOW, ROOM, "qwen")
    whole = Policy(project, profile, AssemblyPolicy(candidates=10_000, max_evidence=evidence))
    return replace(whole, fingerprint=fingerprint(whole))


def bench(count: Counter, ledger: Any, evidence: int = AssemblyPolicy().max_evidence) -> Bench:
    """An engine with fakes all around it, but for the ledger; it takes as much evidence as a project by default."""
    items, index = Items(count), Given()
    states = FakeStates({"u1": TaskState(goal="find out why the client fails", version=1)})
    ports = fake_ports(CTX, None, counter=count, items=items, indexes=(index,), states=states, ledger=ledger)
    chosen = policy(count, evidence)
    return Bench(chosen, items, index, Outside(CTX, chosen, ports))


def timed(work: Callable[[], Any]) -> float:
    """Milliseconds of one run."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1_000


def core_alone(engine: Bench) -> Callable[[], Any]:
    """A decision whose items are at hand: the answers are those of an earlier round, and nothing is recorded."""
    answers: dict[type, Any] = {}

    def keep(effect: Effect[Any]) -> Any:
        answers[type(effect)] = engine.outside(effect)
        return answers[type(effect)]

    task = Task(QUESTION, "bench-0")
    drive(prepare(CTX, task, engine.policy), keep)
    return lambda: drive(prepare(CTX, task, engine.policy), lambda effect: answers[type(effect)])


def by_size(n: int) -> Iterator[tuple[str, list[float], str]]:
    """(figure, times, peer) for each number of candidates; the store is warm, as in a process that goes on."""
    count = counter()
    with tempfile.TemporaryDirectory() as folder, open_tenant(folder, "bench") as store:
        for size in SIZES:
            found = texts(size, f"size-{size}")
            engine, recorded = bench(count, Nothing()), bench(count, store.ledger)
            engine.index.evidence = recorded.index.evidence = evidence(found, f"size-{size}")
            core, peer = core_alone(engine), trimming(found, "approximate")
            recorded.decision()
            times: dict[str, list[float]] = {f"core_{size}": [], f"store_{size}": [], f"trim_{size}": []}
            for _ in range(n):  # in turns, so that a busy moment hits every kind
                times[f"core_{size}"].append(timed(core))
                times[f"store_{size}"].append(timed(recorded.decision))
                if peer is not None:
                    times[f"trim_{size}"].append(timed(peer))
            for name, values in times.items():
                if values:
                    yield name, values, f"trim_{size}" if peer is not None and not name.startswith("trim") else ""


def large_set(n: int) -> Iterator[tuple[str, list[float], str]]:
    """(figure, times, peer) for a set of 32,000 tokens, its texts seen before, and all of them new."""
    count = counter()
    engine = bench(count, Nothing(), evidence=ITEMS)
    rounds = [texts(ITEMS, f"round-{number}") for number in range(n + 1)]
    prepared = [evidence(found, f"round-{number}") for number, found in enumerate(rounds)]
    engine.index.evidence = prepared[0]
    first = engine.decision()
    assert first.manifest.total_input_tokens >= 32_000 and not first.working_set.left_out
    cold, warm, peers = [], [], []
    for number in range(1, n + 1):
        engine.index.evidence = prepared[number]
        cold.append(timed(engine.decision))
        warm.append(timed(engine.decision))
        peer = trimming(rounds[number], "exact")
        if peer is not None:
            peers.append(timed(peer))
    yield "set_32k_warm", warm, "trim_32k_exact" if peers else ""
    yield "set_32k_cold", cold, "trim_32k_exact" if peers else ""
    if peers:
        yield "trim_32k_exact", peers, ""


def trimming(found: list[str], kind: str) -> Callable[[], Any] | None:
    """langchain-core's `trim_messages` over the same texts, into the same window; None where it is not installed."""
    if importlib.util.find_spec("langchain_core") is None:
        return None
    from langchain_core.messages import HumanMessage, trim_messages
    from langchain_core.messages.utils import count_tokens_approximately

    count = counter()
    messages = [HumanMessage(text) for text in found]
    exact: Callable[[Any], int] = lambda each: sum(count.count(message.content) for message in each)  # noqa: E731
    measure = exact if kind == "exact" else count_tokens_approximately
    return lambda: trim_messages(messages, max_tokens=WINDOW - ROOM, strategy="last", token_counter=measure)


def work_of_rounds() -> dict[str, tuple[int, str]]:
    """Items rendered and texts counted: in the first round, in the same again, and in one with ten new texts."""
    engine = bench(counter(), Nothing())
    found, new = texts(ITEMS, "first"), texts(10, "new")
    told: dict[str, tuple[int, str]] = {}
    rounds = {
        "first": evidence(found, "first"),
        "same": evidence(found, "first"),
        "ten_new": (*evidence(found, "first")[10:], *evidence(new, "new")),
    }
    for name, given in rounds.items():
        engine.index.evidence = given
        before = replace(engine.items.work)
        engine.decision()
        told[f"rendered_{name}"] = (engine.items.work.rendered - before.rendered, "items")
        told[f"counted_{name}"] = (engine.items.work.counted - before.counted, "texts")
    return told


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def figures(n: int) -> dict[str, dict[str, Any]]:
    """Every figure: the median, and for the large set the 95th percentile with its limit."""
    measured = [*by_size(n), *large_set(n)]
    medians = {name: statistics.median(values) for name, values, _ in measured}
    told: dict[str, dict[str, Any]] = {}
    for name, values, peer in measured:
        told[name] = {"value": round(medians[name], 3), "unit": "ms", "n": len(values)}
        if peer:
            told[name] |= {"peer": peer, "ratio": round(medians[name] / medians[peer], 3)}
        if name in LIMITS:
            p95 = percentile(values, 0.95)
            told[f"{name}_p95"] = {"value": round(p95, 3), "unit": "ms", "n": len(values)}
            told[f"{name}_p95"] |= {"limit": LIMITS[name], "within": p95 <= LIMITS[name]}
    told |= {name: {"value": value, "unit": unit, "n": 1} for name, (value, unit) in work_of_rounds().items()}
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a limit is missed")
    parser.add_argument("-n", type=int, default=40, help="runs of each kind")
    options = parser.parse_args()
    told = figures(options.n)
    if options.json:
        print(json.dumps({"bench": "assemble", "figures": told}))
    else:
        report(told)
    if options.check and not all(figure.get("within", True) for figure in told.values()):
        sys.exit(1)


def report(told: dict[str, dict[str, Any]]) -> None:
    """Prints a line per figure."""
    for name, figure in told.items():
        more = f"   {figure['ratio']} x {figure['peer']}" if "peer" in figure else ""
        limit = f"   limit {figure['limit']}{'' if figure['within'] else ' missed'}" if "limit" in figure else ""
        print(f"{name:<18} {figure['value']:>9} {figure['unit']}{limit}{more}")


if __name__ == "__main__":
    main()
