"""The first screen of a report: short, in the order in which a person asks, and honest about what is not known."""

from dataclasses import replace
from io import StringIO

from hypothesis import given, settings
from rich.console import Console

from callsheet.cli.output import CONTROL
from callsheet.cli.report.details import print_details
from callsheet.cli.report.document import document
from callsheet.cli.report.terminal import print_report
from callsheet.model.diagnosis import Diagnosis
from callsheet.model.message import Usage

from ...diagnoses import EMPTY, HOSTILE, hostile_texts, session


def printed(diagnosis: Diagnosis, full: bool = False, terminal: bool = False, width: int = 100) -> str:
    file = StringIO()
    console = Console(
        file=file, width=width, force_terminal=terminal, color_system=None, markup=False, highlight=False, emoji=False,
        soft_wrap=True,
    )  # fmt: skip
    report = document(diagnosis)
    print_report(console, report)
    if full:
        print_details(console, report)
    return file.getvalue()


def test_a_long_session_fits_one_screen() -> None:
    for turns in (1, 40, 4_000):
        text = printed(session(turns), terminal=True)
        assert len(text.splitlines()) <= 40 and max(map(len, text.splitlines())) <= 100


def test_it_says_in_order_what_was_paid_what_broke_what_went_wrong_and_what_to_fix_first() -> None:
    text = printed(session(40))
    parts = ["Session", "Records", "Paid for", "Counts", "Reported", "Cache", "Went wrong", "Fix first"]
    places = [text.index(f"{part:<11}") for part in parts]
    assert places == sorted(places)
    assert "3,722,700 tokens of prompts, over 120 model calls" in text
    assert "call 84: tools-changed at message 4 as planned, byte 812; 5,084 tokens paid again" in text
    assert "88 % of the input was read from it; 3 breaks" in text
    assert "1. Keep only the newest version" in text


def test_what_counts_rest_on_is_said_and_without_a_word_they_are_estimates() -> None:
    assert "Counts     estimates, scaled by 1.08" in printed(session(5))
    assert "Counts     estimates\n" in printed(replace(session(5), basis=""))


def test_what_a_file_does_not_say_is_not_made_up() -> None:
    text = printed(replace(session(5), usage=Usage(), cost=None))
    assert "no usage in the file" in text and "USD" not in text and "% of the input" not in text
    assert "nothing that the rules know" in printed(EMPTY) and "no prompt that could be counted" in printed(EMPTY)


def test_a_file_that_says_nothing_of_a_cache_is_not_said_to_have_read_nothing_from_it() -> None:
    silent = Usage(input=1_000, output=20)
    text = printed(replace(session(5), usage=silent, cache_reported=False))
    assert "1,000 in, cached or not, which the file does not say; 20 out" in text
    assert "no usage in the file tells how much was read from it" in text
    assert "read from cache" not in text and "of the input" not in text
    told = printed(replace(session(5), usage=silent, cache_reported=True))
    assert "0 read from cache" in told and "0 % of the input was read from it" in told


def test_in_full_every_finding_artifact_tool_turn_and_call_is_printed() -> None:
    diagnosis = session(12)
    text = printed(diagnosis, full=True, width=220)
    report = document(diagnosis)
    for artifact in report["artifacts"]:
        assert artifact["path"].split(" ")[0] in text
    for tool in report["catalogue"]["tools"]:
        assert tool["name"].split(" ")[0] in text
    assert text.count("finding      ") == len(report["findings"]) == 2
    assert text.count("  large-model  ") == len(report["cache"]["rounds"])
    assert "108     truncated" in text


def test_the_first_screen_is_the_beginning_of_the_full_text() -> None:
    assert printed(session(12), full=True).startswith(printed(session(12)))


def test_long_texts_go_on_below_their_beginning() -> None:
    lines = printed(
        session(12, "a rather longer text than one line of a terminal holds, " * 3), terminal=True
    ).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("Fix first"))
    assert lines[at + 1].startswith(" " * 11) and lines[at + 1].strip()


@settings(max_examples=25)
@given(hostile_texts())
def test_no_control_sequence_of_a_transcript_reaches_the_terminal(text: str) -> None:
    for diagnosis in (session(5, text), session(1, HOSTILE[6])):
        said = printed(diagnosis, full=True)
        assert not CONTROL.search(said.replace("\r", ""))
