"""`compare --probes`: a model is asked what it still knows under each policy, beside the control row (F9)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from ...core.history.policies import POLICIES
from ...lab.probes.files import read_probes
from ...lab.probes.paired import paired
from ...lab.probes.results import Answer, Probed, together
from ...lab.probes.run import CONTROL
from ...lab.probes.transcript import probe_transcript
from ..output import note, plain, table
from ..report.words import number

FULL = "full"
MADE = "made"
"""The word that stands for probes made from each transcript by code."""


class Probing:
    """What `--probes` asks for: the probes of a file, or such as code makes, put to the model of a project folder.

    A file is read at once, so that a mistake in it is told before anything runs. Answers are kept beside it, or in the
    working folder where probes are made; each is told as it comes. With `recall` the model may read originals again,
    and each policy is put beside the whole history.
    """

    def __init__(
        self,
        probes: str,
        names: Sequence[str],
        project: Path,
        window: int | None,
        tokenizer: str | None,
        recall: bool = False,
    ) -> None:
        self._file = None if probes == MADE else Path(probes)
        if self._file is not None:
            read_probes(self._file)
        self._names = [name for name in names if name in POLICIES]
        if recall:  # each policy stands beside the whole history, which is asked first
            self._names = list(dict.fromkeys((FULL, *self._names)))
        self._recall = recall
        self._project, self._window, self._tokenizer = project, window, tokenizer

    def add(self, document: dict[str, Any]) -> None:
        """Puts what was found into each policy of a comparison's document, the control row beside it.

        What was answered before Ctrl-C is on file; the rows that were whole by then are shown.
        """
        found: dict[str, list[Probed]] = {}
        try:
            for transcript in document["transcripts"]:
                rows: dict[str, list[Probed]] = {}
                for row in self._asked(Path(transcript["source"])):
                    rows[row.policy] = [row]
                    found.setdefault(row.policy, []).append(row)
                    self._put(transcript["policies"], rows)
        except KeyboardInterrupt:
            note("interrupted: what was answered is on file, and the same command goes on from there")
        self._put(document["policies"], found)

    def _put(self, policies: Sequence[dict[str, Any]], rows: Mapping[str, Sequence[Probed]]) -> None:
        for policy in policies:
            if policy["name"] in rows:
                own = together(rows[policy["name"]])
                said = {**plain(own), "control": plain(together(rows[CONTROL]).all)}
                del said["answers"]
                policy["probes"] = said | ({"paired": self._paired(policy["name"], rows)} if self._recall else {})

    def _paired(self, name: str, rows: Mapping[str, Sequence[Probed]]) -> dict[str, Any]:
        runs = [(one.answers, full.answers) for one, full in zip(rows[name], rows[FULL], strict=False)]
        warm = any(row.warm for row in rows[name])
        made: dict[str, Any] = plain(paired(runs, "warm" if warm else "cold", self._names.index(name) + 1))
        return made

    def _asked(self, source: Path) -> Iterator[Probed]:
        answers = self._file.with_suffix(".answers.jsonl") if self._file else Path("probes.answers.jsonl")
        return probe_transcript(
            *(source, self._names, self._project),
            probes=self._file,
            answers=answers,
            window=self._window,
            tokenizer=self._tokenizer,
            recall=self._recall,
            told=_told,
        )


def _told(row: str, answer: Answer) -> None:
    shown = answer.error or f"{answer.verdict}: {answer.text.strip()}"
    note(f"{row}, {answer.probe} {answer.phrasing + 1}/6{' (on file)' * answer.again}: {shown[:100]}")


PROBES = ("probes", "right", "95 %", "neighbour's", "other", "don't know", "failed", "prompt")
PAIRS = (
    "beside full", "both", "with", "without", "neither", "p", "wrong", "re-reads", "their tokens", "tokens", "95 %",
    "per right answer", "seconds", "95 %",
)  # fmt: skip
"""`with` and `without`: only with the policy, only without it."""


def print_probes(console: Console, policies: Sequence[dict[str, Any]]) -> None:
    """Prints a line per policy: right answers with their interval, and how the others went; nothing without probes.

    Where the model could read originals again, a line more per policy says how it stands beside the whole history.
    """
    for names, rows in probe_tables(policies):
        console.print()
        table(console, names, rows)


def probe_tables(policies: Sequence[dict[str, Any]]) -> Iterator[tuple[Sequence[str], list[list[Any]]]]:
    """The tables of the probes: their heads and their rows; none without probes."""
    asked = [policy for policy in policies if policy["probes"]]
    if asked:
        rows = [_line(CONTROL, asked[0]["probes"]["control"], None)]
        yield PROBES, rows + [_line(each["name"], each["probes"]["all"], each["probes"]["window"]) for each in asked]
    if pairs := [each for each in asked if "paired" in each["probes"]]:
        yield PAIRS, [_pair(each["name"], each["probes"]["paired"]) for each in pairs]


def _line(name: str, tally: dict[str, Any], prompt: int | None) -> list[Any]:
    right, interval = f"{tally['hits']}/{tally['n']}", f"{tally['low']:.2f}-{tally['high']:.2f}"
    return [name, right, interval, tally["neighbour"], tally["other"], tally["abstained"], tally["failed"], prompt]


def _pair(name: str, pair: dict[str, Any]) -> list[Any]:
    took = pair["policy"]
    tokens, seconds, each = took["tokens"], took["seconds"], took["per_success"]
    return [
        *(name, pair["both"], pair["only_with"], pair["only_without"], pair["neither"], f"{pair['p']:.3f}"),
        *(took["wrong"], took["refetches"], number(took["refetched"]), *_spread(tokens, ",.0f")),
        *(None if each is None else f"{each:,.0f}", *_spread(seconds, ".1f")),
    ]


def _spread(spread: dict[str, Any], form: str) -> tuple[str | None, str | None]:
    if spread["median"] is None:
        return None, None
    return f"{spread['median']:{form}}", f"{spread['low']:{form}}-{spread['high']:{form}}"
