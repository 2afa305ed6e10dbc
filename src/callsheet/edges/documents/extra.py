"""Parsers, loaded when the first file that needs one is read; the heavy ones are the extra `callsheet[documents]`."""

from importlib import import_module
from typing import Any

from ...errors import UsageError


def loaded(module: str, what: str = "") -> Any:
    """A parser's module; UsageError says what cannot be read, and names the extra, where it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(
            f"{what or 'it'} cannot be read without {module.partition('.')[0]}; install callsheet[documents]"
        ) from error
