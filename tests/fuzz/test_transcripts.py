"""Spoiled transcripts: nothing is fatal, each record is accounted for once, the same file reads the same."""

import io
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from callsheet.core.text.parse_json import parse_json
from callsheet.edges.transcripts.formats import events, formats, recognise
from callsheet.edges.transcripts.reading.records import BLANK, Source
from callsheet.errors import UsageError
from callsheet.model.message import Block
from callsheet.model.transcript import Accounted, Event, Said

from .command import answered, called
from .conftest import Fuzz
from .seeds import made_up, seed
from .spoiling import damage, spoil, written

pytestmark = pytest.mark.fuzz
COMMANDS = (
    *(("inspect",), ("inspect",), ("artifacts",), ("artifacts", "--at", "3"), ("handover",)),
    ("compare", "--jobs", "1", "--policies", "as recorded,tool-clearing,compaction,sliding"),
)


def spoiled(random: Random) -> bytes:
    """A transcript with values in it that do not belong, bytes that do not, or both."""
    data = seed(random)
    how = random.random()
    if how < 0.7:
        data = _with_odd_values(data, random)
    if how > 0.6:
        for _ in range(random.choice((1, 1, 3))):
            data = damage(data, random)
    return data


def _with_odd_values(data: bytes, random: Random) -> bytes:
    times = random.choice((1, 1, 2, 5, 20))
    try:
        return written(spoil(json.loads(data), random, times), random)
    except ValueError:
        rows = data.splitlines()
    for at in random.sample(range(len(rows)), min(times, len(rows))):
        try:
            rows[at] = written(spoil(json.loads(rows[at]), random), random)
        except ValueError:
            continue
    return b"\n".join(rows) + b"\n"


def test_there_is_a_transcript_of_every_format_to_spoil() -> None:
    assert {recognise(Source(io.BytesIO(data), name))[0].name for name, data in made_up().items()} == {
        each.name for each in formats()
    }


def test_whatever_stands_in_a_transcript_it_is_read_record_by_record(fuzz: Fuzz) -> None:
    fuzz(lambda random: _reads(spoiled(random)))


def _reads(data: bytes) -> None:
    found = []
    for _ in range(2):
        with Source(io.BytesIO(data), "file") as source:
            try:
                form, shape = recognise(source)
            except UsageError:
                return
            found.append(list(events(source, form, shape)))
            utf8 = source._stream
            utf8.seek(source._origin)
            expected = _records(utf8.read(), shape)
    assert not [
        each for event in found[0] if isinstance(event, Said) for each in event.message.blocks if _odd_names(each)
    ]
    assert repr(found[0]) == repr(found[1]), "the same file reads otherwise"
    assert expected is None or _accounted(found[0]) == expected, f"{form.name}: records {_accounted(found[0])}"


def _odd_names(block: Block) -> bool:
    """Whether something stands as an id or a name that is no text: whoever looks it up would fail."""
    names = (getattr(block, key, None) for key in ("id", "call_id", "name", "type"))
    return any(each is not None and not isinstance(each, str) for each in names)


def _accounted(found: list[Event]) -> Counter[int]:
    return Counter(each.record for each in found if isinstance(each, Accounted))


def _records(data: bytes, shape: str) -> Counter[int] | None:
    """The records of a file as it is written, each once; None where the shape does not tell."""
    if shape == "lines":
        return Counter(at for at, line in enumerate(data.split(b"\n")) if line.strip(BLANK))
    if shape == "list":
        try:
            return Counter(range(len(parse_json(data))))
        except ValueError:
            return None  # of a document that no reader takes whole, what stands before the break is read
    return None


def test_whatever_is_inspected_a_report_comes_out_or_one_line(fuzz: Fuzz, tmp_path: Path) -> None:
    def case(random: Random) -> None:
        path = tmp_path / "session.jsonl"
        path.write_bytes(spoiled(random))
        command = random.choice(COMMANDS)
        told = answered(command[0], str(path), *command[1:])
        if command == ("inspect",) and told is not None:
            _adds_up(told)
        if random.random() < 0.3:
            code, out, err = called(command[0], str(path), *command[1:])
            assert code in (0, 2) and ("Traceback" not in err), err[:300]
            assert "\x1b" not in out + err and "\u202e" not in out + err
            out.encode()

    fuzz(case)


def _adds_up(told: dict) -> None:
    records = told["records"]
    skipped = sum(each.get("count", 1) for each in records["skipped"])
    assert records["read"] == records["kept"] + records["unknown"] + skipped
    assert sum(records["unknown_types"].values()) == records["unknown"]
