"""`compare --probes`: a model is asked what it still knows under each policy, beside the control row (F9)."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from ...core.history.policies import POLICIES
from ...lab.probes.files import read_probes
from ...lab.probes.results import Answer, Probed, together
from ...lab.probes.run import CONTROL
from ...lab.probes.transcript import probe_transcript
from ..output import note, plain, table

MADE = "made"
"""The word that stands for probes made from each transcript by code."""


class Probing:
    """What `--probes` asks for: the probes of a file, or such as code makes, put to the model of a project folder.

    A file is read at once, so that a mistake in it is told before anything runs. Answers are kept beside it, or in the
    working folder where probes are made; each is told as it comes.
    """

    def __init__(
        self, probes: str, names: Sequence[str], project: Path, window: int | None, tokenizer: str | None
    ) -> None:
        self._file = None if probes == MADE else Path(probes)
        if self._file is not None:
            read_probes(self._file)
        self._names = [name for name in names if name in POLICIES]
        self._project, self._window, self._tokenizer = project, window, tokenizer

    def add(self, document: dict[str, Any]) -> None:
        """Puts what was found into each policy of a comparison's document, the control row beside it.

        What was answered before Ctrl-C is on file; the rows that were whole by then are shown.
        """
        found: dict[str, list[Probed]] = {}
        try:
            for transcript in document["transcripts"]:
                rows: dict[str, Probed] = {}
                for row in self._asked(Path(transcript["source"])):
                    rows[row.policy] = row
                    found.setdefault(row.policy, []).append(row)
                    _put(transcript["policies"], rows)
        except KeyboardInterrupt:
            note("interrupted: what was answered is on file, and the same command goes on from there")
        _put(document["policies"], {name: together(rows) for name, rows in found.items()})

    def _asked(self, source: Path) -> Iterator[Probed]:
        answers = self._file.with_suffix(".answers.jsonl") if self._file else Path("probes.answers.jsonl")
        return probe_transcript(
            *(source, self._names, self._project),
            probes=self._file,
            answers=answers,
            window=self._window,
            tokenizer=self._tokenizer,
            told=_told,
        )


def _put(policies: Sequence[dict[str, Any]], rows: dict[str, Probed]) -> None:
    for policy in policies:
        if policy["name"] in rows:
            policy["probes"] = {**plain(rows[policy["name"]]), "control": plain(rows[CONTROL].all)}


def _told(row: str, answer: Answer) -> None:
    shown = answer.error or f"{answer.verdict}: {answer.text.strip()}"
    note(f"{row}, {answer.probe} {answer.phrasing + 1}/6{' (on file)' * answer.again}: {shown[:100]}")


def print_probes(console: Console, policies: Sequence[dict[str, Any]]) -> None:
    """Prints a line per policy: right answers with their interval, and how the others went; nothing without probes."""
    asked = [policy for policy in policies if policy["probes"]]
    if not asked:
        return
    console.print()
    names = ("probes", "right", "95 %", "neighbour's", "other", "don't know", "failed", "prompt")
    control = asked[0]["probes"]["control"]
    rows = [_line(CONTROL, control, None)]
    rows += [_line(each["name"], each["probes"]["all"], each["probes"]["window"]) for each in asked]
    table(console, names, rows)


def _line(name: str, tally: dict[str, Any], prompt: int | None) -> list[Any]:
    right, interval = f"{tally['hits']}/{tally['n']}", f"{tally['low']:.2f}-{tally['high']:.2f}"
    return [name, right, interval, tally["neighbour"], tally["other"], tally["abstained"], tally["failed"], prompt]
