"""Code by tree-sitter: a section per definition, found by its names and by what the file says of itself."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from ...core.documents.matter import stated
from ...core.text.sections import LIMIT
from ...errors import UsageError
from ...model.evidence import Block
from .document import Read, whole
from .extra import loaded
from .file import File, decoded
from .grammars import GRAMMARS, grammar
from .links import identity

WIDEST = 5_000
"""Parts of a stretch that is no code at which it is given up: a query takes the square of them in time."""

ABOVE = 50
"""Comments and attributes above a definition that may belong to it."""

HEADER = 300
"""Characters at most of what a file says of itself at its top, which stands beside each of its sections."""

_OPEN = frozenset(("class", "interface", "module"))
"""Kinds of definitions that are cut at those inside them, where they are longer than a section."""

_KINDS = _OPEN | {"function", "method", "macro", "type"}
_AROUND = frozenset(("decorated_definition", "export_statement", "template_declaration", "type_declaration"))
_BEFORE = re.compile(r"comment|attribute_item|decorator|annotation")
_LICENCE = re.compile(r"licen[cs]e|copyright", re.IGNORECASE)
_WORD = re.compile(r"\b(?!end\b)\w+")  # an `end` closes a definition as a brace does


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition in a source, [start, end) in its bytes; `opens` where it may be cut at those inside it."""

    start: int
    end: int
    name: str
    opens: bool


def read(file: File) -> Iterator[Read]:
    """The document of a source file: module > class > function, and what lies between them."""
    source = decoded(file)
    data = source.text.encode("utf-8", "surrogatepass")
    tree_sitter = loaded("tree_sitter", file)
    parser, query = grammar(GRAMMARS[file.path.suffix.lower()])
    try:
        root = parser.parse(data).root_node
        matches = () if _shapeless(root) else tree_sitter.QueryCursor(query).matches(root)
    except (ValueError, RuntimeError) as error:
        raise UsageError(f"{file.path} cannot be read as code ({error}); leave it out") from error
    name = identity(file.name)
    pieces = segments(data, sorted(_definitions(data, matches), key=lambda each: (each.start, -each.end)), name)
    header = _header(root)
    outline = tuple(Block(start, end, path, header) for start, end, path in _in_text(source.text, data, pieces))
    yield whole(file, stated({}, file.name, name), source.text, outline, title=name, notes=source.notes)


Segment = tuple[int, int, tuple[str, ...]]


def segments(data: bytes, definitions: Sequence[Definition], name: str) -> list[Segment]:
    """The source in pieces by definition, each with its path of names; what holds no word joins the piece before it."""
    found: list[Segment] = []
    around: list[tuple[int, tuple[str, ...], bool]] = [(len(data), (name,), True)]
    done = 0

    def upto(end: int) -> None:
        nonlocal done
        if end > done:
            if found and not _WORD.search(data[done:end].decode("utf-8", "ignore")):
                found[-1] = (found[-1][0], end, found[-1][2])
            else:
                found.append((done, end, around[-1][1]))
            done = end

    for each in definitions:
        while each.start >= around[-1][0]:
            upto(around[-1][0])
            around.pop()
        end, path, opens = around[-1]
        if opens and each.end <= end and each.start >= done:
            upto(each.start)
            around.append((each.end, (*path, each.name), each.opens))
    while around:
        upto(around[-1][0])
        around.pop()
    return found


def _shapeless(root: Any) -> bool:
    return any(node.is_error and node.child_count > WIDEST for node in (root, *root.children))


def _definitions(data: bytes, matches: Sequence[tuple[int, dict[str, list[Any]]]]) -> Iterator[Definition]:
    for _, captured in matches:
        kind, node = next(
            ((key.removeprefix("definition."), nodes[0]) for key, nodes in captured.items() if "definition." in key),
            ("", None),
        )
        if node is None or kind not in _KINDS or not captured.get("name"):
            continue
        whole = _whole(node)
        if whole is not None:
            start = data.rfind(b"\n", 0, _first(whole).start_byte) + 1
            long = whole.end_byte - start > LIMIT
            name = b" ".join(captured["name"][0].text.split()).decode("utf-8", "replace")
            yield Definition(start, whole.end_byte, name, long and kind in _OPEN)


def _whole(node: Any) -> Any:
    """The definition that a node names, with what is written around it; None for one that is only announced."""
    while node.type.endswith("declarator") and node.parent is not None:
        node = node.parent
    if node.type in ("declaration", "field_declaration", "parameter_declaration"):
        return None
    while node.parent is not None and node.parent.type in _AROUND:
        node = node.parent
    return node


def _first(node: Any) -> Any:
    """The first of the comments and attributes that stand above a definition, or the definition itself.

    A blank line may lie between, unless the comment is the first thing in the file: that speaks of the whole.
    """
    before = node.prev_sibling
    for _ in range(ABOVE):
        if before is None or not _BEFORE.search(before.type):
            break
        apart = node.start_point.row - before.end_point.row
        above = before.prev_sibling
        ends_a_line = above is not None and above.end_point.row == before.start_point.row
        if apart > 2 or ends_a_line or (apart > 1 and above is None):
            break
        node, before = before, above
    return node


def _header(root: Any) -> str:
    """What the file says of itself before anything else, unless that is its licence."""
    for node in root.children:
        if "comment" not in node.type and (node.child_count == 0 or "string" not in node.children[0].type):
            break
        text = " ".join(node.text.decode("utf-8", "replace").split())
        if not text.startswith("#!") and not _LICENCE.search(text):
            return str(text[:HEADER])
    return ""


def _in_text(text: str, data: bytes, pieces: Sequence[Segment]) -> Iterator[Segment]:
    """The pieces with places in the text instead of its bytes."""
    if len(text) == len(data):
        yield from pieces
        return
    sizes = list(accumulate((len(character.encode("utf-8", "surrogatepass")) for character in text), initial=0))
    for start, end, path in pieces:
        yield bisect_left(sizes, start), bisect_left(sizes, end), path
