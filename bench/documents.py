"""How fast files are read and cut into sections, and what is cut in the middle, beside LangChain's splitters.

Markdown is `runbooks-moj` of CALLSHEET_DATA (bench/DATA.md), code is this project's own source. Both sides cut to at
most 1,100 characters: LangChain by its splitter for Markdown headings and then its recursive one, or by its recursive
one for Python. A fence or function that would fit into a section counts as cut where no section holds all of it,
whatever its blanks. A section counts as placed where it stands in its file, character by character, so that a quotation
can be found there. Seconds are of processor time.
"""

import argparse
import ast
import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.text.sections import LIMIT, sections
from callsheet.edges.documents.reading import read
from recordings import folder

ROOT = Path(__file__).resolve().parents[1]
Cut = Callable[[Path], list[str]]


def ours(path: Path) -> list[str]:
    return [each.text for found in read(path, path.parent) for each in sections(found.document, "t")]


def langchain() -> dict[str, Cut] | None:
    """LangChain's way for each kind, None where it is not installed."""
    try:
        splitters: Any = import_module("langchain_text_splitters")
    except ImportError:
        print("langchain-text-splitters is not installed: no peer", file=sys.stderr)
        return None
    headings = splitters.MarkdownHeaderTextSplitter([("#" * level, f"h{level}") for level in range(1, 7)])
    prose = splitters.RecursiveCharacterTextSplitter(chunk_size=LIMIT, chunk_overlap=0)
    python = splitters.RecursiveCharacterTextSplitter.from_language("python", chunk_size=LIMIT, chunk_overlap=0)

    def markdown(path: Path) -> list[str]:
        parted = headings.split_text(path.read_text(encoding="utf-8"))
        return [each.page_content for each in prose.split_documents(parted)]

    return {"markdown": markdown, "code": lambda path: python.split_text(path.read_text(encoding="utf-8"))}


def fences(text: str) -> Iterator[str]:
    """The fenced blocks of a Markdown text, as its parser finds them."""
    lines = text.splitlines()
    for token in import_module("markdown_it").MarkdownIt("commonmark").parse(text):
        if token.type == "fence":
            yield "\n".join(lines[token.map[0] : token.map[1]]).strip()


def functions(text: str) -> Iterator[str]:
    """The functions of a Python module and the methods of its classes, as Python's own parser finds them."""
    lines = text.splitlines()
    tree = ast.parse(text)
    for node in (
        inner for each in (tree, *tree.body) if isinstance(each, ast.Module | ast.ClassDef) for inner in each.body
    ):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "\n".join(lines[node.lineno - 1 : node.end_lineno]).strip()


def figures(kind: str, paths: list[Path], parts: Callable[[str], Iterator[str]], cut: Cut) -> dict[str, Any]:
    """MB a second, the share of parts that fit and are cut, and the share of sections that stand in their file."""
    begun = time.process_time()
    found = {path: cut(path) for path in paths}
    spent = time.process_time() - begun
    size = torn = fit = placed = 0
    for path, texts in found.items():
        source = path.read_text(encoding="utf-8")
        size += len(source.encode())
        placed += sum(text in source for text in texts)
        whole = [part for part in parts(source) if len(part) <= LIMIT]
        fit += len(whole)
        plain = ["".join(text.split()) for text in texts]
        torn += sum(not any("".join(part.split()) in text for text in plain) for part in whole)
    count = sum(map(len, found.values()))
    return {
        f"{kind}_speed": {"value": round(size / spent / 1e6, 2), "unit": "MB/s", "n": len(paths)},
        f"{kind}_cut": {"value": round(torn / fit, 4), "unit": "share", "n": fit},
        f"{kind}_placed": {"value": round(placed / count, 4), "unit": "share", "n": count},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    told: dict[str, Any] = {}
    data = folder("runbooks-moj")
    if data:
        peers = langchain()
        kinds = (
            ("markdown", sorted((data / "runbooks-moj" / "docs").glob("*.md")), fences),
            ("code", sorted((ROOT / "src").rglob("*.py")), functions),
        )
        for kind, paths, parts in kinds:
            ours(paths[0])  # loads the parser
            mine = figures(kind, paths, parts, ours)
            beside = figures(kind, paths, parts, peers[kind]) if peers else {}
            for name, figure in mine.items():
                peer = {"peer": beside[name]["value"]} if name in beside else {}
                ratio = {"ratio": round(figure["value"] / peer["peer"], 2)} if peer.get("peer") else {}
                told[name] = figure | peer | ratio
    if options.json:
        print(json.dumps({"bench": "documents", "figures": told}))
        return
    for name, each in told.items():
        print(f"{name:<18} {each['value']:>8} {each['unit']:<6} LangChain {each.get('peer', '-'):>8}  n = {each['n']}")


if __name__ == "__main__":
    main()
