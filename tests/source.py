"""What the guards share: the package's modules as syntax trees, and who imports whom."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "callsheet"


@dataclass(frozen=True)
class Import:
    """One import: the module it names in full, its line, and where it stands."""

    target: str
    line: int
    in_function: bool
    for_types_only: bool


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, its path, its tree and what it imports."""

    name: str
    path: Path
    tree: ast.Module
    imports: tuple[Import, ...]


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package but the templates, which are a user's files."""
    files = sorted(path for path in PACKAGE.rglob("*.py") if "templates" not in path.relative_to(PACKAGE).parts)
    known = {dotted(path) for path in files}
    return tuple(_read(path, known) for path in files)


def dotted(path: Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read(path: Path, known: set[str]) -> Module:
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    name = dotted(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return Module(name, path, tree, tuple(_imports(tree, package, known)))


def _imports(
    node: ast.AST, package: str, known: set[str], in_function: bool = False, for_types_only: bool = False
) -> Iterator[Import]:
    """The imports of a syntax tree, outermost first; only statements hold any, so expressions are not walked."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            for target in _targets(child, package, known):
                yield Import(target, child.lineno, in_function, for_types_only)
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            inside = in_function or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            typed = for_types_only or _is_typing_block(child)
            yield from _imports(child, package, known, inside, typed)


def _is_typing_block(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def _targets(node: ast.AST, package: str, known: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parts = package.split(".")
        base = parts[: len(parts) - node.level + 1] if node.level else []
        origin = ".".join([*base, node.module] if node.module else base)
        for alias in node.names:
            inner = f"{origin}.{alias.name}"
            yield inner if inner in known else origin
