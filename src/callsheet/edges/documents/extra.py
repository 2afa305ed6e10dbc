"""Parsers, loaded when the first file that needs one is read; the heavy ones are the extra `callsheet[documents]`."""

from importlib import import_module
from typing import Any

from ...errors import UsageError
from .file import File


def loaded(module: str, file: File) -> Any:
    """The module of a parser; UsageError says which file cannot be read, and the extra, where it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0].replace("_", "-")
        raise UsageError(
            f"{file.path} cannot be read without {package}, which is not installed; "
            "run `pip install 'callsheet[documents]'`"
        ) from error
