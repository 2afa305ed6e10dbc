"""Spoiled requests and replies: a request is read back as it was, or refused by name; a reply is read, or an error."""

import json
from contextlib import suppress
from random import Random
from typing import Any, get_args

import pytest

from callsheet.core.proposal.reading import read_text
from callsheet.core.render.dialects import DIALECTS, read_response, without_secrets
from callsheet.core.render.sse import EventReader, is_stream
from callsheet.core.render.texts import said
from callsheet.core.render.translate import LEFT_OUT, for_dialect
from callsheet.core.render.writer import segments
from callsheet.core.text.parse_json import parse_json
from callsheet.core.text.redact import redact_json
from callsheet.lab.replies import STREAMS, WHOLE
from callsheet.model.policy import DialectName, GatePolicy, ModelTraits
from callsheet.model.prompt import Prompt
from callsheet.model.verdict import RULES, Verdict

from ..conformance.recordings import SAMPLES, exchanges
from ..core.world import KINDS
from .conftest import Fuzz
from .spoiling import TEXTS, damage, spoil, written

pytestmark = pytest.mark.fuzz
NAMES: tuple[DialectName, ...] = get_args(DialectName)
EXCHANGES = tuple(exchanges(SAMPLES))
REQUESTS = tuple((each.dialect, each.request) for each in EXCHANGES if isinstance(each.request, dict))
TRAITS = (ModelTraits(), ModelTraits(system_turns=True, prefill=True), ModelTraits(signed_calls=True))


def body(prompt: Prompt, dialect: DialectName) -> bytes:
    """The bytes of a prompt; each of them stands in a segment, and each segment holds some."""
    made = segments(DIALECTS[dialect].encode(prompt))
    assert all(each.data for each in made)
    return b"".join(each.data for each in made)


def test_a_spoiled_request_is_read_back_as_it_was_and_said_in_every_dialect_or_refused_by_name(fuzz: Fuzz) -> None:
    def case(random: Random) -> None:
        dialect, request = random.choice(REQUESTS)
        spoilt = spoil(json.loads(json.dumps(request)), random, random.choice((1, 1, 2, 6)))
        try:
            raw = parse_json(written(spoilt, random))
            prompt = DIALECTS[dialect].decode(raw)
        except ValueError as error:
            assert str(error)
            return
        data = body(prompt, dialect)
        assert canonical(json.loads(data)) == canonical(whole(raw)), "what was read is not what is written"
        with suppress(ValueError):
            said(data)
        for other in NAMES:
            told(prompt, other, random.choice(TRAITS))

    fuzz(case)


def canonical(value: Any) -> str:
    """A value without the order of its keys, which a dialect's writer settles."""
    return json.dumps(value, sort_keys=True)


def whole(value: Any) -> Any:
    """The value as UTF-8 can hold it: half a character becomes the replacement character."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [whole(each) for each in value]
    return {whole(key): whole(each) for key, each in value.items()} if isinstance(value, dict) else value


def told(prompt: Prompt, dialect: DialectName, traits: ModelTraits) -> None:
    """A prompt is said in the dialect, legally, and reads there as it is written; or a named rule refuses it."""
    translated = for_dialect(prompt, dialect, traits)
    assert {each.kind for each in translated.left_out} <= {*LEFT_OUT}
    refusal = translated.refusal or DIALECTS[dialect].illegal(translated.prompt, traits)
    if refusal is not None:
        assert refusal.rule in RULES and refusal.why
        return
    data = body(translated.prompt, dialect)
    again = DIALECTS[dialect].decode(json.loads(data))
    assert canonical(json.loads(body(again, dialect))) == canonical(json.loads(data))


def test_whatever_a_model_sends_it_is_a_reply_or_an_error_that_says_so(fuzz: Fuzz) -> None:
    def case(random: Random) -> None:
        dialect = random.choice(NAMES)
        data = reply(dialect, random)
        clean = without_secrets(data, dialect)
        assert without_secrets(clean, dialect) == clean
        try:
            response = read_response(clean, dialect)
        except ValueError as error:
            assert str(error)
            return
        proposal = read_text(response.message.text, random.choice(KINDS), GatePolicy())
        assert not isinstance(proposal, Verdict) or proposal.rule in RULES
        redact_json(response.message.text)

    fuzz(case)


def reply(dialect: DialectName, random: Random) -> bytes:
    """A recorded or made-up reply, whole or streamed, spoiled in its values, its bytes, or both."""
    recorded = [each.response for each in EXCHANGES if each.dialect == dialect]
    if recorded and random.random() < 0.5:
        held = random.choice(recorded)
        data = held.encode("utf-8", "surrogatepass") if isinstance(held, str) else json.dumps(held).encode()
    else:
        proposal = json.dumps({"kind": "ask", "reason": random.choice(TEXTS)})
        made = WHOLE[dialect](proposal, [("check", {"a": 1})] if random.random() < 0.5 else [], 1, 1)
        if random.random() < 0.5:
            events = [spoil(json.loads(json.dumps(each)), random) for _, each in STREAMS[dialect](made)]
            data = b"".join(b"data: " + written(each, random) + b"\n\n" for each in events)
        else:
            data = written(spoil(json.loads(json.dumps(made)), random), random)
    return damage(data, random) if random.random() < 0.6 else data


def test_a_stream_says_the_same_however_its_bytes_arrive(fuzz: Fuzz) -> None:
    def case(random: Random) -> None:
        data = reply(random.choice(NAMES), random)
        if not is_stream(data):
            return
        cuts = sorted(random.randrange(len(data) + 1) for _ in range(random.choice((1, 3, 40))))
        chunks = [data[one:other] for one, other in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        assert arrived(chunks) == arrived([data])

    fuzz(case)


def arrived(chunks: list[bytes]) -> list[str]:
    """What a reader makes of the chunks, up to the first event that cannot be read."""
    reader, found = EventReader(), []
    with suppress(ValueError):
        for chunk in chunks:
            for event in reader.feed(chunk):
                found.append(repr(event))
        for event in reader.close():
            found.append(repr(event))
    return found
