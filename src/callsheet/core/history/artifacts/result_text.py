"""What a tool's result says of its call: whether it failed, the exit code, and what it shows of a file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from json import dumps
from typing import Any

from ....model.message import ResultBlock

HEAD, TAIL = 600, 400
LONGEST, MOST_LINES = 2_000_000, 2_000
EXIT = re.compile(
    r"(?:^|\n|[\"{,]\s*\"?|<)(?:exit[ _-]?code|Process exited with code|Command exited with code|returncode|"
    r"exit_status)[\"'>]*\s*[:=]?\s*(-?\d+)",
    re.IGNORECASE,
)
REFUSED = (
    "The user doesn't want to proceed", "The user doesn't want to take this action", "[Request interrupted by user",
    "User rejected", "Tool use rejected", "exec command rejected by user", "rejected by user", "Command aborted",
    "Operation aborted", "The user rejected", "User denied", "Permission to use",
)  # fmt: skip
FAILED = (
    "<tool_use_error>", "Your proposed edit has introduced", "No replacement was performed", "No replacements were",
    "Invalid `", "Parameter `", "File does not exist", "File not found", "No such file", "No file open", "ENOENT",
    "EISDIR", "EACCES", "apply_patch verification failed", "Failed to ", "Could not find", "Cannot ", "Unable to ",
    "InputValidationError", "MCP error", "Access denied", "Permission denied", "Unknown tool", "Usage: ", "error: ",
    "Error", "ERROR", "Traceback (most recent call last)", "String to replace not found", "invalid arguments",
    "The text search string", "Text not found", "String not found", "File has not been read yet",
    "File has been modified since read", "Invalid context", "unsupported call", "Missing required",
)  # fmt: skip
"""How tools for files begin an answer that says that nothing was done."""
TAKEN_BACK = ("Your proposed edit has introduced",)
"""An editor that writes, checks and puts back what was there (SWE-agent's): a write, and an error; the text stays."""
LISTING = re.compile(r"^(?:Here(?:'s| is|'re| are) the files and directories|Directory listing|total \d+\n)")
NUMBERED = re.compile(r"^\s*(\d+)(\t|→|:| ?\| ?)(.*)$")
HEADER = re.compile(r"\[File: (.+?) \((\d+) lines total\)\]")
FRAME = re.compile(r"^(?:Here's the result of running `cat -n`[^\n]*:|\[File: [^\n]*\]|<file[^>]*>)\r?\n")
CUT_OFF = ("more lines", "truncated", "[Showing lines", "lines not shown", "Use offset=")
REMINDER = "<system-reminder>"
BACKGROUND = ("Command running in background", "Process running with session ID")


def result_text(result: ResultBlock) -> str:
    """A result's text."""
    if result.value is not None and not isinstance(result.value, str):
        if isinstance(result.value, Mapping):
            inner = [
                value
                for name in ("output", "content", "result", "stdout")
                if isinstance(value := result.value.get(name), str)
            ]
            return inner[0] if inner else dumps(result.value, ensure_ascii=False, default=str)
        return dumps(result.value, ensure_ascii=False, default=str)
    return result.text or str(result.value or "")


def exit_code(result: ResultBlock, text: str, told: Any) -> int | None:
    """The exit code of the command: as the harness noted it (`told`), in the result's value, or in its text's frame."""
    if isinstance(told, int) and not isinstance(told, bool):
        return told
    if isinstance(result.value, Mapping):
        for name in ("exit_code", "exitCode", "returncode"):
            if isinstance(code := result.value.get(name), int):
                return code
    found = EXIT.search(text[:HEAD]) or EXIT.search(text[-TAIL:] if len(text) > HEAD else "")
    return int(found[1]) if found else None


def refused(text: str) -> bool:
    """Whether a person said no, or broke the call off."""
    return text[:HEAD].lstrip().startswith(REFUSED)


def failed(result: ResultBlock, text: str, code: int | None, command: bool) -> bool:
    """Whether a call is answered by an error; a command's is its exit code, a file tool says so at once."""
    if result.is_error or refused(text):
        return True
    if command:
        return code not in (None, 0) or text.startswith(("<tool_use_error>", "Unknown tool", "unsupported call"))
    if result.is_error is False:
        return False
    return text.lstrip('\r\n ["').startswith(FAILED)


def lists_folder(text: str) -> bool:
    """Whether a view shows a folder and no file."""
    return bool(LISTING.match(text))


@dataclass(frozen=True, slots=True)
class Content:
    """A file's text. It is `exact` where it is known to the last byte, whether it ends with a line's end included."""

    text: str
    exact: bool = True


def content(text: str, told: Any) -> Content | None:
    """A file's whole content as a read shows it, without numbers and frame; None where it is not the whole.

    `told` is the harness's own structured result (Claude Code's `toolUseResult`), which is exact.
    """
    if isinstance(told, Mapping) and isinstance(file := told.get("file"), Mapping):
        whole = file.get("startLine") == 1 and file.get("numLines") == file.get("totalLines")
        return Content(str(file["content"])) if whole and isinstance(file.get("content"), str) else None
    if len(text) > LONGEST or any(mark in text[-TAIL:] for mark in CUT_OFF):
        return None
    head = HEADER.search(text[:HEAD])
    body = FRAME.sub("", text.replace("\r\n", "\n"), count=1).partition(REMINDER)[0]
    first = NUMBERED.match(body.partition("\n")[0])
    if not first:
        return None if head else Content(body, body.endswith("\n"))
    return _numbered(body, first[2], int(head[2]) if head else None)


def _numbered(body: str, mark: str, total: int | None) -> Content | None:
    stripped: list[str] = []
    for number, line in enumerate(body.rstrip("\n").split("\n"), 1):
        found = NUMBERED.match(line)
        if not found or int(found[1]) != number:
            return None
        stripped.append(found[3])
    # Only numbers before an arrow are given to the empty rest after a last line's end too.
    exact = mark == "\N{RIGHTWARDS ARROW}" and len(stripped) < MOST_LINES
    return Content("\n".join(stripped), exact) if total in (None, len(stripped)) else None
