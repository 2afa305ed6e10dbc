"""Which functions and classes a change touches: of Python by its syntax tree, elsewhere by the lines that begin one."""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator

LONGEST = 400_000
MOST = 200
BEGINS = re.compile(
    r"^[ \t]*(?:(?:export|default|pub(?:\([^)]*\))?|async|static|public|private|protected|internal|override|abstract|"
    r"final|virtual|unsafe|extern|inline|const|declare|suspend|open|sealed|data|partial)\s+)*"
    r"(?:(?:def|defp|defmacro|defmodule|fn|fun|func|function\*?|class|interface|struct|enum|impl|trait|module|sub|"
    r"proc|protocol|object|record|namespace|describe)\s+(?:\([^)]*\)\s*)?(?P<named>[\w$.:]+[?!]?)"
    r"|(?:const|let|var)\s+(?P<bound>[\w$]+)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:\([^)\n]*\)|[\w$]+)\s*(?::[^=\n]+)?=>"
    r"|(?:[\w<>\[\],*&:~]+\s+)+\*?(?P<typed>[\w:~]+)\s*\([^;{}()]*\)\s*(?:const\s*)?\{)",
    re.MULTILINE,
)
NO_NAMES = frozenset(("if", "for", "while", "switch", "return", "else", "catch", "do", "new", "case"))
CODE = frozenset(
    "py pyi ex exs rb js jsx mjs cjs ts tsx go rs java kt kts scala c h cc cpp cxx hpp cs swift php pl pm lua sh bash "
    "zig dart vue svelte erl clj ml hs jl r".split()
)


def defined(path: str, text: str) -> tuple[tuple[int, str], ...]:
    """Where each function and class of a text begins (a line from 0) and its name; nothing for what is no code."""
    ending = path.rpartition(".")[2].lower()
    if ending not in CODE or len(text) > LONGEST:
        return ()
    if ending in ("py", "pyi") and (tree := _tree(text)) is not None:
        return tuple(sorted(_nested(tree, "")))
    return tuple(_begun(text))


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _nested(node: ast.AST, prefix: str) -> Iterator[tuple[int, str]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield inner.lineno - 1, prefix + inner.name
            if isinstance(inner, ast.ClassDef):
                yield from _nested(inner, f"{prefix}{inner.name}.")
        elif isinstance(inner, ast.If | ast.Try | ast.With):
            yield from _nested(inner, prefix)


def _begun(text: str) -> Iterator[tuple[int, str]]:
    line, counted = 0, 0
    for found in BEGINS.finditer(text):
        name = found["named"] or found["bound"] or found["typed"]
        if name and name not in NO_NAMES:
            line += text.count("\n", counted, found.start(found.lastgroup or 0))
            counted = found.start(found.lastgroup or 0)
            yield line, name


def touched(path: str, before: str | None, after: str | None, pieces: tuple[str, ...]) -> tuple[str, ...]:
    """The functions that a change touches, in order.

    Where the text before and after is known, those that changed, came or went; else those that the changed `pieces`
    name, or that a whole new text has.
    """
    if before is None or after is None:
        texts = pieces or ((after,) if after is not None else ())
        return tuple(dict.fromkeys(name for text in texts for _, name in defined(path, text)))[:MOST]
    changed = [*_within(path, before, after), *_within(path, after, before)]
    return tuple(dict.fromkeys(changed))[:MOST]


def _within(path: str, text: str, other: str) -> Iterator[str]:
    """The functions of a text in the lines in which it differs from another: between their common head and tail."""
    lines, others = text.split("\n"), other.split("\n")
    head = 0
    while head < min(len(lines), len(others)) and lines[head] == others[head]:
        head += 1
    tail = 0
    while tail < min(len(lines), len(others)) - head and lines[-1 - tail] == others[-1 - tail]:
        tail += 1
    places = defined(path, text)
    starts = [line for line, _ in places]
    if head >= len(lines) - tail:
        return
    inside = bisect_right(starts, head) - 1
    for line, name in places[max(inside, 0) :]:
        if line >= len(lines) - tail:
            break
        if inside >= 0 or line >= head:
            yield name
