"""The shell around every command: loading it when it is asked for, the common options, and errors as one line."""

import difflib
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click

from ..errors import CallsheetError

LONGEST = 400
"""Characters of the longest word that an error repeats whole."""
EXIT_FAILED, EXIT_USAGE, EXIT_BUG, EXIT_INTERRUPTED, EXIT_PIPE = 1, 2, 70, 130, 141

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass
class Settings:
    """What the common options say; they may stand before or after the command's name."""

    project: Path = Path()
    session: Path | None = None
    data: Path | None = None
    json: bool = False

    def command(self, *words: str) -> str:
        """A command line that goes on in the same project, with the program as it was called."""
        typed = Path(sys.argv[0])
        program = sys.argv[0] if typed.name == "callsheet" and not typed.is_absolute() else "callsheet"
        given = (("-C", self.project), ("--session", self.session), ("--data", self.data))
        options = [word for name, path in given if path not in (None, Path()) for word in (name, str(path))]
        return shlex.join([program, *options, *words])


class Number(click.IntRange):
    """A whole number of at least `least`, called that in messages."""

    name = "whole number"

    def __init__(self, least: int) -> None:
        super().__init__(min=least)


def text_of(ctx: click.Context, parameter: click.Parameter, file: BinaryIO | None) -> str | None:
    """The text of a file that a parameter of `click.File("rb")` opened; click.BadParameter for what is no UTF-8."""
    if file is None:
        return None
    with file:
        data = file.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        said = f"{file.name!r} is not valid text at byte {error.start}; write it in UTF-8."
        raise click.BadParameter(said, ctx, parameter) from error


class Suggesting(click.Group):
    """A group that names the nearest command where there is none of a name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first word, as click finds it; a click.UsageError with the nearest name else."""
        near = difflib.get_close_matches(args[0], self.list_commands(ctx), 1)
        if near and near[0] != args[0]:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)


class LazyGroup(Suggesting):
    """A group that knows its commands as name -> (module:attribute, help) and imports one when it is asked for."""

    def __init__(self, *args: Any, commands_by_name: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands_by_name = commands_by_name

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order they were given: that of a decision's life."""
        return list(self.commands_by_name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None where there is none."""
        if cmd_name not in self.commands_by_name:
            return None
        module, _, attribute = self.commands_by_name[cmd_name][0].partition(":")
        command = getattr(import_module(f"{__package__}.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.commands_by_name.items()])


def _keep(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    settings = ctx.ensure_object(Settings)
    if value not in (None, False):
        setattr(settings, str(parameter.name), value)


def common(command: Decorated) -> Decorated:
    """The same command with the options that every command takes; their values are in the context's `Settings`."""
    file, folder = click.Path(path_type=Path, dir_okay=False), click.Path(path_type=Path, file_okay=False)
    for option in (
        _option("--json", is_flag=True, help="Print one JSON document."),
        _option("--data", type=folder, metavar="DIR", help="Where records are kept."),
        _option("--session", type=file, metavar="FILE", help="Who asks (TOML or JSON)."),
        _option("-C", "project", type=folder, metavar="DIR", help="The project folder."),
    ):
        command = option(command)
    return command


def printing_schema(schema: Callable[[], Any]) -> Callable[[Decorated], Decorated]:
    """Adds `--schema`, which prints the JSON Schema of what the command prints with `--json`, and nothing else."""

    def printed(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            click.echo(json.dumps(schema(), ensure_ascii=False, indent=2))
            ctx.exit()

    said = "Print the JSON Schema of what --json prints."
    return click.option("--schema", is_flag=True, is_eager=True, expose_value=False, callback=printed, help=said)


def _option(*names: str, **attributes: Any) -> Callable[[Decorated], Decorated]:
    return click.option(*names, expose_value=False, callback=_keep, **attributes)


def _is_text(argument: str) -> bool:
    """False where the shell handed over bytes that are no text."""
    return not any("\ud800" <= character <= "\udfff" for character in argument)


def run(command: click.Command, arguments: Sequence[str]) -> int:
    """The exit code of one command line; every error becomes one line on stderr."""
    try:
        if not all(map(_is_text, arguments)):
            raise click.UsageError("An argument is not valid text; give it in UTF-8.")
        _invoke(command, arguments)
    except click.exceptions.Exit as left:
        return left.exit_code
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not try to flush to it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE
    except (Exception, KeyboardInterrupt) as error:
        text, code = _explained(error)
        if code == EXIT_BUG and sys.flags.dev_mode:
            raise
        print(text, file=sys.stderr)
        return code
    return 0


def _invoke(command: click.Command, arguments: Sequence[str]) -> None:
    try:
        with command.make_context("callsheet", list(arguments)) as ctx:
            command.invoke(ctx)
    finally:
        sys.stdout.flush()


def _explained(error: BaseException) -> tuple[str, int]:
    """What to say of an error, and the exit code."""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return "callsheet: interrupted; what was finished is kept", EXIT_INTERRUPTED
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message(), EXIT_USAGE
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else "callsheet"
        said = _on_a_line(error.format_message())  # click breaks a list of choices into lines of their own
        return f"callsheet: {said}{'' if said.endswith(('.', '?', '!')) else '.'} See: {path} --help", EXIT_USAGE
    if isinstance(error, click.ClickException):
        return f"callsheet: {_on_a_line(error.format_message())}", EXIT_USAGE
    words = _on_a_line(str(error))
    if isinstance(error, CallsheetError):
        return f"callsheet: {words}", EXIT_USAGE
    if isinstance(error, OSError):
        return _on_a_line(f"callsheet: {error.filename or 'the system'}: {error.strerror or words}"), EXIT_USAGE
    defect = f"callsheet: a defect, please report it: {type(error).__name__}: {words}"
    return f"{defect} (for the traceback: python -X dev -m callsheet …)", EXIT_BUG


def _on_a_line(words: str) -> str:
    """The words on one line; of one without end, as an argument may be that they repeat, its beginning and its end."""
    return " ".join(each if len(each) <= LONGEST else f"{each[:100]}…{each[-100:]}" for each in words.split())
