"""Every public thing says what it is, in words that need no legend."""

import ast
import re
from collections.abc import Iterator

import pytest

from .source import Module, modules

SHORTENED = frozenset(
    """addr arg attr btn buf calc cb cfg cnt conf conv cur curr desc dct dst err ext fn func gen hist idx impl len lst
    mgr misc msg msgs num obj param params pkg pos prev proc ptr req res resp sess src sys temp tmp tok toks txt usr
    util utils val vals var ver""".split()
)
"""Shortened words: the whole one reads without a legend. `ctx` is part of the contract."""
GIVEN = {"callsheet.edges.providers.embedded:params", "callsheet.edges.mcp.upstream:params"}
"""Names that another library gave."""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def public(node: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """The public functions, classes and methods under a node, by their names."""
    for child in node.body:
        overload = any(ast.unparse(each) == "overload" for each in getattr(child, "decorator_list", ()))
        if isinstance(child, DEFINITIONS) and not child.name.startswith("_") and not overload:
            yield prefix + child.name, child
            if isinstance(child, ast.ClassDef):
                yield from public(child, f"{child.name}.")


def names(module: Module) -> Iterator[str]:
    """Every name a module gives: its own, and all that it defines, takes, sets, imports as, catches as or matches."""
    yield module.name.rpartition(".")[2]
    for node in ast.walk(module.tree):
        if isinstance(node, DEFINITIONS):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.asname or ""
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            yield node.name or ""


def is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_every_public_thing_says_in_its_first_line_what_it_is(module: Module) -> None:
    assert ast.get_docstring(module.tree) or not module.tree.body, f"{module.name} has no docstring"
    for name, node in public(module.tree):
        first = (ast.get_docstring(node) or "").partition("\n\n")[0].strip()  # type: ignore[arg-type]
        assert first and first[-1] in ".:!?)`", f"{module.name}.{name}: {first!r} is no sentence"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_no_name_is_shortened(module: Module) -> None:
    short = {
        name
        for name in names(module)
        if not is_dunder(name) and SHORTENED & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    }
    assert {f"{module.name}:{name}" for name in short} <= GIVEN
