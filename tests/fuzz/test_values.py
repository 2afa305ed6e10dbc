"""Odd numbers, moments and texts in the front door's functions: an answer that holds, or an error that names them."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

import pytest

from callsheet import Budget, Candidate, MemoryRecord, RequestContext, load_memories, pack, wilson
from callsheet.core.text.redact import redact, redact_json
from callsheet.errors import UsageError

from ..core.text.test_redact import SECRETS
from ..walks.stage import customer, open_stage
from .conftest import Fuzz
from .spoiling import NUMBERS, TEXTS

pytestmark = pytest.mark.fuzz
SCORES = (*NUMBERS, 0, 1, 0.25, 0.5, 0.75, True)
ZONES = (None, UTC, timezone(timedelta(hours=23, minutes=59)), timezone(-timedelta(hours=23, minutes=59)))
MOMENTS = tuple(
    moment.replace(tzinfo=zone)
    for moment in (datetime.min, datetime.max, datetime(1970, 1, 1), datetime(2026, 11, 30, 12))
    for zone in ZONES
)


def test_packing_keeps_its_budget_and_its_order_or_names_the_number(fuzz: Fuzz) -> None:
    def case(random: Random) -> None:
        def number() -> Any:
            return random.choice(SCORES)

        def whole() -> Any:
            return random.choice([each for each in SCORES if isinstance(each, int) or each != each])

        try:
            items = [
                Candidate(
                    f"i{at}", "t", random.choice((1, 10, whole())), *(random.choice((0.5, number())) for _ in "123")
                )
                for at in range(random.randrange(6))
            ]
            budget = Budget(random.choice((50, whole())), random.choice((0, whole())), random.choice((0, whole())))
            weights = {random.choice(("relevance", "redundancy", "injection")): number()}
            selected, packing = pack(items, "t", budget, weights)
        except ValueError as error:
            assert str(error)
            return
        assert sum(each.tokens for each in selected) == packing.used <= budget.available
        assert {*packing.selected} | packing.dropped.keys() == {each.item_id for each in items}
        random.shuffle(items)
        assert pack(items, "t", budget, weights) == (selected, packing)

    fuzz(case)


def test_a_moment_is_compared_or_named(fuzz: Fuzz) -> None:
    def case(random: Random) -> None:
        expires, now = random.choice((None, *MOMENTS)), random.choice(MOMENTS)
        record = MemoryRecord("s", "t", "p", random.choice(TEXTS), "user_stated", expires)
        try:
            RequestContext(random.choice(TEXTS), random.choice(TEXTS), now=now)
            facts, hypotheses = load_memories([record], "s", "t", "p", now)
        except ValueError as error:
            assert str(error)
            return
        live = expires is None or expires > now
        assert (facts, hypotheses) == ([record] if live else [], [])

    fuzz(case)


def test_an_interval_lies_in_what_is_possible_or_the_number_is_named(fuzz: Fuzz) -> None:
    def case(random: Random) -> None:
        try:
            low, high = wilson(random.choice((0, 1, 5, *NUMBERS)), random.choice((1, 5, 5, *NUMBERS)))
        except ValueError as error:
            assert str(error)
            return
        assert 0 <= low <= high <= 1

    fuzz(case)


def test_a_secret_is_taken_out_wherever_it_stands_and_nothing_is_taken_out_twice(fuzz: Fuzz) -> None:
    secrets = [each for each in SECRETS if each[0] in ("api-key", "token", "json-web-token", "access-key")]

    def case(random: Random) -> None:
        _, secret = random.choice(secrets)
        before, after = random.choice(TEXTS), random.choice(TEXTS)
        text = f"{before}{random.choice((' ', chr(10), '=', ': ', '(', chr(34)))}{secret} {after}"
        clean = redact(text)
        assert secret not in clean and redact(clean) == clean
        assert redact_json(redact_json(text)) == redact_json(text)

    fuzz(case)


def test_every_byte_of_a_recorded_body_has_one_owner_with_a_reason(fuzz: Fuzz, tmp_path: Path) -> None:
    ctx = customer()
    with open_stage(tmp_path) as host:

        def case(random: Random) -> None:
            question = random.choice((random.choice(TEXTS), f"Why? {random.choice(TEXTS)}"))
            try:
                recorded = host.assemble(question, ctx)
            except UsageError as error:
                assert str(error)
                return
            request_id = recorded.manifest.request_id
            size = len(recorded.wire.body)
            for byte in (*random.sample(range(size), min(size, 20)), 0, size - 1):
                why = host.why(request_id, byte=byte, ctx=ctx)
                assert why is not None
            for byte in (-1, size, 10**30):
                with pytest.raises(UsageError):
                    host.why(request_id, byte=byte, ctx=ctx)

        fuzz(case)
