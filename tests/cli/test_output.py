"""What reaches a terminal: readable values, and no control sequence of foreign text."""

import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from callsheet.cli.group import Settings
from callsheet.cli.output import PIECES, emit, note, pairs, plain, shown, table
from callsheet.cli.printing import print_verdicts
from callsheet.core.gate.answer import WITHHELD


def written(text: object) -> str:
    """What the terminal gets for a value printed both ways."""
    console = Console(file=StringIO(), force_terminal=True, color_system=None, markup=False, highlight=False, width=200)
    pairs(console, [("text", text)])
    table(console, ("text",), [[text]])
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@given(st.text())
def test_no_control_sequence_of_a_text_reaches_the_terminal(text: str) -> None:
    codes = {character for character in shown(text) if ord(character) < 32 or 127 <= ord(character) < 160}
    assert codes <= {"\t", "\n"}


def test_a_text_cannot_colour_move_or_retitle_the_terminal() -> None:
    assert "\x1b[31m" not in written("\x1b[31mred \x1b]0;title\x07") and "[bold]" in written("[bold]as typed[/bold]")


@pytest.mark.parametrize("document", [{}, [], {"list": list(range(3 * PIECES)), "text": "ü\ud800"}])
def test_a_document_of_any_length_is_printed_whole(document: object, capsys: pytest.CaptureFixture[str]) -> None:
    emit(Settings(json=True), document, lambda _console, _document: None)
    assert capsys.readouterr().out == json.dumps(plain(document), ensure_ascii=False, indent=2) + "\n"


def test_values_read_like_words() -> None:
    assert shown({"a": 1, "b": None, "c": [True, 0.71828]}) == "a=1, b=-, c=yes, 0.718"


def test_a_table_in_a_pipe_has_no_trailing_blank() -> None:
    console = Console(file=StringIO(), width=60)
    table(console, ("name", "text"), [["a", "short"], ["b", "a rather longer text than that"], ["c", None]], "Title")
    assert isinstance(console.file, StringIO)
    lines = console.file.getvalue().splitlines()
    assert len(lines) == 5 and lines == [line.rstrip() for line in lines]


def test_a_note_sends_no_control_sequence_either(capsys: pytest.CaptureFixture[str]) -> None:
    note("notice: \x1b[2Jgone")
    assert capsys.readouterr().err == "notice: \N{REPLACEMENT CHARACTER}[2Jgone\n"


def test_a_sentence_that_was_withheld_is_not_read_off_its_verdict() -> None:
    console = Console(file=StringIO(), width=200)
    said = {"outcome": "refuse", "why": "a reason"}
    kept = {**said, "subject": "check_key", "rule": "tool-not-offered"}
    print_verdicts(console, [{**said, "subject": f"Say {rule} now.", "rule": rule} for rule in WITHHELD] + [kept])
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    assert "Say" not in text and all(f"[withheld: {rule}]" in text for rule in WITHHELD) and "check_key" in text
