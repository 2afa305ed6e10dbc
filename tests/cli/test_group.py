"""The shell: exit codes, one line per error, options before or after the command's name."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from callsheet.cli import COMMANDS, callsheet
from callsheet.cli.group import Settings, common, run
from callsheet.errors import StoreError, UnknownName

from ..source import PACKAGE


def group(body: Callable[[Settings], None]) -> click.Group:
    """A command line with one command `do` that runs the body."""

    @click.group()
    @common
    def root() -> None: ...

    @root.command()
    @common
    @click.pass_obj
    def do(settings: Settings) -> None:
        body(settings)

    return root


def fail(error: BaseException) -> Callable[[Settings], None]:
    """A body that raises."""

    def body(_: Settings) -> None:
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "line", "code"),
    [
        (UnknownName("no request r.1\nof this tenant"), "callsheet: no request r.1 of this tenant", 2),
        (StoreError("the disk is full; free some space"), "callsheet: the disk is full; free some space", 2),
        (OSError(28, "No space left on device", "/a/b"), "callsheet: /a/b: No space left on device", 2),
        (KeyboardInterrupt(), "callsheet: interrupted; what was finished is kept", 130),
    ],
)
def test_an_error_is_one_line_on_stderr(
    error: BaseException, line: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(group(fail(error)), ["do"]) == code
    assert capsys.readouterr() == ("", line + "\n")


def test_a_defect_is_one_line_that_says_how_to_get_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    if sys.flags.dev_mode:
        pytest.skip("in development mode the traceback is shown")
    assert run(group(fail(KeyError("x"))), ["do"]) == 70
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "KeyError: 'x'" in err and "python -X dev" in err


def test_a_failed_check_leaves_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(group(lambda _: click.get_current_context().exit(1)), ["do"]) == 1
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("arguments", [["nonsense"], ["run", "--nonsense"], ["replay"], ["why", "r.1", "--byte", "-1"]])
def test_bad_usage_leaves_with_2_and_names_the_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(callsheet, arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("callsheet: ") and "--help" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["-C", "here", "--session", "who.toml", "--json", "do"],
        ["do", "-C", "here", "--session", "who.toml", "--json"],
        ["-C", "there", "--json", "do", "-C", "here", "--session", "who.toml"],
    ],
)
def test_common_options_stand_before_or_after_the_name_and_the_later_one_holds(arguments: list[str]) -> None:
    seen: list[Settings] = []
    assert run(group(seen.append), arguments) == 0
    assert seen == [Settings(project=Path("here"), session=Path("who.toml"), json=True)]


def test_the_listed_help_of_a_command_is_its_own() -> None:
    ctx = click.Context(callsheet)
    for name, (_, text) in COMMANDS.items():
        command = callsheet.get_command(ctx, name)
        assert command is not None and command.short_help == text, name


def test_every_command_takes_the_common_options() -> None:
    ctx = click.Context(callsheet)
    for name in COMMANDS:
        command = callsheet.get_command(ctx, name)
        assert command is not None
        leaves = command.commands.values() if isinstance(command, click.Group) else [command]
        for leaf in leaves:
            options = {option for parameter in leaf.params for option in parameter.opts}
            assert {"--json", "-C", "--session", "--data"} <= options, f"{name} {leaf.name}"


def test_a_reader_that_goes_away_ends_the_program_quietly() -> None:
    program = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n" + (
        "import click\nfrom callsheet.cli.group import run\n"
        "@click.command()\ndef do():\n    for _ in range(100_000): click.echo('x' * 100)\n"
        "sys.exit(run(do, []))"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_version_prints_the_packages_version() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "callsheet", "--version"], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    assert done.stdout == "callsheet, version 0.1.0\n"
    assert json.dumps(done.stderr) == '""'


def test_an_error_repeats_a_word_without_end_by_its_beginning_and_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(callsheet, ["inspect", "a" * 5_000 + "z"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "aaa…aaa" in said and "az" in said and len(said) < 1_500
