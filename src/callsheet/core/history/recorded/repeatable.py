"""Whether a call can be made once more to see what it showed: it only reads, and it stands in the window with its
arguments (report 18). What changes something is never called an answer's way back."""

import posixpath
import re

from ..artifacts.tools import VERBS, Action, kind_of, plain_name

READS = frozenset(
    "read view open cat show load get fetch list ls find search grep glob query lookup describe look inspect status "
    "browse tree head tail recall goto".split()
)
"""Words of a tool's name that say it looks at something."""
ACTS = frozenset(word for kind, words in VERBS if kind != "read" for word in words) | frozenset(
    "send post put submit run exec execute set add make start stop kill pay book cancel refund transfer approve merge "
    "commit push deploy install think finish ask task agent spawn call click type".split()
)
"""Words of a tool's name that say it does something; they outweigh the others."""
SHOWS = frozenset(
    "cat nl head tail less more bat tac ls pwd echo grep egrep fgrep rg ag find fd tree wc file stat du df which type "
    "sort uniq cut tr jq column strings xxd od diff cmp sha256sum md5sum date env printenv basename dirname realpath "
    "cd true awk".split()
)
GIT = frozenset("log show diff status blame branch grep ls-files rev-parse describe remote shortlog".split())
CHANGES = re.compile(r"\s-(?:delete|exec|execdir|ok|fprint|i\b|D\b|d\b|m\b|M\b)|--(?:delete|move|output)\b")


def reads_only(name: str, action: Action, arguments: object) -> bool:
    """Whether a call of this tool, which does this to files, leaves everything as it is."""
    if action.line:
        return bool(action.commands) and all(map(_shows, action.commands)) and _looks(action)
    if action.effects:
        return _looks(action)
    if action.files or kind_of(name, arguments if isinstance(arguments, dict) else {}) in ("shell", "python", "edit"):
        return False
    words = set(plain_name(name).split("_"))
    return bool(words & READS) and not words & ACTS


def _looks(action: Action) -> bool:
    return all(effect.kind in ("read", "look") for effect in action.effects)


def _shows(command: str) -> bool:
    words = command.split(maxsplit=2)
    name = posixpath.basename(words[0])
    if name == "git":
        return len(words) > 1 and words[1] in GIT and not CHANGES.search(command)
    if name == "sed":
        return len(words) > 1 and words[1] == "-n" and not CHANGES.search(command)
    return name in SHOWS and not (name in ("find", "sort") and CHANGES.search(command))
