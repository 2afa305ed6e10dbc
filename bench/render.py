"""What speaking to a model costs, per dialect: a working set to its wire, a reply to a response, a text to its tokens.

`render_DIALECT_warm`, `_cold`: a set of 32,000 tokens laid out, encoded, written and joined with the owner of every
byte, when its items were escaped, hashed and marked before, and when they are now; beside `json.dumps` of that body.
`item_DIALECT_warm`, `_cold`: the same per item. `parse_DIALECT_whole`, `_stream`: a reply of 2 kB to text, usage and
finish; beside `json.loads`. `count_COUNTER`: text to a number of tokens, in pieces as long as evidence; beside
tiktoken, whose ranks come from the package `bpe-openai`, so that nothing is downloaded (`requirements/bench.txt`).
`new_DIALECT_*`: items rendered, texts counted and fragments hashed in a round with ten new texts.
"""

import argparse
import gzip
import hashlib
import importlib.util
import json
import os
import statistics
import sys
import tempfile
import time
from collections import Counter as Tally
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from assemble import ITEMS, Bench, Nothing, bench, evidence, texts
from callsheet.core.prepared import Prepared
from callsheet.core.proposal.channel import reply_format
from callsheet.core.record.fingerprint import fingerprint
from callsheet.core.render import fragment as fragments
from callsheet.core.render import writer
from callsheet.core.render.dialects import DIALECTS, read_response, render
from callsheet.core.render.fragment import fragment
from callsheet.core.render.lay_out import lay_out
from callsheet.edges.counters.estimate import EstimateCounter, O200kCounter
from callsheet.edges.counters.qwen import TOKENIZER, QwenCounter
from callsheet.lab.replies import reply
from callsheet.model.item import ContextItem
from callsheet.model.manifest import WorkingSet
from callsheet.model.policy import DialectName
from callsheet.model.wire import Wire

RANKS = "o200k_base"
RANKS_AT = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
"""The name under which tiktoken looks for its ranks in its cache; it checks their hash, and downloads nothing."""
ANSWER = {"kind": "answer", "answer": texts(1, "answer", 1_900)[0], "sources": ["answer/1@v1"], "next_steps": []}
Times = dict[str, list[float]]


def engine(dialect: DialectName) -> Bench:
    """An engine that writes to a model of this dialect."""
    count = O200kCounter() if importlib.util.find_spec(TOKENIZER) else EstimateCounter()  # for a prompt of any dialect
    made = bench(count, Nothing(), evidence=ITEMS)
    policy = replace(made.policy, model=replace(made.policy.model, dialect=dialect))
    made.policy = made.outside.policy = replace(policy, fingerprint=fingerprint(policy))
    return made


def prepared(dialect: DialectName) -> Prepared:
    """A decision on 32,000 tokens."""
    made = engine(dialect)
    made.index.evidence = evidence(texts(ITEMS, "render"), "render")
    decision = made.decision()
    assert decision.objection is None and decision.manifest.total_input_tokens >= 31_000
    return decision


def written(decision: Prepared, working_set: WorkingSet) -> Wire:
    """The wire of a working set, as a decision writes it."""
    shape = replace(decision.shape, working_set=working_set)
    profile = decision.policy.model
    prompt = lay_out(working_set, profile, decision.plan.budget, reply_format(shape, profile))
    return render(prompt, profile.dialect, {item.item_id for item in working_set.prefix})


def fresh(working_set: WorkingSet) -> WorkingSet:
    """The working set with every item escaped and hashed anew, and nothing kept by the writer."""
    for kept in (writer._escaped, writer._frame, writer._owned):
        kept.cache_clear()

    def again(items: tuple[ContextItem, ...]) -> tuple[ContextItem, ...]:
        return tuple(replace(item, fragment=fragment(item.text, item.token_count)) for item in items)

    prefix, context, material = map(again, (working_set.prefix, working_set.context, working_set.material))
    return replace(working_set, prefix=prefix, context=context, material=material)


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def medians(kinds: dict[str, Callable[[], Any]], n: int) -> dict[str, float]:
    """The median time of each kind, run in turns, so that a busy moment hits all of them; the first turn warms up."""
    times: Times = {name: [] for name in kinds}
    for turn in range(n + 1):
        for name, work in kinds.items():
            taken = seconds(work)
            if turn:
                times[name].append(taken)
    return {name: statistics.median(values) for name, values in times.items()}


def rendering(dialect: DialectName, n: int) -> dict[str, dict[str, Any]]:
    decision = prepared(dialect)
    chosen = decision.working_set
    body = written(decision, chosen).body
    assert written(decision, fresh(chosen)).body == body == decision.wire.body
    tree = json.loads(body)
    items = len((*chosen.prefix, *chosen.context, *chosen.material))
    took = medians(
        {
            "warm": lambda: written(decision, chosen),
            "cold": lambda: written(decision, fresh(chosen)),
            "dumps": lambda: json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode(),
        },
        n,
    )
    told = {f"dumps_{dialect}": rate(len(body), took["dumps"], n)}
    for name in ("warm", "cold"):
        told[f"render_{dialect}_{name}"] = beside(rate(len(body), took[name], n), told, f"dumps_{dialect}")
        told[f"item_{dialect}_{name}"] = {"value": round(took[name] / items * 1e6, 2), "unit": "us per item", "n": n}
    return told


def parsing(dialect: DialectName, n: int) -> dict[str, dict[str, Any]]:
    profile = replace(engine(dialect).policy.model, dialect=dialect)
    bodies = {"whole": reply(ANSWER, profile), "stream": reply(ANSWER, replace(profile, stream=True))}
    assert read_response(bodies["whole"], dialect).message.text == read_response(bodies["stream"], dialect).message.text
    times = 50
    took = medians(
        {
            "whole": lambda: [read_response(bodies["whole"], dialect) for _ in range(times)],
            "stream": lambda: [read_response(bodies["stream"], dialect) for _ in range(times)],
            "loads": lambda: [json.loads(bodies["whole"]) for _ in range(times)],
        },
        n,
    )
    loads = {"value": round(took["loads"] / times * 1e6, 1), "unit": "us", "n": n}
    told = {f"loads_{dialect}": loads}
    for name in ("whole", "stream"):
        figure = {"value": round(took[name] / times * 1e6, 1), "unit": "us", "n": n}
        told[f"parse_{dialect}_{name}"] = beside(figure, told, f"loads_{dialect}")
    return told


def counting(n: int) -> dict[str, dict[str, Any]]:
    """Megabytes a second of each counter there is, over the same pieces of text."""
    pieces = texts(500, "count")
    counters: dict[str, Callable[[str], int]] = {"estimate": EstimateCounter().count}
    if importlib.util.find_spec(TOKENIZER):
        counters |= {"qwen": QwenCounter().count, "o200k": O200kCounter().count}
    peer = tiktoken()
    if peer is not None:
        counters["tiktoken"] = peer
        if "o200k" in counters:
            assert all(counters["o200k"](each) == peer(each) for each in pieces), "o200k and tiktoken count differently"
    kinds = {name: (lambda count=count: [count(each) for each in pieces]) for name, count in counters.items()}
    took = medians(kinds, n)
    size = sum(len(each.encode()) for each in pieces)
    told = {f"count_{name}": rate(size, taken, n) for name, taken in took.items()}
    if peer is not None:
        for name in counters.keys() - {"tiktoken"}:
            beside(told[f"count_{name}"], told, "count_tiktoken")
    return told


def tiktoken() -> Callable[[str], int] | None:
    """Tiktoken's count by o200k, or None where it or its ranks are not installed."""
    found = importlib.util.find_spec("bpe_openai")
    if found is None or importlib.util.find_spec("tiktoken") is None:
        return None
    (package,) = found.submodule_search_locations or ()
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, hashlib.sha1(RANKS_AT.encode()).hexdigest())
        kept.write_bytes(gzip.decompress(Path(package, "data", f"{RANKS}.tiktoken.gz").read_bytes()))
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        import tiktoken

        encoding = tiktoken.get_encoding(RANKS)
    return lambda text: len(encoding.encode_ordinary(text))


def only_new(dialect: DialectName) -> dict[str, dict[str, Any]]:
    """What the second round of a session did to its items, of which ten were new."""
    made = engine(dialect)
    found = evidence(texts(ITEMS, "first"), "first")
    made.index.evidence = found
    made.decision()
    before = replace(made.items.work)
    made.index.evidence = (*found[10:], *evidence(texts(10, "new"), "new"))
    hashed: Tally[str] = Tally()

    def seen(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is fragments.digest.__code__:
            hashed[frame.f_back.f_code.co_name] += 1

    sys.setprofile(seen)
    try:
        made.decision()
    finally:
        sys.setprofile(None)
    work = made.items.work
    counts = {
        "rendered": work.rendered - before.rendered,
        "counted": work.counted - before.counted,
        "hashed": hashed["fragment"],
    }
    return {f"new_{dialect}_{name}": {"value": value, "unit": "items", "n": 1} for name, value in counts.items()}


def rate(size: int, taken: float, n: int) -> dict[str, Any]:
    return {"value": round(size / taken / 1e6, 1), "unit": "MB/s", "n": n}


def beside(figure: dict[str, Any], told: dict[str, dict[str, Any]], peer: str) -> dict[str, Any]:
    """The figure with its ratio to a peer of the same run."""
    figure |= {"peer": peer, "ratio": round(figure["value"] / told[peer]["value"], 2)}
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a round touches more than what is new")
    parser.add_argument("-n", type=int, default=20, help="runs of each kind")
    options = parser.parse_args()
    told: dict[str, dict[str, Any]] = {}
    for dialect in DIALECTS:
        told |= rendering(dialect, options.n) | parsing(dialect, options.n) | only_new(dialect)
    told |= counting(options.n)
    if options.json:
        print(json.dumps({"bench": "render", "figures": told}))
    else:
        for name, figure in told.items():
            more = f"   {figure['ratio']} x {figure['peer']}" if "peer" in figure else ""
            print(f"{name:<32} {figure['value']:>9} {figure['unit']}{more}")
    if options.check and any(figure["value"] != 10 for name, figure in told.items() if name.startswith("new_")):
        sys.exit(1)


if __name__ == "__main__":
    main()
