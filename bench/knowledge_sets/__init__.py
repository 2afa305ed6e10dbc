"""Labelled questions over public sets, each as documents and questions (`labelled`).

A set is read into the documents that a project would hold: an abstract, a section of documentation, a chunk of code, a
turn of a conversation, a tool. Whatever reads one of them here reads any data of the same layout.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from . import abstracts, conversations, passages, tools
from .labels import Labelled, Question

__all__ = ["SETS", "Labelled", "Question", "labelled"]

SETS: Mapping[str, tuple[str, Callable[[Path], Labelled]]] = {
    "cranfield": ("cranfield", abstracts.cranfield),
    "cisi": ("cisi", abstracts.cisi),
    "code": ("code-retrieval-anthropic", passages.code),
    "docs": ("docs-retrieval-anthropic", passages.docs),
    "hotpotqa": ("hotpotqa", passages.hotpotqa),
    "tau2": ("tau2-banking-knowledge", passages.tau2),
    "locomo": ("locomo", conversations.locomo),
    "metatool-single": ("metatool", tools.metatool_single),
    "metatool-asked": ("metatool", tools.metatool_asked),
    "metatool-two": ("metatool", tools.metatool_two),
    "livemcpbench": ("livemcpbench", tools.livemcpbench),
    "livemcpbench-plan": ("livemcpbench", tools.livemcpbench_plan),
}
"""Each set's folder in CALLSHEET_DATA, and what reads it."""


def labelled(name: str, data: Path) -> Labelled:
    """The documents and the questions of a set of SETS; `data` is the folder that has all sets."""
    folder, read = SETS[name]
    return read(data / folder)
