"""The shell around every command: loading it when it is asked for, the common options, and errors as one line."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from ..errors import CallsheetError

EXIT_FAILED, EXIT_USAGE, EXIT_BUG, EXIT_INTERRUPTED, EXIT_PIPE = 1, 2, 70, 130, 141

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass
class Settings:
    """What the common options say; they may stand before or after the command's name."""

    project: Path = Path()
    session: Path | None = None
    data: Path | None = None
    json: bool = False


class LazyGroup(click.Group):
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
        click.option("--json", is_flag=True, expose_value=False, callback=_keep, help="Print one JSON document."),
        click.option("--data", type=folder, expose_value=False, callback=_keep, metavar="DIR", help="Where records are kept."),
        click.option("--session", type=file, expose_value=False, callback=_keep, metavar="FILE", help="Who asks (TOML or JSON)."),
        click.option("-C", "project", type=folder, expose_value=False, callback=_keep, metavar="DIR", help="The project folder."),
    ):
        command = option(command)
    return command


def run(command: click.Command, arguments: Sequence[str]) -> int:
    """The exit code of one command line; every error becomes one line on stderr."""
    try:
        try:
            with command.make_context("callsheet", list(arguments)) as ctx:
                command.invoke(ctx)
        finally:
            sys.stdout.flush()
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        return _note(error.format_message(), EXIT_USAGE, prefix="")
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "callsheet"
        return _note(f"{error.format_message()} See: {path} --help", EXIT_USAGE)
    except click.ClickException as error:
        return _note(error.format_message(), EXIT_USAGE)
    except CallsheetError as error:
        return _note(" ".join(str(error).split()), EXIT_USAGE)
    except (KeyboardInterrupt, click.Abort):
        return _note("interrupted; what was finished is kept", EXIT_INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone; the interpreter must not try to flush to it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE
    except OSError as error:
        return _note(f"{error.filename or 'the system'}: {error.strerror or error}", EXIT_USAGE)
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        words = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return _note(f"a defect, please report it: {words} (traceback: python -X dev -m callsheet …)", EXIT_BUG)
    return 0


def _note(text: str, code: int, prefix: str = "callsheet: ") -> int:
    print(f"{prefix}{text}", file=sys.stderr)
    return code
