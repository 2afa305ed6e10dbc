"""Spoiled conversations under every policy and hostile windows: a legal view or a named error, and nothing is lost."""

import io
import json
from random import Random
from typing import Any

import pytest

from callsheet import history
from callsheet.core.diagnose.session import session
from callsheet.edges.transcripts.formats import events, recognise
from callsheet.edges.transcripts.reading.records import Source
from callsheet.errors import UsageError
from callsheet.model.message import Message, NativeBlock, TextBlock

from ..core.history.test_view import refused
from ..core.render.translating import DIALECTS
from .conftest import Fuzz
from .spoiling import TEXTS
from .test_transcripts import spoiled

pytestmark = pytest.mark.fuzz
NAMES = tuple(history.POLICIES)
WINDOWS = (1, 2, 60, 300, 300, 2_000, 2_000, 20_000, 10**12, 0, -1)
OPTIONS: tuple[dict[str, Any], ...] = (
    *({}, {}, {"max_output": 50}, {"overhead": 100}, {"max_output": 10**9}, {"overhead": -5}, {"remaining": 0.5}),
    *({"recall": "recall_message"}, {"binds_thinking": True}, {"state": TEXTS[0]}, {"remaining": float("nan")}),
)


def messages(random: Random) -> tuple[Message, ...]:
    """The messages of a spoiled transcript; some of them again, or in another order."""
    with Source(io.BytesIO(spoiled(random)), "file") as source:
        try:
            form, shape = recognise(source)
        except UsageError:
            return ()
        found = list(session(form.name, events(source, form, shape)).messages)
    for _ in range(random.choice((0, 0, 1, 5)) if found else 0):
        found.insert(random.randrange(len(found) + 1), random.choice(found))
    if random.random() < 0.2:
        random.shuffle(found)
    return tuple(found[:60])


def test_every_policy_answers_for_every_conversation_and_window(fuzz: Fuzz) -> None:
    def case(random: Random) -> None:
        said = messages(random)
        policy, window = random.choice(NAMES), random.choice(WINDOWS)
        options = {**random.choice(OPTIONS), "tokenizer": "estimate"}
        views = []
        for _ in range(2):
            try:
                opened = history.OpenConversation(policy, window=window, **options)
                views.append([opened.prepare() for each in said if opened.add(each) and len(opened) % 3 == 0])
            except UsageError as error:
                assert str(error)
                return
        assert repr(views[0]) == repr(views[1]), "the same conversation is shown otherwise"
        assert [opened.recall(at) for at in range(len(said))] == [*said]
        json.dumps([each.tokens for each in views[0]])

    fuzz(case)


def test_what_every_dialect_takes_whole_it_takes_under_every_policy(fuzz: Fuzz) -> None:
    def case(random: Random) -> None:
        # A block that is known to no dialect may be all that a turn says, and is left out by another one.
        known = [each for each in messages(random) if not any(isinstance(one, NativeBlock) for one in each.blocks)]
        said = (*known, Message("user", (TextBlock(text="And now?"),), "text"))
        whole = history.apply("full", said, window=10**9, tokenizer="estimate")
        taking = [dialect for dialect in DIALECTS if refused(whole, dialect) is None]
        policy, window = random.choice(NAMES), random.choice((300, 2_000, 8_000))
        try:
            sent = history.apply(policy, said, window=window, tokenizer="estimate")
        except UsageError:
            return
        for dialect in taking:
            refusal = refused(sent, dialect)
            assert refusal is None, f"{policy} {dialect} {refusal.rule}: {refusal.why[:200]}"

    fuzz(case)
