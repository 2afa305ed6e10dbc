"""Grammars of programming languages, each a package of tree-sitter's with its query for definitions."""

from functools import lru_cache
from importlib import import_module
from typing import Any

GRAMMARS = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    **dict.fromkeys((".c",), "c"),
    **dict.fromkeys((".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp"), "cpp"),
    ".rb": "ruby",
}
"""The grammar of each suffix."""

ALSO = {
    "cpp": "(namespace_definition name: (_) @name) @definition.module",
    "java": """
        (enum_declaration name: (identifier) @name) @definition.class
        (record_declaration name: (identifier) @name) @definition.class
        (constructor_declaration name: (identifier) @name) @definition.method
    """,
    "rust": "(impl_item type: (_) @name) @definition.class",
    "typescript": """
        (enum_declaration name: (identifier) @name) @definition.class
        (type_alias_declaration name: (type_identifier) @name) @definition.type
        (internal_module name: (_) @name) @definition.module
    """,
}
"""Definitions that a language's own query, which is made for finding names, leaves out."""


@lru_cache(maxsize=len(set(GRAMMARS.values())))
def grammar(name: str) -> tuple[Any, Any]:
    """A parser of a language, and the query that finds its definitions with their names."""
    tree_sitter = import_module("tree_sitter")
    family = "typescript" if name == "tsx" else name
    package = import_module(f"tree_sitter_{family}")
    tags = package.TAGS_QUERY + ALSO.get(family, "")
    if family == "typescript":  # whose query holds only what JavaScript does not have
        tags += import_module("tree_sitter_javascript").TAGS_QUERY
    language = tree_sitter.Language(getattr(package, f"language_{name}" if family == "typescript" else "language")())
    return tree_sitter.Parser(language), tree_sitter.Query(language, tags)
