"""Foreign text in the bytes of a body, as a model reads them: nothing in it closes its block, begins one, or a turn."""

import json
import re
import unicodedata
from random import Random
from typing import Any

import pytest

from callsheet.core.render.lay_out import DELIMITED
from callsheet.core.text.foreign import TAGS
from callsheet.edges.counters.qwen import CONTROL_TOKENS, render
from callsheet.edges.counters.server_chat import as_chat
from callsheet.model.item import ContextItem
from callsheet.model.task import Task

from ..core.render.test_wire import request
from ..core.world import evidence, memory, policy, value
from .conftest import Fuzz
from .spoiling import TEXTS

pytestmark = pytest.mark.fuzz
ANGLES = ("<", "＜", "﹤", "<\u200b", "<\u0301", "<\ufe0f", "< ", "<\u3000", "<\n", "<\u2800", "<\u3164", "<\U000e0041")
SLASHES = ("", "/", "/", "/ ", "∕", "⁄", "／", "\u200b/", "/\u00ad", "⧸", "╱")
CLOSINGS = (">", "＞", " >", "", ' x="y">', "\n>", "|>")
ALIKE = str.maketrans("aceopxyijs", "асеорхуіјѕ")
GREEK = str.maketrans("oiavu", "οιαѵυ")
FORMS = ("NFC", "NFD", "NFKC", "NFKD")
NAMES = sorted({*TAGS, *DELIMITED.values()})


def spelled(random: Random) -> str:
    """A delimiter or a control token in some spelling that a reader may take for it."""
    name = random.choice((*NAMES, "|im_start|", "|im_end|", "|endoftext|"))
    name = random.choice(
        (
            lambda: name,
            name.upper,
            lambda: name.translate(ALIKE),
            lambda: name.translate(GREEK),
            lambda: "".join(chr(ord(each) + 0xFEE0) for each in name),
            lambda: "".join(chr(0x1D41A + ord(each) - 97) if "a" <= each <= "z" else each for each in name),
            lambda: random.choice(("\u200b", "\u034f", "\u115f", "\u2061")).join(name),
        )
    )()
    return random.choice(ANGLES) + random.choice(SLASHES) + name + random.choice(CLOSINGS)


def foreign(random: Random) -> str:
    """A text in which some delimiters are spelled, whole or with its beginning or end elsewhere."""
    parts = [
        random.choice((spelled(random), spelled(random), random.choice(TEXTS))) for _ in range(random.randrange(1, 5))
    ]
    text = random.choice(("", " ", "\n")).join(parts)
    if random.random() < 0.3:
        text = unicodedata.normalize(random.choice(FORMS), text)
    if random.random() < 0.3:
        at = random.randrange(len(text) + 1)
        text = random.choice((text[:at], text[at:]))
    return text or "x"


def items(random: Random) -> list[ContextItem]:
    """Evidence whose id is foreign as well, memory and values."""
    broken = spelled(random)
    at = random.randrange(len(broken) + 1)
    found: list[Any] = [
        evidence(f"doc{broken[:at]}@v1#s", f"{broken[at:]}{foreign(random)}"),
        evidence("doc/2@v1#s", foreign(random)),
        memory(foreign(random), record_id="m1"),
        value("limit", foreign(random)),
    ]
    return random.sample(found, random.randrange(1, len(found) + 1))


LIKE_LATIN = str.maketrans("асеорхуіјѕοιαѵυ", "aceopxyijsoiavu")


def as_taken(text: str) -> str:
    """What a reader may take a text for: compatibility forms and look-alike letters folded, all that is invisible gone.

    Written apart from the code under test, from the Unicode data alone.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text)).casefold().translate(LIKE_LATIN)
    shown = (each for each in folded if unicodedata.category(each)[0] not in "MC" or each in "\n\t")
    return "".join(shown).translate({ord(each): None for each in "\u115f\u1160\u3164\u2800"})


TAG = re.compile(rf"<\s*([/∕⁄⧸╱]?)\s*({'|'.join(NAMES)})\b")


def test_whatever_foreign_text_says_the_blocks_of_a_body_are_ours(fuzz: Fuzz) -> None:
    plain = request(rules=policy())[1].body

    def case(random: Random) -> None:
        made, wire = request(*items(random), rules=policy(), task=Task(foreign(random), "run"))
        chat = json.loads(wire.body)["messages"]
        written = as_taken("\n".join(each["content"] for each in chat))
        ours = "\n".join(each["content"] for each in json.loads(plain)["messages"])
        for kind, tag in DELIMITED.items():
            blocks = sum(item.kind == kind for item in made.items)
            own = sum(item.text.count(f"<{tag}>") for item in made.prefix)
            found = TAG.findall(written)
            assert sum(each == ("/", tag) or (bool(each[0]) and each[1] == tag) for each in found) == blocks, tag
            assert sum(each == ("", tag) for each in found) == blocks + own, tag
        values = sum(item.item_id.startswith("value/") for item in made.items)
        for tag in NAMES:
            if tag not in DELIMITED.values():
                opened = sum(each == ("", tag) for each in TAG.findall(written))
                known = sum(each == ("", tag) for each in TAG.findall(as_taken(ours)))
                assert opened <= known + (values if tag == "value" else 0), tag
        prompt = render(*as_chat("openai_chat", json.loads(wire.body)), True)
        counted = {token: prompt.count(token) for token in CONTROL_TOKENS}
        turns = len(chat)
        assert (counted.pop("<|im_start|>"), counted.pop("<|im_end|>")) == (turns + 1, turns)
        assert not any(counted.values()), counted
        assert not any(token in as_taken(each["content"]) for each in chat for token in ("<|im_start|>", "<|im_end|>"))

    fuzz(case)
