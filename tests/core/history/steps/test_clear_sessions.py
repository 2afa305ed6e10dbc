"""Recorded sessions, request by request, with old results cleared: read from the folder that CALLSHEET_DATA names."""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.recorded.entries import entry
from callsheet.core.history.terms import Terms
from callsheet.drive import drive
from callsheet.model.history import View
from callsheet.model.history_policy import Clear, Deduplicate, HistoryPolicy, Trigger
from callsheet.model.message import CallBlock, ResultBlock
from callsheet.transcripts import find, read

from ..chat import changed

DATA = os.environ.get("CALLSHEET_DATA")
SETS = ("claude-code-sessions", "pi-sessions", "swe-agent-trajs")
FILES = [path for each in SETS for path in find(Path(DATA) / each)] if DATA else []


def letters(text: str) -> int:
    return -(-len(text) // 4)


@pytest.mark.skipif(not DATA, reason="CALLSHEET_DATA names no folder")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[-40:])
@pytest.mark.parametrize("trigger", [Trigger(), Trigger("importance"), Trigger("always")], ids=lambda each: each.kind)
def test_a_recorded_session_stays_readable_and_its_prefix_is_seldom_broken(path: Path, trigger: Trigger) -> None:
    said = [each for each in read(path).messages if each.role not in ("system", "developer")]
    entries = [entry(number, message, letters) for number, message in enumerate(said)]
    tools = frozenset(call.name for message in said for call in message.calls)
    window = max(100, sum(each.weight for each in entries) * 3 // 4)
    conversation = Conversation(HistoryPolicy("p", (Deduplicate(), Clear(trigger, keep=3))))
    sent: list[View] = []
    for each in entries:
        if each.speaker == "model" and each.number and entries[each.number - 1].speaker != "model":
            terms = Terms(window, letters, tools=tools, recall="recall_message")
            sent.append(drive(conversation.prepare(terms), lambda effect: effect))
            assert drive(conversation.prepare(terms), lambda effect: effect) == sent[-1]
        conversation.add(each)
    acted = [each for each in conversation.standing.edits if not each.refused and each.step == "clear"]
    assert sum(changed(*pair) is not None for pair in pairwise(sent)) <= len(acted) <= max(12, len(sent) // 5)
    for view in sent[-1:]:
        calls = {call.id for message in view.messages for call in message.blocks if isinstance(call, CallBlock)}
        results = [block for message in view.messages for block in message.blocks if isinstance(block, ResultBlock)]
        assert {block.call_id for block in results if block.call_id} <= calls
        assert view.tokens <= sum(each.weight for each in entries)
