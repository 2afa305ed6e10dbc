"""Which format a file is in, by its suffix, and the documents in it."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from ...errors import UsageError
from .document import Read
from .file import File, name_of

GRAMMARS = (
    *(".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs", ".java"),
    *(".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".rb"),
)
"""Suffixes of code that is cut at its definitions."""

PARAGRAPHS = (
    *(".txt", ".text", ".log", ".adoc", ".org", ".tex", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".xml", ".sh"),
    *(".bash", ".sql", ".kt", ".swift", ".php", ".cs", ".scala", ".lua", ".pl", ".r", ".jl", ".ex", ".exs", ".erl"),
    *(".hs", ".ml", ".clj", ".dart", ".zig", ".tf", ".proto", ".graphql", ".css", ".scss", ".vue", ".ps1"),
)
"""Suffixes of text that is cut at its paragraphs."""

FORMATS = {
    **dict.fromkeys((".md", ".markdown"), "markdown:read"),
    **dict.fromkeys((".rst", ".rest"), "restructured:read"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html:read"),
    ".pdf": "pdf:read",
    **dict.fromkeys((".jsonl", ".ndjson"), "rows:read_lines"),
    ".json": "rows:read_json",
    **dict.fromkeys((".csv", ".tsv"), "rows:read_table"),
    **dict.fromkeys(GRAMMARS, "code:read"),
    **dict.fromkeys(PARAGRAPHS, "plain:read"),
}
"""Where the reader of each suffix is (module:name)."""


def readable(path: Path) -> bool:
    """True where a file of this name is of a kind that is read."""
    return path.suffix.lower() in FORMATS


def read(path: Path, root: Path) -> Iterator[Read]:
    """The documents of one file; one without an id of its own is named after its path inside `root`.

    UsageError names the file, the rule and the way out where the file is of an unknown kind or cannot be read.
    """
    if not readable(path):
        raise UsageError(f"{path} is {unread(path.suffix)}")
    module, _, name = FORMATS[path.suffix.lower()].partition(":")
    reader = getattr(import_module(f"{__package__}.{module}"), name)
    yield from reader(File(path, name_of(path, root)))


def unread(suffix: str) -> str:
    """Why a file of an unknown suffix is not read, and the way out."""
    kind = f"of a kind ({suffix}) that is not read" if suffix else "without a suffix that tells its kind"
    return f"{kind}; read are Markdown, reStructuredText, HTML, PDF, text, code, JSON lines and CSV"
