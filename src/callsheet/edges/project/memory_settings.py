"""[memory]: what a run may remember by itself, how long, on whose word (C2, C4, C6)."""

from collections.abc import Collection

from ...model.memory_policy import MemoryPolicy
from .text import Source

TABLE = "memory"
REMEMBER = "remember"
"""The decision kind by which a model lists what is worth keeping."""
MOST_DAYS = 100_000


def memory_policy(table: MemoryPolicy, kinds: Collection[str], source: Source) -> MemoryPolicy:
    """The policy of a table; a Problem names the key that lies outside its range, or the kind that it needs."""
    for kind, days in table.retention.items():
        if not 0 < days <= MOST_DAYS:
            why = f"memory.retention.{kind} = {days} is no number of days that a memory can be kept"
            raise source.problem((TABLE, "retention", kind), "invalid-value", why, f"give one up to {MOST_DAYS}")
    for each in table.confirm:
        if each not in ("subject", "trusted_tool") and not (each.startswith("grant:") and each[6:].strip()):
            why = f"memory.confirm = {each!r} is nobody whose word could be asked"
            fix = "write subject, trusted_tool, or grant:NAME"
            raise source.problem((TABLE, "confirm"), "invalid-value", why, fix)
    if table.write == "model" and REMEMBER not in kinds:
        why = f"memory.write = 'model' asks by a decision kind {REMEMBER!r}, and there is none"
        fix = f'add [decision.{REMEMBER}] with proposals = ["answer", "abstain"], or write = "rules"'
        raise source.problem((TABLE, "write"), "unknown-decision", why, fix)
    return table
