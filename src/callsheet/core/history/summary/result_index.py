"""Which result stands behind which number: an index by which a model finds what left its window (F7).

Only results that nothing else leads back to are in it: a file is read again at its path and a command run again, and a
search of files or a list of steps is quickly made anew.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from ....model.message import CallBlock
from ..artifacts.tools import KINDS, kind_of, plain_name
from ..terms import Count

LONGEST, WHOLE = 40, 80
"""Signs of one argument, and of all arguments of a call."""
LABEL = 80
SCANNED = 50_000
"""Of a longer text only the beginning is read: it is a dump, and stays addressable."""
ONCE = frozenset(("web_fetch", "web_search", "task", "agent", "browse", "skill", "read_mcp_resource"))
"""Tools that many agents bring, whose answers may be others the next time, or cost much."""
LABELLED = re.compile(
    rf"^[ \t\"'*|-]*((?=[^\n:=]*[^\W\d_])\w[^\n:=|{{}}\[\]<>]{{1,{LABEL}}}?)[\"'*]*(?::[ \t]+|(?<!\d):|[ \t]*=[ \t]*)"
    r"[\"'*]*([$€£-]?\d[\d.,]*(?: ?(?:%|[A-Za-z]{1,4}\b))?)[\"'*]*[,;.]?[ \t]*$",
    re.MULTILINE,
)
"""A line that is a label and its number, as `limit, region north: 384` or `"limit": 384,`."""


@dataclass(frozen=True, slots=True)
class Returned:
    """A call by its tool and the values of its arguments, and the message that holds its newest result."""

    tool: str
    given: str
    number: int

    @property
    def key(self) -> str:
        """What is the same for the same call."""
        return f"{self.tool} {self.given}".rstrip()

    def __str__(self) -> str:
        return f"{self.number} {self.given}".rstrip()


def returned(call: CallBlock, number: int) -> Returned | None:
    """What a call that was answered in this message leads to; None where something else leads there."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    known = plain_name(call.name)
    if (known in KINDS and known not in ONCE) or kind_of(call.name, arguments) != "none":
        return None
    values = (value if isinstance(value, str) else json.dumps(value, default=str) for value in arguments.values())
    given = " ".join(" ".join(value.split())[:LONGEST] for value in values)
    return Returned(call.name, given[:WHOLE].rstrip(), number)


def rows(index: Iterable[tuple[str, str]]) -> Iterator[str]:
    """One row for each tool, its results behind it: `get_limits: 71 south, 75 north`; pairs of tool and result."""
    for tool, group in groupby(sorted(index, key=lambda each: each[0]), key=lambda each: each[0]):
        yield f"{tool}: {', '.join(text for _, text in group)}"


def newest(calls: Iterable[Returned], room: int, count: Count) -> str:
    """The rows of the newest calls, each once, in at most so many tokens; `calls` come newest first."""
    kept: dict[str, Returned] = {}
    tools: set[str] = set()
    for each in calls:
        if each.key in kept:
            continue
        room -= count(f" {each},") + (0 if each.tool in tools else count(f"{each.tool}:\n"))
        if room < 0:
            break
        tools.add(each.tool)
        kept[each.key] = each
    chosen = sorted(kept.values(), key=lambda each: each.number)
    return "\n".join(rows((each.tool, str(each)) for each in chosen))


def labelled(text: str) -> Iterator[str]:
    """The numbers that a text shows with their labels, line by line: `limit, region north: 384`."""
    for label, value in LABELLED.findall(text[:SCANNED]):
        yield f"{' '.join(label.split())}: {value.strip().rstrip('.,')}"
