"""Bills: what the file reports where nothing is changed, arithmetic by hand where something is."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.policies import POLICIES
from callsheet.lab.compare.billing import Bill, Billing
from callsheet.lab.compare.compared import RECORDED, compared, ready
from callsheet.lab.compare.conditions import Condition
from callsheet.lab.compare.replay import FULL, Sent, replay, setting
from callsheet.model.history import Edit, Round, Shown, Standing, View
from callsheet.model.history_policy import HistoryPolicy, Slide, Trigger
from callsheet.model.message import Message, TextBlock, Usage
from callsheet.model.policy import Priced, Prices
from callsheet.transcripts import inspect

from .recordings import chat, compaction, one, round_, said, words

DATA = os.environ.get("CALLSHEET_DATA")
PRICES = Prices(input=1.0, cached_read=0.1, cache_write=1.25, output=5.0)


def bill(policy: HistoryPolicy, events: list, window: int = 10_000) -> Bill:  # type: ignore[type-arg]
    billing = Billing(window)
    for sent in replay(policy, setting(one(events), words, window)):
        billing.take(sent)
    return billing.result()


def parts(made: Bill | Usage) -> tuple[int, int, int]:
    return made.input, made.cached_read, made.cache_write


reports = st.lists(
    st.builds(Usage, st.integers(1, 50), st.integers(0, 300), st.integers(0, 300), st.integers(0, 40)),
    min_size=1,
    max_size=8,
)


def test_compare_costs_a_session_what_inspect_costs_it_writes_for_an_hour_included(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = []
    for n, (hours, minutes) in enumerate([(2_000, 0), (0, 500), (700, 100)]):
        rows.append({"type": "user", "uuid": f"u{n}", "message": {"role": "user", "content": f"question {n} " * 40}})
        usage = {
            "input_tokens": 5, "output_tokens": 40, "cache_read_input_tokens": 1_000 * n,
            "cache_creation_input_tokens": hours + minutes,
            "cache_creation": {"ephemeral_1h_input_tokens": hours, "ephemeral_5m_input_tokens": minutes},
        }  # fmt: skip
        reply = {"id": f"m{n}", "role": "assistant", "model": "claude-opus-4-6", "usage": usage}
        text = [{"type": "text", "text": f"answer {n}"}]
        rows.append({"type": "assistant", "uuid": f"a{n}", "message": {**reply, "content": text}})
    path = tmp_path / "session.jsonl"
    parents = [None, *(row["uuid"] for row in rows)]
    lines = [{**row, "parentUuid": up, "sessionId": "s"} for row, up in zip(rows, parents, strict=False)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    paid = inspect(path).cost
    assert paid is not None and compared(path, "full", None, None).bill.cost == pytest.approx(paid)
    assert compared(path, RECORDED, None, None).bill.cost == pytest.approx(paid)


@given(reports, st.floats(1.0, 900.0))
def test_the_whole_history_is_billed_what_was_reported_to_the_token(usages: list[Usage], step: float) -> None:
    total = Usage()
    for each in usages:
        total = total.plus(each)
    made = bill(FULL, chat(usages, step))
    assert (made.prompt, made.output, made.prefix_breaks) == (total.prompt, total.output, 0)


@given(st.lists(st.integers(20, 60), min_size=2, max_size=8))
def test_the_whole_history_reads_and_writes_what_was_reported(grown: list[int]) -> None:
    usages, held = [], 0
    for new in grown:
        usages.append(Usage(input=3, cached_read=held, cache_write=new))
        held += new
    made = bill(FULL, chat(usages))
    assert parts(made) == (3 * len(grown), sum(each.cached_read for each in usages), sum(grown))


def test_after_a_recorded_compaction_the_whole_history_is_billed_for_what_it_took_away() -> None:
    events = [said("person", "word " * 100), *round_(1, "word " * 50, usage=Usage(input=120))]
    events += [compaction(), said("summary", "word " * 10), *round_(2, "ok", usage=Usage(input=30))]
    # 20 tokens of overhead in each round; the second sends 150 tokens of messages in place of the summary's 10
    assert bill(FULL, events).prompt == 120 + 20 + 150


def test_the_break_of_a_recorded_compaction_is_the_recording_agents_own() -> None:
    events = [said("person", "word " * 100), *round_(1, "word " * 50, usage=Usage(cache_write=120))]
    events += [compaction(), said("summary", "word " * 10), *round_(2, "ok", usage=Usage(cache_write=30))]
    assert parts(bill(FULL, events)) == (0, 120, 120 + 50)


def test_without_reports_a_prefix_is_kept_for_five_minutes() -> None:
    near, far = bill(FULL, chat([None, None], step=299.0)), bill(FULL, chat([None, None], step=301.0))
    assert parts(near) == (0, 10, 10 + 20)
    assert parts(far) == (0, 0, 10 + 30)


def view(*texts: str, pinned: str = "") -> View:
    shown = [Shown(Message("user", (TextBlock(text=text),)), 100, (at,)) for at, text in enumerate(texts)]
    tails = [Shown(Message("user", (TextBlock(text=pinned),)), 7, (), "pinned")] if pinned else []
    return View((*shown, *tails))


def sent(number: int, seen: View, **condition: object) -> Sent:
    told = replace(Condition(50, plain=0), **condition)  # type: ignore[arg-type]
    return Sent(Round(number, number, model="m", usage=Usage(output=10)), told, seen, Standing(), ())


def test_a_message_that_joins_is_written_and_all_before_it_is_read() -> None:
    billing = Billing(10_000)
    billing.take(sent(0, view("a", "b")))
    billing.take(sent(1, view("a", "b", "c")))
    assert parts(billing.result()) == (0, 250, 250 + 100)
    assert billing.result().prefix_breaks == 0


def test_a_message_that_leaves_the_front_breaks_the_prefix_behind_the_overhead() -> None:
    billing = Billing(10_000)
    billing.take(sent(0, view("a", "b", "c")))
    billing.take(sent(1, view("b", "c", "d")))
    made = billing.result()
    assert (made.cached_read, made.cache_write, made.prefix_breaks) == (50, 350 + 300, 1)


def test_a_block_that_moves_at_the_end_costs_its_own_tokens_and_breaks_no_prefix() -> None:
    billing = Billing(10_000)
    billing.take(sent(0, view("a", pinned="rule")))
    billing.take(sent(1, view("a", "b", pinned="rule")))
    made = billing.result()
    assert (made.cached_read, made.cache_write, made.prefix_breaks) == (150, 157 + 107, 0)


def test_what_the_recorded_cache_did_not_hold_no_policy_reads() -> None:
    billing = Billing(10_000)
    billing.take(sent(0, view("a")))
    billing.take(sent(1, view("a", "b"), reach=0.0))
    assert billing.result().cached_read == 0


def test_a_file_read_again_takes_a_call_more_and_its_tokens_are_on_the_bill() -> None:
    billing = Billing(10_000, lambda model: Priced(PRICES, None, ""))  # type: ignore[arg-type]
    billing.take(sent(0, view("a")))
    billing.take(sent(1, view("a", "b")), (30,))
    made = billing.result()
    # 150 written; then 150 read and 100 written, and once more with the file: 250 read, 30 written
    assert parts(made) == (0, 150 + 250, 150 + 100 + 30)
    assert (made.refetches, made.refetched, made.rounds) == (1, 30, 2)
    assert made.cost == pytest.approx((400 * 0.1 + 280 * 1.25 + 20 * 5.0) / 1e6)


def test_a_policys_own_calls_are_on_its_bill_and_in_its_cost() -> None:
    billing = Billing(10_000, lambda model: Priced(PRICES, None, ""))  # type: ignore[arg-type]
    edit = Edit("compact", 0, usage=Usage(input=1_000, output=100))
    billing.take(replace(sent(0, view("a")), edits=(edit, Edit("clear", 0, refused="does-not-pay"))))
    made = billing.result()
    assert (made.own, made.edits, made.refused) == (1_100, 1, 1)
    assert made.cost == pytest.approx((150 * 1.25 + 10 * 5.0 + 1_000 * 1.0 + 100 * 5.0) / 1e6)


def test_a_prompt_that_the_window_does_not_hold_is_counted() -> None:
    billing = Billing(200)
    billing.take(sent(0, view("a")))
    billing.take(sent(1, view("a", "b")))
    assert (billing.result().over_window, billing.result().largest) == (1, 250)


def test_a_last_message_that_is_another_breaks_the_prefix() -> None:
    billing = Billing(10_000)
    billing.take(sent(0, view("a", "b")))
    billing.take(sent(1, view("a", "c")))
    made = billing.result()
    assert (made.cached_read, made.cache_write, made.prefix_breaks) == (150, 250 + 100, 1)


def test_behind_a_break_no_more_is_read_than_was_sent_before() -> None:
    billing = Billing(10_000)
    billing.take(sent(0, view("a", "b")))
    # the overhead grows by 30, which nobody had cached; another run's longer cache reaches no further than the break
    billing.take(sent(1, view("b"), overhead=80, reach=2.0))
    assert billing.result().cached_read == 50


def test_the_first_round_reads_what_was_warm_and_never_more_than_it_sends() -> None:
    for warm, read in ((120, 120), (900, 150)):
        billing = Billing(10_000)
        billing.take(sent(0, view("a"), warm=warm))
        assert parts(billing.result()) == (0, read, 150 - read)


def test_without_a_cache_a_file_read_again_has_the_round_sent_in_full_twice() -> None:
    billing = Billing(10_000)
    billing.take(sent(0, view("a"), plain=None), (30,))
    assert parts(billing.result()) == (150 + 180, 0, 0)


def test_what_was_read_again_earlier_still_stands_in_the_prompt() -> None:
    billing = Billing(150)
    billing.take(sent(0, view("a")))
    billing.take(sent(1, view("a"), reach=0.0), again=30)
    made = billing.result()
    assert (made.largest, made.prompt) == (180, 150 + 180)
    assert made.over_window == 1  # a prompt of just the window's size is held


def test_a_long_prompt_is_paid_at_the_price_of_long_ones() -> None:
    long = Prices(input=2.0, cached_read=0.2, cache_write=2.5, output=10.0)
    billing = Billing(10_000, lambda model: Priced(PRICES, None, "", long, above=149))  # type: ignore[arg-type]
    billing.take(sent(0, view("a")))
    assert billing.result().cost == pytest.approx((150 * 2.5 + 10 * 10.0) / 1e6)


def test_a_policy_that_drops_old_turns_sends_less_and_pays_for_the_break() -> None:
    events = chat([Usage(cached_read=20 * number, cache_write=20) for number in range(12)])
    slides = HistoryPolicy("slides", (Slide(Trigger("turns", 4, 2)),), user_words=False)
    made, whole = bill(slides, events), bill(FULL, events)
    assert made.prompt < whole.prompt and made.prefix_breaks > 0
    assert made.cache_write > whole.cache_write


@pytest.mark.skipif(DATA is None, reason="CALLSHEET_DATA names the recorded sessions")
def test_every_recorded_session_is_reproduced_as_the_file_reports_it() -> None:
    files = sorted(Path(DATA or "", "claude-code-sessions").rglob("*.jsonl"))
    assert files
    for path in files:
        reported = usage_of(path)
        row, whole = compared(path, RECORDED, None, None), compared(path, "full", None, None)
        assert (row.bill.input, row.bill.cached_read, row.bill.cache_write, row.bill.output) == reported, path
        if not ready(path, None, None).about["compactions"]:
            assert whole.bill.prompt == sum(reported[:3]), path
        assert whole.whole.in_window == whole.whole.used, path


def usage_of(path: Path) -> tuple[int, int, int, int]:
    """The usage of a Claude Code session, read a second way: the last report of each response."""
    last: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        message = row.get("message") if isinstance(row, dict) else None
        if isinstance(message, dict) and row.get("type") == "assistant" and isinstance(message.get("usage"), dict):
            last[message["id"]] = message["usage"]
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
    counts = [sum(each.get(name) or 0 for each in last.values()) for name in names]
    return counts[0], counts[1], counts[2], counts[3]


def test_every_policy_has_a_row_for_a_conversation_without_any_tool() -> None:
    events = chat([Usage(cached_read=20 * number, cache_write=20) for number in range(12)])
    for policy in POLICIES.values():
        assert bill(policy, events, window=400).rounds == 12
