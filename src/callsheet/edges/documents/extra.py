"""The parsers of the extra `callsheet[documents]`, loaded when the first file that needs one is read."""

from importlib import import_module
from typing import Any

from ...errors import UsageError


def parser(module: str, what: str) -> Any:
    """A module of the extra; UsageError names the extra where it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(
            f"reading {what} needs {module.partition('.')[0]}, which is not installed; install callsheet[documents]"
        ) from error
