"""JSON lines, JSON and tables: a document per object, or one of a table whose rows stay whole."""

import csv
from collections.abc import Iterator
from itertools import accumulate, pairwise

from ...core.documents.matter import stated
from ...core.text.json_lines import json_lines
from ...core.text.parse_json import parse_json
from ...errors import UsageError
from ...model.evidence import Block
from .document import Read, whole
from .file import File, decoded
from .links import identity
from .mapping import document


def read_lines(file: File) -> Iterator[Read]:
    """A document of each line of a JSONL file; UsageError names the first line that is none."""
    for where, data in json_lines(file.lines(), file.path):
        yield document(data, where)


def read_json(file: File) -> Iterator[Read]:
    """A document of each object of a JSON list of them; of any other JSON, its text."""
    source = decoded(file)
    try:
        data = parse_json(source.text)
    except ValueError:
        data = None
    if isinstance(data, list) and data and all(isinstance(each, dict) and {"id", "text"} <= set(each) for each in data):
        for number, each in enumerate(data, 1):
            yield document(each, f"{file.path}: document {number}")
        return
    matter = stated({}, file.name, identity(file.name))
    yield whole(file, matter, source.text, (Block(0, len(source.text)),), notes=source.notes)


def read_table(file: File) -> Iterator[Read]:
    """The document of a CSV or TSV file: its text is the source, its first row stands beside each section."""
    source = decoded(file)
    text = source.text
    starts = [0, *accumulate(len(line) for line in text.splitlines(keepends=True))]
    table = csv.reader(text.splitlines(keepends=True), delimiter="\t" if file.name.lower().endswith(".tsv") else ",")
    ends = [0]
    header: list[str] = []
    try:
        for row in table:
            header = header or row
            ends.append(starts[table.line_num])
    except csv.Error as error:
        raise UsageError(f"{file.path}:{table.line_num} is no row of a table ({error}); mend it") from error
    block = Block(0, len(text), context=" ".join(header), whole=tuple(pairwise(ends)))
    yield whole(file, stated({}, file.name, identity(file.name)), text, (block,), notes=source.notes)
