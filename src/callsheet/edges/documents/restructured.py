"""reStructuredText by docutils, which is told to open nothing: no file, no address, no raw markup."""

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from ...core.documents.matter import KEYS, stated
from ...core.text.outline import Heading, blocks
from ...errors import UsageError
from .document import Read, whole
from .extra import loaded
from .file import File, decoded
from .front import parted
from .links import identity, targets

SETTINGS: Mapping[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,  # above all levels: directives that only Sphinx knows are text like any other
    "halt_level": 5,
    "warning_stream": False,
    "line_length_limit": 1 << 30,
}
MARKED_UP = 300
"""Characters of a text at most whose markup is read: only titles need it, and it takes the square of them in time."""

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")
_TARGET = re.compile(r"<([^<>\s`]{1,500})>`_|^\.\. _[^:\n]{1,200}:[ \t]+(\S+)[ \t]*$", re.MULTILINE)
_REFERENCE = re.compile(r":(?:doc|download):`(?:[^`<>\n]{1,500}<)?([^`<>\s]{1,500})>?`")


def read(file: File) -> Iterator[Read]:
    """The document of a reStructuredText file: its text is the source, whose directives stay as they are written."""
    source = decoded(file)
    data, text = parted(source.text, file.name)
    nodes = loaded("docutils.nodes", file)
    tree = _tree(file, text, nodes)
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    headings = [_heading(section, lines, starts) for section in tree.findall(nodes.section)]
    matter = stated({**_fields(tree, nodes), **data}, file.name, identity(file.name))
    title = next((heading.title for heading in headings if heading.level == 1), "")
    outline = blocks(text, headings, _whole(lines, starts))
    yield whole(file, matter, text, outline, title=title, links=targets(file, _links(text)), notes=source.notes)


def _tree(file: File, text: str, nodes: Any) -> Any:
    """The nodes of a text as they were parsed, without the transforms that would resolve references."""
    rst, states = (loaded(f"docutils.parsers.rst{module}", file) for module in ("", ".states"))
    settings = loaded("docutils.frontend", file).get_default_settings(rst.Parser)
    for name, value in SETTINGS.items():
        setattr(settings, name, value)
    tree = loaded("docutils.utils", file).new_document(file.name, settings)
    inliner = states.Inliner()
    markup = inliner.parse

    def short(text: str, *rest: Any) -> Any:
        return markup(text, *rest) if len(text) <= MARKED_UP else ([nodes.Text(text)], [])

    inliner.parse = short
    try:
        rst.Parser(inliner=inliner).parse(text, tree)
    except RecursionError:
        raise UsageError(f"{file.path} is nested too deep for reStructuredText; write it flatter") from None
    except Exception as error:  # whatever a directive of docutils makes of what it is given
        raise UsageError(f"{file.path} cannot be read as reStructuredText ({error}); mend it") from error
    return tree


def _heading(section: Any, lines: list[str], starts: list[int]) -> Heading:
    """The heading of a section; docutils gives the line, from 1, of the rule below its title."""
    below = min(section.line, len(lines)) - 1
    first = below - 1
    if first > 0 and _RULE.match(lines[first - 1]) and lines[first - 1].rstrip() == lines[below].rstrip():
        first -= 1
    level, parent = 1, section.parent
    while parent.parent is not None:
        level, parent = level + 1, parent.parent
    return Heading(starts[first], starts[below + 1] - 1, level, section[0].astext())


def _fields(tree: Any, nodes: Any) -> dict[str, str]:
    """The fields above the text, as `:version: 7`."""
    found = next(iter(tree.findall(nodes.field_list)), None)
    pairs = ((field[0].astext(), field[1].astext()) for field in found or ())
    named = ((name.strip().casefold().replace("-", "_"), value) for name, value in pairs)
    return {name: value for name, value in named if name in KEYS}


def _whole(lines: list[str], starts: list[int]) -> Iterator[tuple[int, int]]:
    """Each stretch of indented lines with the line above it: a literal block, a directive, an item of a list."""
    start = end = 0
    for number, line in enumerate(lines):
        if line[:1].isspace() and line.strip():
            end = number
        elif line.strip():
            if end > start:
                yield starts[start], starts[end + 1] - 1
            start = number
    if end > start:
        yield starts[start], starts[end + 1] - 1


def _links(text: str) -> Iterator[str]:
    """Where links lead, and Sphinx's references to documents."""
    yield from (found[1] or found[2] for found in _TARGET.finditer(text))
    yield from (f"{found[1]}.rst" for found in _REFERENCE.finditer(text))
