"""A line about a file: what was done to it, which functions that touched, and what was said of it (F2)."""

import posixpath
from dataclasses import dataclass

from ....model.diagnosis import Artifact

VERBS = ("created", "changed", "deleted", "read")
FUNCTIONS = 8
_BETWEEN = " | "
_NAMES = "in "


@dataclass(frozen=True, slots=True)
class FileLine:
    """What is known of one file; written as `created, changed | in open(), close() | adds pooling`."""

    verbs: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    said: str = ""

    @classmethod
    def of(cls, artifact: Artifact, said: str = "") -> "FileLine":
        """The line of a file in an artifact index."""
        was = (artifact.created, artifact.written, artifact.deleted, artifact.read)
        verbs = tuple(verb for verb, true in zip(VERBS, was, strict=True) if true)
        return cls(verbs or ("read",), artifact.functions[:FUNCTIONS], said)

    @classmethod
    def read(cls, text: str) -> "FileLine":
        """The line in a text; one that a summariser wrote freely is all `said`."""
        verbs: tuple[str, ...] = ()
        functions: tuple[str, ...] = ()
        said = []
        for at, part in enumerate(text.split(_BETWEEN)):
            words = tuple(part.split(", "))
            if at == 0 and set(words) <= set(VERBS):
                verbs = words
            elif at == 1 and verbs and part.startswith(_NAMES):
                functions = tuple(part[len(_NAMES) :].split(", "))
            else:
                said.append(part)
        return cls(verbs, functions, _BETWEEN.join(said))

    def then(self, later: "FileLine") -> "FileLine":
        """The two as one: all that was done, the later functions first, the later words."""
        verbs = {*self.verbs, *later.verbs}
        if "deleted" in self.verbs and {"created", "changed"} & set(later.verbs) and "deleted" not in later.verbs:
            verbs.discard("deleted")
        functions = tuple(dict.fromkeys((*later.functions, *self.functions)))[:FUNCTIONS]
        return FileLine(tuple(verb for verb in VERBS if verb in verbs), functions, later.said or self.said)

    def bare(self) -> "FileLine":
        """The line without details."""
        return FileLine(self.verbs)

    def __str__(self) -> str:
        names = _NAMES + ", ".join(self.functions) if self.functions else ""
        return _BETWEEN.join(part for part in (", ".join(self.verbs), names, self.said) if part)


def name_of(path: str) -> str:
    """The last part of a path."""
    return posixpath.basename(path.replace("\\", "/"))
