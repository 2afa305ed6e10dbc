"""One command line in this process: what it printed, and whether that is what a command line may print."""

import contextlib
import io
import json
from typing import Any

from callsheet.cli import callsheet
from callsheet.cli.group import run


def called(*arguments: str) -> tuple[int, str, str]:
    """The exit code, what went to stdout, and what went to stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(callsheet, arguments)
    return code, out.getvalue(), err.getvalue()


def answered(*arguments: str, codes: tuple[int, ...] = (0, 2)) -> Any:
    """The JSON document that a command printed, None where it refused; it does one or the other, and as it should."""
    code, out, err = called("--json", *arguments)
    assert code in codes, f"exit {code}: {err[:300]}"
    if code == 2:
        assert out == "" and err.count("\n") == 1 and err.startswith("callsheet: "), f"{out[:100]!r} {err[:300]!r}"
        assert len(err) < 6_000, f"a message of {len(err)} characters"
        return None
    out.encode()
    return json.loads(out, parse_constant=_no_number)


def _no_number(name: str) -> Any:
    raise AssertionError(f"{name} in JSON")
