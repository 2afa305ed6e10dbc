"""The embedded model's plan for a question, a list of queries under a schema; each reply is kept on file.

flock /tmp/model.lock python bench/planning.py tau2 livemcpbench
"""

import argparse
import json
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from answering import answering
from callsheet.lab.probes.ask import Form, address, ask, body
from callsheet.model.message import Message, TextBlock
from callsheet.model.policy import ModelProfile
from knowledge_sets import SETS, labelled
from recordings import folder

FILE = Path(__file__).with_name("iterative.answers.jsonl")
SYSTEM = (
    "You plan how to search a collection of documents. Break what the person needs into separate steps, and write one "
    "short search query for each: the subject of a document that could be there, not the person's own story."
)
SCHEMA = {
    "type": "object",
    "properties": {
        "queries": {
            "type": "array",
            "minItems": 1,
            "maxItems": 8,
            "items": {"type": "string", "minLength": 3, "maxLength": 80},
        }
    },
    "required": ["queries"],
    "additionalProperties": False,
}
NAME = "Qwen2.5-Coder-0.5B-Instruct"
CONTEXT, MOST = 8_192, 160
"""Tokens the model is loaded for, and of one plan."""


def plans() -> dict[str, list[str]]:
    """The queries of each question on file; none where the model's reply was no plan."""
    found: dict[str, list[str]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else ():
        row = json.loads(line)
        try:
            found[row["question"]] = list(json.loads(row["text"])["queries"])
        except (ValueError, KeyError, TypeError):
            found[row["question"]] = []
    return found


def plan(question: str, found: dict[str, list[str]]) -> list[str]:
    """A question's plan on file; none where nobody made one."""
    return found.get(address(question.encode()), [])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="SET", help=f"of {', '.join(SETS)}")
    options = parser.parse_args()
    data = folder(*(SETS[name][0] for name in options.sets))
    profile = ModelProfile(NAME, "openai_chat", window=CONTEXT, max_output=MOST, counter="qwen")
    known = plans()
    if data is None:
        return
    with closing(answering(profile, None, on_file=False)) as model, FILE.open("a", encoding="utf-8") as file:
        for question in (each for name in options.sets for each in labelled(name, data).questions):
            key = address(question.text.encode())
            if key in known:
                continue
            message = Message("user", (TextBlock(text=f"{question.text}\n\nWrite the plan."),), "text")
            asked, refused = body([message], SYSTEM, (), profile, Form(schema=SCHEMA, most=MOST))
            if refused:
                raise SystemExit(refused)
            said = ask(model, asked)
            known[key] = []
            row = {"question": key, "text": said.text, "error": said.error, "usage": asdict(said.usage)}
            file.write(json.dumps(row) + "\n")
            file.flush()
            print(f"{said.text or said.error} ({said.seconds:.1f} s)", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
