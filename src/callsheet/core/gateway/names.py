"""Names of foreign tools: told apart by the server's local id, and never by the order in which they came."""

import re
import unicodedata

from ...model.gateway import Review
from ..artifacts import READ_ARTIFACT
from ..code import RUN_CODE
from ..memory_files.commands import NAME as MEMORY
from ..paging import CONTRACTS as PAGING
from ..render.legality import NAME as PROVIDERS
from ..restart.tools import CONTRACTS as RESTART
from ..skills.tools import NAMES as SKILLS
from ..text.foreign import as_read
from ..tools.finding import FIND_TOOLS

SEPARATOR = "__"
RESERVED = frozenset((MEMORY, READ_ARTIFACT, RUN_CODE, FIND_TOOLS, *PAGING, *RESTART, *SKILLS))
"""Names of the engine's own tools, which no server may have."""
SERVER_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
"""A local id has no underscore, so that what stands before the first two of them is the server."""
_SOURCE = re.compile(r"[A-Za-z0-9_.-]+")
_LOOKS_LIKE = str.maketrans({"0": "o", "1": "l", "_": None, "-": None, ".": None})


def exposed(server: str, name: str) -> str:
    """The name that a tool has outside: `server__tool`, in the letters that every provider allows."""
    return f"{server}{SEPARATOR}{name.replace('.', '_')}"


def path(server: str, name: str) -> str:
    """The tool as people read it: `server/tool`."""
    return f"{server}/{name}"


def skeleton(name: str) -> str:
    """What a name looks like: names with one skeleton are easily taken for each other."""
    folded = as_read(unicodedata.normalize("NFKC", name)).casefold().translate(_LOOKS_LIKE)
    return folded.replace("rn", "m").replace("vv", "w")


def name_review(server: str, name: str) -> Review | None:
    """The refusal of a name that no provider takes or that is the engine's own; None for any other."""
    if not _SOURCE.fullmatch(name) or not PROVIDERS.fullmatch(exposed(server, name)):
        why = f"{name!r}, as {exposed(server, name)!r}, does not match {PROVIDERS.pattern}, as providers demand"
        return Review("refuse", "bad-name", why, path(server, name))
    if skeleton(name) in {skeleton(each) for each in RESERVED}:
        return Review("refuse", "reserved-name", f"{name!r} is a tool of the engine's own", path(server, name))
    return None
