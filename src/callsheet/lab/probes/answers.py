"""Answers on file, one JSON line each, found again by the hash of their request: nothing is asked twice."""

import json
from collections.abc import Callable
from pathlib import Path

from ...errors import UsageError
from ...model.message import Usage
from .ask import Said


class Answers:
    """The answers of a file, and those of this run, each written as soon as it is there.

    A run that was broken off goes on where it stopped. A line that was cut off, as by a full disk, is as good as none.
    A failed call is never kept. Without a path nothing is written. UsageError where the file cannot be used.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[str, Said] = {}
        self._whole = True
        if path is not None and path.exists():
            self._read(path)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, request: object) -> bool:
        return request in self._known

    def get(self, request: str, ask: Callable[[], Said]) -> tuple[Said, bool]:
        """The answer to the request of this hash, and whether it was on file; `ask` is called where it is not."""
        if request in self._known:
            return self._known[request], True
        said = ask()
        if not said.error:
            self._known[request] = said
            self._write(said)
        return said, False

    def _read(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(f"{path} cannot be read as a file of answers ({error.strerror}); name another") from None
        self._whole = not text or text.endswith("\n")
        for line in text.split("\n"):
            try:
                row = json.loads(line)
                usage = Usage(row["input"], row["cached_read"], output=row["output"])
                self._known[row["request"]] = Said(row["request"], row["text"], usage=usage, seconds=row["seconds"])
            except (ValueError, KeyError, TypeError):
                continue

    def _write(self, said: Said) -> None:
        if self._path is None:
            return
        row = {
            "request": said.request,
            "text": said.text,
            "input": said.usage.input,
            "cached_read": said.usage.cached_read,
            "output": said.usage.output,
            "seconds": round(said.seconds, 3),
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                # The line before may have been cut off: a line break in front of this one keeps it whole.
                file.write(("" if self._whole else "\n") + json.dumps(row, ensure_ascii=False) + "\n")
            self._whole = True
        except OSError as error:
            raise UsageError(f"answers cannot be written to {self._path} ({error.strerror}); name another") from None
