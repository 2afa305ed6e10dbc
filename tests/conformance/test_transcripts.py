"""Recorded exchanges as a transcript: all accounted for, usage as another reading has it, relations as labelled.

Run over our samples, and over the whole of the data and its labels where CALLSHEET_DATA names a folder.
"""

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.diagnose.cache.rounds import CacheRounds
from callsheet.core.diagnose.cache.terms import REASONS, STEPS, provider_of
from callsheet.edges.transcripts.reading.records import Source
from callsheet.edges.transcripts.recordings.recordings import FORMAT
from callsheet.model.diagnosis import CacheRound
from callsheet.model.transcript import Accounted, Called, Event, Reported

from .reading import broken_off, read
from .recordings import FOLDER, SAMPLES, Exchange, exchanges

DATA = os.environ.get("CALLSHEET_DATA")
FOLDERS = (SAMPLES, *([Path(DATA, FOLDER)] if DATA else ()))
LABELS = Path(DATA, "labels-derived", "prefix_pairs.jsonl") if DATA else None


@cache
def events(path: Path) -> tuple[Event, ...]:
    with path.open("rb") as stream:
        source = Source(stream, path.name)
        sample = next(each for each in source.samples() if not FORMAT.refuses(each))
        return tuple(FORMAT.read(source.records(sample.shape, FORMAT.entries)))


def files() -> Iterator[tuple[Path, Path]]:
    return ((folder, path) for folder in FOLDERS for path in sorted(folder.rglob("*.jsonl")))


@cache
def rounds(path: Path) -> tuple[CacheRound, ...]:
    analysis = CacheRounds()
    for event in events(path):
        analysis.take(event)
    return analysis.result()[0]


def test_every_recorded_exchange_is_accounted_for_once() -> None:
    for _, path in files():
        rows = path.read_text(encoding="utf-8").splitlines()
        told = [each for each in events(path) if isinstance(each, Accounted)]
        assert sorted(each.record for each in told) == list(range(len(rows))), path
        assert not [each for each in told if each.fate == "skipped"], path


def test_each_call_uses_what_an_independent_reading_of_its_response_says() -> None:
    differences = [found for folder in FOLDERS for each in exchanges(folder) if (found := _difference(folder, each))]
    assert not differences


def _difference(folder: Path, exchange: Exchange) -> str:
    if exchange.kind != "reply" or exchange.status >= 400 or broken_off(exchange):
        return ""
    name, number = exchange.place.rsplit(":", 1)
    found = [each for each in events(folder / name) if each.record == int(number)]
    called = [each for each in found if isinstance(each, Called)]
    used = next((each.usage for each in found if isinstance(each, Reported)), None)
    tokens = (used.input, used.cached_read, used.cache_write, used.output) if used else (0, 0, 0, 0)
    expected = read(exchange).tokens
    return "" if len(called) == 1 and tokens == expected else f"{exchange.place}: {tokens}, not {expected}"


@pytest.mark.skipif(LABELS is None, reason="CALLSHEET_DATA names no folder")
def test_relation_and_first_changed_part_are_as_labelled_on_every_pair() -> None:
    wrong = []
    for label in _labels():
        found = next(each for each in rounds(FOLDERS[-1] / label["file"]) if each.record == label["call"])
        if (found.relation, found.first_changed_part) != (label["relation"], label["first_changed_part"]):
            wrong.append((label, found.relation, found.first_changed_part))
    assert not wrong


@pytest.mark.skipif(LABELS is None, reason="CALLSHEET_DATA names no folder")
def test_cached_reads_agree_within_a_step_or_a_listed_reason_is_given() -> None:
    for _, path in files():
        for each in rounds(path):
            if each.warm is None:
                continue
            step = STEPS.get(provider_of(each.model), 1)
            agrees = each.expected is not None and abs(each.expected - each.usage.cached_read) <= step
            assert agrees or each.reason in REASONS, (path, each)


def _labels() -> list[dict[str, Any]]:
    assert LABELS is not None
    return [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
