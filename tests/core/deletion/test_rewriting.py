"""A text that had absorbed a deleted one is written again without it, and is else as it was."""

from callsheet.core.deletion.rewriting import unsaid, without
from callsheet.model.memory_file import FileOrigin, MemoryTree, Remove, Write

GONE = "She keeps a pelican at home."
PATH = ("notes.md",)


def test_lines_that_hold_the_text_go_and_every_other_stays() -> None:
    text = f"# Notes\r\n- {GONE}\r\nThe end\n{GONE}"
    assert without(text, [GONE]) == "# Notes\r\nThe end\n"


def test_a_text_without_it_is_not_touched() -> None:
    assert without("# Notes\nShe keeps a pelican.\n", [GONE]) is None
    assert without("", [GONE]) is None


def test_a_text_too_short_to_be_anybodys_own_is_not_looked_for() -> None:
    assert without("yes\nno\n", ["yes", "", "  "]) is None


def test_a_text_of_several_lines_goes_as_a_whole() -> None:
    assert (
        without("before\nfirst line of two\nand the second\nbehind\n", ["first line of two\nand the second"])
        == "before\n\nbehind\n"
    )


def test_the_file_keeps_whose_words_it_holds_and_goes_where_nothing_is_left() -> None:
    origin = FileOrigin("user", "customer:u2")
    assert unsaid(MemoryTree({}, f"a\n{GONE}\n", origin), PATH, [GONE]).change == Write(PATH, "a\n", origin)
    assert unsaid(MemoryTree({}, f"{GONE}\n", origin), PATH, [GONE]).change == Remove(PATH)
    assert unsaid(MemoryTree({}, "a\n", origin), PATH, [GONE]).change is None
    assert unsaid(MemoryTree({}), PATH, [GONE]).change is None
