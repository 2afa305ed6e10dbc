"""What a catalogue of tools costs in a request, and what it costs where code finds the few that are needed (D8).

Two catalogues of CALLSHEET_DATA (bench/DATA.md): `mcp-tool-lists`, what real servers answer to tools/list, and
`livemcpbench` with requests by people. Without code every definition stands in the request. With code there stands
`run_code`, and comes back what the code printed: here the definitions that a search for the request found, which the
model then calls. Each search is run by code in the real sandbox. Tokens are counted by the tokenizer of o200k.

A published case went from 150,000 tokens to 2,000; what is saved depends on the catalogue alone, so that case is named
and not compared.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.code import RUN_CODE, contract
from callsheet.core.sources.tools import tool_item
from callsheet.drive.programs import CodeRuns
from callsheet.edges.catalogues import read_catalogue
from callsheet.edges.counters.estimate import O200kCounter
from callsheet.edges.sandbox.sandbox import Sandbox
from callsheet.host.knowledge.tool_search import ToolSearch
from callsheet.model.effect import Proceed
from callsheet.model.tool import ListedTool, ToolCall, ToolContract
from recordings import folder

FOUND = 5
CODE = "import json\nfor each in tools.search({query!r}, {limit}):\n    print(json.dumps(each, ensure_ascii=False))\n"


def contracts_of(catalogue: Sequence[ListedTool]) -> list[ToolContract]:
    """The tools as contracts, each under a name of its own: two servers may have a tool of the same name."""
    return [
        ToolContract(f"{each.server or 'tool'}.{each.name}.{number}", each.description, each.input_schema)
        for number, each in enumerate(catalogue)
    ]


def printed(requests: Sequence[str], contracts: Sequence[ToolContract]) -> list[str]:
    """What code that searches for each request prints."""
    by_name, told = {each.name: each for each in contracts}, []
    listed = [ListedTool(each.name, each.description, each.input_schema) for each in contracts]
    with ToolSearch(listed) as search:
        runs = CodeRuns(Sandbox(), lambda query, most, _: [each.name for each in search.search(query, most)])
        for number, request in enumerate(requests):
            call = ToolCall(RUN_CODE, {"code": CODE.format(query=request, limit=FOUND)}, number + 1)
            came = runs.proceed(Proceed("bench.1", call, tuple(by_name)), by_name)
            assert came.result is not None and came.result.value is not None, came
            told.append(str(came.result.value["printed"]))
    return told


def measured(name: str, catalogue: Sequence[ListedTool], requests: Sequence[str]) -> Iterator[tuple[str, Any]]:
    count, contracts = O200kCounter().count, contracts_of(catalogue)
    whole = sum(count(tool_item(each).text) for each in contracts)
    own = count(tool_item(contract("full")).text)
    with_code = [own + count(each) for each in printed(requests, contracts)]
    mean = sum(with_code) / len(with_code)
    yield f"{name}_tokens", {
        "value": round(mean), "unit": "tokens", "n": len(requests), "tools": len(contracts), "peer": whole,
        "peer_name": "every definition", "ratio": round(mean / whole, 4), "most": max(with_code),
    }  # fmt: skip
    yield f"{name}_run_code", {"value": own, "unit": "tokens", "n": 1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    data, figures = folder("mcp-tool-lists", "livemcpbench"), {}
    if why := Sandbox().missing:
        print(f"no code is run here: {why}", file=sys.stderr)
    elif data is not None:
        lists = read_catalogue(data / "mcp-tool-lists")
        # No requests go with these lists: each tool is asked for by the first sentence of what it says of itself.
        asked = [each.description.partition(". ")[0] for each in lists if each.description]
        figures |= dict(measured("mcp_tool_lists", lists, asked))
        tasks = json.loads((data / "livemcpbench" / "annotations.json").read_text(encoding="utf-8"))
        catalogue = read_catalogue(data / "livemcpbench" / "tools.json")
        figures |= dict(measured("livemcpbench", catalogue, [each["Question"] for each in tasks]))
    if options.json:
        print(json.dumps({"bench": "code_tools", "figures": figures}))
        return
    for name, each in figures.items():
        beside = f"  beside {each['peer']} ({each['ratio']:.1%})" if "peer" in each else ""
        print(f"{name:<24} {each['value']:>8} {each['unit']}  n={each['n']}{beside}")


if __name__ == "__main__":
    main()
