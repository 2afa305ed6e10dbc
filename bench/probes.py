"""What a small model still knows of a long incident under each policy: two probes, six phrasings each (F8, F9).

The incident is made by code (src/callsheet/lab/probes/incident): 40 turns, twelve tools, a standing rule in turn 2, a
value in turn 19, both asked for in turn 40, among hundreds of values that look like them. The embedded model answers.
The row `control` has the fact alone in its window: what it misses there no policy can be blamed for.

Rows run one after the other, each behind one request that only warms the model's prompt cache, so that all are read
under the same condition (G3); `--cold` switches the cache off and takes many times as long. Answers are kept in a file
by the hash of their request: a run that was broken off goes on where it stopped, and answers on file are not asked
again. The file beside this script holds those behind the figures in the documentation; `--fresh` leaves it aside.
"""

import argparse
import json
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from answering import answering
from callsheet.edges.counters.qwen import QwenCounter
from callsheet.errors import UsageError, WeightsError
from callsheet.history import POLICIES
from callsheet.lab.probes.answers import Answers
from callsheet.lab.probes.incident import PROBES, incident
from callsheet.lab.probes.results import Answer, Probed, Tally
from callsheet.lab.probes.run import Setting, control, run
from callsheet.model.policy import ModelProfile

FILE = Path(__file__).with_suffix(".answers.jsonl")
NAME = "Qwen2.5-Coder-0.5B-Instruct"
CONTEXT, ROWS, WINDOW = 16_384, 4, 4_096
"""Tokens the model is loaded for; lines of a tool's result; tokens that a policy may fill."""


def figure(tally: Tally, row: Probed) -> dict[str, Any]:
    share = tally.hits / tally.n if tally.n else None
    warm = round(row.cached / row.read, 3) if row.read else None
    return {"value": share, "unit": "share", **asdict(tally), "prompt_tokens": row.window, "warm": warm}


def line(row: Probed) -> str:
    cells = [f"{row.policy:<26}{row.window:>7}"]
    for probe in PROBES:
        tally = row.probes[probe.id]
        wrong = f"{tally.neighbour} / {tally.other} / {tally.abstained}" + (
            f" ({tally.failed} failed)" * bool(tally.failed)
        )
        cells.append(f"{tally.hits}/{tally.n}  {tally.low:.2f}-{tally.high:.2f}  {wrong}")
    return "   ".join(cells)


def told(row: str, answer: Answer) -> None:
    shown = answer.error or f"{answer.verdict}: {answer.text.strip()!r}"
    seconds = "on file" if answer.again else f"{answer.seconds:.1f} s, {answer.cached} of {answer.read} tokens warm"
    print(f"{row}, {answer.probe} {answer.phrasing + 1}/6: {shown[:100]} ({seconds})", file=sys.stderr, flush=True)


def rows(options: argparse.Namespace) -> list[Probed]:
    profile = ModelProfile(NAME, "openai_chat", window=CONTEXT, max_output=64, counter="qwen")
    story, count = incident(options.rows), QwenCounter().count
    timeline = story.timeline(count)
    with closing(answering(profile, options.threads, options.on_file, prompt_cache=not options.cold)) as model:
        answers = Answers(options.answers)
        setting = Setting(model, count, options.window, story.tools, answers, warm=not options.cold, told=told)
        made = [control(timeline, PROBES, setting)]
        for name in options.policies or POLICIES:
            made.append(run(timeline, POLICIES[name], PROBES, setting))
        return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--rows", type=int, default=ROWS, help="lines of a tool's result")
    parser.add_argument("--window", type=int, default=WINDOW, help="tokens that a policy may fill")
    parser.add_argument("--policies", nargs="*", choices=list(POLICIES), help="only these")
    parser.add_argument("--answers", type=Path, default=FILE, help="the file answers are kept in")
    parser.add_argument("--fresh", action="store_true", help="ask everything anew, and keep nothing")
    parser.add_argument("--on-file", action="store_true", help="ask nothing: no figures where an answer is not on file")
    parser.add_argument("--threads", type=int, help="threads of the model; one is best beside other work")
    parser.add_argument("--cold", action="store_true", help="without the model's prompt cache")
    options = parser.parse_args()
    if options.fresh:
        options.answers = None
    elif options.cold and options.answers == FILE:
        options.answers = FILE.with_suffix(".cold.jsonl")
    try:
        made = rows(options)
    except (UsageError, WeightsError) as error:
        print(f"not measured: {error}", file=sys.stderr)
        made = []
    if options.json:
        figures = {f"{row.policy}/{probe}": figure(tally, row) for row in made for probe, tally in row.probes.items()}
        print(json.dumps({"bench": "probes", "figures": figures}))
    elif made:
        print(
            f"{'':<26}{'tokens':>7}   "
            + "   ".join(f"{probe.id} (hits, 95 %, neighbour / other / don't know)" for probe in PROBES)
        )
        print("\n".join(map(line, made)))


if __name__ == "__main__":
    main()
