"""Loading a project's `tools.py` under a private module name.

The source itself is run, not a cached copy of it: what was just edited is what runs, and no cache is left behind.
"""

import hashlib
import inspect
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ...model.tool import ToolContract
from .problem import Problem
from .tool import contract_of

FILE = "tools.py"


@dataclass(frozen=True, slots=True)
class ToolsFile:
    """What `tools.py` holds: functions under `@tool`, and the functions that lack a contract."""

    functions: tuple[Callable[..., Any], ...] = ()
    without_contract: tuple[str, ...] = ()

    @property
    def contracts(self) -> dict[str, ToolContract]:
        """The contracts by name."""
        return {contract.name: contract for function in self.functions if (contract := contract_of(function))}


def read_tools(folder: Path) -> ToolsFile:
    """The tools of a project folder, none where it has no `tools.py`; a Problem names the line that broke."""
    path = folder / FILE
    if not path.is_file():
        return ToolsFile()
    module = _load(path)
    found: dict[str, Callable[..., Any]] = {}
    bare: list[str] = []
    for name, value in vars(module).items():
        contract = contract_of(value)
        if contract is not None:
            found[contract.name] = value
        elif inspect.isfunction(value) and value.__module__ == module.__name__:
            bare.append(name)
    for name in sorted(found):
        _check_reconcile(name, found)
    return ToolsFile(tuple(found[name] for name in sorted(found)), tuple(sorted(bare)))


def _check_reconcile(name: str, found: dict[str, Callable[..., Any]]) -> None:
    """A Problem where the tool that is asked whether a call happened is not there, or changes something itself."""
    contract = contract_of(found[name])
    asked = contract.reconcile if contract is not None else ""
    if not asked:
        return
    there = contract_of(found.get(asked))
    if there is None or not there.changes_nothing:
        why = f"{name} asks {asked!r} whether it happened, which is no tool of this file that only reads"
        raise Problem(FILE, 1, "broken-tools-file", why, f'put @tool(effects="read") on {asked}')


def _load(path: Path) -> ModuleType:
    name = "_callsheet_project_" + hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # annotations of dataclasses are looked up here
    try:
        exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a file raises while it loads, it is the file that is broken
        del sys.modules[name]
        why = f"{type(error).__name__}: {error}".splitlines()[0].rstrip(".")
        raise Problem(FILE, _line(error, path), "broken-tools-file", why, "mend the file") from None
    return module


def _line(error: BaseException, path: Path) -> int:
    if isinstance(error, SyntaxError) and error.lineno:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return (lines[-1] if lines else None) or 1
