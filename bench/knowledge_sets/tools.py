"""Catalogues of tools, and requests with the tools that they need: MetaTool, LiveMCPBench."""

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from callsheet.model.evidence import Document

from .labels import Labelled, Question, lines, whole

LONGEST = 1_100
"""Characters of a description that a tool is found by: one section's."""
KEPT = 3
"""Requests that a plugin keeps."""
_NUMBERED = re.compile(r"^\s*\d+[.)]\s*")


def metatool_single(folder: Path) -> Labelled:
    """Plugins of the set, and requests that one of them is right for."""
    questions = (Question(row["Query"], {row["Tool"]: 1.0}) for row in lines(folder / "single_tool_queries.jsonl"))
    return Labelled(_described(whole(folder / "plugin_des.json")), tuple(questions))


def metatool_asked(folder: Path) -> Labelled:
    """The odd half of those requests, where each plugin keeps some of the even half's that it answered."""
    each = metatool_single(folder)
    answered = defaultdict(list)
    for question in each.questions[::2]:
        for name in question.gains:
            answered[name].append(question.text)
    documents = (replace(document, asked=tuple(answered[document.document_id][:KEPT])) for document in each.documents)
    return Labelled(tuple(documents), each.questions[1::2])


def metatool_two(folder: Path) -> Labelled:
    """Tools that plugins were merged into, and requests that need two of them."""
    questions = (
        Question(row["query"], dict.fromkeys(row["tool"], 1.0))
        for row in whole(folder / "multi_tool_query_golden.json")
    )
    return Labelled(_described(whole(folder / "big_tool_des.json")), tuple(questions))


def livemcpbench(folder: Path) -> Labelled:
    """Tools of MCP servers; the question is the user's task."""
    return _livemcpbench(folder, "")


def livemcpbench_plan(folder: Path) -> Labelled:
    """The same, asked with the annotators' steps: what a plan is worth as a question."""
    return _livemcpbench(folder, "Steps")


def _livemcpbench(folder: Path, plan: str) -> Labelled:
    documents, names = [], {}
    for entry in whole(folder / "tools.json"):
        for server, listed in entry["tools"].items():
            for tool in listed["tools"]:
                name = f"{entry['name']}/{server}/{tool['name']}"
                names[name] = tool["name"]
                text = f"{tool['name']}\n{tool.get('description') or ''}"[:LONGEST]
                arguments = " ".join((tool.get("inputSchema") or {}).get("properties") or {})
                about = f"{entry['name']} {entry.get('description') or ''} {arguments}"
                documents.append(Document(name, text, tool["name"], context=about, wider=entry.get("category", "")))
    known, questions = set(names.values()), []
    for row in whole(folder / "annotations.json"):
        told = row["Annotator Metadata"]
        needed = {_NUMBERED.sub("", line).strip() for line in told["Tools"].splitlines()} & known
        asked = told[plan] if plan else row["Question"]
        if needed:
            questions.append(Question(asked, dict.fromkeys(sorted(needed), 1.0)))
    return Labelled(tuple(documents), tuple(questions), names)


def _described(tools: dict[str, str]) -> tuple[Document, ...]:
    return tuple(Document(name, f"{name}\n{text}", name, language="en") for name, text in tools.items())
