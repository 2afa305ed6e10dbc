"""reStructuredText by docutils, which is told to open nothing: no file, no address, no raw markup."""

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from ...core.text.outline import Heading, blocks
from ...errors import UsageError
from .document import Read, whole
from .extra import loaded
from .file import File, decoded
from .front import parted
from .links import identity, targets
from .matter import KEYS, stated

SETTINGS: Mapping[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,  # above all levels: directives that only Sphinx knows are text like any other
    "halt_level": 5,
    "warning_stream": None,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "line_length_limit": 1 << 30,
}
_RULE = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")
_REFERENCE = re.compile(r":(?:doc|ref|any|download):`(?:[^`<]*<)?([^`<>]+)>?`")


def read(file: File) -> Iterator[Read]:
    """The document of a reStructuredText file: its text is the source, whose directives stay as they are written."""
    source = decoded(file)
    data, text = parted(source.text, file.name)
    tree = _tree(file, text)
    nodes = loaded("docutils.nodes", file)
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    headings = [_heading(section, lines, starts) for section in tree.findall(nodes.section)]
    matter = stated({**_fields(tree, nodes), **data}, file.name, identity(file.name))
    title = next((heading.title for heading in headings if heading.level == 1), "")
    outline = blocks(text, headings, _whole(lines, starts))
    yield whole(file, matter, text, outline, title=title, links=_links(file, text, tree, nodes), notes=source.notes)


def _tree(file: File, text: str) -> Any:
    core = loaded("docutils.core", file)
    try:
        return core.publish_doctree(text, settings_overrides=dict(SETTINGS))
    except RecursionError:
        raise UsageError(f"{file.path} is nested too deep for reStructuredText; write it flatter") from None
    except Exception as error:  # whatever a directive of docutils makes of what it is given
        raise UsageError(f"{file.path} cannot be read as reStructuredText ({error}); mend it") from error


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


def _links(file: File, text: str, tree: Any, nodes: Any) -> Iterator[str]:
    """The ids that links and Sphinx's references to documents lead to."""
    yield from targets(file, (str(node["refuri"]) for node in tree.findall(nodes.reference) if node.get("refuri")))
    yield from targets(file, (f"{name}.rst" for name in _REFERENCE.findall(text) if name.isprintable()))
