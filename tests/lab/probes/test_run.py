"""Probes under a policy: the question takes the next turn, the policy lays the window out, the answer is judged."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.recorded.entries import entry
from callsheet.core.history.summary.by_rule import draft
from callsheet.core.history.terms import Terms
from callsheet.drive import drive
from callsheet.errors import UsageError
from callsheet.history import POLICIES
from callsheet.lab.probes.answers import Answers
from callsheet.lab.probes.ask import body, question
from callsheet.lab.probes.incident import FACT_PROBE, PROBES, RULE_PROBE
from callsheet.lab.probes.results import Answer
from callsheet.lab.probes.run import control, run
from callsheet.model.history_policy import HistoryPolicy, Slide, Trigger

from .talking import COUNT, FACT_WORDS, RULE_WORDS, STORY, TIMELINE, Reader, setting

LAST_TURNS = HistoryPolicy("last-turns", (Slide(Trigger("turns", 4, 4)),))


def test_the_whole_history_holds_fact_and_rule_and_a_window_of_turns_holds_only_what_was_said() -> None:
    full = run(TIMELINE, HistoryPolicy(), PROBES, setting(Reader((*FACT_WORDS, *RULE_WORDS))))
    facts = run(TIMELINE, LAST_TURNS, (FACT_PROBE,), setting(Reader(FACT_WORDS)))
    rules = run(TIMELINE, LAST_TURNS, (RULE_PROBE,), setting(Reader(RULE_WORDS)))

    assert full.all.n == 12
    assert full.probes["standing-rule"].hits == 6
    assert (facts.all.hits, facts.all.abstained) == (0, 6)
    assert rules.all.hits == 6


def test_a_row_tells_its_counts_by_probe_kind_and_dimension_with_intervals() -> None:
    row = run(TIMELINE, HistoryPolicy("whole"), PROBES, setting(Reader(RULE_WORDS)))

    assert row.policy == "whole"
    assert {id: (each.hits, each.neighbour) for id, each in row.probes.items()} == {
        "standing-rule": (6, 0),
        "limit-before": (0, 0),
    }
    assert row.kinds["decision"].hits == row.dimensions["instruction following"].hits == 6
    assert row.kinds["recall"].other == row.dimensions["accuracy"].other == 6
    assert (row.all.low, row.all.high) == (0.2538, 0.7462)
    assert row.completeness == 0.5


def test_the_control_row_has_nothing_but_the_fact_in_its_window() -> None:
    model = Reader((*FACT_WORDS, *RULE_WORDS))
    row = control(TIMELINE, PROBES, setting(model))

    assert row.policy == "control"
    assert row.all.hits == row.all.n == 12
    sent = [json.loads(each) for each in model.bodies]
    assert all(len(each["messages"]) == 2 and "tools" not in each for each in sent)
    assert sent[-1]["messages"][0]["content"] == "limit before the push, region north, pool hold-store: 384"


def test_a_probe_whose_value_the_conversation_does_not_hold_is_refused_with_a_way_out() -> None:
    with pytest.raises(UsageError, match=r"'limit-before'.*give the `fact`"):
        control(TIMELINE, (replace(FACT_PROBE, expected=(("99999",),)),), setting(Reader(())))
    with pytest.raises(UsageError, match="'limit-before'"):
        control(TIMELINE, (replace(FACT_PROBE, at=3),), setting(Reader(())))


def test_a_probe_is_asked_with_what_stood_before_its_round() -> None:
    model = Reader(RULE_WORDS)
    early, late = replace(RULE_PROBE, at=1), replace(RULE_PROBE, id="late", at=3)
    row = run(TIMELINE, HistoryPolicy(), (early, late), setting(model))

    assert row.probes["standing-rule"].abstained == 6
    assert row.probes["late"].hits == 6
    assert len(json.loads(model.bodies[0])["messages"]) == TIMELINE.rounds[0].before + 2


def test_a_round_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="before round 500; the conversation has rounds 1 to 78"):
        run(TIMELINE, HistoryPolicy(), (replace(RULE_PROBE, at=500),), setting(Reader(())))


def test_probes_leave_the_replay_as_it_was(tmp_path: Path) -> None:
    alone, beside = Reader(RULE_WORDS), Reader(RULE_WORDS)
    run(TIMELINE, LAST_TURNS, (RULE_PROBE,), setting(alone))
    run(TIMELINE, LAST_TURNS, (replace(FACT_PROBE, at=40), RULE_PROBE), setting(beside))

    assert beside.bodies[6:] == alone.bodies


def test_answers_on_file_are_not_asked_again_and_a_torn_line_is_none(tmp_path: Path) -> None:
    path = tmp_path / "new" / "answers.jsonl"
    first, again = Reader(RULE_WORDS), Reader(RULE_WORDS)
    made = run(TIMELINE, HistoryPolicy(), (RULE_PROBE,), setting(first, answers=Answers(path)))
    written = path.read_bytes()
    path.write_bytes(written[:-20])
    resumed = run(TIMELINE, HistoryPolicy(), (RULE_PROBE,), setting(again, answers=Answers(path)))

    assert (len(first.bodies), len(again.bodies)) == (6, 1)
    assert resumed.probes == made.probes
    assert len(Answers(path)) == 6


def test_what_was_answered_before_a_break_is_kept(tmp_path: Path) -> None:
    heard: list[Answer] = []

    def broken_off(row: str, answer: Answer) -> None:
        heard.append(answer)
        if len(heard) == 4:
            raise KeyboardInterrupt

    path = tmp_path / "answers.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run(TIMELINE, HistoryPolicy(), PROBES, setting(Reader(RULE_WORDS), answers=Answers(path), told=broken_off))
    assert len(Answers(path)) == 4


def test_a_failed_call_is_counted_apart_is_told_why_and_is_asked_again(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "answers.jsonl")
    row = run(TIMELINE, HistoryPolicy(), (RULE_PROBE,), setting(Reader((), error="too long"), answers=answers))

    assert (row.all.n, row.all.failed, row.errors) == (0, 6, ("too long",))
    assert (row.all.low, row.all.high, row.completeness) == (0.0, 1.0, None)
    assert len(answers) == 0


def test_a_warmed_row_sends_its_first_request_twice_and_counts_it_once() -> None:
    model = Reader(RULE_WORDS)
    row = run(TIMELINE, HistoryPolicy(), (RULE_PROBE,), setting(model, warm=True))

    assert model.bodies[0] == model.bodies[1]
    assert (len(model.bodies), row.all.n) == (7, 6)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_lays_out_each_question_as_what_the_person_says_last(name: str) -> None:
    model = Reader(RULE_WORDS)
    row = run(TIMELINE, POLICIES[name], PROBES, setting(model))

    assert (row.all.n, row.all.failed) == (12, 0)
    for sent, phrasing in zip(model.bodies, (*RULE_PROBE.phrasings, *FACT_PROBE.phrasings), strict=True):
        said = [each["content"] for each in json.loads(sent)["messages"] if each["role"] == "user"]
        assert any(text.startswith(phrasing) for text in said[-3:])


def test_tools_that_a_conversation_calls_are_defined_where_nobody_gives_them() -> None:
    model = Reader(())
    run(TIMELINE, HistoryPolicy(), (RULE_PROBE,), replace(setting(model), tools=()))

    named = {each["function"]["name"] for each in json.loads(model.bodies[0])["tools"]}
    assert named == {call.name for message in STORY.messages for call in message.calls}


@pytest.mark.parametrize("name", ["compaction", "coding-agent", "sliding-window"])
def test_a_question_meets_the_window_that_the_conversation_itself_would_have_sent(name: str) -> None:
    model = Reader(())
    run(TIMELINE, POLICIES[name], (RULE_PROBE,), setting(model))

    conversation, read = Conversation(POLICIES[name]), 0
    overhead = TIMELINE.system_tokens + TIMELINE.tools_tokens
    terms = Terms(4_096, COUNT, reserve=POLICIES[name].reserve, overhead=overhead, tools=frozenset(TIMELINE.tools))
    for each in TIMELINE.rounds:
        for said in TIMELINE.entries[read : each.before]:
            conversation.add(said)
        read = each.before
        drive(conversation.prepare(terms), draft)
    for said in TIMELINE.entries[read:]:
        conversation.add(said)
    conversation.add(entry(len(TIMELINE.entries), question(RULE_PROBE.phrasings[-1]), COUNT, "person"))
    view = drive(conversation.prepare(terms), draft)

    assert model.bodies[-1] == body(view.messages, STORY.system, STORY.tools, model.profile)[0]
