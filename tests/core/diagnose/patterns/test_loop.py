"""Changes that are made, taken back and made again; the other loops stand in `test_patterns`."""

from .story import findings, model, rules, step, user


def edit(old: str, new: str, error: bool = False) -> object:
    return step("Edit", {"file_path": "/a/b.py", "old_string": old, "new_string": new}, "ok", error)


def test_a_change_there_and_back_and_there_again_is_a_loop() -> None:
    there, back = edit("x = 1", "x = 2"), edit("x = 2", "x = 1")
    (found,) = findings(user("Fix it."), there, back, there)
    assert (found.pattern, found.rule) == ("loop", "back-and-forth")
    assert len(found.evidence) == 3
    assert rules(user("Fix it."), there, step("Read", {"file_path": "/a/b.py"}, "x = 2"), back, there) == [
        "loop: back-and-forth"
    ]


def test_a_change_that_commands_take_back_and_that_is_made_again_is_a_loop() -> None:
    there, undo = edit("x = 1", "x = 2"), step("Bash", {"command": "git checkout -- b.py"}, "")
    assert "loop: back-and-forth" in rules(user("Fix it."), there, undo, there, undo, there)


def test_a_change_that_is_taken_back_once_or_that_failed_is_no_loop() -> None:
    there, back = edit("x = 1", "x = 2"), edit("x = 2", "x = 1")
    assert rules(user("Fix it."), there, back) == []
    assert rules(user("Fix it."), edit("x = 1", "x = 2", True), back, there) == []
    assert rules(user("Fix it."), there, back, model("Back."), user("Do it all the same."), there) == []


def test_different_changes_of_one_file_are_no_loop() -> None:
    assert rules(user("Fix it."), *(edit(f"x = {n}", f"x = {n + 1}") for n in range(6))) == []
