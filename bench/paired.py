"""The same questions with compression and without, and with a way back to what left the window (F1).

The incident of `bench/probes.py` under six policies; the embedded model may answer, or read an original again by its
number, at most three times, and does so in one JSON object that it is held to. Beside each policy stands `full` on the
same probe in the same phrasing: both right, only one of them, neither, McNemar's exact p; and tokens of all calls by
right answers. Seconds are told and never judged: they are those of this machine.

All rows are read warm, in the order in which they are listed (G3). Answers are kept by the hash of their request, as
`bench/probes.py` does; answers on file are not asked again.
"""

import argparse
import json
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from answering import answering
from callsheet.edges.counters.qwen import QwenCounter
from callsheet.errors import UsageError, WeightsError
from callsheet.history import POLICIES
from callsheet.lab.probes.answers import Answers
from callsheet.lab.probes.incident import PROBES, incident
from callsheet.lab.probes.paired import Effort, Paired, effort, paired
from callsheet.lab.probes.results import Answer, Probed
from callsheet.lab.probes.run import Setting, control, run
from callsheet.model.policy import ModelProfile

FILE = Path(__file__).with_suffix(".answers.jsonl")
NAME = "Qwen2.5-Coder-0.5B-Instruct"
CONTEXT, ROWS, WINDOW = 16_384, 4, 4_096
"""Tokens the model is loaded for; lines of a tool's result; tokens that a policy may fill."""
FULL = "full"
NAMES = (FULL, "compaction", "coding-agent", "user-words-and-last-turns", "sliding-window", "scoped-sub-agent")


def told(row: str, answer: Answer) -> None:
    shown = answer.error or f"{answer.verdict}: {answer.text.strip()!r}"
    seconds = "on file" if answer.again else f"{answer.seconds:.1f} s, {answer.cached} of {answer.read} tokens warm"
    read = f", read {', '.join(map(str, answer.numbers))} again" if answer.numbers else ""
    print(f"{row}, {answer.probe} {answer.phrasing + 1}/6: {shown[:80]}{read} ({seconds})", file=sys.stderr, flush=True)


def rows(options: argparse.Namespace) -> dict[str, Probed]:
    """The rows in the order they were run; the control row first, which has nothing to read again."""
    profile = ModelProfile(NAME, "openai_chat", window=CONTEXT, max_output=96, counter="qwen")
    story, count = incident(options.rows), QwenCounter().count
    timeline = story.timeline(count)
    with closing(answering(profile, options.threads, options.on_file)) as model:
        setting = Setting(
            model, count, options.window, story.tools, Answers(options.answers), warm=True, recall=True, told=told
        )
        made = {"control": control(timeline, PROBES, setting)}
        for name in dict.fromkeys((FULL, *(options.policies or NAMES))):
            made[name] = run(timeline, POLICIES[name], PROBES, setting)
        return made


def line(name: str, took: Effort, beside: Paired | None) -> str:
    each = "–" if took.per_success is None else f"{took.per_success:,.0f}"
    cells = (
        f"{name:<26}{took.right:>3}/{took.n:<3}{took.wrong:>6}{took.unknown:>11}{took.refetches:>10}"
        f"{took.refetched:>8}{took.tokens.median or 0:>9,.0f}{each:>11}{took.seconds.median or 0:>7.1f}"
    )
    if beside is None:
        return cells
    pairs = f"{beside.both} / {beside.only_with} / {beside.only_without} / {beside.neither}"
    return f"{cells}   {pairs:<16} {beside.p:.3f}"


HEAD = (
    f"{'':<26}{'right':<7}{'wrong':>6}{'do not know':>12}{'re-reads':>9}{'tokens':>8}{'per ask':>9}{'per right':>11}"
    f"{'s':>7}   both / with / without / neither, p"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--rows", type=int, default=ROWS, help="lines of a tool's result")
    parser.add_argument("--window", type=int, default=WINDOW, help="tokens that a policy may fill")
    parser.add_argument("--policies", nargs="*", choices=list(POLICIES), help="only these, beside full")
    parser.add_argument("--answers", type=Path, default=FILE, help="the file answers are kept in")
    parser.add_argument("--fresh", action="store_true", help="ask everything anew, and keep nothing")
    parser.add_argument("--on-file", action="store_true", help="ask nothing: no figures where an answer is not on file")
    parser.add_argument("--threads", type=int, help="threads of the model; one is best beside other work")
    options = parser.parse_args()
    if options.fresh:
        options.answers = None
    try:
        made = rows(options)
    except (UsageError, WeightsError) as error:
        print(f"not measured: {error}", file=sys.stderr)
        made = {}
    took = {name: effort(row.answers) for name, row in made.items()}
    beside = {
        name: paired([(row.answers, made[FULL].answers)], "warm", order)
        for order, (name, row) in enumerate(made.items())
        if name not in ("control", FULL)
    }
    if options.json:
        figures = {
            name: {
                "value": each.per_success,
                "unit": "tokens per right answer",
                "n": each.n,
                "effort": asdict(each),
                "paired": asdict(beside[name]) if name in beside else None,
            }
            for name, each in took.items()
        }
        print(json.dumps({"bench": "paired", "figures": figures}))
    elif made:
        print(HEAD)
        print("\n".join(line(name, each, beside.get(name)) for name, each in took.items()))


if __name__ == "__main__":
    main()
