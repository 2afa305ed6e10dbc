"""Research, plan, implementation: documents checked by code, and the windows that start from them (F10).

A phase works in a window of its own and leaves nothing behind but its document; so what the document does not say is
lost to the next phase, and one that lacks a section starts none.
"""

import re
from collections.abc import Iterator
from typing import get_args

from ....errors import UsageError
from ....model.message import Message, TextBlock
from ....model.phases import SECTIONS, Phase, PhaseDocument
from ...text.foreign import neutral

NEXT: dict[Phase, Phase] = {"research": "plan", "plan": "implementation"}
EMPTY = re.compile(r"(?:todo|tbd|fixme|xxx|\.{3,}|…|-+|n/?a|\?+)[.:!]?", re.IGNORECASE)
"""What stands where something is still to be written; "none" is an answer."""
_HEADING = re.compile(r"^##[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_TITLE = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


def read(phase: str, text: str) -> PhaseDocument:
    """The document of a phase, from Markdown: a title after `#`, sections after `##`; UsageError for another phase."""
    if phase not in SECTIONS:
        raise UsageError(f"no phase is called {phase!r}; name one of {', '.join(get_args(Phase))}")
    parts = _HEADING.split(text)
    title = _TITLE.search(parts[0])
    sections = {name.strip(): body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    return PhaseDocument(phase, title.group(1) if title else "", sections)  # type: ignore[arg-type]


def written(document: PhaseDocument) -> str:
    """The document as Markdown, its mandatory sections first and in their order."""
    order = [*SECTIONS[document.phase], *(name for name in document.sections if name not in SECTIONS[document.phase])]
    parts = [f"## {name}\n{document.sections[name]}\n" for name in order if name in document.sections]
    return "\n".join((f"# {document.title}\n", *parts))


def faults(document: PhaseDocument) -> tuple[str, ...]:
    """What keeps the document from starting the next phase, a sentence each; none where it is whole."""
    return tuple(_faults(document))


def _faults(document: PhaseDocument) -> Iterator[str]:
    if not document.title.strip():
        yield "the document has no title: a first line `# …`"
    for name in SECTIONS[document.phase]:
        body = document.sections.get(name)
        if body is None:
            yield f"the section {name!r} is missing; write `## {name}`"
        elif not body.strip() or EMPTY.fullmatch(body.strip()):
            yield f'the section {name!r} is empty; write "none" where there is nothing to say'


def opening(document: PhaseDocument, example: str = "", name: str = "an example") -> Message:
    """The message that the next phase's window starts with: the document, and an example of what is to come of it.

    The example (a migration that was done, a reference change) shows the form; it stands apart, as data. UsageError
    where the document is not whole, or where no phase follows.
    """
    wrong = faults(document)
    if wrong:
        raise UsageError(f"the {document.phase} document starts no phase: {'; '.join(wrong)}")
    if document.phase not in NEXT:
        raise UsageError(f"no phase follows {document.phase}; its document is the result")
    following = NEXT[document.phase]
    wanted = ", ".join(SECTIONS[following])
    told = f"The {document.phase} phase is done; this is its document. Now comes the phase: {following}. It ends in a"
    parts = [f"{told} document with the sections {wanted}.", _block("document", written(document))]
    if example:
        told = f"This is {name} of what is wanted; follow its form, and take no fact from it."
        parts += [told, _block("example-artifact", example)]
    return Message("user", (TextBlock(text="\n\n".join(parts)),), "text")


def _block(tag: str, text: str) -> str:
    return f"<{tag}>\n{neutral(text)}\n</{tag}>"
