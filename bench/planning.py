"""The embedded model's plan of searches for each question of some sets, kept on file beside the weights.

Each is made as `route = "model"` has it made: by the first decision of a run in a project of the empty template. What
of a plan is of use, and whether the rule takes its place, is the product's judgement (`core/retrieval/planning.py`).
bench/iterative.py searches with what is on file.

    python bench/planning.py tau2 livemcpbench
"""

import argparse
import json
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from answering import answering
from callsheet.core.retrieval.planning import PLANNER, made_plan
from callsheet.core.text.redact import redact
from callsheet.edges.project.templates import write_template
from callsheet.host.host import Host, open_host, weights_cache
from callsheet.host.wiring import Overrides
from callsheet.model.effect import Step
from callsheet.model.message import Proposal
from callsheet.model.policy import ModelProfile
from callsheet.model.retrieval import SearchPlan
from callsheet.model.task import Task
from knowledge_sets import SETS, labelled
from recordings import folder

NAME = "Qwen2.5-Coder-0.5B-Instruct"
CONTEXT = 8_192
SETTINGS = '\n[knowledge]\nroute = "model"\n\n[ceilings]\ndecisions = 1\n'
"""One decision is the plan alone."""


def on_file() -> Path:
    return weights_cache() / "plans.jsonl"


def plans() -> dict[str, SearchPlan]:
    """The plan of each question that was made with the instruction as it is now."""
    found: dict[str, SearchPlan] = {}
    path = on_file()
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        row = json.loads(line)
        if row["instruction"] == PLANNER.instruction:
            said = None if row["queries"] is None else Proposal("queries", queries=tuple(row["queries"]))
            step = Step(row["request_id"], PLANNER.name, "planned", said)
            found[row["question"]] = made_plan(Task(row["question"], "bench"), step, PLANNER)
    return found


def planned(host: Host, question: str) -> str:
    """The row of a question's plan; its queries are null where the reply was none."""
    started = time.monotonic()
    step = host.run(question).steps[0]
    row = {
        "question": question,
        "instruction": PLANNER.instruction,
        "request_id": step.request_id,
        "queries": step.proposal.queries if step.proposal is not None else None,
        "why": [each.why for each in step.verdicts],
        "usage": asdict(step.usage) if step.usage is not None else None,
        "seconds": round(time.monotonic() - started, 1),
    }
    return json.dumps(row, ensure_ascii=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", choices=tuple(SETS), metavar="SET", help=f"of {', '.join(SETS)}")
    parser.add_argument("--most", type=int, default=None, help="questions of each set at most")
    options = parser.parse_args()
    data = folder(*(SETS[name][0] for name in options.sets))
    if data is None:
        return
    known = plans()
    asked = [redact(one.text) for name in options.sets for one in labelled(name, data).questions[: options.most]]
    profile = ModelProfile(
        NAME, "openai_chat", window=CONTEXT, max_output=400, counter="qwen", schema_in_prompt_prefix=False
    )
    with tempfile.TemporaryDirectory() as place, on_file().open("a", encoding="utf-8") as file:
        write_template("empty", project := Path(place) / "project")
        settings = project / "callsheet.toml"
        settings.write_text(settings.read_text(encoding="utf-8") + SETTINGS, encoding="utf-8")
        model = answering(profile, None, on_file=False)
        with closing(open_host(project, Path(place) / "data", Overrides(model=model))) as host:
            for question in (each for each in dict.fromkeys(asked) if each not in known):
                row = planned(host, question)
                print(row, file=file, flush=True)
                print(row, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
