"""What a search for tools finds, what it takes for a tool where there is none, and what it keeps out of a request (D6).

Sets of CALLSHEET_DATA (bench/DATA.md), searched as `find_tools` searches, by words alone:

- found: how many of the tools that a request needs are among the first five and ten (`metatool`, each plugin with and
  without three requests that it served; `livemcpbench`), beside BM25 with defaults. With vectors: bench/knowledge.py.
- none fits: `bfcl-tools`, requests to which none of the tools at hand answers, beside requests that one does. A
  threshold on the score of the first is fitted on the even rows, so that it loses at most a tenth of the second kind;
  the figures are the odd rows'.
- a missing function: turns of a conversation whose function was taken away, beside turns that have theirs, in the same
  way.
- tokens: every definition of a catalogue, beside `find_tools` and the definitions that a search brings in.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.sources.tools import tool_item
from callsheet.core.tools.finding import CONTRACT, MOST
from callsheet.edges.catalogues import read_catalogue
from callsheet.edges.counters.estimate import O200kCounter
from callsheet.host.knowledge.tool_search import ToolSearch
from callsheet.lab.stats import wilson
from callsheet.model.knowledge_policy import Ranking
from callsheet.model.tool import ListedTool, ToolContract
from knowledge import asked, peer
from knowledge_sets import labelled
from knowledge_sets.measures import difference, mean, recall
from recordings import folder

FOUND = {"metatool-single": 5, "metatool-asked": 5, "metatool-two": 5, "livemcpbench": 10}
"""Sets, and how many of the first results are looked at."""
LOST, KEPT_NONE = 0.1, 0.8
"""At most so many of the requests that a tool answers may go without; so many of the others should."""
LIVE = "BFCL_v4_live_{}.jsonl"
TURNS = "BFCL_v4_multi_turn_miss_func.jsonl"
Scores = list[tuple[float, bool]]
"""Of each request the score of the first tool found, and whether a tool answers it."""


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def found(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Recall of the sets with labels, and the paired difference to BM25."""
    for name, depth in FOUND.items():
        each = labelled(name, data)
        ours = [one.names for one in asked(each, each.questions, Ranking(dense=0.0), None)]
        theirs = peer(each, each.questions)
        columns = [
            [recall(names, question.gains, depth) for question, names in zip(each.questions, column, strict=True)]
            for column in (ours, theirs)
        ]
        value, other = map(mean, columns)
        _, low, high = difference(*columns)
        yield f"found {name}", {
            "value": round(value, 4), "unit": f"R@{depth}", "n": len(each.questions), "peer": round(other, 4),
            "ratio": round(value / other, 4) if other else None, "low": round(low, 4), "high": round(high, 4),
        }  # fmt: skip


def defined(functions: Sequence[dict[str, Any]]) -> list[ListedTool]:
    return [ListedTool(each["name"], each["description"], each["parameters"]) for each in functions]


def first(tools: Sequence[ListedTool], request: str) -> float:
    """The score of what fits a request best; 0 where nothing does."""
    if not tools:
        return 0.0
    with ToolSearch(tools) as search:
        return max((each.score for each in search.search(request, MOST)), default=0.0)


def live(data: Path) -> Scores:
    """Requests with the tools at hand, none of which answers, and such that one does; each kind in the file's order."""
    scores: Scores = []
    for kind, answers in (("irrelevance", False), ("multiple", True)):
        for row in rows(data / "bfcl-tools" / LIVE.format(kind)):
            said = " ".join(each["content"] for turn in row["question"] for each in turn if each["role"] == "user")
            scores.append((first(defined(row["function"]), said), answers))
    return scores


def turns(data: Path) -> Scores:
    """Turns whose function is held back until the next one, and turns before that; each with what is at hand then."""
    documents = {path.stem: rows(path) for path in (data / "bfcl-tools" / "func_doc").glob("*.jsonl")}
    scores: Scores = []
    for row in rows(data / "bfcl-tools" / TURNS):
        back = min(map(int, row["missed_function"]))
        away = {
            *(name for names in row["missed_function"].values() for name in names),
            *row.get("excluded_function", ()),
        }
        classes = {documents_of(name) for name in row["involved_classes"]}
        at_hand = defined([each for name in classes for each in documents[name] if each["name"] not in away])
        with ToolSearch(at_hand) as search:
            for at, turn in enumerate(row["question"][:back]):
                said = " ".join(each["content"] for each in turn)
                score = max((each.score for each in search.search(said, MOST)), default=0.0)
                scores.append((score, at < back - 1))
    return scores


def documents_of(name: str) -> str:
    """The file in which the set describes the functions of a class."""
    return {
        "GorillaFileSystem": "gorilla_file_system", "MathAPI": "math_api", "MessageAPI": "message_api",
        "TwitterAPI": "posting_api", "TicketAPI": "ticket_api", "TradingBot": "trading_bot",
        "TravelAPI": "travel_booking", "VehicleControlAPI": "vehicle_control",
    }[name]  # fmt: skip


def told_apart(name: str, scores: Scores) -> Iterator[tuple[str, dict[str, Any]]]:
    """How many of those that no tool answers find none, by the threshold of the other half, and at which loss."""
    halves = [[each for answers in (False, True) for each in [one for one in scores if one[1] is answers][at::2]]
              for at in (0, 1)]  # fmt: skip
    answered = sorted(score for score, answers in halves[0] if answers)
    threshold = answered[int(LOST * len(answered))]
    for label, answers, limit in (("none kept", False, KEPT_NONE), ("lost", True, LOST)):
        column = [score < threshold for score, which in halves[1] if which is answers]
        low, high = wilson(sum(column), len(column))
        share = mean([float(each) for each in column])
        yield f"{name} {label}", {
            "value": round(share, 4), "unit": "share", "n": len(column), "low": round(low, 4), "high": round(high, 4),
            "threshold": round(threshold, 4), "limit": limit, "within": share <= limit if answers else share >= limit,
        }  # fmt: skip


def tokens(name: str, catalogue: Sequence[ListedTool], requests: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What stands in a request: every definition, or the search and what one search brings in."""
    count = O200kCounter().count
    own = [ListedTool(f"{number}.{each.name}", each.description, each.input_schema, each.server, each.about)
           for number, each in enumerate(catalogue)]  # fmt: skip
    sizes = {
        each.name: count(tool_item(ToolContract(each.name, each.description, each.input_schema)).text) for each in own
    }
    search_itself = count(tool_item(CONTRACT).text)
    with ToolSearch(own) as search:
        with_search = [search_itself + sum(sizes[one.name] for one in search.search(each, MOST)) for each in requests]
    whole = sum(sizes.values())
    yield f"tokens {name}", {
        "value": round(mean([float(each) for each in with_search])), "unit": "tokens", "n": len(requests),
        "tools": len(own), "peer": whole, "ratio": round(mean([each / whole for each in with_search]), 4),
        "most": max(with_search),
    }  # fmt: skip


def measured(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from found(data)
    yield from told_apart("none fits:", live(data))
    yield from told_apart("missing function:", turns(data))
    lists = read_catalogue(data / "mcp-tool-lists")
    # No requests go with these lists: each tool is asked for by the first sentence of what it says of itself.
    yield from tokens("mcp-tool-lists", lists, [each.description.partition(". ")[0] for each in lists])
    tasks = json.loads((data / "livemcpbench" / "annotations.json").read_text(encoding="utf-8"))
    catalogue = read_catalogue(data / "livemcpbench" / "tools.json")
    yield from tokens("livemcpbench", catalogue, [each["Question"] for each in tasks])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    data = folder("metatool", "livemcpbench", "bfcl-tools", "mcp-tool-lists")
    figures = dict(measured(data)) if data is not None else {}
    if options.json:
        print(json.dumps({"bench": "tools", "figures": figures}))
        return
    for name, each in figures.items():
        beside = f"  beside {each['peer']}" if "peer" in each else ""
        spread = f"  [{each['low']}, {each['high']}]" if "low" in each else ""
        print(f"{name:<30} {each['value']:>8} {each['unit']:<7} n={each['n']}{beside}{spread}")


if __name__ == "__main__":
    main()
