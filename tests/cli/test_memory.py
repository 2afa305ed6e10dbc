"""`memory add`, `load`, `list` and `confirm` as a person reads them: what is told beside the records themselves."""

from collections.abc import Callable
from pathlib import Path

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    """Runs a command on a support project; gives its exit code, its words on stdout and those on stderr."""
    run(callsheet, ["init", str(tmp_path / "project"), "--template", "support"])
    capsys.readouterr()

    def command(*arguments: str) -> tuple[int, str, str]:
        code = run(callsheet, ["-C", str(tmp_path / "project"), *arguments])
        return code, *capsys.readouterr()

    return command


def stored(said: tuple[int, str, str]) -> str:
    return said[1].splitlines()[1].split()[0]


def test_a_correction_says_whose_place_it_took_and_the_list_says_it_too(say: Say) -> None:
    about = ("--purpose", "support", "--source", "user_stated", "--expires", "2126-11-30")
    old = say("memory", "add", "My plan is Team.", *about)
    new = say("memory", "add", "My plan is Enterprise.", *about)
    assert new[1].splitlines()[-1] == f"in place of {stored(old)}"
    assert "in place of" not in old[1]
    (row,) = [line.split() for line in say("memory", "list")[1].splitlines() if line.startswith(stored(old))]
    assert row[3:5] == ["2126-11-30T00:00:00", stored(new)]


def test_a_purpose_that_no_decision_has_is_said_to_load_nowhere(say: Say) -> None:
    words = ("Prefers mail.", "--source", "user_stated", "--purpose")
    code, out, err = say("memory", "add", *words, "suport")
    assert code == 0 and "Prefers mail." in out
    assert err == "no decision kind has the purpose 'suport', so no decision loads it; theirs: support\n"
    assert say("memory", "load", "--purpose", "suport")[2] == err
    assert [say("memory", "add", *words, "support")[2], say("memory", "load", "--purpose", "support")[2]] == ["", ""]


def test_what_would_load_is_told_with_the_id_that_other_commands_take(say: Say) -> None:
    added = say("memory", "add", "Uses the Java kit.", "--purpose", "support", "--source", "model_inferred")
    loaded = say("memory", "load", "--purpose", "support")[1]
    assert any(line.startswith(stored(added)) and line.endswith("Uses the Java kit.") for line in loaded.splitlines())
    assert say("memory", "confirm", stored(added))[0] == 0
    code, out, _ = say("memory", "confirm", stored(added))
    assert code == 1 and "no longer in force: m-" in out


def test_what_the_state_says_anyway_is_named(say: Say) -> None:
    code, out, _ = say("memory", "add", "My plan is Pro.", "--purpose", "support", "--source", "user_stated")
    assert code == 1 and "the application says so anyway: 'plan pro'" in out
