"""Which functions and classes a change touches: of Python by its syntax tree, elsewhere by the lines that begin one."""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

LONGEST, LONGEST_TREE = 400_000, 60_000
MOST, MOST_BACK = 200, 2_000
BEGINS = re.compile(
    r"^[ \t]*(?:(?:export|default|pub(?:\([^)]*\))?|async|static|public|private|protected|internal|override|abstract|"
    r"final|virtual|unsafe|extern|inline|const|declare|suspend|open|sealed|data|partial)[ \t]+)*"
    r"(?:(?:def|defp|defmacro|defmodule|fn|fun|func|function\*?|class|interface|struct|enum|impl|trait|module|sub|"
    r"proc|protocol|object|record|namespace|describe)[ \t]+(?:\([^)\n]*\)[ \t]*)?(?P<named>[\w$.:]+[?!]?)"
    r"|(?:const|let|var)[ \t]+(?P<bound>[\w$]+)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:\([^)\n]*\)|[\w$]+)\s*"
    r"(?::[^=\n]+)?=>"
    r"|(?:[\w<>\[\],*&:~]+[ \t]+)+\*?(?P<typed>[\w:~]+)\s*\([^;{}()]*\)\s*(?:const\s*)?\{)",
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
        if name := _name(found):
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
    old, new = before.split("\n"), after.split("\n")
    head, tail = _common(old, new)
    changed = [*_within(path, after, new, head, tail), *_within(path, before, old, head, tail)]
    return tuple(dict.fromkeys(changed))[:MOST]


def _common(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines two texts have in common at their beginning, and at their end."""
    least = min(len(old), len(new))
    head = next((at for at in range(least) if old[at] != new[at]), least)
    tail = next((at for at in range(least - head) if old[-1 - at] != new[-1 - at]), least - head)
    return head, tail


def _within(path: str, text: str, lines: list[str], head: int, tail: int) -> Iterator[str]:
    """The functions that the lines between a common head and tail lie in, or begin."""
    end = len(lines) - tail
    if head >= end:
        return
    places = _near(path, text, lines, head, end)
    inside = bisect_right([line for line, _ in places], head) - 1
    yield from (name for line, name in places[max(inside, 0) :] if line < end)


def _near(path: str, text: str, lines: list[str], head: int, end: int) -> Sequence[tuple[int, str]]:
    """Where functions begin, as far as these lines need it: only a short text's tree is built for one change."""
    ending = path.rpartition(".")[2].lower()
    if ending in ("py", "pyi") and len(text) <= LONGEST_TREE:
        return defined(path, text)
    if ending not in CODE or len(text) > LONGEST:
        return ()
    start = sum(len(line) + 1 for line in lines[:head])
    found: list[tuple[int, str]] = []
    at = start
    for line in range(head, max(head - MOST_BACK, -1), -1):
        if name := _name(BEGINS.match(text, at)):
            found.append((line, name))
            break
        at -= len(lines[line - 1]) + 1 if line else 0
    at = start
    for line in range(head, end):
        if line > head and (name := _name(BEGINS.match(text, at))):
            found.append((line, name))
        at += len(lines[line]) + 1
    return found


def _name(found: re.Match[str] | None) -> str:
    name = (found["named"] or found["bound"] or found["typed"] or "") if found else ""
    return "" if name in NO_NAMES else name
