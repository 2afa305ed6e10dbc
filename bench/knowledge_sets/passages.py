"""Documents, sections and chunks that answer questions: code, documentation, encyclopedia, a bank's policies."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from callsheet.model.evidence import Document

from .labels import Labelled, Question, lines, whole

HEAD = 600
"""Characters of a file's head that tell what it is about."""
DEFINITION = re.compile(
    r"\b(?:class|def|fn|func|function|struct|enum|trait|interface|impl|type|mod|namespace|macro_rules!)\s+(\w+)"
)


def code(folder: Path) -> Labelled:
    """Chunks of source files; a chunk's context is the head of its file and what the file defines."""
    documents = []
    for file in whole(folder / "codebase_chunks.json"):
        names = dict.fromkeys(DEFINITION.findall(file["content"]))
        context = f"{file['content'][:HEAD]} {' '.join(names)}"
        for chunk in file["chunks"]:
            name = f"{file['original_uuid']}#{chunk['original_index']}"
            documents.append(Document(name, chunk["content"], context=context))
    questions = tuple(
        Question(row["query"], {f"{uuid}#{index}": 1.0 for uuid, index in row["golden_chunk_uuids"]})
        for row in lines(folder / "queries.jsonl")
    )
    return Labelled(tuple(documents), questions)


def docs(folder: Path) -> Labelled:
    """Sections of documentation, found by their links; the path of its page is a section's context."""
    documents = tuple(
        Document(row["chunk_link"], row["text"], row["chunk_heading"], context=_words(urlsplit(row["chunk_link"]).path))
        for row in whole(folder / "anthropic_docs.json")
    )
    questions = tuple(
        Question(row["question"], dict.fromkeys(row["correct_chunks"], 1.0)) for row in whole(folder / "queries.json")
    )
    return Labelled(documents, questions)


def hotpotqa(folder: Path) -> Labelled:
    """Articles of all questions in one pool; each question needs both of its own."""
    articles: dict[str, str] = {}
    questions = []
    for row in lines(folder / "hotpotqa.jsonl"):
        articles.update((title, "".join(sentences)) for title, sentences in row["context"])
        gains = {title: 1.0 for title, _ in row["supporting_facts"]}
        questions.append(Question(row["question"], gains, row["type"]))
    return Labelled(tuple(Document(title, text, title) for title, text in articles.items()), tuple(questions))


def tau2(folder: Path) -> Labelled:
    """A bank's policies and products; the question is the customer's whole situation, as the task tells it."""
    documents = tuple(Document(row["id"], row["content"], row["title"]) for row in lines(folder / "corpus.jsonl"))
    questions = tuple(
        Question(row["user_scenario"]["instructions"], dict.fromkeys(row["required_documents"], 1.0))
        for row in lines(folder / "tasks.jsonl")
        if row["required_documents"]
    )
    return Labelled(documents, questions)


def _words(path: str) -> str:
    return re.sub(r"\W+", " ", path)
