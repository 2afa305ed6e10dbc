"""Labelled questions that a project learns from: the same file that `callsheet tune` takes."""

from pathlib import Path

from ...core.retrieval.experience import Past
from ...core.text.json_lines import json_lines
from ...errors import UsageError
from .problem import Problem


def read_labelled(folder: Path, name: str) -> tuple[Past, ...]:
    """The questions of a JSONL file of the project, each with the documents that answer it.

    A Problem where there is no such file, UsageError for the first line that is no label.
    """
    path = folder / name
    if not path.is_file():
        why, fix = f"there is no such file in {folder.absolute()}", "create it, or take it out of [knowledge] labels"
        raise Problem(name, 0, "missing-file", why, fix)
    found = []
    with path.open("rb") as lines:
        for where, data in json_lines(lines, path):
            question, relevant = data.get("question"), data.get("relevant")
            if not isinstance(question, str) or not isinstance(relevant, list):
                raise UsageError(f"{where} needs a text under 'question' and a list of ids under 'relevant'")
            found.append(Past(question, frozenset(str(each).partition("#")[0] for each in relevant)))
    return tuple(found)
