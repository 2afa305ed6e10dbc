"""What reaches a terminal: readable values, and no control sequence of foreign text."""

from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from callsheet.cli.output import pairs, shown, table


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


def test_values_read_like_words() -> None:
    assert shown({"a": 1, "b": None, "c": [True, 0.71828]}) == "a=1, b=-, c=yes, 0.718"


def test_a_table_in_a_pipe_has_no_trailing_blank() -> None:
    console = Console(file=StringIO(), width=60)
    table(console, ("name", "text"), [["a", "short"], ["b", "a rather longer text than that"], ["c", None]], "Title")
    assert isinstance(console.file, StringIO)
    lines = console.file.getvalue().splitlines()
    assert len(lines) == 5 and lines == [line.rstrip() for line in lines]
