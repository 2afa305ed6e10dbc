"""Plain text, and code in a language without a grammar here: paragraphs."""

from collections.abc import Iterator

from ...core.documents.matter import stated
from ...model.evidence import Block
from .document import Read, whole
from .file import File, decoded
from .front import parted
from .links import identity


def read(file: File) -> Iterator[Read]:
    """The document of a text file, which may have a front matter."""
    source = decoded(file)
    data, text = parted(source.text, file.name)
    matter = stated(data, file.name, identity(file.name))
    yield whole(file, matter, text, (Block(0, len(text)),), notes=source.notes)
